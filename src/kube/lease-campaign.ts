import { type Clock, jitter, sleep } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { isConflict } from './kube-error.ts';
import type { LeaseObservation } from './lease-observation.ts';
import { claimedSpec, holderOf, type Lease } from './lease-record.ts';
import type { LeaseStore } from './lease-store.ts';
import type { Reflector } from './reflector.ts';

export interface CampaignOptions {
  readonly store: LeaseStore;
  readonly observation: LeaseObservation;
  readonly clock: Clock;
  readonly log: Logger;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly retryMs: number;
  readonly signal: AbortSignal;
  /** Starts to follow the Lease; called when there is a holder to wait for. */
  readonly watch: (onLease: (lease: Lease | undefined) => void) => Reflector;
}

/** The Lease as written, and when the write was sent: from then on it counts. */
export interface Won {
  readonly lease: Lease;
  readonly sentAtMs: number;
}

/**
 * Tries until the Lease is ours: at once when it is free, else as soon as its holder lets it go or
 * has not renewed it for its whole duration. `win` rejects when the signal aborts.
 */
export class Campaign {
  readonly #options: CampaignOptions;
  #watch: Reflector | undefined;
  #watchEnd: Promise<void> = Promise.resolve();
  #wake = (): void => {};
  #reported: string | undefined;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async win(): Promise<Won> {
    const { signal } = this.#options;
    try {
      for (;;) {
        signal.throwIfAborted();
        const won = await this.#attempt();
        if (won) return won;
      }
    } finally {
      this.#watchEnd = this.#watch?.stop() ?? this.#watchEnd;
    }
  }

  /** Resolves when the watch of the campaign has ended, a little after `win`. */
  get watchEnd(): Promise<void> {
    return this.#watchEnd;
  }

  async #attempt(): Promise<Won | undefined> {
    const { store, observation, signal } = this.#options;
    try {
      if (observation.isDoubtful) observation.see(await store.read(signal));
      const waitMs = observation.freeInMs();
      if (waitMs <= 0) return await this.#take();
      await this.#waitForTurn(waitMs);
    } catch (error) {
      // It may have got through although its answer did not: look before the next.
      observation.doubt();
      signal.throwIfAborted();
      await this.#afterFailure(error);
    }
    return undefined;
  }

  async #take(): Promise<Won> {
    const { store, observation, clock, signal } = this.#options;
    const { lease } = observation;
    let sentAtMs = clock.monotonicMs();
    const beforeSend = (): void => {
      sentAtMs = clock.monotonicMs();
    };
    const spec = claimedSpec(lease, this.#options);
    const written = await store.write({ lease, spec, signal, beforeSend });
    return { lease: written, sentAtMs };
  }

  /** While the watch does not work, the Lease is read at each retry instead. */
  async #waitForTurn(waitMs: number): Promise<void> {
    const { observation, clock, retryMs } = this.#options;
    this.#watch ??= this.#options.watch((lease) => {
      observation.see(lease);
      this.#wake();
    });
    this.#report(waitMs);
    const isFollowing = this.#watch.health() === undefined;
    await this.#pause(isFollowing ? waitMs : Math.min(waitMs, jitter(clock, retryMs, 0.2)));
    if (this.#watch.health() !== undefined) observation.doubt();
  }

  /** Ends early when the watch tells something, or the signal aborts. */
  #pause(delayMs: number): Promise<void> {
    const { clock, signal } = this.#options;
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const cancel = clock.setTimer(delayMs, finish);
      signal.addEventListener('abort', finish, { once: true });
      this.#wake = finish;
    });
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { clock, log, retryMs, signal } = this.#options;
    const hasLostRace = isConflict(error);
    if (!hasLostRace) log.info('cannot take the lease yet', { err: error });
    await sleep(clock, jitter(clock, hasLostRace ? retryMs / 8 : retryMs, 0.2), signal);
  }

  #report(waitMs: number): void {
    const { observation, clock, log } = this.#options;
    const holder = holderOf(observation.lease);
    if (holder === this.#reported) return;
    this.#reported = holder;
    const expiresAt = new Date(clock.now() + waitMs).toISOString();
    log.info('waiting for the lease', { holder, expiresAt });
  }
}
