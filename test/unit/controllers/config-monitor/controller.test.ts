import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  bench.cluster.deploy('frontend', 8, { app: 'frontend' });
  await bench.clock.advance(1_000);
  await bench.start();
});

afterEach(() => bench.stop());

describe('a ConfigMonitor', () => {
  it('restarts the pods when the data changes, a quarter at a time', async () => {
    await bench.configure('one');
    await bench.monitor();
    expect(bench.condition('Ready')).toBe('True Watching');
    const before = bench.cluster.names;
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    await bench.configure('two');
    expect(bench.condition('Reconciling')).toBe('True Debouncing');
    await bench.clock.advance(20_000);
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status()).toMatchObject({ restarts: 1, pendingPods: 0, matchedPods: 8 });
    expect(bench.status().rollout).toBeUndefined();
  });
});
