import { type Clock, deadline } from './clock.ts';
import { compareVersions, type Key, type KubeObject } from './kube-object.ts';
import type { ObjectCache } from './object-store.ts';

/** Holds a pass back until what was written for its key can be read. */
export interface WriteGate {
  /** False where it gave up waiting. */
  areVisible(key: Key, signal: AbortSignal): Promise<boolean>;
}

const WAIT_MS = 5_000;

/**
 * Read-your-writes: the newest resourceVersion that we wrote for each key, so that the next pass of
 * that key does not decide on a cache older than its own last write.
 */
export class OwnWrites<T extends KubeObject> implements WriteGate {
  readonly #clock: Clock;
  readonly #cache: ObjectCache<T>;
  readonly #newest = new Map<Key, string>();

  constructor(clock: Clock, cache: ObjectCache<T>) {
    this.#clock = clock;
    this.#cache = cache;
  }

  record(key: Key, written: KubeObject | undefined): void {
    const version = written?.metadata.resourceVersion;
    if (version === undefined) return;
    const known = this.#newest.get(key);
    if (known === undefined || compareVersions(known, version) < 0) this.#newest.set(key, version);
  }

  /** True when the cache has caught up; false when it has not within 5 s: go on, count it. */
  async areVisible(key: Key, signal: AbortSignal): Promise<boolean> {
    const version = this.#newest.get(key);
    if (version === undefined) return true;
    const bound = deadline(this.#clock, WAIT_MS, signal);
    const hasReached = await this.#cache.hasReached(version, bound.signal, key);
    bound.release();
    signal.throwIfAborted();
    this.#newest.delete(key);
    return hasReached;
  }
}
