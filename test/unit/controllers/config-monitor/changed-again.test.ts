import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

describe('data that changes again during a restart', () => {
  it('restarts all pods for the newest, those that were restarted already included', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 1_200);
    const restarted = bench.cluster.names.filter((name) => !bench.before.includes(name));
    expect(restarted).toHaveLength(2);
    await bench.change('three', 60_000);
    expect(bench.cluster.names.filter((name) => restarted.includes(name))).toEqual([]);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts those first that it has just restarted', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 3_500);
    const restarted = bench.cluster.names.filter((name) => !bench.before.includes(name));
    await bench.change('three', 60_000);
    expect(bench.cluster.evicted.slice(2, 4).toSorted()).toEqual(restarted.toSorted());
  });

  it('breaks one batch and not two, where pods stay ready with neither data', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.crashAfterMs = 5_000;
    await bench.change('bad', 3_500);
    expect(bench.cluster.evicted).toHaveLength(2);
    await bench.change('worse', 300_000);
    expect(bench.kept()).toBe(6);
    expect(bench.cluster.mostUnready).toBe(2);
  });

  it('breaks one ordinal of a StatefulSet and not two', async () => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 3);
    await bench.clock.advance(1_000);
    await bench.monitor();
    bench.cluster.crashAfterMs = 5_000;
    await bench.change('bad', 3_500);
    await bench.change('worse', 300_000);
    expect(bench.cluster.evicted).toEqual(['db-2', 'db-2']);
    expect(bench.cluster.mostUnready).toBe(1);
  });

  it('restarts a quarter at a time where the operator has just started', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 30_000);
    expect(bench.kept()).toBeLessThanOrEqual(4);
    await bench.stop();
    await bench.configure('three');
    await bench.restart();
    await bench.clock.advance(90_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});
