import { describe, expect, it } from 'vitest';
import { coreMetrics, type MetricDefinition } from '../../../src/core/metrics.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

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

async function linesOf(metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await metrics.exposition()).text.split('\n');
}

describe('createMetrics', () => {
  it('counts, sets and observes', async () => {
    const metrics = createMetrics([calls, depth, seconds]);
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

  it('shows a prepared label set at zero', async () => {
    const metrics = createMetrics([calls, seconds]);
    metrics.prepare(calls, { code: '500' });
    metrics.prepare(seconds, { verb: 'list' });
    const lines = await linesOf(metrics);
    expect(lines).toContain('calls_total{code="500"} 0');
    expect(lines).toContain('seconds_count{verb="list"} 0');
  });

  it('leaves a prepared label set alone that has counted already', async () => {
    const metrics = createMetrics([calls]);
    metrics.count(calls, { code: '500' });
    metrics.prepare(calls, { code: '500' });
    expect(await linesOf(metrics)).toContain('calls_total{code="500"} 1');
  });

  it('takes a metric that nobody announced', async () => {
    const metrics = createMetrics([]);
    metrics.count(calls, { code: '200' });
    metrics.count(calls, { code: '200' });
    expect(await linesOf(metrics)).toContain('calls_total{code="200"} 2');
  });

  it('refuses two metrics of one name', () => {
    expect(() => createMetrics([calls, { ...depth, name: 'calls_total' }])).toThrow('calls_total');
  });

  it('announces each metric of the core with its help, and what Node says of itself', async () => {
    const lines = await linesOf(createMetrics(Object.values(coreMetrics)));
    for (const { name, help, type } of Object.values<MetricDefinition>(coreMetrics)) {
      expect(lines).toContain(`# HELP ${name} ${help}`);
      expect(lines).toContain(`# TYPE ${name} ${type}`);
    }
    expect(lines.some((line) => line.startsWith('nodejs_eventloop_lag_seconds'))).toBe(true);
  });

  it('keeps two registries apart', async () => {
    const [one, other] = [createMetrics([calls]), createMetrics([calls])];
    one.count(calls, { code: '200' });
    expect(await linesOf(other)).not.toContain('calls_total{code="200"} 1');
  });
});
