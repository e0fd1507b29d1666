import type { Clock } from '../../src/core/ports/clock.ts';
import { MAX_TIMER_MS } from '../../src/core/ports/clock.ts';

export interface ManualClockOptions {
  /** Epoch milliseconds that `now()` starts at. */
  readonly startMs?: number;
  /** Same seed, same numbers from `random()`. */
  readonly seed?: number;
}

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/**
 * A Clock whose time passes only when a test says so. Timers fire in the order of their due times,
 * equal ones in the order they were armed; between two of them every promise that can go on does.
 */
export class ManualClock implements Clock {
  #startMs: number;
  readonly #timers = new Set<Timer>();
  #elapsedMs = 0;
  #armed = 0;
  #state: number;

  constructor(options: ManualClockOptions = {}) {
    this.#startMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#state = (options.seed ?? 1) | 0;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  /** The wall clock jumps; timers and monotonic time go on as before. */
  turnWallClock(byMs: number): void {
    this.#startMs += byMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const clampedMs = Math.min(Math.max(0, delayMs), MAX_TIMER_MS);
    const timer = { dueMs: this.#elapsedMs + clampedMs, order: this.#armed++, fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** mulberry32: small, fast, good enough for jitter. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Timers armed and not yet fired; a test's proof that nothing leaks. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires, undefined where none is armed. */
  get nextTimerInMs(): number | undefined {
    const next = this.#next();
    return next && next.dueMs - this.#elapsedMs;
  }

  /** Lets every promise that can go on without time do so. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets `ms` pass, firing what becomes due, timers armed on the way included. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await this.settle();
    for (let next = this.#next(); next && next.dueMs <= untilMs; next = this.#next()) {
      await this.#fire(next);
    }
    this.#elapsedMs = untilMs;
    await this.settle();
  }

  /**
   * Jumps from timer to timer until `promise` settles, and settles like it. Rejects where it still
   * waits with no timer armed, or after `limitMs`.
   */
  async finish<T>(promise: Promise<T>, limitMs = 24 * 3600_000): Promise<T> {
    let isPending = true;
    const done = (): void => void (isPending = false);
    promise.then(done, done);
    const untilMs = this.#elapsedMs + limitMs;
    await this.settle();
    while (isPending) {
      const next = this.#next();
      if (!next || next.dueMs > untilMs) throw new Error('the promise waits for more than time');
      await this.#fire(next);
    }
    return promise;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#elapsedMs = timer.dueMs;
    this.#timers.delete(timer);
    timer.fire();
    await this.settle();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (!next || timer.dueMs < next.dueMs) next = timer;
    }
    return next;
  }
}
