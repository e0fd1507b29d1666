import { isDeepStrictEqual } from 'node:util';
import { compareVersions } from '../../core/objects/kube-object.ts';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';
import { isConflict } from '../client/kube-error.ts';
import type { Reflector } from '../watch/reflector.ts';
import { createClaimedSpec, getHolder, type Lease, type LeaseStore } from './lease.ts';

export interface CandidateOptions {
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
export interface Acquired {
  readonly lease: Lease;
  readonly sentAtMs: number;
}

/**
 * Tries until the Lease is ours: at once when it is free, else as soon as its holder lets it go or
 * has not renewed it for its whole duration. `acquire` rejects when the signal aborts.
 */
export class Candidate {
  readonly #options: CandidateOptions;
  #watch: Reflector | undefined;
  #watchEnd: Promise<void> = Promise.resolve();
  #wake = (): void => {};
  #reported: string | undefined;
  /** Why the last attempt failed, as logged. */
  #failure: string | undefined;

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  async acquire(): Promise<Acquired> {
    const { signal } = this.#options;
    try {
      for (;;) {
        signal.throwIfAborted();
        const won = await this.#tryAcquire();
        if (won) return won;
      }
    } finally {
      this.#watchEnd = this.#watch?.stop() ?? this.#watchEnd;
    }
  }

  /** Resolves when the watch of the campaign has ended, a little after `acquire`. */
  get watchEnd(): Promise<void> {
    return this.#watchEnd;
  }

  async #tryAcquire(): Promise<Acquired | undefined> {
    const { store, observation, signal } = this.#options;
    try {
      if (observation.isInvalid) observation.recordLease(await store.read(signal));
      const waitMs = observation.computeWaitMs();
      if (waitMs <= 0) return await this.#writeClaim();
      await this.#waitUntilFree(waitMs);
    } catch (error) {
      // The write may have succeeded although its answer was lost: read before the next.
      observation.invalidate();
      signal.throwIfAborted();
      await this.#waitAfterFailure(error);
    }
    return undefined;
  }

  async #writeClaim(): Promise<Acquired> {
    const { store, observation, clock, signal } = this.#options;
    const { lease } = observation;
    let sentAtMs = clock.monotonicMs();
    const beforeSend = (): void => {
      sentAtMs = clock.monotonicMs();
    };
    const spec = createClaimedSpec(lease, this.#options);
    const written = await store.write({ lease, spec, signal, beforeSend });
    return { lease: written, sentAtMs };
  }

  /** While the watch does not work, the Lease is read at each retry instead. */
  async #waitUntilFree(waitMs: number): Promise<void> {
    const { observation, clock, retryMs } = this.#options;
    this.#watch ??= this.#options.watch((lease) => {
      observation.recordLease(lease);
      this.#wake();
    });
    this.#logHolder(waitMs);
    this.#failure = undefined;
    const isFollowing = this.#watch.findFault() === undefined;
    await this.#pause(isFollowing ? waitMs : Math.min(waitMs, addJitter(clock, retryMs, 0.2)));
    if (this.#watch.findFault() !== undefined) observation.invalidate();
  }

  /** Ends early when the watch reports a change, or the signal aborts. */
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

  async #waitAfterFailure(error: unknown): Promise<void> {
    const { clock, log, retryMs, signal } = this.#options;
    const hasLostRace = isConflict(error);
    const failure = readMessage(error);
    if (!hasLostRace && failure !== this.#failure) {
      log.info('cannot take the lease yet', { err: error });
      this.#failure = failure;
    }
    await sleep(clock, addJitter(clock, hasLostRace ? retryMs / 8 : retryMs, 0.2), signal);
  }

  #logHolder(waitMs: number): void {
    const { observation, clock, log } = this.#options;
    const holder = getHolder(observation.lease);
    if (holder === this.#reported) return;
    this.#reported = holder;
    const expiresAt = new Date(clock.now() + waitMs).toISOString();
    log.info('waiting for the lease', { holder, expiresAt });
  }
}

/**
 * The Lease as a candidate observed it. Only the moment at which the record was observed to change
 * counts, by the monotonic clock of this process: the times in the record come from other clocks
 * (https://pkg.go.dev/k8s.io/client-go/tools/leaderelection).
 */
export class LeaseObservation {
  readonly #clock: Clock;
  readonly #identity: string;
  readonly #defaultDurationMs: number;
  #observed: { readonly lease: Lease | undefined; readonly changedAtMs: number } | undefined;
  #isInvalid = true;

  constructor(options: {
    readonly clock: Clock;
    readonly identity: string;
    /** For a record that names none. */
    readonly defaultDurationMs: number;
  }) {
    this.#clock = options.clock;
    this.#identity = options.identity;
    this.#defaultDurationMs = options.defaultDurationMs;
  }

  /** It has to be read before the next attempt. */
  get isInvalid(): boolean {
    return this.#isInvalid;
  }

  get lease(): Lease | undefined {
    return this.#observed?.lease;
  }

  /**
   * undefined: there is no Lease. A read and a watch may overtake each other; the newer counts. After
   * `invalidate` the first counts in any case: versions move back when etcd is restored from a backup.
   */
  recordLease(lease: Lease | undefined): void {
    const before = this.#observed;
    const isOvertaken = lease && before?.lease && isOlder(lease, before.lease);
    if (isOvertaken && !this.#isInvalid) return;
    this.#isInvalid = false;
    const isNews = !before || !isDeepStrictEqual(lease?.spec, before.lease?.spec);
    this.#observed = {
      lease,
      changedAtMs: isNews ? this.#clock.monotonicMs() : before.changedAtMs,
    };
  }

  /** A write failed, or the watch is broken: the observation may be stale. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  /** Milliseconds until this candidate may take it; 0 or less: now. */
  computeWaitMs(): number {
    const holder = getHolder(this.#observed?.lease);
    if (!this.#observed || holder === '' || holder === this.#identity) return 0;
    const seconds = this.#observed.lease?.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#defaultDurationMs : seconds * 1000;
    return this.#observed.changedAtMs + durationMs - this.#clock.monotonicMs();
  }
}

/** Of the same Lease: one that was deleted and recreated begins with another UID. */
function isOlder(lease: Lease, than: Lease): boolean {
  const [a, b] = [lease.metadata, than.metadata];
  return a.uid === b.uid && compareVersions(a.resourceVersion ?? '', b.resourceVersion ?? '') < 0;
}
