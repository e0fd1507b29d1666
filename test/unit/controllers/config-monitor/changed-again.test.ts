import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

it('counts no time toward the deadline while newer data waits for the least interval', async () => {
  await bench.deploy();
  await bench.monitor({ minIntervalSeconds: 86_400 });
  bench.cluster.answer = () => ({ kind: 'blocked', message: 'it would violate the budget' });
  await bench.change('two', 5_000);
  await bench.change('three', 1_200_000);
  expect(bench.condition('Ready')).toBe('False MinInterval');
  await bench.change('two', 5_000);
  expect(bench.told('ProgressDeadlineExceeded')).toEqual([]);
});

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

/** Its container has ended, or started again. */
function setReady(name: string, status: 'True' | 'False'): void {
  const pod = bench.cluster.pods().find(({ metadata }) => metadata.name === name) as KubeObject;
  bench.kube.server.applyStatus(pod, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status }],
    containerStatuses: [{ name: 'app', restartCount: 1 }],
  });
}

describe('data that changes during a restart, and is taken back at once', () => {
  it('does not begin the restart again', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 3_200);
    expect(bench.kept()).toBe(6);
    await bench.change('three', 200);
    await bench.change('two', 120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.status().restarts).toBe(1);
    expect(bench.told('RolloutComplete')).toHaveLength(1);
  });

  it.each([
    ['while no pod starts', 3_200],
    ['while pods start', 1_200],
  ])('does not hold the rest of it up for the least interval, %s', async (_, afterMs) => {
    await bench.deploy();
    await bench.monitor({ minIntervalSeconds: 3600 });
    await bench.change('two', afterMs);
    await bench.change('three', 200);
    await bench.change('two', 120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.told('ChangesTooOften')).toEqual([]);
  });

  it.each([
    ['during the restart', 3_200, '25%'],
    ['after it', 20_000, '100%'],
  ])(
    '%s, restarts no pod again for another object that waits longer',
    async (_, ms, maxUnavailable) => {
      await bench.deploy();
      await bench.monitor({ maxUnavailable });
      await bench.monitor({ maxUnavailable, debounceSeconds: 30 }, 'late');
      await bench.change('two', ms);
      await bench.change('three', 200);
      await bench.change('two', 200_000);
      expect(bench.kept()).toBe(0);
      expect(bench.cluster.evicted).toHaveLength(8);
      expect(bench.condition('Ready')).toBe('True Watching');
      expect(bench.condition('Ready', 'late')).toBe('True Watching');
    },
  );

  it('restarts for another object no pod again that was not started with it', async () => {
    await bench.deploy();
    await bench.monitor({ maxUnavailable: '100%' });
    await bench.monitor({ debounceSeconds: 30 }, 'late');
    await bench.change('two', 15_000);
    await bench.change('three', 200);
    bench.cluster.scale('frontend', 9);
    await bench.change('two', 200_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(9);
    expect(bench.condition('Ready', 'late')).toBe('True Watching');
  });

  it('restarts also for the data of before a pod that it has not restarted, and that started meanwhile', async () => {
    await bench.deploy();
    await bench.monitor();
    const name = bench.before.at(-1) as string;
    bench.cluster.answer = ({ metadata }) =>
      metadata.name === name ? { kind: 'blocked', message: 'it would violate' } : undefined;
    await bench.change('two', 3_200);
    setReady(name, 'False');
    await bench.clock.advance(300);
    await bench.change('three', 200);
    setReady(name, 'True');
    await bench.clock.advance(100);
    await bench.change('two', 300);
    await bench.change('one', 1_500);
    bench.cluster.answer = () => undefined;
    await bench.clock.advance(900_000);
    expect(bench.cluster.names).not.toContain(name);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it.each([
    ['has none', 1],
    ['has one too', 2],
  ])(
    'restarts for another object a pod that was started with it, where the first one selected others then and %s',
    async (_, others) => {
      await bench.deploy();
      bench.cluster.deploy('other', 1, { app: 'other' });
      await bench.monitor({ maxUnavailable: '100%' });
      await bench.monitor({ maxUnavailable: '100%' }, 'late');
      await bench.change('two', 60_000);
      await bench.editMonitor({ suspend: true }, 'late');
      await bench.editMonitor({ podSelector: { app: 'other' } });
      await bench.change('three', 200);
      bench.cluster.scale('frontend', 9);
      const fresh = bench.cluster.podsOf('frontend').map(({ metadata }) => metadata.name);
      bench.cluster.scale('other', others);
      await bench.change('two', 30_000);
      await bench.editMonitor({ podSelector: { app: 'frontend' } });
      await bench.clock.advance(1_000);
      await bench.editMonitor({ suspend: false }, 'late');
      await bench.clock.advance(100_000);
      expect(bench.cluster.evicted).toHaveLength(8 + others);
      expect(bench.cluster.names).not.toContain(fresh.at(-1));
    },
  );

  it('does not go on while the object is suspended', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 3_200);
    await bench.editMonitor({ suspend: true });
    await bench.change('three', 200);
    await bench.change('two', 120_000);
    expect(bench.kept()).toBe(6);
    expect(bench.message('Ready')).toBe('suspended; 6 pods are waiting to restart');
  });
});

it('a source that an edit adds during a restart does not hold the rest of it up for the least interval', async () => {
  await bench.store('ConfigMap', 'other', { x: '1' });
  await bench.deploy();
  await bench.monitor({ minIntervalSeconds: 3600 });
  await bench.change('two', 1_200);
  expect(bench.kept()).toBe(6);
  await bench.editMonitor({ sources: [{ kind: 'ConfigMap', name: 'other' }] });
  await bench.clock.advance(120_000);
  expect(bench.kept()).toBe(0);
  expect(bench.condition('Ready')).toBe('True Watching');
});

describe('a selector that is edited during a restart', () => {
  const both = { podSelector: { tier: 'web' } } as const;
  const frontend = { podSelector: { app: 'frontend' } } as const;

  async function deployBoth(): Promise<void> {
    bench.cluster.deploy('frontend', 8, { app: 'frontend', tier: 'web' });
    bench.cluster.deploy('worker', 4, { app: 'worker', tier: 'web' });
    await bench.clock.advance(1_000);
    bench.before = bench.cluster.names;
  }

  it.each([
    ['for a moment', 200],
    ['for a minute', 60_000],
  ])('to match nothing, and is set back %s later, leaves no pod with older data', async (_, ms) => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 1_200);
    expect(bench.kept()).toBe(6);
    await bench.editMonitor({ podSelector: { app: 'nothing' } });
    await bench.clock.advance(ms);
    expect(bench.kept()).toBe(6);
    await bench.editMonitor({ podSelector: { app: 'frontend' } });
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status().deselectedPods).toBeUndefined();
  });

  it('to match more pods restarts those that it adds', async () => {
    await deployBoth();
    await bench.monitor();
    await bench.change('two', 1_200);
    await bench.editMonitor(both);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('to match fewer pods restarts the others once it matches them again, also much later', async () => {
    await deployBoth();
    await bench.monitor(both);
    await bench.change('two', 1_200);
    await bench.editMonitor(frontend);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(3);
    expect(bench.condition('Ready')).toBe('True Watching');
    await bench.restart();
    await bench.editMonitor(both);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('while the change is pending, to match nothing, leaves no pod with older data', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 200);
    await bench.editMonitor({ podSelector: { app: 'nothing' } });
    await bench.clock.advance(60_000);
    await bench.editMonitor({ podSelector: { app: 'frontend' } });
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
  });

  it('twice while the change is pending, leaves no pod with older data', async () => {
    await deployBoth();
    await bench.monitor({ ...both, suspend: true });
    await bench.change('two', 60_000);
    await bench.editMonitor(frontend);
    await bench.clock.advance(10_000);
    await bench.editMonitor({ podSelector: { app: 'worker' } });
    await bench.clock.advance(10_000);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(8);
    await bench.editMonitor(both);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
  });

  it('goes on with the restart at once, and is no change of the data', async () => {
    await deployBoth();
    await bench.monitor({ minIntervalSeconds: 3600 });
    await bench.change('two', 1_200);
    await bench.editMonitor(both);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.told('ChangesTooOften')).toEqual([]);
    expect(bench.told('ConfigChanged')).toHaveLength(1);
  });

  it('restarts no pod again where the release that began the restart recorded no selector', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 1_200);
    await bench.stop();
    const { rollout, ...status } = bench.status();
    const { selector: _, ...older } = rollout ?? ({} as never);
    bench.kube.server.applyStatus(bench.object(), { ...status, rollout: older });
    await bench.restart();
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(8);
  });
});
