import type { Condition } from '../objects/conditions.ts';
import { type EventRecorder, REPAIR } from '../ports/events.ts';
import { coreMetrics, type Metrics } from '../ports/metrics.ts';
import type { QueueObserver, TakenKey } from '../queue/key-queue.ts';
import { CoreReason } from '../reconcile/operator-error.ts';
import type { RetryDecision } from './retry-policy.ts';
import type { ObjectWithStatus } from './status.ts';
import type { Verdict } from './verdict.ts';

type ReconcileResult = 'success' | 'error' | 'requeue_after';

/** Shown at zero from the start: a rate over a series that begins with its first event misses it. */
const COUNTERS = [
  'reconcileErrors',
  'terminalErrors',
  'panics',
  'timeouts',
  'staleReads',
  'driftRepairs',
] as const;

/** Counts passes of one controller under controller-runtime's names. */
export class ControllerMetrics {
  readonly #metrics: Metrics;
  readonly #controller: string;
  readonly #startedMs = new Map<string, number>();

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    this.#metrics = metrics;
    this.#controller = controller;
    const labels = { controller };
    metrics.gauge(coreMetrics.maxConcurrent, labels, concurrency);
    metrics.gauge(coreMetrics.activeWorkers, labels, 0);
    for (const result of ['success', 'error', 'requeue_after'] as const) {
      metrics.count(coreMetrics.reconcileTotal, { controller, result }, 0);
    }
    for (const counter of COUNTERS) metrics.count(coreMetrics[counter], labels, 0);
    const queue = { name: controller, controller };
    metrics.count(coreMetrics.queueAdds, queue, 0);
    metrics.count(coreMetrics.queueRetries, queue, 0);
  }

  recordStart(taken: TakenKey, nowMs: number): void {
    this.#startedMs.set(taken.key, nowMs);
    const labels = { name: this.#controller, controller: this.#controller };
    this.#metrics.observe(coreMetrics.queueSeconds, labels, taken.waitedMs / 1000);
    this.#metrics.gauge(
      coreMetrics.activeWorkers,
      { controller: this.#controller },
      this.#startedMs.size,
    );
  }

  recordEnd(
    taken: TakenKey,
    nowMs: number,
    { verdict, decision }: { readonly verdict: Verdict; readonly decision: RetryDecision },
  ): void {
    const seconds = (nowMs - (this.#startedMs.get(taken.key) ?? nowMs)) / 1000;
    this.#startedMs.delete(taken.key);
    const controller = this.#controller;
    const queue = { name: controller, controller };
    this.#metrics.observe(coreMetrics.workSeconds, queue, seconds);
    this.#metrics.observe(coreMetrics.reconcileSeconds, { controller }, seconds);
    this.#metrics.gauge(coreMetrics.activeWorkers, { controller }, this.#startedMs.size);
    const result = classifyResult(verdict, decision);
    this.#metrics.count(coreMetrics.reconcileTotal, { controller, result });
    if (decision.kind === 'backoff') this.#metrics.count(coreMetrics.queueRetries, queue);
    if (verdict.kind === 'failed')
      this.#recordFailure(verdict.error.reason, verdict.error.healedBy);
  }

  recordStaleRead(): void {
    this.#metrics.count(coreMetrics.staleReads, { controller: this.#controller });
  }

  /** The same recorder; its events about repairs are counted. */
  countRepairs(events: EventRecorder): EventRecorder {
    const labels = { controller: this.#controller };
    return {
      record: (regarding, event) => {
        if (event.action === REPAIR) this.#metrics.count(coreMetrics.driftRepairs, labels);
        events.record(regarding, event);
      },
    };
  }

  /** Refreshes the gauges that grow while a pass runs; called before each scrape. */
  refreshAges(nowMs: number): void {
    const ages = [...this.#startedMs.values()].map((startedMs) => (nowMs - startedMs) / 1000);
    const labels = { name: this.#controller, controller: this.#controller };
    const sum = ages.reduce((total, age) => total + age, 0);
    this.#metrics.gauge(coreMetrics.unfinishedSeconds, labels, sum);
    this.#metrics.gauge(coreMetrics.longestSeconds, labels, Math.max(0, ...ages));
  }

  #recordFailure(reason: string, healedBy: string): void {
    const labels = { controller: this.#controller };
    this.#metrics.count(coreMetrics.reconcileErrors, labels);
    if (healedBy === 'person') this.#metrics.count(coreMetrics.terminalErrors, labels);
    if (reason === CoreReason.InternalError) this.#metrics.count(coreMetrics.panics, labels);
    if (reason === CoreReason.DeadlineExceeded) this.#metrics.count(coreMetrics.timeouts, labels);
  }
}

function classifyResult(verdict: Verdict, decision: RetryDecision): ReconcileResult {
  if (verdict.kind === 'failed') return 'error';
  return decision.kind === 'after' ? 'requeue_after' : 'success';
}

/** Counts a queue's adds and its depth by priority under controller-runtime's names. */
export function createQueueObserver(metrics: Metrics, controller: string): QueueObserver {
  const labels = { name: controller, controller };
  return {
    recordAdd: () => metrics.count(coreMetrics.queueAdds, labels),
    recordDepth: (priority, depth) =>
      metrics.gauge(coreMetrics.queueDepth, { ...labels, priority: String(priority) }, depth),
  };
}

interface Labels {
  readonly controller: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

interface Series {
  readonly labels: Labels;
  readonly count: number;
  /** Wall time in ms since when the oldest of them is so. */
  readonly sinceMs: number;
}

/** Series of one controller in each of the two metrics: a tenant who may write status could invent reasons. */
const MOST_SERIES = 200;
const NOT_RECONCILED = 'NotReconciled';
const CORE_TYPES = ['Ready', 'Reconciling', 'Stalled'];

/** Shows the conditions of all objects of a controller as numbers, without their names. */
export class ConditionMetrics {
  readonly #metrics: Metrics;
  readonly #controller: string;
  #shown: ReadonlyMap<string, Series> = new Map();

  constructor(metrics: Metrics, controller: string) {
    this.#metrics = metrics;
    this.#controller = controller;
  }

  /** Call before each scrape. */
  refresh(objects: readonly ObjectWithStatus[], nowMs: number): void {
    const series = limitSeries(countConditions(objects, this.#controller));
    for (const [name, { labels }] of this.#shown) {
      if (series.has(name)) continue;
      this.#metrics.remove(coreMetrics.conditions, labels);
      this.#metrics.remove(coreMetrics.conditionSeconds, labels);
    }
    for (const { labels, count, sinceMs } of series.values()) {
      this.#metrics.gauge(coreMetrics.conditions, labels, count);
      const seconds = Math.max(0, nowMs - sinceMs) / 1000;
      this.#metrics.gauge(coreMetrics.conditionSeconds, labels, seconds);
    }
    this.#shown = series;
  }
}

type AllSeries = ReadonlyMap<string, Series>;

function countConditions(objects: readonly ObjectWithStatus[], controller: string): AllSeries {
  const counted = new Map<string, Series>();
  for (const object of objects) {
    for (const { type, status, reason, lastTransitionTime } of listConditions(object)) {
      const sinceMs = parseTimeMs(lastTransitionTime);
      add(counted, { labels: { controller, type, status, reason }, count: 1, sinceMs });
    }
  }
  return counted;
}

type Counted = Pick<Condition, 'type' | 'status' | 'reason' | 'lastTransitionTime'>;

/** An object without Ready waits for its first pass, or its status cannot be written. */
function listConditions({ status, metadata }: ObjectWithStatus): readonly Counted[] {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'Ready')) return conditions;
  const lastTransitionTime = metadata.creationTimestamp ?? '';
  const ready: Counted = {
    ...{ type: 'Ready', status: 'Unknown', reason: NOT_RECONCILED },
    lastTransitionTime,
  };
  return [ready, ...conditions];
}

function add(all: Map<string, Series>, { labels, count, sinceMs }: Series): void {
  const name = `${labels.type} ${labels.status} ${labels.reason}`;
  const known = all.get(name);
  all.set(name, {
    labels,
    count: (known?.count ?? 0) + count,
    sinceMs: Math.min(known?.sinceMs ?? sinceMs, sinceMs),
  });
}

/** One that cannot be read is later than all others. */
function parseTimeMs(text: string): number {
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? Number.POSITIVE_INFINITY : timeMs;
}

/** The most frequent ones keep their reasons, all others share the reason `other`. */
function limitSeries(all: AllSeries): AllSeries {
  if (all.size <= MOST_SERIES) return all;
  const byCount = [...all].toSorted(([, one], [, other]) => other.count - one.count);
  const limited = new Map(byCount.slice(0, MOST_SERIES));
  for (const [, series] of byCount.slice(MOST_SERIES)) {
    const { type } = series.labels;
    const known = CORE_TYPES.includes(type) ? type : 'other';
    add(limited, { ...series, labels: { ...series.labels, type: known, reason: 'other' } });
  }
  return limited;
}
