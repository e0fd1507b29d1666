import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

const SIZES: Readonly<
  Record<
    string,
    { readonly why: string; pods: number; maxUnavailable?: number | string; most: number }
  >
> = {
  'two of eight': { why: 'the default is a quarter', pods: 8, most: 2 },
  'three of nine': { why: 'a percentage is rounded up', pods: 9, most: 3 },
  'the only one': { why: 'at least one goes', pods: 1, most: 1 },
  'one of eight by number': { why: 'numbers count pods', pods: 8, maxUnavailable: 1, most: 1 },
  'all of eight': { why: 'as the article does', pods: 8, maxUnavailable: '100%', most: 8 },
};

describe('a batch', () => {
  it.each(Object.entries(SIZES))('is %s', async (_name, { pods, maxUnavailable, most }) => {
    await bench.deploy(pods);
    await bench.monitor(maxUnavailable === undefined ? {} : { maxUnavailable });
    await bench.change('two', 1_000);
    expect(bench.cluster.evicted).toHaveLength(most);
    await bench.clock.advance(100_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBe(most);
  });

  it('is counted for each owner by itself', async () => {
    await bench.deploy(4);
    bench.cluster.deploy('admin', 4, { app: 'frontend' });
    await bench.clock.advance(1_000);
    await bench.monitor();
    await bench.change('two', 1_000);
    const owners = bench.cluster.evicted.map((name) => name.split('-')[0]);
    expect(owners).toHaveLength(2);
    expect(new Set(owners)).toEqual(new Set(['admin', 'frontend']));
  });

  it('takes first the pods that are not ready: they serve no request', async () => {
    await bench.deploy(4);
    const [first, , third] = bench.before;
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } as const;
    await bench.cluster.kubelet.setStatus(`web/${third}`, status);
    await bench.monitor();
    await bench.change('two', 1_000);
    expect(bench.cluster.evicted).toEqual([third]);
    await bench.clock.advance(11_000);
    expect(bench.cluster.evicted).toEqual([third, first]);
  });

  it('waits for pods that other changes have made unready', async () => {
    await bench.deploy(4);
    await bench.monitor();
    const [pod] = bench.cluster.pods();
    bench.cluster.isBroken = true;
    await bench.cluster.kubelet.delete(`web/${pod?.metadata.name}`);
    await bench.change('two', 5_000);
    // The one that is not ready goes, and none beside it.
    expect(bench.cluster.evicted).toHaveLength(1);
    expect(bench.kept()).toBe(3);
  });

  it('waits for pods that are missing at the start', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isFull = true;
    for (const pod of bench.cluster.pods().slice(0, 2)) {
      await bench.cluster.kubelet.delete(`web/${pod.metadata.name}`);
    }
    await bench.change('two', 5_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Reconciling')).toBe('True WaitingForReady');
    bench.cluster.isFull = false;
    bench.cluster.settle();
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.mostUnready).toBe(2);
  });

  it('does not grow while the watch lags behind what was sent away', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.configure('two');
    bench.life.pods.hold();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(2);
    bench.life.pods.catchUp();
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(8);
  });
});

describe('data that the pods do not start with', () => {
  it('breaks one batch and not the service, and says so after the deadline', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('bad', 590_000);
    expect(bench.kept()).toBe(6);
    expect(bench.condition('Reconciling')).toBe('True WaitingForReady');
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(6);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.condition('Ready')).toBe('False ProgressDeadlineExceeded');
    const [note] = bench.told('ProgressDeadlineExceeded');
    expect(note).toContain('6 of 8 pods of Deployment/frontend are available');
    await bench.clock.advance(3_600_000);
    expect(bench.cluster.evicted).toHaveLength(2);
    expect(bench.told('ProgressDeadlineExceeded')).toHaveLength(1);
  });

  it('is replaced by data that they do start with', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('bad', 700_000);
    bench.cluster.isBroken = false;
    await bench.change('good');
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.cluster.mostUnready).toBe(2);
    // Those of the bad data were restarted too.
    expect(bench.cluster.evicted).toHaveLength(10);
    expect(bench.status().restarts).toBe(2);
  });

  it('was not bad after all where the pods only took long', async () => {
    await bench.deploy();
    await bench.monitor({ progressDeadlineSeconds: 30 });
    bench.cluster.isBroken = true;
    await bench.change('slow', 60_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    bench.cluster.heal();
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('does not get new time by pods that come and go', async () => {
    await bench.deploy();
    await bench.monitor({ progressDeadlineSeconds: 60 });
    bench.cluster.isBroken = true;
    await bench.change('bad', 5_000);
    for (let crash = 0; crash < 12; crash++) {
      const newest = bench.cluster.names.find((name) => !bench.before.includes(name)) ?? '';
      bench.cluster.isBroken = false;
      await bench.cluster.kubelet.run(`web/${newest}`);
      bench.cluster.isBroken = true;
      const conditions = [{ type: 'Ready', status: 'False' }] as const;
      await bench.cluster.kubelet.setStatus(`web/${newest}`, { phase: 'Running', conditions });
      await bench.clock.advance(10_000);
    }
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
  });
});

describe('a scaled Deployment', () => {
  it('is not waited for in vain when there are fewer pods than at the start', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('two', 1_200);
    bench.cluster.scale('frontend', 3);
    bench.cluster.heal();
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('may be scaled to nothing', async () => {
    await bench.deploy();
    await bench.monitor();
    await bench.change('two', 1_200);
    bench.cluster.scale('frontend', 0);
    await bench.clock.advance(60_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('a PodDisruptionBudget', () => {
  const blocked = { kind: 'blocked', message: 'it would violate the disruption budget' } as const;

  it('holds: the pod stays, and is asked for again and again', async () => {
    await bench.deploy();
    await bench.monitor();
    bench.cluster.answer = () => blocked;
    await bench.change('two', 60_000);
    expect(bench.kept()).toBe(8);
    expect(bench.condition('Reconciling')).toBe('True PDBBlocked');
    expect(bench.condition('Ready')).toBe('False PDBBlocked');
    expect(bench.told('PDBBlocked')).toHaveLength(1);
    bench.cluster.answer = () => undefined;
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('that is a moment behind the pods is nothing to warn of', async () => {
    await bench.deploy();
    await bench.monitor();
    let busyUntilMs = 0;
    bench.cluster.answer = () => {
      if (bench.clock.monotonicMs() < busyUntilMs) return blocked;
      busyUntilMs = bench.clock.monotonicMs() + 1_500;
      return undefined;
    };
    await bench.change('two', 120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.told('PDBBlocked')).toEqual([]);
  });

  it('that never gives way ends in Stalled, and still is not broken', async () => {
    await bench.deploy();
    await bench.monitor({ progressDeadlineSeconds: 60 });
    bench.cluster.answer = () => blocked;
    await bench.change('two', 600_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.told('ProgressDeadlineExceeded')[0]).toContain(blocked.message);
    expect(bench.kept()).toBe(8);
  });

  it('holds a pod that crashes again and again: the object does not change with each crash', async () => {
    bench.cluster.crashAfterMs = 5_000;
    await bench.deploy(1);
    await bench.monitor();
    bench.cluster.answer = () => blocked;
    await bench.change('two', 3_600_000);
    const { resourceVersion } = bench.object().metadata;
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    await bench.clock.advance(3_600_000);
    expect(bench.object().metadata.resourceVersion).toBe(resourceVersion);
  });

  it('beside a second one is for a person to sort out', async () => {
    await bench.deploy();
    await bench.monitor();
    const message = 'This pod has more than one PodDisruptionBudget.';
    bench.cluster.answer = () => ({ kind: 'ambiguous', message });
    await bench.change('two', 60_000);
    expect(bench.condition('Stalled')).toBe('True MultiplePDBs');
    expect(bench.kept()).toBe(8);
  });

  it('beside a second one is what is said of pods that crash again and again, whatever they do', async () => {
    bench.cluster.crashAfterMs = 5_000;
    await bench.deploy(3);
    await bench.monitor();
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 60_000);
    const said = new Set<string | undefined>();
    for (let times = 0; times < 200; times++) {
      said.add(bench.condition('Stalled'));
      await bench.clock.advance(10_000);
    }
    expect([...said]).toEqual(['True MultiplePDBs']);
  });

  it('of one owner does not hold up the pods of another', async () => {
    await bench.deploy(2);
    bench.cluster.deploy('admin', 2, { app: 'frontend' });
    await bench.clock.advance(1_000);
    await bench.monitor();
    bench.cluster.answer = ({ metadata }) =>
      metadata.name.startsWith('admin') ? blocked : undefined;
    await bench.change('two', 60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.status().pendingPods).toBe(2);
  });

  it('is not asked by strategy Delete', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Delete' });
    bench.cluster.answer = () => blocked;
    await bench.change('two');
    expect(bench.kept()).toBe(0);
    expect(bench.told('PodDeleted')).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
  });
});

describe('a refusal', () => {
  it('is reported in the words of the article, and stops nothing for good', async () => {
    await bench.deploy();
    await bench.monitor();
    const options = { reason: 'Forbidden', message: 'no right', healedBy: 'person' } as const;
    bench.cluster.answer = () => new OperatorError(options);
    await bench.change('two', 5_000);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    expect(bench.told('Forbidden')).toEqual([`Could not delete ${bench.before[0]}: no right`]);
    bench.cluster.answer = () => undefined;
    await bench.clock.advance(600_000);
    expect(bench.kept()).toBe(0);
  });
});

describe('strategy Rollout', () => {
  const FRONTEND = { kind: 'Deployment', namespace: 'web', name: 'frontend' } as const;

  it('restarts the Deployment by its template, once', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two');
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toEqual([]);
    const restarts = bench.cluster.asked.filter((asked) => asked === 'restart Deployment/frontend');
    expect(restarts).toHaveLength(1);
    expect(bench.told('WorkloadRestarted')).toEqual(['restarted Deployment frontend']);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it.each([false, true])('adds no restart to an upgrade (StatefulSet: %s)', async (isStateful) => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'frontend', labels, isStateful, minReadySeconds: 0 }, 4);
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Rollout' });
    const uids = bench.cluster.pods().map(({ metadata }) => metadata.uid);
    await bench.configure('two');
    bench.cluster.upgrade('frontend');
    await bench.clock.advance(60_000);
    expect(bench.told('WorkloadRestarted')).toEqual([]);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.cluster.pods().filter(({ metadata }) => uids.includes(metadata.uid))).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts it once for two ConfigMonitors', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout' });
    await bench.monitor({ strategy: 'Rollout', debounceSeconds: 3 }, 'second');
    await bench.change('two', 60_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.condition('Ready', 'second')).toBe('True Watching');
  });

  it('restarts it once for two ConfigMaps that change together', async () => {
    await bench.deploy();
    await bench.configure('one', { name: 'others' });
    await bench.monitor({ strategy: 'Rollout' });
    const others = { strategy: 'Rollout', configMap: 'others', debounceSeconds: 3 } as const;
    await bench.monitor(others, 'second');
    await bench.configure('two', { name: 'others' });
    await bench.change('two', 60_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready', 'second')).toBe('True Watching');
  });

  it('restarts it once where the clock of the next leader is an hour behind', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 2_500);
    bench.clock.turnWallClock(-3_600_000);
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts it for the next change by a leader whose clock is behind the last restart', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two');
    bench.clock.turnWallClock(-120_000);
    await bench.restart();
    await bench.editMonitor({ suspend: true });
    await bench.change('three', 90_000);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(60_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts it again for a change of which the first note could not be stored', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout', minIntervalSeconds: 20 });
    await bench.change('two', 5_000);
    let failures = 2;
    bench.beforeStatus = async () => {
      if (failures-- > 0)
        throw new OperatorError({ reason: 'Down', message: 'down', healedBy: 'time' });
    };
    await bench.change('three', 60_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('leaves it alone where someone restarts it by hand for the change', async () => {
    await bench.deploy();
    await bench.monitor({ strategy: 'Rollout', debounceSeconds: 5 });
    await bench.configure('two');
    await bench.cluster.restart(FRONTEND, '2020-01-01T00:00:00Z');
    await bench.clock.advance(60_000);
    expect(bench.told('WorkloadRestarted')).toEqual([]);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('leaves a paused Deployment alone, names it, and restarts its pods when it is resumed', async () => {
    await bench.deploy();
    bench.cluster.pause('frontend');
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 60_000);
    expect(bench.kept()).toBe(8);
    expect(bench.condition('Stalled')).toBe('True WorkloadPaused');
    expect(bench.told('WorkloadPaused')).toEqual([
      'Deployment frontend is paused and replaces no pods; kubectl rollout resume deployment/frontend',
    ]);
    bench.cluster.pause('frontend', false);
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('evicts pods that no template brings back', async () => {
    bench.cluster.pod('bare', { labels: { app: 'frontend' } });
    await bench.monitor({ strategy: 'Rollout', unmanagedPods: 'Evict' });
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual(['bare']);
  });
});
