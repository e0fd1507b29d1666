import { type Random, seededRandom } from '../../localstack/embedded/ec2/seeded-ids.ts';
import { type Clock, MAX_TIMER_MS } from '../../src/core/ports/clock.ts';
import { Heap } from '../../src/core/queue/heap.ts';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

const SHORTEST_MS = 0.001;
/** Some day in 2026, so that times read like times. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

/**
 * The time of a simulated world: it jumps from timer to timer, and between two of them every promise
 * that can go on does. Timers of equal due time fire in the order in which they were armed.
 */
export class SimClock implements Clock {
  readonly #timers = new Heap<Timer>(isDueBefore);
  readonly #random: Random;
  #elapsedMs = 0;
  #armed = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  now(): number {
    return EPOCH_MS + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  random(): number {
    return this.#random();
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const clampedMs = Math.min(Math.max(0, delayMs), MAX_TIMER_MS);
    const timer = { dueMs: this.#after(clampedMs), order: this.#armed++, fire };
    this.#timers.push(timer);
    return () => void this.#timers.remove(timer);
  }

  /** A delay too short to be told from none at this time counts too: who waits anew would wait for ever. */
  #after(delayMs: number): number {
    const dueMs = this.#elapsedMs + delayMs;
    return delayMs > 0 && dueMs === this.#elapsedMs ? dueMs + SHORTEST_MS : dueMs;
  }

  /** Lets time pass until `untilMs` (monotonic), or until `isOver` says so between two timers. */
  async runUntil(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    await drained();
    for (;;) {
      const next = this.#timers.peek();
      if (next === undefined || next.dueMs > untilMs || isOver()) break;
      this.#timers.pop();
      this.#elapsedMs = next.dueMs;
      next.fire();
      await drained();
    }
    if (!isOver()) this.#elapsedMs = Math.max(this.#elapsedMs, untilMs);
  }
}

function isDueBefore(a: Timer, b: Timer): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}

/** Every promise that can go on without time has done so. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
