import type { Clock } from '../../src/core/ports/clock.ts';

/**
 * The clock of one process among several under one ManualClock: while the process is stopped
 * (SIGSTOP) its timers do not fire although time passes; when it goes on, those due fire.
 */
export class ProcessClock implements Clock {
  readonly #clock: Clock;
  #isStopped = false;
  #due: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  random(): number {
    return this.#clock.random();
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    let isCancelled = false;
    const run = (): void => {
      if (isCancelled) return;
      if (this.#isStopped) this.#due.push(run);
      else fire();
    };
    const cancel = this.#clock.setTimer(delayMs, run);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Between two timers every promise that can go on does, as in the event loop. */
  async continue(): Promise<void> {
    this.#isStopped = false;
    for (const run of this.#due.splice(0)) {
      run();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
