import { isNewer, type Key, type KubeObject, keyOf } from './kube-object.ts';
import type { ObjectCache } from './object-store.ts';

/**
 * What the API server answered to our own writes, kept until the cache shows it. Where the cache
 * lags for long (a watch that fell silent), a pass goes on from this: on an object older than our
 * last write it would take back what that write recorded, or find nothing to write because the old
 * status happens to read as the new one should.
 */
export class UnseenWrites<T extends KubeObject> {
  readonly #cache: Pick<ObjectCache<T>, 'get'>;
  readonly #unseen = new Map<Key, T>();

  constructor(cache: Pick<ObjectCache<T>, 'get'>) {
    this.#cache = cache;
  }

  /** Call with what each write answered. */
  keep(written: T | undefined): void {
    const held = written && this.#cache.get(keyOf(written));
    // What the cache has let go, or does not know yet, nobody works on.
    if (held === undefined || written === undefined) return;
    if (isNewer(written, this.newest(held))) this.#unseen.set(keyOf(written), written);
  }

  /** Call with each object that the cache tells of. */
  seen(object: T): void {
    const unseen = this.#unseen.get(keyOf(object));
    if (unseen !== undefined && !isNewer(unseen, object)) this.#unseen.delete(keyOf(object));
  }

  /** `held` by the cache, or a later state of this very object. */
  newest(held: T): T {
    const unseen = this.#unseen.get(keyOf(held));
    if (unseen === undefined || unseen.metadata.uid !== held.metadata.uid) return held;
    return isNewer(unseen, held) ? unseen : held;
  }

  /** Writes that the cache has not shown yet. */
  get size(): number {
    return this.#unseen.size;
  }
}
