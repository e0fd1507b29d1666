// Lives here: what a restart reports besides the status of its ConfigMonitor: metrics, events on others, warnings.
// May import it: src/controllers/config-monitor; src/setup and src/cli take source-metrics.ts.
// Start with: announce.ts.

import type { Key } from '../../../core/objects/kube-object.ts';
import type { MetricDefinition, Metrics } from '../../../core/ports/metrics.ts';

const LABELS = ['namespace', 'source'] as const;

/** By the object whose data changes: its namespace, and kind and name such as `ConfigMap/settings`. */
export const configMonitorMetrics = {
  restarted: {
    type: 'counter',
    name: 'albridge_configmonitor_restarted_pods_total',
    help: 'Pods that were evicted, deleted or rolled by their template because the data of the source changed.',
    labels: LABELS,
  },
  failures: {
    type: 'counter',
    name: 'albridge_configmonitor_restart_failures_total',
    help: 'Restarts that got stuck: a person must act.',
    use: 'Any increase: the ConfigMonitor is Stalled and names the pod that blocks.',
    labels: LABELS,
  },
  blocked: {
    type: 'counter',
    name: 'albridge_configmonitor_blocked_evictions_total',
    help: 'Evictions that a PodDisruptionBudget refused, each try.',
    labels: LABELS,
  },
  waiting: {
    type: 'gauge',
    name: 'albridge_configmonitor_waiting_pods',
    help: 'Selected pods that still have older data of the source.',
    use: 'Stays above 0 while nothing restarts: a disruption budget or a pod that does not become Ready.',
    labels: LABELS,
  },
} as const satisfies Record<string, MetricDefinition>;

/** Increments of the counters, such as `{ restarted: 3 }`. */
export type Counts = { readonly [What in 'restarted' | 'failures' | 'blocked']?: number };

interface Series {
  readonly labels: { readonly namespace: string; readonly source: string };
  /** Pods that wait, by object and source. */
  readonly waiting: Map<string, number>;
  sum: number;
}

/** Sources with series of their own. Each is four lines of /metrics. */
export const MAX_SOURCES = 500;
const OTHER = { namespace: '', source: 'other' } as const;

/**
 * The figures of each source, for as long as an object names it. Anybody who may create a ConfigMonitor names
 * sources, so all beyond the first 500 share one series, `other`.
 */
export class SourceMetrics {
  readonly #metrics: Metrics;
  readonly #series = new Map<string, Series>();
  /** The series of each object, by its sources. */
  readonly #held = new Map<Key, ReadonlyMap<string, Series>>();
  readonly #changed = new Map<Key, readonly string[]>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** The sources that the object names now, such as `ConfigMap/settings`, and how many of its pods wait. */
  track(key: Key, sources: readonly string[], waiting: number): void {
    const before = this.#held.get(key) ?? new Map<string, Series>();
    const now = new Map(
      sources.map((source) => [source, before.get(source) ?? this.#obtain(key, source)] as const),
    );
    this.#held.set(key, now);
    for (const [source, series] of now) this.#setWaiting(series, `${key} ${source}`, waiting);
    for (const [source, series] of before) {
      if (!now.has(source)) this.#release(series, `${key} ${source}`);
    }
  }

  /** The sources for whose data the object restarts pods from here on. */
  attribute(key: Key, sources: Iterable<string>): void {
    const changed = [...sources];
    this.#changed.set(key, changed);
    // After a start of albridge a restart may continue before anybody has counted what waits.
    if (!this.#held.has(key)) this.track(key, changed, 0);
  }

  /** For the sources last attributed, as far as the object still names them. */
  count(key: Key, counts: Counts): void {
    const held = this.#held.get(key);
    const sources = this.#changed.get(key) ?? [];
    const labels = new Set(sources.flatMap((source) => held?.get(source)?.labels ?? []));
    for (const [what, by] of Object.entries(counts) as [keyof Counts, number][]) {
      for (const each of labels) this.#metrics.count(configMonitorMetrics[what], each, by);
    }
  }

  /** The object is gone. */
  forget(key: Key): void {
    for (const [source, series] of this.#held.get(key) ?? []) {
      this.#release(series, `${key} ${source}`);
    }
    this.#held.delete(key);
    this.#changed.delete(key);
  }

  #obtain(key: Key, source: string): Series {
    const [namespace = ''] = key.split('/', 1);
    const own = { namespace, source };
    const known = this.#series.get(nameSeries(own));
    if (known !== undefined) return known;
    const labels = this.#series.size < MAX_SOURCES ? own : OTHER;
    return this.#series.get(nameSeries(labels)) ?? this.#begin(labels);
  }

  /** A counter that begins at 0 shows its first increase too. */
  #begin(labels: Series['labels']): Series {
    const series = { labels, waiting: new Map<string, number>(), sum: 0 };
    this.#series.set(nameSeries(labels), series);
    for (const what of ['restarted', 'failures', 'blocked'] as const) {
      this.#metrics.count(configMonitorMetrics[what], labels, 0);
    }
    return series;
  }

  #setWaiting(series: Series, user: string, waiting: number): void {
    series.sum += waiting - (series.waiting.get(user) ?? 0);
    series.waiting.set(user, waiting);
    this.#metrics.gauge(configMonitorMetrics.waiting, series.labels, series.sum);
  }

  #release(series: Series, user: string): void {
    this.#setWaiting(series, user, 0);
    series.waiting.delete(user);
    if (series.waiting.size > 0) return;
    this.#series.delete(nameSeries(series.labels));
    for (const metric of Object.values(configMonitorMetrics)) {
      this.#metrics.remove(metric, series.labels);
    }
  }
}

function nameSeries({ namespace, source }: Series['labels']): string {
  return `${namespace} ${source}`;
}
