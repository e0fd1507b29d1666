import { type Clock, deadline, jitter, sleep } from '../core/clock.ts';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { KubeClient } from './kube-client.ts';
import { isConflict, isNotFound } from './kube-error.ts';
import { Campaign, type Won } from './lease-campaign.ts';
import { leaseMetrics } from './lease-metrics.ts';
import { LeaseObservation } from './lease-observation.ts';
import { claimedSpec, holderOf, releasedSpec } from './lease-record.ts';
import { createLeaseStore, type LeaseStore } from './lease-store.ts';
import { watchLease } from './lease-watch.ts';

export interface ElectionTiming {
  /** How long a successor waits after the last renewal that it has seen. */
  readonly leaseDurationMs: number;
  /** How long the leader goes on without a successful renewal. */
  readonly renewDeadlineMs: number;
  /** From one attempt or renewal to the next, plus up to 20 %. */
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

export interface Election extends Leadership {
  /** Resolves when the Lease is ours; stays pending if that never happens. */
  readonly acquired: Promise<void>;
  /** Resolves when it was ours and is not any more, except by `release` or `stop`. Final. */
  readonly lost: Promise<void>;
  /** By the clock, not by a timer: a process that slept past its deadline is no leader when it wakes. */
  isLeader(): boolean;
  /** Gives the Lease away, for a stop in good order: no write of the leader may follow. Never throws. */
  release(): Promise<void>;
  /** Ends without giving it away. Once it resolves, no request is under way. */
  stop(): Promise<void>;
}

/**
 * Takes part in the election by Lease: https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
 * Throws RangeError for a timing in which a successor could begin before the leader has ended.
 */
export function startElection(options: ElectionOptions): Election {
  const { leaseDurationMs, renewDeadlineMs, retryMs } = options.timing ?? DEFAULT_TIMING;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryMs * 1.2)) {
    throw new RangeError('a lease needs duration > renew deadline > 1.2 x retry');
  }
  return new RunningElection(options);
}

const RELEASE_LIMIT_MS = 2000;

class RunningElection implements Election {
  readonly acquired: Promise<void>;
  readonly lost: Promise<void>;
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #log: Logger;
  readonly #store: LeaseStore;
  readonly #observation: LeaseObservation;
  readonly #campaign: Campaign;
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
    this.#log = options.log.child({ lease: `${namespace}/${name}`, identity });
    const requestDeadlineMs = Math.max(1000, renewDeadlineMs / 2);
    this.#store = createLeaseStore({ ...options, requestDeadlineMs });
    this.#observation = new LeaseObservation({
      clock,
      identity,
      defaultDurationMs: leaseDurationMs,
    });
    this.#campaign = new Campaign({
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

  isLeader(): boolean {
    if (this.#phase !== 'leader') return false;
    if (this.#options.clock.monotonicMs() < this.#validUntilMs) return true;
    this.#lose('it was not renewed in time');
    return false;
  }

  async release(): Promise<void> {
    const hasLost = !this.isLeader() && this.#phase === 'over';
    await this.stop();
    if (hasLost) return;
    const limit = deadline(this.#options.clock, RELEASE_LIMIT_MS);
    try {
      if (await this.#giveAway(limit.signal)) this.#log.info('released the lease');
    } catch (error) {
      this.#log.info('could not release the lease, it will expire', { err: error });
    } finally {
      limit.release();
    }
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#running;
    await this.#campaign.watchEnd;
  }

  async #run(): Promise<void> {
    try {
      this.#reign(await this.#campaign.win());
      while (this.isLeader()) {
        await sleep(this.#options.clock, this.#retryMs(), this.#ending.signal);
        if (this.isLeader()) await this.#renew();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }

  #reign({ lease, sentAtMs }: Won): void {
    this.#observation.see(lease);
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

  async #renew(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      if (!this.isLeader()) return;
      this.#log.info('could not renew the lease', { err: error });
      if (isConflict(error) || isNotFound(error)) await this.#lookAgain();
    }
  }

  /** Somebody wrote or removed the Lease; unless another one holds it now, it is claimed anew. */
  async #lookAgain(): Promise<void> {
    try {
      const lease = await this.#store.read(this.#ending.signal);
      const holder = holderOf(lease);
      if (holder !== '' && holder !== this.#options.identity) {
        return this.#lose(`${holder} has taken it`);
      }
      this.#observation.see(lease);
      await this.#write();
    } catch (error) {
      this.#log.debug('could not look at the lease', { err: error });
    }
  }

  async #write(): Promise<void> {
    const { clock, identity } = this.#options;
    const { leaseDurationMs } = this.#timing;
    const { lease } = this.#observation;
    let sentAtMs = clock.monotonicMs();
    const written = await this.#store.write({
      lease,
      spec: claimedSpec(lease, { identity, leaseDurationMs, clock }),
      signal: this.#ending.signal,
      beforeSend: () => {
        assertLeader(this);
        sentAtMs = clock.monotonicMs();
      },
    });
    this.#observation.see(written);
    if (this.isLeader()) this.#extend(sentAtMs);
  }

  #lose(why: string): void {
    if (this.#phase !== 'leader') return;
    this.#end();
    this.#log.error('lost the lease', { why });
    this.#markLost();
  }

  /** From here on nobody is told that this process leads, and nothing more is sent. */
  #end(): void {
    this.#phase = 'over';
    this.#cancelExpiry();
    this.#setStatus(0);
    this.#ending.abort();
  }

  /** False if it is not ours. It may be although nobody knows: a write that was cut short. */
  async #giveAway(signal: AbortSignal): Promise<boolean> {
    const { clock, identity } = this.#options;
    for (;;) {
      if (this.#observation.isDoubtful) this.#observation.see(await this.#store.read(signal));
      const { lease } = this.#observation;
      if (!lease || holderOf(lease) !== identity) return false;
      try {
        await this.#store.write({ lease, spec: releasedSpec(lease, clock), signal });
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
        this.#observation.doubt();
      }
    }
  }

  #retryMs(): number {
    return jitter(this.#options.clock, this.#timing.retryMs, 0.2);
  }

  #setStatus(value: 0 | 1): void {
    this.#options.metrics.gauge(leaseMetrics.masterStatus, { name: this.#options.name }, value);
  }
}
