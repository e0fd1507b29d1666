// Lives here: leader election by a Lease.
// May import it: src/main.ts; src/cli takes lease.ts.
// Start with: this file, then candidate.ts and lease.ts.

import { addJitter, type Clock, sleep, startDeadline } from '../../core/ports/clock.ts';
import { assertLeader, type Leadership } from '../../core/ports/leadership.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isConflict, isNotFound } from '../client/kube-error.ts';
import { kubeMetrics } from '../client/kube-metrics.ts';
import { type Acquired, Candidate, LeaseObservation } from './candidate.ts';
import {
  createClaimedSpec,
  createReleasedSpec,
  getHolder,
  LeaseStore,
  watchLease,
} from './lease.ts';

export interface ElectionTiming {
  /** Time that a successor waits after the last renewal it observed. */
  readonly leaseDurationMs: number;
  /** Time that the leader works without a successful renewal. */
  readonly renewDeadlineMs: number;
  /** From one attempt or renewal to the next, plus up to 20 %; a quarter of it after a renewal that failed. */
  readonly retryMs: number;
}

/** controller-runtime's defaults. */
const DEFAULT_TIMING: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2000,
};

export interface ElectionOptions {
  /** Without leadership: it is what makes the leader. */
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Of this process and no other, an earlier one of the same pod included. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly timing?: ElectionTiming;
}

const RELEASE_LIMIT_MS = 2000;

/**
 * Takes part in the election by Lease: https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 * Throws RangeError for a timing in which a successor could begin before the leader has ended.
 */
export class Election implements Leadership {
  /** Resolves when the Lease is ours; stays pending if that never happens. */
  readonly acquired: Promise<void>;
  /** Resolves when it was ours and is not any more, except by `release` or `stop`. Final. */
  readonly lost: Promise<void>;
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #log: Logger;
  readonly #store: LeaseStore;
  readonly #observation: LeaseObservation;
  readonly #candidate: Candidate;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #phase: 'candidate' | 'leader' | 'over' = 'candidate';
  #validUntilMs = 0;
  #cancelExpiry = (): void => {};
  #markAcquired = (): void => {};
  #markLost = (): void => {};

  constructor(options: ElectionOptions) {
    const { clock, identity, namespace, name } = options;
    this.#options = options;
    this.#timing = options.timing ?? DEFAULT_TIMING;
    const { leaseDurationMs, renewDeadlineMs, retryMs } = this.#timing;
    assertTiming(this.#timing);
    this.#log = options.log.child({ lease: `${namespace}/${name}`, identity });
    const requestDeadlineMs = Math.max(1000, renewDeadlineMs / 2);
    this.#store = new LeaseStore({ ...options, requestDeadlineMs });
    this.#observation = new LeaseObservation({
      clock,
      identity,
      defaultDurationMs: leaseDurationMs,
    });
    this.#candidate = new Candidate({
      store: this.#store,
      observation: this.#observation,
      clock,
      log: this.#log,
      identity,
      leaseDurationMs,
      retryMs,
      signal: this.#ending.signal,
      watch: (onLease) => watchLease({ ...options, log: this.#log, onLease }),
    });
    this.acquired = new Promise((resolve) => {
      this.#markAcquired = resolve;
    });
    this.lost = new Promise((resolve) => {
      this.#markLost = resolve;
    });
    this.#setStatus(0);
    this.#running = this.#run();
  }

  /** By the clock, not by a timer: a process that slept past its deadline is no leader when it wakes. */
  isLeader(): boolean {
    if (this.#phase !== 'leader') return false;
    if (this.#options.clock.monotonicMs() < this.#validUntilMs) return true;
    this.#lose('it was not renewed in time');
    return false;
  }

  /** Lets the Lease go, for a stop in good order: no write of the leader may follow. Never throws. */
  async release(): Promise<void> {
    const hasLost = !this.isLeader() && this.#phase === 'over';
    await this.stop();
    if (hasLost) return;
    const limit = startDeadline(this.#options.clock, RELEASE_LIMIT_MS);
    try {
      if (await this.#releaseLease(limit.signal)) this.#log.info('released the lease');
    } catch (error) {
      this.#log.info('could not release the lease, it will expire', { err: error });
    } finally {
      limit.release();
    }
  }

  /** Ends without letting it go. Once it resolves, no request is under way. */
  async stop(): Promise<void> {
    this.#end();
    await this.#running;
    await this.#candidate.watchEnd;
  }

  async #run(): Promise<void> {
    try {
      this.#lead(await this.#candidate.acquire());
      let hasRenewed = true;
      while (this.isLeader()) {
        await sleep(this.#options.clock, this.#drawDelayMs(hasRenewed), this.#ending.signal);
        if (this.isLeader()) hasRenewed = await this.#renew();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }

  #lead({ lease, sentAtMs }: Acquired): void {
    this.#observation.recordLease(lease);
    if (this.#phase === 'over') return;
    this.#phase = 'leader';
    this.#extend(sentAtMs);
    if (!this.isLeader()) return;
    this.#setStatus(1);
    this.#log.info('became leader', { transitions: lease.spec?.leaseTransitions ?? 0 });
    this.#markAcquired();
  }

  /** Counted from when the write was sent: a successor counts from when it saw it, which is later. */
  #extend(sentAtMs: number): void {
    const { clock } = this.#options;
    this.#validUntilMs = sentAtMs + this.#timing.renewDeadlineMs;
    this.#cancelExpiry();
    const leftMs = this.#validUntilMs - clock.monotonicMs();
    this.#cancelExpiry = clock.setTimer(leftMs, () => void this.isLeader());
  }

  /** Returns false if the first attempt failed. */
  async #renew(): Promise<boolean> {
    try {
      await this.#write();
      return true;
    } catch (error) {
      if (!this.isLeader()) return false;
      this.#log.info('could not renew the lease', { err: error });
      if (isConflict(error) || isNotFound(error)) await this.#recheck();
      return false;
    }
  }

  /** The Lease was written or removed by another client; unless another process holds it now, it is written again. */
  async #recheck(): Promise<void> {
    this.#observation.invalidate();
    try {
      const lease = await this.#store.read(this.#ending.signal);
      const holder = getHolder(lease);
      if (holder !== '' && holder !== this.#options.identity) {
        return this.#lose(`${holder} has taken it`);
      }
      this.#observation.recordLease(lease);
      await this.#write();
    } catch (error) {
      this.#log.debug('could not read the lease', { err: error });
    }
  }

  async #write(): Promise<void> {
    const { clock, identity } = this.#options;
    const { leaseDurationMs } = this.#timing;
    const { lease } = this.#observation;
    let sentAtMs = clock.monotonicMs();
    const written = await this.#store.write({
      lease,
      spec: createClaimedSpec(lease, { identity, leaseDurationMs, clock }),
      signal: this.#ending.signal,
      beforeSend: () => {
        assertLeader(this);
        sentAtMs = clock.monotonicMs();
      },
    });
    this.#observation.recordLease(written);
    if (this.isLeader()) this.#extend(sentAtMs);
  }

  #lose(why: string): void {
    if (this.#phase !== 'leader') return;
    this.#end();
    this.#log.error('lost the lease', { why });
    this.#markLost();
  }

  /** From here on this process does not lead, and sends nothing more. */
  #end(): void {
    this.#phase = 'over';
    this.#cancelExpiry();
    this.#setStatus(0);
    this.#ending.abort();
  }

  /** False if it is not ours. It may be although nobody knows: a write that was cut short. */
  async #releaseLease(signal: AbortSignal): Promise<boolean> {
    const { clock, identity } = this.#options;
    for (;;) {
      if (this.#observation.isInvalid)
        this.#observation.recordLease(await this.#store.read(signal));
      const { lease } = this.#observation;
      if (!lease || getHolder(lease) !== identity) return false;
      try {
        await this.#store.write({ lease, spec: createReleasedSpec(lease, clock), signal });
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
        this.#observation.invalidate();
      }
    }
  }

  /** A renewal that got no answer has used up half of the time: the next must leave soon. */
  #drawDelayMs(hasRenewed: boolean): number {
    const { retryMs } = this.#timing;
    return addJitter(this.#options.clock, hasRenewed ? retryMs : retryMs / 4, 0.2);
  }

  #setStatus(value: 0 | 1): void {
    this.#options.metrics.gauge(kubeMetrics.masterStatus, { name: this.#options.name }, value);
  }
}

function assertTiming({ leaseDurationMs, renewDeadlineMs, retryMs }: ElectionTiming): void {
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryMs * 1.2) return;
  throw new RangeError('a lease needs duration > renew deadline > 1.2 x retry');
}
