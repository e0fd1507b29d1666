// Lives here: how a pass avoids reading a state older than its own last write.
// May import it: src/core/controller and src/core/children.
// Start with: this file, the only one.

import { getKey, isNewer, type Key, type KubeObject } from '../objects/kube-object.ts';
import type { Change, ObjectCache } from '../ports/cache.ts';
import { type Clock, startDeadline } from '../ports/clock.ts';

/** Holds a pass back until what was written for its key can be read. */
export interface WriteGate {
  /** False where it gave up waiting. */
  areVisible(key: Key, signal: AbortSignal): Promise<boolean>;
}

interface Answer<T> {
  readonly object: T;
  /** Of the cache when the write was answered. */
  readonly rewinds: number;
  isAwaited: boolean;
}

interface Missing {
  readonly uid: string | undefined;
  /** As in `Answer`. */
  readonly rewinds: number;
}

const WAIT_MS = 5_000;
const MOST_ANSWERS = 4096;

/**
 * Holds the last answer of the API server to our writes for each key, until the cache shows it. A pass
 * waits for the cache; where that lags for long (a watch that fell silent), the pass goes on from
 * the answer: on an object older than our last write it would take back what that write recorded, or
 * find nothing to write because the old status happens to read as the new one should.
 */
export class ReadYourWrites<T extends KubeObject> implements WriteGate {
  readonly #clock: Clock;
  readonly #cache: ObjectCache<T>;
  /** The oldest write first. */
  readonly #answers = new Map<Key, Answer<T>>();
  /** Objects that a write has not found, and that the cache still shows. */
  readonly #missing = new Map<Key, Missing>();

  constructor(clock: Clock, cache: ObjectCache<T>) {
    this.#clock = clock;
    this.#cache = cache;
  }

  /** Call with what each write for `key` answered: the object itself, or a child of it. */
  record(key: Key, written: T | undefined): void {
    if (written?.metadata.resourceVersion === undefined || this.#isShown(written)) return;
    const known = this.#findAnswer(key);
    if (known !== undefined && !isNewer(written, known.object)) return;
    const rewinds = this.#cache.countRewinds(key);
    this.#answers.delete(key);
    this.#answers.set(key, { object: written, rewinds, isAwaited: false });
    if (this.#answers.size > MOST_ANSWERS) this.#forgetOldest();
  }

  /** Call where a write has not found the object: a watch that is silent does not tell of its deletion. */
  recordMissing(object: T): void {
    const key = getKey(object);
    const { uid } = object.metadata;
    if (this.#cache.get(key)?.metadata.uid !== uid) return;
    this.#missing.set(key, { uid, rewinds: this.#cache.countRewinds(key) });
  }

  /** Whether a write has not found the object that the cache holds. */
  isMissing(held: T): boolean {
    const key = getKey(held);
    const missing = this.#missing.get(key);
    const isSame = missing !== undefined && missing.uid === held.metadata.uid;
    return isSame && missing.rewinds === this.#cache.countRewinds(key);
  }

  /** Call with each change that the cache reports. */
  recordChange({ kind, object }: Change<T>): void {
    const key = getKey(object);
    this.#missing.delete(key);
    const answer = this.#answers.get(key);
    if (answer === undefined) return;
    const isGone = kind === 'deleted' && isSameObject(answer.object, object);
    if (isGone || !isNewer(answer.object, object)) this.#answers.delete(key);
  }

  /** Whether the cache shows with this object a write of ours that it has not shown before, or an older state. */
  isOwn(shown: T): boolean {
    const answer = this.#findAnswer(getKey(shown));
    return answer !== undefined && !isNewer(shown, answer.object);
  }

  /** True when the cache shows our last write; false when it does not within 5 s: go on, count it. */
  async areVisible(key: Key, signal: AbortSignal): Promise<boolean> {
    const answer = this.#findAnswer(key);
    if (answer === undefined) return true;
    const hasReached = await this.#await(key, answer, signal);
    signal.throwIfAborted();
    answer.isAwaited = true;
    if (hasReached && this.#answers.get(key) === answer) this.#answers.delete(key);
    return hasReached;
  }

  /** `held` by the cache, or a later state of this very object. */
  pickNewest(held: T): T {
    const answer = this.#findAnswer(getKey(held));
    if (answer === undefined || !isSameObject(answer.object, held)) return held;
    return isNewer(answer.object, held) ? answer.object : held;
  }

  /** Answers that are held. */
  get size(): number {
    return this.#answers.size;
  }

  #forgetOldest(): void {
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }

  /** Versions written before the jump back are stored nowhere. */
  #findAnswer(key: Key): Answer<T> | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined || answer.rewinds === this.#cache.countRewinds(key)) return answer;
    this.#answers.delete(key);
    return undefined;
  }

  /** One write is waited for once. */
  async #await(key: Key, { object, isAwaited }: Answer<T>, signal: AbortSignal): Promise<boolean> {
    const version = object.metadata.resourceVersion ?? '';
    if (isAwaited) return this.#cache.hasReached(version, AbortSignal.abort(), key);
    const bound = startDeadline(this.#clock, WAIT_MS, signal);
    const hasReached = await this.#cache.hasReached(version, bound.signal, key);
    bound.release();
    return hasReached;
  }

  #isShown(written: T): boolean {
    const shown = this.#cache.get(getKey(written));
    return shown !== undefined && isSameObject(shown, written) && !isNewer(written, shown);
  }
}

function isSameObject(one: KubeObject, other: KubeObject): boolean {
  return one.metadata.uid === other.metadata.uid;
}
