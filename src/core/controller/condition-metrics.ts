import type { Condition } from '../objects/conditions.ts';
import { coreMetrics, type Metrics } from '../ports/metrics.ts';
import type { ObjectWithStatus } from './status.ts';

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
