// Lives here: the process as others see it: metrics, probes, log.
// May import it: src/main.ts; src/config takes http-server.ts, log-destination.ts and logger.ts; src/setup takes log-destination.ts and metrics.ts.
// Start with: this file, health.ts or logger.ts; http-server.ts serves the first two.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Clock } from '../core/ports/clock.ts';
import type { Labels, MetricDefinition, Metrics } from '../core/ports/metrics.ts';
import type { Answer } from './http-server.ts';

export const processMetrics = {
  buildInfo: {
    type: 'gauge',
    name: 'albridge_build_info',
    help: '1, by the version that runs.',
    use: 'Which versions run; none: no replica is scraped.',
    labels: ['version'],
  },
} as const satisfies Record<string, MetricDefinition>;

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The Metrics port on the Prometheus client: the definitions given, and Node's own figures
 * (event-loop lag, heap, garbage collection). A definition that was not given is registered at its
 * first use: a figure that is missing from /metrics for a while is better than a pass that fails.
 * Throws if two definitions have one name.
 */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();

  constructor(definitions: readonly MetricDefinition[]) {
    collectDefaultMetrics({ register: this.#registry });
    for (const definition of definitions) this.#register(definition);
  }

  count<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, by = 1): void {
    this.#findInstrument(metric).record(labels, by);
  }

  gauge<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void {
    this.#findInstrument(metric).record(labels, value);
  }

  observe<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void {
    this.#findInstrument(metric).record(labels, value);
  }

  remove<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): void {
    this.#findInstrument(metric).remove(labels);
  }

  /** Reads all metrics in the form that Prometheus scrapes. */
  async collect(): Promise<Exposition> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #findInstrument(definition: MetricDefinition): Instrument {
    return this.#instruments.get(definition.name) ?? this.#register(definition);
  }

  #register(definition: MetricDefinition): Instrument {
    const instrument = createInstrument(definition, this.#registry);
    this.#instruments.set(definition.name, instrument);
    return instrument;
  }
}

type AnyLabels = Readonly<Record<string, string>>;

/** One metric of the client. */
interface Instrument {
  /** Counts up, sets or observes, by the metric's type. */
  readonly record: (labels: AnyLabels, value: number) => void;
  readonly remove: (labels: AnyLabels) => void;
}

function createInstrument(definition: MetricDefinition, registry: Registry): Instrument {
  const { name, help, labels, buckets } = definition;
  const settings = { name, help, labelNames: labels, registers: [registry] };
  switch (definition.type) {
    case 'counter': {
      const counter = new Counter(settings);
      return {
        record: (set, by) => counter.inc(set, by),
        remove: (set) => counter.remove(set),
      };
    }
    case 'gauge': {
      const gauge = new Gauge(settings);
      // The client begins one without labels at 0, which may mean something; nobody has set it yet.
      if (labels.length === 0) gauge.remove();
      return {
        record: (set, value) => gauge.set(set, value),
        remove: (set) => gauge.remove(set),
      };
    }
    case 'histogram': {
      const bounds = buckets === undefined ? {} : { buckets: [...buckets] };
      const histogram = new Histogram({ ...settings, ...bounds });
      return {
        record: (set, value) => histogram.observe(set, value),
        remove: (set) => histogram.remove(set),
      };
    }
  }
}

const FRESH_MS = 1000;

/**
 * Serves /metrics. Collecting costs milliseconds and the text some hundred kB, so scrapes of one
 * second share one collection and one buffer, however many ask.
 */
export function serveMetrics(
  collect: () => Promise<Exposition>,
  clock: Clock,
): (url: URL) => Promise<Answer> {
  let shared: Promise<Answer> | undefined;
  let staleAtMs = 0;
  const share = async (): Promise<Answer> => {
    staleAtMs = Number.POSITIVE_INFINITY;
    const answer = await answerMetrics(collect);
    staleAtMs = clock.monotonicMs() + FRESH_MS;
    return answer;
  };
  return async ({ pathname }) => {
    if (pathname !== '/metrics') return { status: 404, body: 'this port serves /metrics\n' };
    if (shared === undefined || clock.monotonicMs() >= staleAtMs) shared = share();
    return shared;
  };
}

async function answerMetrics(collect: () => Promise<Exposition>): Promise<Answer> {
  try {
    const { contentType, text } = await collect();
    return { status: 200, body: Buffer.from(text), contentType };
  } catch {
    return { status: 500, body: 'the metrics could not be collected\n' };
  }
}
