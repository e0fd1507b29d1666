// Lives here: the Kubernetes objects that an object owns: applied, pruned, refused if foreign.
// May import it: src/controllers, src/setup and src/core/controller.
// Start with: ensureOwned in owned-objects.ts; child-state.ts is for children that are replaced.

import {
  getController,
  getKey,
  type Key,
  type KubeObject,
  parseGroup,
  type ResourceKind,
} from '../objects/kube-object.ts';
import { type Change, listStates, type ObjectCache } from '../ports/cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChildWriter } from '../ports/writers.ts';
import { type KeySource, LOW_PRIORITY } from '../queue/key-queue.ts';
import { ReadYourWrites, type WriteGate } from '../staleness/read-your-writes.ts';

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
export class Children<T extends KubeObject> implements ChildrenGate {
  readonly source: KeySource;
  readonly #cache: ObjectCache<T>;
  readonly #writer: ChildWriter;
  readonly #writes: ReadYourWrites<KubeObject>;
  readonly #createdFor = new WeakSet<KubeObject>();
  /** UIDs, the oldest first. */
  readonly #deleted = new Set<string>();

  constructor({ cache, writer, owner, clock }: ChildrenOptions<T>) {
    this.source = createOwnerSource(cache, owner);
    this.#cache = cache;
    this.#writer = writer;
    this.#writes = new ReadYourWrites<KubeObject>(clock, cache);
  }

  /** False where the cache still lags behind what was written for this owner, after 5 s. */
  areVisible(owner: Key, signal: AbortSignal): Promise<boolean> {
    return this.#writes.areVisible(owner, signal);
  }

  takeCreatedFor(owner: KubeObject): boolean {
    return this.#createdFor.delete(owner);
  }

  /** Gives `ensureOwned` the children of one owner; every write is recorded. */
  forOwner(owner: KubeObject): ChildrenOfOwner<T> {
    const key = getKey(owner);
    const remember = async <R extends KubeObject | undefined>(writing: Promise<R>): Promise<R> => {
      const written = await writing;
      this.#writes.record(key, written);
      return written;
    };
    const writer = this.#writer;
    return {
      observed: this.#cache,
      writer: {
        create: async (child) => {
          const created = await remember(writer.create(child));
          if (created !== undefined) this.#createdFor.add(owner);
          return created;
        },
        check: (child) => writer.check(child),
        apply: (child, createOnlyFields) => remember(writer.apply(child, createOnlyFields)),
        delete: async (child) => {
          await writer.delete(child);
          this.#recordDeleted(child);
        },
        get: (child) => writer.get(child),
      },
      listOwned: () => this.#cache.listOwned(owner.metadata.uid ?? ''),
      isDeleted: ({ metadata }) => this.#deleted.has(metadata.uid ?? ''),
    };
  }

  #recordDeleted({ metadata }: KubeObject): void {
    if (metadata.uid !== undefined) this.#deleted.add(metadata.uid);
    const [oldest] = this.#deleted;
    if (this.#deleted.size > MOST_DELETED && oldest !== undefined) this.#deleted.delete(oldest);
  }
}

const MOST_DELETED = 4096;

/** The children of one kind, as far as a pass over their owner has to know of them. */
export interface ChildrenGate extends WriteGate {
  /** Whether a child was created for an owner that was given in this form, since this was last asked. */
  takeCreatedFor(owner: KubeObject): boolean;
}

/** The children of one owner. */
export interface ChildrenOfOwner<T extends KubeObject> {
  readonly observed: Pick<ObjectCache<T>, 'get' | 'listOwned'>;
  readonly writer: ChildWriter;
  /** Those whose controller the owner is, as the cache shows them. */
  listOwned(): readonly T[];
  /** Whether this process has deleted it, which a watch that lags does not show yet. */
  isDeleted(child: KubeObject): boolean;
}

export interface OwnerKind extends Pick<ResourceKind, 'group' | 'kind'> {
  /** Owners of a cluster-scoped kind have keys without a namespace. */
  readonly isClusterScoped?: boolean;
}

/**
 * Puts the controller of every child that appears, changes (its status included), goes or changes
 * hands into the queue; of one that changed hands, both controllers. Owners that are no controllers,
 * and controllers of other kinds, are none of ours; the version of their API does not matter.
 */
export function createOwnerSource(
  children: Pick<ObjectCache<KubeObject>, 'subscribe'>,
  owner: OwnerKind,
): KeySource {
  return (enqueue) =>
    children.subscribe((change) => {
      const isInitial = change.kind === 'added' && change.isInitial;
      const options = { priority: isInitial ? LOW_PRIORITY : 0 };
      for (const key of listOwnerKeys(change, owner)) enqueue(key, options);
    });
}

function listOwnerKeys(change: Change<KubeObject>, owner: OwnerKind): ReadonlySet<Key> {
  return new Set(listStates(change).flatMap((state) => findOwnerKey(state, owner) ?? []));
}

function findOwnerKey(child: KubeObject, owner: OwnerKind): Key | undefined {
  const reference = getController(child);
  if (reference?.kind !== owner.kind || parseGroup(reference.apiVersion) !== owner.group)
    return undefined;
  const namespace = owner.isClusterScoped ? '' : (child.metadata.namespace ?? '');
  return `${namespace}/${reference.name}`;
}
