import {
  getKey,
  isBeingDeleted,
  isNewer,
  type Key,
  type KubeObject,
} from '../objects/kube-object.ts';
import type { Change, ObjectCache } from '../ports/cache.ts';
import type { Clock } from '../ports/clock.ts';

interface Entry<T> {
  /** As it was last with the finalizer on. */
  object: T;
  readonly storedMs: number;
  isGone: boolean;
}

/**
 * A DELETE lasts at most 60 s (the default of `--request-timeout`), and the watch reports it a little later.
 * https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
 */
const WINDOW_MS = 120_000;

/**
 * A DELETE that has looked at an object just before a finalizer is stored on it removes it all the
 * same, and the write of the finalizer succeeds too:
 * https://github.com/kubernetes/kubernetes/issues/77988. So each object is remembered for a while
 * from when this process stored the finalizer: one that goes without having been marked as deleted
 * is cleaned up behind like any other, however late its pass is.
 */
export class LateFinalizers<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #cache: Pick<ObjectCache<T>, 'get'>;
  readonly #finalizer: string | undefined;
  /** Oldest first, but for those that are gone. */
  readonly #entries = new Map<Key, Entry<T>>();
  /** UIDs of objects whose finalizer was sent, and is not known to be stored. */
  readonly #sent = new Map<Key, string | undefined>();

  constructor(
    clock: Clock,
    {
      cache,
      finalizer,
    }: { readonly cache: Pick<ObjectCache<T>, 'get'>; readonly finalizer: string | undefined },
  ) {
    this.#clock = clock;
    this.#cache = cache;
    this.#finalizer = finalizer;
  }

  /** Call with what the write of the finalizer answered; its deletion may have been observed before that. */
  recordStored(object: T): void {
    this.#dropOld();
    const key = getKey(object);
    this.#sent.delete(key);
    const isGone = this.#cache.get(key)?.metadata.uid !== object.metadata.uid;
    this.#entries.delete(key);
    this.#entries.set(key, { object, storedMs: this.#clock.monotonicMs(), isGone });
  }

  /**
   * Call where the write of the finalizer failed: without an answer, or with one such as 504, it may be stored all the
   * same, and counts as stored once the cache shows it.
   */
  recordSent(object: T): void {
    const key = getKey(object);
    const shown = this.#cache.get(key);
    if (shown?.metadata.uid !== object.metadata.uid) return;
    this.#sent.set(key, object.metadata.uid);
    this.#noteSent(key, shown);
  }

  /** Call with each change that the cache reports. */
  recordChange({ kind, object }: Change<T>): void {
    this.#dropOld();
    const key = getKey(object);
    this.#noteSent(key, object);
    if (kind === 'deleted') this.#sent.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (this.#isSettled(object, entry.object)) {
      this.#entries.delete(key);
      return;
    }
    if (isNewerState(object, entry.object)) entry.object = object;
    if (kind === 'deleted') entry.isGone = true;
  }

  /** The object of a key that was deleted despite its finalizer; until `forget`. */
  findDeleted(key: Key): T | undefined {
    const entry = this.#entries.get(key);
    return entry?.isGone ? entry.object : undefined;
  }

  forget(key: Key): void {
    this.#entries.delete(key);
  }

  /**
   * Deletion waits for the finalizer now, or it was taken off, or another object in its place has
   * one: what stands outside may be that one's.
   */
  #isSettled(observed: T, stored: T): boolean {
    const hasFinalizer = this.#hasFinalizer(observed);
    if (observed.metadata.uid !== stored.metadata.uid) return hasFinalizer;
    if (isNewer(stored, observed)) return false;
    return isBeingDeleted(observed) || !hasFinalizer;
  }

  #noteSent(key: Key, shown: T | undefined): void {
    const isSent = shown !== undefined && this.#sent.has(key) && this.#hasFinalizer(shown);
    if (!isSent || this.#sent.get(key) !== shown.metadata.uid) return;
    this.#sent.delete(key);
    const storedMs = this.#clock.monotonicMs();
    this.#entries.delete(key);
    this.#entries.set(key, { object: shown, storedMs, isGone: false });
  }

  #hasFinalizer({ metadata }: T): boolean {
    return metadata.finalizers?.includes(this.#finalizer ?? '') === true;
  }

  /** Only what lives on: what is gone waits for its pass. */
  #dropOld(): void {
    const oldestMs = this.#clock.monotonicMs() - WINDOW_MS;
    for (const [key, entry] of this.#entries) {
      if (entry.storedMs >= oldestMs) return;
      if (!entry.isGone) this.#entries.delete(key);
    }
  }
}

function isNewerState(observed: KubeObject, stored: KubeObject): boolean {
  return observed.metadata.uid === stored.metadata.uid && isNewer(observed, stored);
}
