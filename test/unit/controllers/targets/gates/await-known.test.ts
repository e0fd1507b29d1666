import { describe, expect, it } from 'vitest';
import { TargetsBench } from '../targets-bench.ts';
import { backendOf, PlayedPods } from './played-pods.ts';
import { MINUTE_MS, NEW } from './rolling.ts';

describe('a gate of a process that has yet to read all backends', () => {
  function begin(running: readonly string[] = [NEW]): {
    readonly bench: TargetsBench;
    readonly pods: PlayedPods;
    all: () => void;
  } {
    const pods = new PlayedPods();
    const { promise, resolve } = Promise.withResolvers<void>();
    pods.known = promise;
    pods.declare();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.runPods({ [NEW]: 'unready' });
    for (const ip of running) pods.run(ip);
    return { bench, pods, all: resolve };
  }

  it('is opened by none of them alone', async () => {
    const { bench, pods, all } = begin();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    pods.declare(backendOf('shop'));
    all();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    pods.declare();
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('opens by what is known after ten minutes', async () => {
    const { bench, pods } = begin();
    await bench.clock.advance(10 * MINUTE_MS - 1);
    expect(pods.written).toEqual([]);
    await bench.clock.advance(1);
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('is reported each half minute, as long as pods wait', async () => {
    const { bench, pods, all } = begin([]);
    const reported = (): readonly unknown[] =>
      bench.log.shown.filter(({ message }) => message.startsWith('readiness gates wait'));
    await bench.clock.advance(MINUTE_MS);
    expect(reported()).toEqual([]);
    pods.run(NEW);
    await bench.clock.advance(MINUTE_MS);
    expect(reported()).toMatchObject([{ fields: { pods: 1 } }, { fields: { pods: 1 } }]);
    all();
    await bench.clock.advance(MINUTE_MS);
    expect(reported()).toHaveLength(2);
  });

  it('does not keep the process from its end', async () => {
    const { bench } = begin();
    bench.stop();
    await bench.targets.stopped;
    expect(bench.clock.pendingTimers).toBe(0);
  });
});
