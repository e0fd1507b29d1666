import { type Clock, jitter } from '../core/clock.ts';

const FIRST_MS = 800;
/** Of the delay drawn, with its jitter: after an outage every kind is back this soon. */
const CAP_MS = 10_000;
const JITTER = 0.5;
const FORGIVEN_AFTER_MS = 120_000;

/**
 * Delays of 0.8 s, doubled up to the cap, and begun anew only after two minutes without need:
 * a server that comes up for a moment and goes down again is not greeted by a hot loop.
 */
export class ReflectorBackoff {
  readonly #clock: Clock;
  #failures = 0;
  #neededAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more failure and says how long to wait, in ms. */
  nextMs(): number {
    const failures = this.#count();
    const baseMs = Math.min(FIRST_MS * 2 ** failures, CAP_MS / (1 + JITTER));
    return jitter(this.#clock, baseMs, JITTER);
  }

  /** The same, but the first failure is free. */
  nextMsAfterFree(): number {
    if (this.#isForgiven()) {
      this.#failures = 0;
      this.#neededAtMs = this.#clock.monotonicMs();
      return 0;
    }
    return this.nextMs();
  }

  #count(): number {
    if (this.#isForgiven()) this.#failures = 0;
    this.#neededAtMs = this.#clock.monotonicMs();
    return this.#failures++;
  }

  #isForgiven(): boolean {
    return this.#clock.monotonicMs() - this.#neededAtMs > FORGIVEN_AFTER_MS;
  }
}
