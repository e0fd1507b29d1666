import {
  compareVersions,
  getKey,
  type Key,
  type KubeObject,
} from '../../src/core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../src/core/ports/cache.ts';
import type { FakeApiServer, WatchEvent } from './fake-api-server.ts';

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
}

/**
 * Stands for what a reflector's cache leaves out of each object; undefined for one that has not the labels which its
 * watch selects, and so looks deleted.
 */
export type Transform = (object: KubeObject) => KubeObject | undefined;

/** A cache fed by the fake API server, at once or, while the watch is held, later. */
export class FakeCache<T extends KubeObject> implements ObjectCache<T> {
  readonly #objects = new Map<Key, T>();
  readonly #subscribers = new Set<(change: Change<T>) => void>();
  readonly #waiters = new Set<Waiter>();
  readonly #behind: WatchEvent[] = [];
  readonly #transform: Transform;
  #isHeld = false;
  #reached = '0';

  constructor(server: FakeApiServer, kind: string, transform: Transform = (object) => object) {
    this.#transform = transform;
    for (const object of server.list(kind)) this.#see({ type: 'ADDED', object });
    server.watch((event) => {
      if (event.object.kind !== kind) return;
      if (this.#isHeld) this.#behind.push(event);
      else this.#see(event);
    });
  }

  /** From now on the cache lags: nothing new is seen until `catchUp`. */
  hold(): void {
    this.#isHeld = true;
  }

  catchUp(): void {
    this.#isHeld = false;
    for (const event of this.#behind.splice(0)) this.#see(event);
  }

  /** Callers of hasReached that still wait; a test's proof that none leaks. */
  get waiting(): number {
    return this.#waiters.size;
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  /** What the API server has, however much the cache lags. */
  findNewest(key: Key): Promise<T | undefined> {
    const last = this.#behind.findLast(({ object }) => getKey(object) === key);
    if (last === undefined) return Promise.resolve(this.get(key));
    if (last.type === 'DELETED') return Promise.resolve(undefined);
    return Promise.resolve(this.#transform(last.object) as T | undefined);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  listOwned(uid: string): readonly T[] {
    return this.list().filter((object) =>
      object.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid),
    );
  }

  subscribe(onChange: (change: Change<T>) => void): () => void {
    for (const object of this.list()) onChange({ kind: 'added', object, isInitial: true });
    this.#subscribers.add(onChange);
    return () => void this.#subscribers.delete(onChange);
  }

  hasReached(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    if (compareVersions(this.#reached, resourceVersion) >= 0) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (hasReached: boolean): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
        resolve(hasReached);
      };
      const onAbort = (): void => settle(false);
      const waiter = { version: resourceVersion, resolve: () => settle(true) };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  countRewinds(): number {
    return 0;
  }

  #see(event: WatchEvent): void {
    const key = getKey(event.object);
    const shown = this.#transform(event.object) as T | undefined;
    const previous = this.#objects.get(key);
    const type = shown === undefined ? 'DELETED' : event.type;
    const object = shown ?? previous;
    if (type === 'DELETED') this.#objects.delete(key);
    else if (object !== undefined) this.#objects.set(key, object);
    const changes = object === undefined ? [] : [changeOf(type, object, previous)];
    for (const change of changes) {
      for (const subscriber of [...this.#subscribers]) subscriber(change);
    }
    this.#advance(event.object.metadata.resourceVersion ?? '0');
  }

  #advance(version: string): void {
    this.#reached = version;
    for (const waiter of [...this.#waiters]) {
      if (compareVersions(version, waiter.version) >= 0) waiter.resolve();
    }
  }
}

function changeOf<T extends KubeObject>(
  type: WatchEvent['type'],
  object: T,
  previous: T | undefined,
): Change<T> {
  if (type === 'DELETED') return { kind: 'deleted', object };
  if (previous === undefined) return { kind: 'added', object, isInitial: false };
  return { kind: 'updated', object, previous };
}
