import { describe, expect, it } from 'vitest';
import { coreMetrics, type MetricDefinition } from '../../../src/core/ports/metrics.ts';
import { PrometheusMetrics } from '../../../src/telemetry/metrics.ts';

const calls = {
  type: 'counter',
  name: 'calls_total',
  help: 'Calls.',
  labels: ['code'],
} as const satisfies MetricDefinition;

const depth = {
  type: 'gauge',
  name: 'depth',
  help: 'Depth.',
  labels: [],
} as const satisfies MetricDefinition;

const seconds = {
  type: 'histogram',
  name: 'seconds',
  help: 'Seconds.',
  labels: ['verb'],
  buckets: [0.1, 1],
} as const satisfies MetricDefinition;

async function linesOf(metrics: PrometheusMetrics): Promise<readonly string[]> {
  return (await metrics.collect()).text.split('\n');
}

describe('PrometheusMetrics', () => {
  it('counts, sets and observes', async () => {
    const metrics = new PrometheusMetrics([calls, depth, seconds]);
    metrics.count(calls, { code: '200' });
    metrics.count(calls, { code: '200' }, 2);
    metrics.gauge(depth, {}, 7);
    metrics.observe(seconds, { verb: 'get' }, 0.5);
    const lines = await linesOf(metrics);
    expect(lines).toContain('calls_total{code="200"} 3');
    expect(lines).toContain('depth 7');
    expect(lines).toContain('seconds_bucket{le="0.1",verb="get"} 0');
    expect(lines).toContain('seconds_bucket{le="1",verb="get"} 1');
    expect(lines).toContain('seconds_count{verb="get"} 1');
  });

  it('shows a counter at zero that was counted up by zero', async () => {
    const metrics = new PrometheusMetrics([calls]);
    metrics.count(calls, { code: '500' }, 0);
    expect(await linesOf(metrics)).toContain('calls_total{code="500"} 0');
  });

  it('ends the series of one set of labels, whatever the type', async () => {
    const metrics = new PrometheusMetrics([calls, depth, seconds]);
    for (const code of ['200', '500']) metrics.count(calls, { code });
    metrics.observe(seconds, { verb: 'get' }, 0.5);
    metrics.remove(calls, { code: '500' });
    metrics.remove(calls, { code: '404' });
    metrics.remove(seconds, { verb: 'get' });
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => line.startsWith('calls_total'))).toEqual([
      'calls_total{code="200"} 1',
    ]);
    expect(lines.filter((line) => line.startsWith('seconds_'))).toEqual([]);
  });

  it('has no series of a gauge that was never set', async () => {
    const metrics = new PrometheusMetrics([depth]);
    expect((await linesOf(metrics)).filter((line) => line.startsWith('depth'))).toEqual([]);
    metrics.gauge(depth, {}, 0);
    expect(await linesOf(metrics)).toContain('depth 0');
  });

  it('takes a metric that was not announced', async () => {
    const metrics = new PrometheusMetrics([]);
    metrics.count(calls, { code: '200' });
    metrics.count(calls, { code: '200' });
    expect(await linesOf(metrics)).toContain('calls_total{code="200"} 2');
  });

  it('refuses two metrics of one name', () => {
    expect(() => new PrometheusMetrics([calls, { ...depth, name: 'calls_total' }])).toThrow(
      'calls_total',
    );
  });

  it('announces each metric of the core with its help, and what Node says of itself', async () => {
    const lines = await linesOf(new PrometheusMetrics(Object.values(coreMetrics)));
    for (const { name, help, type } of Object.values<MetricDefinition>(coreMetrics)) {
      expect(lines).toContain(`# HELP ${name} ${help}`);
      expect(lines).toContain(`# TYPE ${name} ${type}`);
    }
    expect(lines.some((line) => line.startsWith('nodejs_eventloop_lag_seconds'))).toBe(true);
  });

  it('keeps two registries apart', async () => {
    const [one, other] = [new PrometheusMetrics([calls]), new PrometheusMetrics([calls])];
    one.count(calls, { code: '200' });
    expect(await linesOf(other)).not.toContain('calls_total{code="200"} 1');
  });
});
