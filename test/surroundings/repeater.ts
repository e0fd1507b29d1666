import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Carries out an action whenever it is requested, one run at a time. Requests during a run become one more run, so that
 * the last run has the newest state; a run that fails is repeated.
 */
export class Repeater {
  readonly #action: () => Promise<void>;
  readonly #signal: AbortSignal;
  #isDue = false;
  #running: Promise<void> | undefined;

  /** The signal ends the repetition. */
  constructor(action: () => Promise<void>, signal: AbortSignal) {
    this.#action = action;
    this.#signal = signal;
  }

  request(): void {
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  /** Returns when nothing is due, or nothing is repeated any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const signal = this.#signal;
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      await this.#action().catch(() => {
        this.#isDue = true;
        return sleep(500, undefined, { signal }).catch(() => undefined);
      });
    }
    this.#running = undefined;
  }
}
