import type { Key } from '../objects/kube-object.ts';
import { addJitter, type Clock } from '../ports/clock.ts';

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Exponential delay per key, up to 20 % of jitter on top; a healthy key costs no memory. */
export class Backoff {
  readonly #clock: Clock;
  readonly #options: BackoffOptions;
  readonly #failures = new Map<Key, number>();

  constructor(clock: Clock, options: BackoffOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Counts one more failure in a row and draws the delay, in ms; at least `leastMs`. */
  drawDelayMs(key: Key, leastMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(this.#options.maxMs, this.#options.firstMs * 2 ** failures);
    return addJitter(this.#clock, Math.max(delayMs, leastMs), 0.2);
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  get size(): number {
    return this.#failures.size;
  }
}
