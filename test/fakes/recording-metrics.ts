import type { Labels, MetricDefinition, Metrics } from '../../src/core/ports/metrics.ts';

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
  observations: number;
}

/** Keeps every series in memory; refuses labels that the definition does not declare. */
export class RecordingMetrics implements Metrics {
  readonly #series = new Map<string, Sample[]>();

  count<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, by = 1): void {
    this.#sample(metric, labels).value += by;
  }

  gauge<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void {
    this.#sample(metric, labels).value = value;
  }

  observe<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void {
    const sample = this.#sample(metric, labels);
    sample.value += value;
    sample.observations += 1;
  }

  remove<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): void {
    const sample = this.#sample(metric, labels);
    const samples = this.#samplesOf(metric.name);
    samples.splice(samples.indexOf(sample), 1);
  }

  /** Sum over the series whose labels include `labels`; undefined where there is none. */
  valueOf(
    metric: MetricDefinition,
    labels: Readonly<Record<string, string>> = {},
  ): number | undefined {
    const found = this.#matching(metric, labels);
    if (found.length === 0) return undefined;
    return found.reduce((sum, { value }) => sum + value, 0);
  }

  /** How often a histogram was told a value. */
  observationsOf(metric: MetricDefinition, labels: Readonly<Record<string, string>> = {}): number {
    return this.#matching(metric, labels).reduce((sum, { observations }) => sum + observations, 0);
  }

  #matching(metric: MetricDefinition, labels: Readonly<Record<string, string>>): readonly Sample[] {
    const wanted = Object.entries(labels);
    const samples = this.#series.get(metric.name) ?? [];
    return samples.filter((sample) => wanted.every(([name, is]) => sample.labels[name] === is));
  }

  #sample(metric: MetricDefinition, labels: Readonly<Record<string, string>>): Sample {
    const names = Object.keys(labels);
    if (names.length !== metric.labels.length || !names.every((l) => metric.labels.includes(l))) {
      throw new Error(`${metric.name} has labels ${metric.labels.join()}, not ${names.join()}`);
    }
    const samples = this.#samplesOf(metric.name);
    const known = samples.find((sample) =>
      metric.labels.every((l) => sample.labels[l] === labels[l]),
    );
    if (known !== undefined) return known;
    const sample = { labels, value: 0, observations: 0 };
    samples.push(sample);
    return sample;
  }

  #samplesOf(name: string): Sample[] {
    const samples = this.#series.get(name) ?? [];
    this.#series.set(name, samples);
    return samples;
  }
}
