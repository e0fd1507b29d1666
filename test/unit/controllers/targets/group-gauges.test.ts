import { describe, expect, it } from 'vitest';
import { GroupGauges, groupGauges } from '../../../../src/controllers/targets/group-gauges.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import type { PodState } from './endpoints.ts';
import { addressOf, TargetsBench } from './targets-bench.ts';

function readAll(metrics: RecordingMetrics): unknown {
  const groups = ['healthy', 'degraded', 'unhealthy', 'empty', 'unknown'].map((state) =>
    metrics.valueOf(groupGauges.groups, { state }),
  );
  const targets = ['desired', 'registered', 'healthy'].map((state) =>
    metrics.valueOf(groupGauges.targets, { state }),
  );
  return { groups, targets };
}

describe('the gauges of target groups', () => {
  it('count each group in one state, and sum its targets', () => {
    const metrics = new RecordingMetrics();
    const none = { desired: 0, registered: 0, healthy: 0 };
    const noPods = {
      reason: 'NoReadyEndpoints',
      message: '',
      sinceMs: 0,
      hasNoPods: true,
    } as const;
    const states = [
      { desired: 2, registered: 2, healthy: 2 },
      { desired: 3, registered: 2, healthy: 1 },
      { desired: 2, registered: 2, healthy: 0 },
      { ...none, problem: noPods },
      { desired: 4, registered: 0 },
    ];
    new GroupGauges(metrics).show(states.map((state) => ({ state })));
    expect(readAll(metrics)).toEqual({ groups: [1, 1, 1, 1, 1], targets: [11, 6, 3] });
  });

  it('distinguish a Service without pods from one that is missing, or whose pods are not ready', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    const readGroups = (): unknown => {
      bench.targets.refreshMetrics();
      return readAll(bench.metrics);
    };
    expect(readGroups()).toMatchObject({ groups: [0, 0, 1, 0, 0] });
    bench.runPods(0);
    await bench.clock.settle();
    expect(readGroups()).toMatchObject({ groups: [0, 0, 0, 1, 0] });
    bench.runPods({ [addressOf(0)]: 'unready' });
    await bench.clock.settle();
    expect(readGroups()).toMatchObject({ groups: [0, 0, 1, 0, 0] });
  });

  it('have a group that was unhealthy as such until a target is healthy, however often AWS begins to check', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    const readGroups = async (pod: PodState): Promise<unknown> => {
      bench.runPods({ [addressOf(0)]: pod });
      await bench.clock.advance(30_000);
      bench.targets.refreshMetrics();
      return readAll(bench.metrics);
    };
    bench.publish(arn, { isNew: true });
    expect(await readGroups('ready')).toMatchObject({ groups: [0, 0, 0, 0, 1] });
    expect(await readGroups('unready')).toMatchObject({ groups: [0, 0, 1, 0, 0] });
    expect(await readGroups('ready')).toMatchObject({ groups: [0, 0, 1, 0, 0] });
    bench.check('web', 'healthy');
    expect(await readGroups('ready')).toMatchObject({ groups: [1, 0, 0, 0, 0] });
  });

  it('follow the controller, without groups that are being replaced', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(2);
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    bench.targets.refreshMetrics();
    expect(readAll(bench.metrics)).toEqual({ groups: [0, 0, 0, 0, 1], targets: [2, 2, 0] });
    bench.check('web', 'healthy');
    await bench.clock.advance(10_000);
    bench.targets.refreshMetrics();
    expect(readAll(bench.metrics)).toEqual({ groups: [1, 0, 0, 0, 0], targets: [2, 2, 2] });
    bench.publish(arn, { isReplaced: true });
    bench.targets.refreshMetrics();
    expect(readAll(bench.metrics)).toEqual({ groups: [0, 0, 0, 0, 0], targets: [0, 0, 0] });
  });

  it('leave out a spare group, which AWS does not check, until an action names it', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web', { isUsed: false });
    bench.runPods(2);
    bench.publish(arn, { isUnused: true });
    await bench.clock.advance(10_000);
    expect(bench.state).toMatchObject({ desired: 2, registered: 2, healthy: 0 });
    bench.targets.refreshMetrics();
    expect(readAll(bench.metrics)).toEqual({ groups: [0, 0, 0, 0, 0], targets: [0, 0, 0] });
    bench.publish(arn);
    await bench.clock.advance(10_000);
    bench.targets.refreshMetrics();
    expect(readAll(bench.metrics)).toEqual({ groups: [0, 0, 1, 0, 0], targets: [2, 2, 0] });
  });
});
