import type { Clock } from './clock.ts';
import type { KeySource } from './key-source.ts';
import { type Key, type KubeObject, keyOf } from './kube-object.ts';
import type { ChildWriter, ObjectCache } from './object-store.ts';
import { type OwnerKind, ownerKeys } from './owner-keys.ts';
import { ReadYourWrites, type WriteGate } from './read-your-writes.ts';

export interface ChildrenOptions<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  /** Writes that kind. */
  readonly writer: ChildWriter;
  readonly owner: OwnerKind;
  readonly clock: Clock;
}

/**
 * The children of one kind, as the controller of their owners has them: their changes put the owner
 * into its queue, and a pass over an owner begins when the cache shows what earlier passes wrote, so
 * that nothing is made twice. Give it to the controller (`ControllerOptions.children`).
 */
export class Children<T extends KubeObject> implements WriteGate {
  readonly source: KeySource;
  readonly #cache: ObjectCache<T>;
  readonly #writer: ChildWriter;
  readonly #writes: ReadYourWrites<KubeObject>;

  constructor({ cache, writer, owner, clock }: ChildrenOptions<T>) {
    this.source = ownerKeys(cache, owner);
    this.#cache = cache;
    this.#writer = writer;
    this.#writes = new ReadYourWrites<KubeObject>(clock, cache);
  }

  /** False where the cache still lags behind what was written for this owner, after 5 s. */
  areVisible(owner: Key, signal: AbortSignal): Promise<boolean> {
    return this.#writes.areVisible(owner, signal);
  }

  /** What `ensureOwned` needs for one owner; every write is remembered. */
  of(owner: KubeObject): ChildrenOfOne<T> {
    const key = keyOf(owner);
    const remember = async <R extends KubeObject | undefined>(writing: Promise<R>): Promise<R> => {
      const written = await writing;
      this.#writes.record(key, written);
      return written;
    };
    const writer = this.#writer;
    return {
      observed: this.#cache,
      writer: {
        create: (child) => remember(writer.create(child)),
        apply: (child, leaving) => remember(writer.apply(child, leaving)),
        delete: (child) => writer.delete(child),
        get: (child) => writer.get(child),
      },
      ownedBy: () => this.#cache.ownedBy(owner.metadata.uid ?? ''),
    };
  }
}

/** The children of one owner. */
export interface ChildrenOfOne<T extends KubeObject> {
  readonly observed: Pick<ObjectCache<T>, 'get' | 'ownedBy'>;
  readonly writer: ChildWriter;
  /** Those whose controller the owner is, as the cache shows them. */
  ownedBy(): readonly T[];
}
