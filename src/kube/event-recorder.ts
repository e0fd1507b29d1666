import { type Clock, jitter, sleep } from '../core/clock.ts';
import type { EventDraft, EventRecorder } from '../core/events.ts';
import type { KubeObject } from '../core/kube-object.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import { forgetOldest } from './bounded-map.ts';
import { createEventRateLimit, REFILL_MS } from './event-rate-limit.ts';
import {
  createEventRequest,
  type EventSeries,
  eventName,
  objectId,
  patchEventRequest,
  seriesKey,
  startSeries,
} from './event-series.ts';
import type { KubeClient } from './kube-client.ts';
import { isNamespaceLeaving, KubeError } from './kube-error.ts';
import { kubeMetrics } from './kube-metrics.ts';

export interface EventRecorderOptions {
  /** Without a leadership check: that the lease was lost is worth an event. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Names this process, such as its pod. */
  readonly reportingInstance: string;
}

export interface DrainableEventRecorder extends EventRecorder {
  /** Writes what is still to be written, until `signal` aborts; afterwards nothing is recorded. */
  drain(signal: AbortSignal): Promise<void>;
}

/** Without a repetition for so long a series has ended, and the next event begins a new one. */
const SERIES_IDLE_MS = 360_000;
const MAX_SERIES = 4096;
const MAX_QUEUED = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** Why an event was not written; values of the label `cause`. */
type DropCause =
  | 'queue_full'
  | 'rate_limited'
  | 'namespace_gone'
  | 'refused'
  | 'unavailable'
  | 'stopped';

/**
 * Writes events.k8s.io/v1, one at a time and in order. A repetition only raises the count of its
 * series, which is written as soon as the rate limit of the object allows it.
 */
export function createEventRecorder(options: EventRecorderOptions): DrainableEventRecorder {
  const journal = new EventJournal(options);
  return {
    record: (regarding, draft) => journal.record(regarding, draft),
    drain: (signal) => journal.drain(signal),
  };
}

class EventJournal {
  readonly #options: EventRecorderOptions;
  readonly #rateLimit;
  /** Ordered by their last repetition. */
  readonly #series = new Map<string, EventSeries>();
  readonly #queue: EventSeries[] = [];
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#rateLimit = createEventRateLimit(options.clock);
  }

  record(regarding: KubeObject, draft: EventDraft): void {
    if (this.#stop.signal.aborted) return this.#drop('stopped');
    const series = this.#repeat(regarding, draft) ?? this.#begin(regarding, draft);
    if (series) this.#offer(series);
  }

  async drain(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    for (const series of this.#series.values()) {
      if (isUnwritten(series) && !series.isQueued) this.#enqueue(series);
    }
    await this.#working;
    signal.removeEventListener('abort', stop);
    this.#cancelSweep?.();
    this.#stop.abort(new Error('the event recorder has stopped'));
  }

  #repeat(regarding: KubeObject, draft: EventDraft): EventSeries | undefined {
    const { clock } = this.#options;
    const key = seriesKey(regarding, draft);
    const series = this.#series.get(key);
    this.#series.delete(key);
    if (!series || clock.monotonicMs() - series.lastSeenMonotonicMs > SERIES_IDLE_MS)
      return undefined;
    series.count++;
    series.lastSeenMs = clock.now();
    series.lastSeenMonotonicMs = clock.monotonicMs();
    this.#series.set(key, series);
    return series;
  }

  #begin(regarding: KubeObject, draft: EventDraft): EventSeries | undefined {
    const series = startSeries(this.#options.clock, regarding, draft);
    this.#series.set(series.key, series);
    if (this.#series.size > MAX_SERIES) forgetOldest(this.#series);
    return series;
  }

  /** Where the limit says no, a first event is lost, and a repetition is counted for later. */
  #offer(series: EventSeries): void {
    if (series.isQueued) return;
    if (this.#rateLimit.takes(objectId(series.regarding))) return this.#enqueue(series);
    if (series.writtenCount > 0) return this.#sweepLater();
    this.#series.delete(series.key);
    this.#drop('rate_limited');
  }

  #enqueue(series: EventSeries): void {
    if (this.#queue.length >= MAX_QUEUED) return this.#drop('queue_full');
    series.isQueued = true;
    this.#queue.push(series);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#options.clock.setTimer(REFILL_MS, () => {
      this.#cancelSweep = undefined;
      this.#sweep();
    });
  }

  #sweep(): void {
    for (const series of this.#series.values()) {
      if (isUnwritten(series)) this.#offer(series);
    }
  }

  async #work(): Promise<void> {
    for (let series = this.#queue.shift(); series; series = this.#queue.shift()) {
      series.isQueued = false;
      if (isUnwritten(series) && !series.isLost) await this.#writePatiently(series);
    }
  }

  async #writePatiently(series: EventSeries): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (let tries = 1; !signal.aborted; tries++) {
      const failure = await this.#write(series);
      if (!failure) return;
      const cause = dropCauseOf(failure, tries);
      if (cause) return this.#giveUp(series, cause, failure);
      await sleep(clock, jitter(clock, RETRY_MS, 0.25), signal).catch(() => undefined);
    }
    this.#drop('stopped');
  }

  /** Gives what went wrong. */
  async #write(series: EventSeries): Promise<unknown> {
    const { client, clock, reportingInstance } = this.#options;
    const { count } = series;
    const isNew = series.writtenCount === 0;
    const request = isNew
      ? createEventRequest(series, reportingInstance)
      : patchEventRequest(series);
    try {
      await client.request<unknown>({ ...request, signal: this.#stop.signal });
    } catch (error) {
      const status = error instanceof KubeError ? error.status : undefined;
      if (!isNew && status === 404) {
        // The API server forgets events after an hour: the series goes on as a new object.
        series.name = eventName(clock, series.regarding);
        series.writtenCount = 0;
        return this.#write(series);
      }
      // A create whose answer was lost, repeated: it is ours, the name is drawn by chance.
      if (!(isNew && status === 409)) return error;
    }
    series.writtenCount = count;
    return undefined;
  }

  #giveUp(series: EventSeries, cause: DropCause, failure: unknown): void {
    series.isLost = true;
    this.#series.delete(series.key);
    this.#drop(cause);
    const { reason } = series.draft;
    const error = failure instanceof Error ? failure.message : String(failure);
    this.#options.log.debug('event not written', { cause, reason, error });
  }

  #drop(cause: DropCause): void {
    this.#options.metrics.count(kubeMetrics.eventsDropped, { cause });
  }
}

function isUnwritten(series: EventSeries): boolean {
  return series.count > series.writtenCount;
}

/** undefined: worth another try. */
function dropCauseOf(failure: unknown, tries: number): DropCause | undefined {
  if (isNamespaceLeaving(failure)) return 'namespace_gone';
  const status = failure instanceof KubeError ? failure.status : 503;
  if (status < 500 && status !== 429) return 'refused';
  return tries < MAX_TRIES ? undefined : 'unavailable';
}
