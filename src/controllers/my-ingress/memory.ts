import type { AwsOperation } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';
import type { Facts } from './facts.ts';

/** The facts about one object. */
export interface ObjectMemory {
  readonly uid: string;
  facts: Facts;
  /** The plan that waits for its tokens, and for which state of the object it was made. */
  awaited?: { readonly operations: readonly AwsOperation[]; readonly madeFor: string } | undefined;
}

/**
 * What the controller keeps in memory for each object. All of it may be lost at any time: a restart
 * costs a longer wait or one more read, never a wrong write.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #objects = new Map<Key, ObjectMemory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Another UID is another object, of which an earlier one of the same name proves nothing. */
  of(key: Key, uid: string): ObjectMemory {
    const known = this.#objects.get(key);
    if (known?.uid === uid) return known;
    const [knownSinceMs, spread] = [this.#clock.monotonicMs(), this.#clock.random()];
    const memory = { uid, facts: { knownSinceMs, spread, changes: [], takeovers: [] } };
    this.#objects.set(key, memory);
    return memory;
  }

  forget(key: Key): void {
    this.#objects.delete(key);
  }

  get size(): number {
    return this.#objects.size;
  }
}
