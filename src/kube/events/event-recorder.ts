// Lives here: Kubernetes Events, written in the background.
// May import it: src/setup.
// Start with: this file; event-series.ts has the requests.

import type { KubeObject } from '../../core/objects/kube-object.ts';
import { addJitter, type Clock } from '../../core/ports/clock.ts';
import type { EventDraft, EventRecorder } from '../../core/ports/events.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isNamespaceTerminating, KubeError } from '../client/kube-error.ts';
import { kubeMetrics } from '../client/kube-metrics.ts';
import {
  buildSeriesKey,
  createEventRequest,
  drawEventName,
  type EventSeries,
  getNamespace,
  identifyObject,
  patchEventRequest,
  startSeries,
} from './event-series.ts';
import { EventTurns, findLargest, forgetOldest } from './event-turns.ts';

export interface EventRecorderOptions {
  /** Without a leadership check: that the lease was lost is worth an event. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Names this process, such as its pod. */
  readonly reportingInstance: string;
}

/** Without a repetition for so long a series that is written has ended, and the next event begins a new one. */
const SERIES_IDLE_MS = 360_000;
const MAX_SERIES = 8192;
/** Events that wait for another try: more of them say nothing that the first ones do not. */
const MAX_DELAYED = 512;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** The reason why an event was not written; values of the label `cause`. */
type DropCause =
  | 'queue_full'
  | 'rate_limited'
  | 'namespace_gone'
  | 'refused'
  | 'unavailable'
  | 'stopped';

/**
 * Writes events.k8s.io/v1, a few at a time and never two of one series. One that fails is put back
 * with a due time, so that a namespace whose events are refused holds up no other. A repetition only
 * raises the count of its series, which is written as soon as the rate limit of the object allows it.
 */
export class KubeEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #rateLimit: EventRateLimit;
  /** Ordered by their last repetition. */
  readonly #series = new Map<string, EventSeries>();
  readonly #turns = new EventTurns();
  /** By series, what cancels its next try. */
  readonly #delayed = new Map<EventSeries, () => void>();
  readonly #writing = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #isDraining = false;
  #cancelOffer: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#rateLimit = new EventRateLimit(options.clock);
  }

  record(regarding: KubeObject, draft: EventDraft): void {
    if (this.#isDraining) return this.#drop('stopped');
    const series = this.#repeat(regarding, draft) ?? this.#begin(regarding, draft);
    this.#offer(series);
  }

  /** Writes what is still to be written, until `signal` aborts; afterwards nothing is recorded. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const stop = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#cancelOffer?.();
    for (const series of this.#delayed.keys()) this.#retryNow(series);
    for (const series of this.#series.values()) {
      if (isUnwritten(series) && series.state === 'idle') this.#enqueue(series);
    }
    while (this.#writing.size > 0) await Promise.all(this.#writing);
    signal.removeEventListener('abort', stop);
    this.#stop.abort(new Error('the event recorder has stopped'));
  }

  #repeat(regarding: KubeObject, draft: EventDraft): EventSeries | undefined {
    const { clock } = this.#options;
    const key = buildSeriesKey(regarding, draft);
    const series = this.#series.get(key);
    this.#series.delete(key);
    if (!series) return undefined;
    const isIdle = clock.monotonicMs() - series.lastSeenMonotonicMs > SERIES_IDLE_MS;
    if (isIdle && !isUnwritten(series)) return undefined;
    series.count++;
    series.lastSeenMs = clock.now();
    series.lastSeenMonotonicMs = clock.monotonicMs();
    this.#series.set(key, series);
    return series;
  }

  #begin(regarding: KubeObject, draft: EventDraft): EventSeries {
    const series = startSeries(this.#options.clock, regarding, draft);
    this.#series.set(series.key, series);
    if (this.#series.size > MAX_SERIES) forgetOldest(this.#series);
    return series;
  }

  /** Where the limit says no, a first event is lost, and a repetition is counted for later. */
  #offer(series: EventSeries): void {
    if (series.state !== 'idle' && series.state !== 'writing') return;
    if (this.#rateLimit.take(identifyObject(series.regarding))) return this.#enqueue(series);
    if (series.state === 'writing' || series.writtenCount > 0) return this.#scheduleOffer();
    this.#series.delete(series.key);
    this.#drop('rate_limited');
  }

  #enqueue(series: EventSeries): void {
    if (series.state === 'writing') {
      series.isDueAgain = true;
      return;
    }
    series.state = 'queued';
    const dropped = this.#turns.add(series);
    if (dropped !== undefined) {
      this.#series.delete(dropped.key);
      this.#drop('queue_full');
    }
    this.#startWriters();
  }

  #scheduleOffer(): void {
    this.#cancelOffer ??= this.#options.clock.setTimer(REFILL_MS, () => {
      this.#cancelOffer = undefined;
      this.#offerUnwritten();
    });
  }

  #offerUnwritten(): void {
    for (const series of this.#series.values()) {
      if (isUnwritten(series)) this.#offer(series);
    }
  }

  #startWriters(): void {
    for (let series = this.#turns.take(); series !== undefined; series = this.#turns.take()) {
      const writing = this.#takeTurn(series).finally(() => {
        this.#writing.delete(writing);
        this.#startWriters();
      });
      this.#writing.add(writing);
    }
  }

  async #takeTurn(series: EventSeries): Promise<void> {
    const { clock } = this.#options;
    const sinceMs = clock.monotonicMs();
    await this.#writeNext(series);
    this.#turns.finish(series, clock.monotonicMs() - sinceMs);
  }

  async #writeNext(series: EventSeries): Promise<void> {
    if (this.#stop.signal.aborted) return this.#drop('stopped');
    series.state = 'writing';
    const failure = await this.#write(series);
    series.state = 'idle';
    if (failure !== undefined) return this.#putBack(series, failure);
    series.tries = 0;
    // Repetitions that the rate limit held back during the write: their time will not come.
    const isDue = series.isDueAgain || this.#isDraining;
    if (isDue && isUnwritten(series)) this.#enqueue(series);
    series.isDueAgain = false;
  }

  #putBack(series: EventSeries, failure: unknown): void {
    series.tries++;
    if (this.#stop.signal.aborted) return this.#drop('stopped');
    const cause = classifyDrop(failure, series.tries);
    if (cause) return this.#giveUp(series, cause, failure);
    if (this.#isDraining) return this.#giveUp(series, 'unavailable', failure);
    const { clock } = this.#options;
    series.state = 'delayed';
    const retry = (): void => this.#retryNow(series);
    this.#delayed.set(series, clock.setTimer(addJitter(clock, RETRY_MS, 0.25), retry));
    if (this.#delayed.size > MAX_DELAYED) this.#giveUpOneDelayed(failure);
  }

  #giveUpOneDelayed(failure: unknown): void {
    const series = findNewestOfLargest(this.#delayed.keys());
    if (series === undefined) return;
    this.#delayed.get(series)?.();
    this.#delayed.delete(series);
    this.#giveUp(series, 'unavailable', failure);
  }

  #retryNow(series: EventSeries): void {
    this.#delayed.get(series)?.();
    this.#delayed.delete(series);
    series.state = 'idle';
    this.#enqueue(series);
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
        // The API server forgets events after an hour (`--event-ttl`): the series goes on as a new object.
        // https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
        series.name = drawEventName(clock, series.regarding);
        series.writtenCount = 0;
        return this.#write(series);
      }
      if (!(isNew && status === 409)) return error;
      // A create whose answer was lost, repeated: it is ours, the name is drawn by chance. It may have counted less.
      series.writtenCount = 1;
      return count > 1 ? this.#write(series) : undefined;
    }
    series.writtenCount = count;
    return undefined;
  }

  #giveUp(series: EventSeries, cause: DropCause, failure: unknown): void {
    this.#series.delete(series.key);
    this.#drop(cause);
    const { reason } = series.draft;
    const error = readMessage(failure);
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
function classifyDrop(failure: unknown, tries: number): DropCause | undefined {
  if (isNamespaceTerminating(failure)) return 'namespace_gone';
  const status = failure instanceof KubeError ? failure.status : 503;
  if (status < 500 && status !== 429) return 'refused';
  return tries < MAX_TRIES ? undefined : 'unavailable';
}

/** Of the namespace that has most of them. */
function findNewestOfLargest(all: Iterable<EventSeries>): EventSeries | undefined {
  const [, series] = findLargest(Map.groupBy(all, ({ regarding }) => getNamespace(regarding)));
  return series.at(-1);
}

/**
 * client-go's: 25 at once, then one in five minutes for each object.
 * https://github.com/kubernetes/client-go/blob/master/tools/record/events_cache.go
 */
const BURST = 25;
const REFILL_MS = 300_000;
const MAX_OBJECTS = 4096;

class EventRateLimit {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if one more write about an object may happen now; that takes a token. */
  take(objectId: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#buckets.get(objectId);
    const gained = known ? (nowMs - known.atMs) / REFILL_MS : BURST;
    const tokens = Math.min(BURST, (known?.tokens ?? 0) + gained);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(objectId);
    this.#buckets.set(objectId, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    if (this.#buckets.size > MAX_OBJECTS) forgetOldest(this.#buckets);
    return isAllowed;
  }
}
