import { compareVersions } from '../../core/objects/kube-object.ts';
import { type Clock, raceAbort, startDeadline } from '../../core/ports/clock.ts';
import { HEALTHY_WATCH_MS } from './recovery.ts';

const LONGEST_MS = 60_000;

export interface ConfirmationOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A minute has passed without it. */
  readonly onLate: () => void;
}

/** The proof that a cache holds what the API server had at the beginning, by a watch that is opened from then on. */
export class Confirmation {
  /** Resolves also when it is late, and when `signal` aborts. */
  readonly done: Promise<void>;
  readonly #clock: Clock;
  readonly #proof = Promise.withResolvers<void>();
  #serverVersion = '';
  #isOver = false;
  #cancelTimer = (): void => {};

  constructor(options: ConfirmationOptions) {
    this.#clock = options.clock;
    this.done = this.#wait(options);
  }

  /** Call with what the server says before the watch is opened. */
  noteServerVersion(version: string): void {
    this.#serverVersion = version;
  }

  /**
   * Call when the watch is open, and after each change. There is no sign for the end of what a server sends at once: it
   * is the version that the server had, or a second without a further change.
   */
  check(position: string | undefined): void {
    if (this.#isOver) return;
    this.#cancelTimer();
    const isReached = compareVersions(position ?? '', this.#serverVersion) >= 0;
    if (isReached) return this.prove();
    this.#cancelTimer = this.#clock.setTimer(HEALTHY_WATCH_MS, () => this.prove());
  }

  /** The cache has a new state altogether. */
  prove(): void {
    this.#proof.resolve();
  }

  /** The watch has ended. */
  interrupt(): void {
    this.#cancelTimer();
  }

  async #wait({ clock, signal, onLate }: ConfirmationOptions): Promise<void> {
    const limit = startDeadline(clock, LONGEST_MS, signal);
    try {
      await raceAbort(this.#proof.promise, limit.signal);
    } catch {
      if (!signal.aborted) onLate();
    } finally {
      limit.release();
      this.#isOver = true;
      this.#cancelTimer();
    }
  }
}
