import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

describe('the availability of restarted pods', () => {
  it.each([3_000, 5_000, 15_000])(
    'keeps most old pods where new ones end %i ms after they got ready',
    async (crashAfterMs) => {
      await bench.deploy();
      await bench.monitor();
      bench.cluster.crashAfterMs = crashAfterMs;
      await bench.change('bad', 300_000);
      expect(bench.condition('Ready')).toBe('False WaitingForReady');
      await bench.clock.advance(3_600_000);
      expect(bench.kept()).toBeGreaterThanOrEqual(crashAfterMs < 10_000 ? 6 : 4);
      expect(bench.condition('Ready')).toBe('False ProgressDeadlineExceeded');
      expect(bench.status().pendingPods).toBe(bench.kept());
      bench.kube.writes.length = 0;
      await bench.clock.advance(3_600_000);
      expect(bench.kube.writes, 'for crashes alone').toEqual([]);
      expect(bench.told('ProgressDeadlineExceeded')[0]).toMatch(/ has restarted;/);
    },
  );

  it('counts pods that have become ready while others are sent away', async () => {
    await bench.deploy(4);
    bench.cluster.isBroken = true;
    for (const pod of bench.cluster.pods()) bench.kube.delete(pod);
    await bench.monitor();
    bench.cluster.beforeEviction = () => {
      bench.cluster.heal();
      bench.cluster.isFull = true;
      return Promise.resolve();
    };
    await bench.change('two', 60_000);
    expect(bench.cluster.evicted).toHaveLength(1);
  });

  it('keeps a pod that becomes ready before its eviction arrives', async () => {
    await bench.deploy(3);
    const [first, ...others] = bench.cluster.pods();
    bench.cluster.isBroken = true;
    for (const pod of others) bench.kube.delete(pod);
    await bench.monitor({ maxUnavailable: 1 });
    let arrived = 0;
    bench.cluster.beforeEviction = () => {
      bench.cluster.isFull = true;
      arrived++;
      if (arrived === 2) bench.cluster.heal();
      return Promise.resolve();
    };
    await bench.change('two', 60_000);
    expect(arrived).toBeGreaterThan(1);
    expect(bench.cluster.evicted).toHaveLength(1);
    expect(bench.cluster.names).toContain(first?.metadata.name);
  });

  it('does not make the object Ready before the last pods have stayed ready', async () => {
    await bench.deploy(1);
    await bench.monitor();
    await bench.change('two', 9_000);
    expect(bench.cluster.evicted).toHaveLength(1);
    expect(bench.condition('Ready')).toBe('False WaitingForReady');
    await bench.clock.advance(4_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('counts an old pod that once restarted, also where the operator has just started', async () => {
    bench.cluster.restartsAtStart = 1;
    await bench.deploy();
    bench.cluster.restartsAtStart = 0;
    await bench.monitor();
    await bench.clock.advance(86_400_000);
    await bench.restart();
    await bench.change('two', 120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('is no reason to warn while a new pod that restarted once stays ready', async () => {
    await bench.deploy(1);
    await bench.monitor({ progressDeadlineSeconds: 60 });
    bench.cluster.restartsAtStart = 1;
    await bench.change('two', 605_000);
    expect(bench.told('ProgressDeadlineExceeded')).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('is no reason to wait for longer than the default where the CRD is of an older release', async () => {
    await bench.deploy(1);
    await bench.monitor();
    const missing: object = { minReadySeconds: undefined };
    bench.kube.edit(bench.object(), (live) => ({ ...live, spec: { ...live.spec, ...missing } }));
    await bench.change('two', 9_000);
    expect(bench.condition('Ready')).toBe('False WaitingForReady');
    await bench.clock.advance(4_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('waits for as long as the Deployment itself asks for', async () => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'slow', labels, isStateful: false, minReadySeconds: 40 }, 1);
    await bench.clock.advance(1_000);
    await bench.monitor();
    await bench.change('two', 38_000);
    expect(bench.condition('Ready')).toBe('False WaitingForReady');
    await bench.clock.advance(5_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('may wait less, if the object asks for it', async () => {
    await bench.deploy();
    await bench.monitor({ minReadySeconds: 0 });
    await bench.change('two', 10_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('counts pods whose container has restarted once they ran for ten minutes', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.crashAfterMs = 2_000;
    await bench.change('two', 10_000);
    bench.cluster.crashAfterMs = undefined;
    await bench.clock.advance(560_000);
    expect(bench.kept()).toBe(6);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('one pod that a webhook refuses', () => {
  const options = { reason: 'Forbidden', message: 'denied', healedBy: 'person' } as const;

  async function refuse(isRefused: (name: string) => boolean): Promise<void> {
    bench.cluster.deploy('admin', 4, { app: 'frontend' });
    await bench.deploy();
    bench.cluster.mostUnready = 0;
    await bench.monitor();
    bench.cluster.answer = ({ metadata }) =>
      isRefused(metadata.name) ? new OperatorError(options) : undefined;
    await bench.change('two', 120_000);
  }

  it('keeps no other owner from its new data', async () => {
    await refuse((name) => name.startsWith('admin-'));
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.status().pendingPods).toBe(4);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    expect(bench.condition('Ready')).toBe('False Forbidden');
  });

  it('keeps no other pod of its owner from its new data, and no more than allowed go', async () => {
    await refuse((name) => name === 'admin-5d9c-001' || name === 'frontend-5d9c-005');
    expect(bench.cluster.evicted).toHaveLength(10);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.status().pendingPods).toBe(2);
    expect(bench.told('Forbidden')).toEqual(['Could not delete admin-5d9c-001: denied']);
  });

  it('gives its place to no other one while it counts as unavailable', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 5_500);
    const fresh = bench.cluster.names.filter((name) => !bench.before.includes(name));
    expect(fresh).toHaveLength(2);
    bench.cluster.answer = ({ metadata: { name } }) =>
      fresh.includes(name) ? new OperatorError(options) : undefined;
    await bench.change('three', 1_500);
    expect(bench.kept()).toBe(6);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.names).toEqual(expect.arrayContaining(fresh));
  });
});

describe('data that is taken back', () => {
  it('restarts only the pods that were started with the bad data', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('bad', 100_000);
    const broken = bench.cluster.names.filter((name) => !bench.before.includes(name));
    expect(broken).toHaveLength(2);
    bench.cluster.isBroken = false;
    await bench.change('one');
    expect(bench.cluster.evicted.slice(2).toSorted()).toEqual(broken);
    expect(bench.kept()).toBe(6);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('after other bad data restarts the pods of both, also by another process', async () => {
    await bench.deploy();
    await bench.monitor({ maxUnavailable: 3 });
    bench.cluster.isBroken = true;
    await bench.change('bad', 100_000);
    await bench.editMonitor({ maxUnavailable: 4 });
    await bench.change('worse', 100_000);
    expect(bench.kept()).toBe(4);
    await bench.restart();
    bench.cluster.isBroken = false;
    await bench.change('one');
    expect(bench.kept()).toBe(4);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts all pods where an earlier release did not record which have it', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('bad', 100_000);
    await bench.stop();
    const { rollout, ...status } = bench.status();
    const { between: _between, ...recorded } = rollout ?? {};
    bench.kube.server.applyStatus(bench.object(), { ...status, rollout: recorded });
    await bench.restart();
    bench.cluster.isBroken = false;
    await bench.change('one');
    expect(bench.kept()).toBe(0);
  });
});

describe('an owner of a kind that others made', () => {
  async function deployCustom(replicas: number): Promise<void> {
    const labels = { app: 'frontend' };
    const what = { name: 'canary', labels, isStateful: false, minReadySeconds: 0 };
    bench.cluster.deployAs({ ...what, customKind: 'Rollout' }, replicas);
    await bench.clock.advance(1_000);
    bench.before = bench.cluster.names;
    await bench.monitor({ maxUnavailable: 1 });
  }

  it('that is scaled down in mid-restart is restarted to its end', async () => {
    await deployCustom(4);
    await bench.change('two', 3_000);
    bench.cluster.scale('canary', 2);
    await bench.clock.advance(1_800_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it.each([
    ['new data', 'two three four five six seven', 30_000, 7],
    ['data that is taken back', 'two one three one four one', 30_000, 7],
    ['data from which the restart gets no further', 'two three four five', 700_000, 6],
  ])('whose controller is slow loses no more pods by %s again and again', async (...given) => {
    const [, contents, everyMs, left] = given;
    await deployCustom(8);
    bench.cluster.isFull = true;
    for (const content of contents.split(' ')) await bench.change(content, everyMs);
    expect(bench.kept()).toBe(left);
    bench.cluster.isFull = false;
    bench.cluster.settle();
    await bench.change('last', 300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('whose controller is dead loses two pods, and is Stalled', async () => {
    await deployCustom(8);
    bench.cluster.isFull = true;
    await bench.change('two', 3_600_000);
    expect(bench.kept()).toBe(6);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.told('ProgressDeadlineExceeded').at(-1)).toContain(
      'one is missing; 6 pods keep the older data; fix the data, or see kubectl describe Rollout/canary',
    );
  });
});

describe('a Deployment', () => {
  it('that grows during the restart still loses a quarter of its pods at a time', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 1_500);
    expect(bench.cluster.evicted).toHaveLength(2);
    bench.cluster.scale('frontend', 16);
    bench.cluster.isFull = true;
    await bench.clock.advance(30_000);
    expect(bench.cluster.evicted).toHaveLength(2 + 4);
    bench.cluster.isFull = false;
    bench.cluster.settle();
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('that albridge may not read loses one pod however often the data changes', async () => {
    await bench.deploy();
    await bench.monitor({ maxUnavailable: 1 });
    const options = { reason: 'Forbidden', message: 'denied', healedBy: 'person' } as const;
    bench.cluster.read = () => Promise.reject(new OperatorError(options));
    bench.cluster.isFull = true;
    for (const content of ['two', 'three', 'four']) await bench.change(content, 30_000);
    expect(bench.kept()).toBe(7);
  });

  it.each(['Evict', 'Auto'] as const)(
    'that is deleted without its ReplicaSet still loses a quarter of its pods at a time (%s)',
    async (strategy) => {
      await bench.deploy();
      await bench.monitor({ strategy });
      const read = bench.cluster.read.bind(bench.cluster);
      bench.cluster.read = async (ref) => (ref.kind === 'Deployment' ? undefined : read(ref));
      bench.cluster.isFull = true;
      await bench.change('two', 60_000);
      expect(bench.kept()).toBe(6);
      bench.cluster.isFull = false;
      bench.cluster.settle();
      await bench.clock.advance(90_000);
      expect(bench.kept()).toBe(0);
      expect(bench.condition('Ready')).toBe('True Watching');
    },
  );
});

it('a ReplicaSet without its Deployment that lacks a pod loses no more than a quarter', async () => {
  await bench.deploy(4);
  await bench.monitor();
  const read = bench.cluster.read.bind(bench.cluster);
  bench.cluster.read = async (ref) => (ref.kind === 'Deployment' ? undefined : read(ref));
  bench.cluster.isFull = true;
  for (const pod of bench.cluster.pods().slice(0, 1)) bench.kube.delete(pod);
  await bench.clock.advance(5_000);
  await bench.change('two', 60_000);
  expect(bench.kept()).toBe(3);
});

describe('an upgrade that hangs', () => {
  it.each(['Auto', 'Rollout'] as const)(
    'keeps the pods of before until it is undone, and is reported (%s)',
    async (strategy) => {
      await bench.deploy(4);
      await bench.monitor({ strategy });
      await bench.configure('two');
      bench.cluster.breakTemplate('frontend');
      await bench.clock.advance(700_000);
      expect(bench.kept()).toBe(4);
      expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
      expect(bench.message('Stalled')).toContain('0 of 4 pods are restarted');
      bench.cluster.undo('frontend');
      await bench.clock.advance(360_000);
      expect(bench.told('WorkloadRestarted')).toEqual(['restarted Deployment frontend']);
      expect(bench.kept()).toBe(0);
      expect(bench.condition('Ready')).toBe('True Watching');
    },
  );
});

describe('a template that something resets after each restart', () => {
  async function deployStateful(): Promise<void> {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 4);
    await bench.clock.advance(1_000);
    bench.before = bench.cluster.pods().map(({ metadata }) => metadata.uid ?? '');
  }

  it.each([50, 1_500])('is changed once, and Auto evicts the pods (after %i ms)', async (ms) => {
    await bench.deploy(8);
    await bench.monitor({ strategy: 'Auto' });
    bench.cluster.resetsAfterMs = ms;
    await bench.change('two', 600_000);
    expect(bench.told('WorkloadRestarted')).toEqual(['restarted Deployment frontend']);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBeLessThanOrEqual(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('of a StatefulSet is changed once, and Auto evicts the pods', async () => {
    await deployStateful();
    await bench.monitor({ strategy: 'Auto' });
    bench.cluster.resetsAfterMs = 50;
    await bench.change('two', 600_000);
    expect(bench.told('WorkloadRestarted')).toEqual(['restarted StatefulSet db']);
    const uids = bench.cluster.pods().map(({ metadata }) => metadata.uid ?? '');
    expect(uids.filter((uid) => bench.before.includes(uid))).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('is changed once for each change of the data, and Rollout reports it', async () => {
    await bench.deploy(4);
    await bench.monitor({ strategy: 'Rollout' });
    bench.cluster.resetsAfterMs = 50;
    await bench.change('two', 600_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.condition('Stalled')).toBe('True TemplateReset');
    expect(bench.message('Stalled')).toContain('kubectl rollout restart deployment/frontend');
    await bench.change('three', 600_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(2);
    expect(bench.kept()).toBe(4);
    await bench.editMonitor({ strategy: 'Evict' });
    await bench.clock.advance(300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it.each([
    [true, 1, 'False TemplateReset'],
    [false, 0, 'True Watching'],
  ])('of one replica keeps its pod where that goes last (%s)', async (surges, kept, ready) => {
    const labels = { app: 'frontend' };
    const what = { name: 'frontend', labels, isStateful: false, minReadySeconds: 0, surges };
    bench.cluster.deployAs(what, 1);
    await bench.clock.advance(1_000);
    bench.before = bench.cluster.names;
    await bench.monitor({ strategy: 'Auto' });
    bench.cluster.resetsAfterMs = 50;
    await bench.change('two', 600_000);
    expect(bench.kept()).toBe(kept);
    expect(bench.condition('Ready')).toBe(ready);
  });

  it('replaces the pods by itself where it is a new one, without an eviction', async () => {
    await bench.deploy(4);
    await bench.monitor({ strategy: 'Auto' });
    bench.cluster.resetsAfterMs = 50;
    await bench.configure('two');
    await bench.clock.advance(1_060);
    bench.cluster.upgrade('frontend');
    await bench.clock.advance(300_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});
