import type { Clock } from './clock.ts';
import { isBeingDeleted, isNewer, type Key, type KubeObject, keyOf } from './kube-object.ts';

interface Entry<T> {
  /** As it was with the finalizer on. */
  readonly object: T;
  readonly storedMs: number;
  isGone: boolean;
}

/** A DELETE lasts at most 60 s (`--request-timeout` of kube-apiserver), and is seen a little later. */
const WINDOW_MS = 120_000;

/**
 * A DELETE that has looked at an object just before a finalizer is stored on it removes it all the
 * same, and the write of the finalizer succeeds too:
 * https://github.com/kubernetes/kubernetes/issues/77988. So each object is remembered for a while
 * from when this process stored the finalizer: one that goes without having been marked as deleted
 * is cleaned up behind like any other.
 */
export class LateFinalizers<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #finalizer: string | undefined;
  /** Oldest first, but for those that are gone. */
  readonly #entries = new Map<Key, Entry<T>>();

  constructor(clock: Clock, finalizer: string | undefined) {
    this.#clock = clock;
    this.#finalizer = finalizer;
  }

  /** Call with what the write of the finalizer answered. */
  stored(object: T): void {
    this.#dropOld();
    const key = keyOf(object);
    this.#entries.delete(key);
    this.#entries.set(key, { object, storedMs: this.#clock.monotonicMs(), isGone: false });
  }

  /** Call with each object that the cache tells of, its last state included. */
  seen(object: T): void {
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#isSettled(object, entry.object)) this.#entries.delete(key);
  }

  /** The object of a key that is gone in spite of its finalizer; from then on until `forget`. */
  gone(key: Key): T | undefined {
    this.#dropOld();
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isGone = true;
    return entry.object;
  }

  forget(key: Key): void {
    this.#entries.delete(key);
  }

  /** Deletion waits for the finalizer now, or somebody took it off, or another object is in its place. */
  #isSettled(seen: T, stored: T): boolean {
    if (seen.metadata.uid !== stored.metadata.uid) return true;
    if (isNewer(stored, seen)) return false;
    return isBeingDeleted(seen) || !seen.metadata.finalizers?.includes(this.#finalizer ?? '');
  }

  #dropOld(): void {
    const oldestMs = this.#clock.monotonicMs() - WINDOW_MS;
    for (const [key, entry] of this.#entries) {
      if (entry.storedMs >= oldestMs) return;
      if (!entry.isGone) this.#entries.delete(key);
    }
  }
}
