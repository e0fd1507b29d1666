import type { LogFields, Logger } from '../../src/core/logger.ts';
import type { Labels, MetricDefinition, Metrics } from '../../src/core/metrics.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps what is logged, children included, in one list. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(lines: LogLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#add('debug', message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#add('info', message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#add('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  #add(level: LogLine['level'], message: string, fields: LogFields): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}

/** Keeps the last value, or the sum, per metric and label set. */
export class RecordingMetrics implements Metrics {
  readonly #values = new Map<string, number>();

  count<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, by = 1): void {
    const series = seriesOf(metric, labels);
    this.#values.set(series, (this.#values.get(series) ?? 0) + by);
  }

  gauge<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void {
    this.#values.set(seriesOf(metric, labels), value);
  }

  /** Keeps how often, not what, was observed. */
  observe<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): void {
    this.count(metric, labels);
  }

  value<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): number | undefined {
    return this.#values.get(seriesOf(metric, labels));
  }
}

function seriesOf(metric: MetricDefinition, labels: Readonly<Record<string, string>>): string {
  const pairs = metric.labels.map((label) => `${label}="${labels[label]}"`);
  return `${metric.name}{${pairs.join(',')}}`;
}
