import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

describe('data that is reverted during a restart, within the least interval', () => {
  beforeEach(async () => {
    await bench.deploy();
    await bench.monitor({ minIntervalSeconds: 3600 });
    await bench.change('two', 3_200);
    expect(bench.kept()).toBe(6);
  });

  it('evicts no pod that has it already', async () => {
    await bench.change('one', 600_000);
    expect(bench.kept()).toBe(6);
  });

  it('restarts only the pods that were started with the bad data, once the interval is over', async () => {
    await bench.change('one', 4_200_000);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.cluster.evicted).toHaveLength(4);
  });
});

describe('data that is corrected within the least interval, while the restart before it is stuck', () => {
  beforeEach(async () => {
    await bench.deploy();
    await bench.monitor({ minIntervalSeconds: 3600, progressDeadlineSeconds: 60 });
    bench.cluster.isBroken = true;
    await bench.change('bad', 300_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    bench.cluster.isBroken = false;
    await bench.change('good', 300_000);
  });

  it('is said to wait', () => {
    expect(bench.message('Ready')).toContain('newer data waits for minIntervalSeconds');
  });

  it('restarts pods as soon as the interval is over', async () => {
    const { lastRestartTime = '' } = bench.status();
    const leftMs = Date.parse(lastRestartTime) + 3_600_000 - bench.clock.now();
    await bench.clock.advance(leftMs + 10_000);
    expect(bench.status().restarts).toBe(2);
  });
});
