import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Labels, MetricDefinition, Metrics } from '../core/metrics.ts';

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

export interface MetricsRegistry extends Metrics {
  /**
   * Shows a label set at zero before its first event: a rate over a series that appears together
   * with its first event misses that event.
   */
  prepare<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): void;
  /** What Prometheus scrapes. */
  exposition(): Promise<Exposition>;
}

/**
 * The Metrics port on the Prometheus client: the definitions given, and Node's own figures
 * (event-loop lag, heap, garbage collection). A definition that was not given is registered at its
 * first use: a figure that is missing from /metrics for a while is better than a pass that fails.
 * Throws if two definitions have one name.
 */
export function createMetrics(definitions: readonly MetricDefinition[]): MetricsRegistry {
  const registry = new Registry();
  const instruments = new Map<string, Instrument>();
  collectDefaultMetrics({ register: registry });

  const register = (definition: MetricDefinition): Instrument => {
    const instrument = createInstrument(definition, registry);
    instruments.set(definition.name, instrument);
    return instrument;
  };
  const instrumentOf = (definition: MetricDefinition): Instrument =>
    instruments.get(definition.name) ?? register(definition);
  for (const definition of definitions) register(definition);

  return {
    count: (metric, labels, by = 1) => instrumentOf(metric).change(labels, by),
    gauge: (metric, labels, value) => instrumentOf(metric).change(labels, value),
    observe: (metric, labels, value) => instrumentOf(metric).change(labels, value),
    prepare: (metric, labels) => instrumentOf(metric).prepare(labels),
    exposition: async () => ({
      contentType: registry.contentType,
      text: await registry.metrics(),
    }),
  };
}

type AnyLabels = Readonly<Record<string, string>>;

/** One metric of the client. `change` counts up, sets or observes, by the metric's type. */
interface Instrument {
  change(labels: AnyLabels, value: number): void;
  prepare(labels: AnyLabels): void;
}

function createInstrument(definition: MetricDefinition, registry: Registry): Instrument {
  const { name, help, labels } = definition;
  const settings = { name, help, labelNames: labels, registers: [registry] };
  switch (definition.type) {
    case 'counter': {
      const counter = new Counter(settings);
      const change = (set: AnyLabels, by: number): void => counter.inc(set, by);
      return { change, prepare: (set) => change(set, 0) };
    }
    case 'gauge': {
      const gauge = new Gauge(settings);
      const change = (set: AnyLabels, value: number): void => gauge.set(set, value);
      return { change, prepare: (set) => change(set, 0) };
    }
    case 'histogram': {
      const { buckets } = definition;
      const histogram = new Histogram(
        buckets === undefined ? settings : { ...settings, buckets: [...buckets] },
      );
      return {
        change: (set, value) => histogram.observe(set, value),
        prepare: (set) => histogram.zero(set),
      };
    }
  }
}
