import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigMonitor } from '../../../../src/apis/config-monitor.ts';
import { configMonitorMetrics } from '../../../../src/controllers/config-monitor/reports/source-metrics.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});
afterEach(() => bench.stop());

const SOURCE = { namespace: 'web', source: 'ConfigMap/settings' };
const APP = { app: 'frontend' };

function count(what: keyof typeof configMonitorMetrics): number | undefined {
  return bench.metrics.valueOf(configMonitorMetrics[what], SOURCE);
}

/** Those for people, as `kubectl describe` of the source and the workload shows them. */
const told = (kind: string): readonly string[] =>
  bench.toldOn(kind).map((line) => line.replaceAll(/frontend-5d9c-\d+/g, 'POD'));

describe('a restart on the objects that it is about', () => {
  it('begins and ends with one event each, however many pods there are', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(told('ConfigMap')).toEqual([
      'RestartStarted: ConfigMonitor monitor: restarting 8 pods for the new data',
      'RestartComplete: ConfigMonitor monitor: restarted 8 pods for the new data',
    ]);
    expect(told('Deployment')).toEqual([
      'RestartStarted: ConfigMonitor monitor: restarting pods for new data of ConfigMap/settings',
      'RestartComplete: ConfigMonitor monitor: restarted pods for new data of ConfigMap/settings',
    ]);
    const [event] = bench.events.recorded.filter(({ kind }) => kind === 'Deployment');
    expect(event).toMatchObject({ key: 'web/frontend', uid: 'uid-of-frontend' });
  });

  it('is no longer Ready from the write on that begins it, until it is over', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor({ debounceSeconds: 0 });
    await bench.clock.advance(60_000);
    const written: unknown[] = [];
    bench.kube.server.watch(({ object }) => {
      if (object.kind !== 'ConfigMonitor') return;
      const { conditions, restarts, rollout } = (object as ConfigMonitor).status;
      const ready = conditions?.find(({ type }) => type === 'Ready');
      if (restarts === 1) written.push([ready?.status, ready?.reason, rollout?.pods.length]);
    });
    await bench.change('two', 600_000);
    expect(written[0]).toEqual(['False', 'RolloutStarted', 8]);
    expect(written.at(-1)).toEqual(['True', 'Watching', undefined]);
    expect(written.slice(0, -1).flat()).not.toContain('True');
  });

  it('begins with one event each also where its record is refused at first', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor({ debounceSeconds: 0 });
    await bench.clock.advance(1_000);
    const refusal = { reason: 'TooManyRequests', message: 'busy', healedBy: 'time' } as const;
    bench.kube.failNext('applyStatus', new OperatorError(refusal));
    await bench.change('two', 600_000);
    expect(bench.status().restarts).toBe(1);
    for (const kind of ['ConfigMap', 'Deployment']) {
      expect(told(kind).map((line) => line.split(':', 1)[0])).toEqual([
        'RestartStarted',
        'RestartComplete',
      ]);
    }
  });

  it('has the time of its change on record also where the first note of it is refused', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    await bench.clock.advance(1_000);
    const refusal = { reason: 'Conflict', message: 'no', healedBy: 'time' } as const;
    bench.kube.failNext('applyStatus', new OperatorError(refusal));
    await bench.change('two');
    expect(bench.status().restarts).toBe(1);
    expect(bench.status().lastChangeTime).toBeDefined();
  });

  it('leaves what was on record where its own record is refused, and the change', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor({ debounceSeconds: 0 });
    await bench.clock.advance(60_000);
    await bench.change('two', 1_000);
    const { restarts, restartedSelection, rollout } = bench.status();
    const refusal = { reason: 'TooManyRequests', message: 'busy', healedBy: 'time' } as const;
    bench.kube.failNext('applyStatus', new OperatorError({ ...refusal, retryAfterMs: 60_000 }));
    await bench.change('one', 1_000);
    expect(rollout?.pods).toHaveLength(6);
    expect(bench.status()).toMatchObject({ restarts, restartedSelection, rollout });
    expect(bench.status().change?.hash).toMatch(/^[0-9a-f]{64}$/);
    await bench.restart();
    await bench.clock.advance(600_000);
    const after = bench.status();
    expect([after.restarts, after.rollout, after.change]).toEqual([2, undefined, undefined]);
  });

  it('begins with one event each also where its record is stored and not answered', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    await bench.change('two', 500);
    const given = { reason: 'ApiServerUnavailable', message: 'reset', isUnanswered: true };
    bench.kube.loseNextStatus(new OperatorError({ ...given, healedBy: 'time' }));
    await bench.clock.advance(600_000);
    expect(bench.status().restarts).toBe(1);
    for (const kind of ['ConfigMap', 'Deployment']) {
      expect(told(kind).map((line) => line.split(':', 1)[0])).toEqual([
        'RestartStarted',
        'RestartComplete',
      ]);
    }
    expect(bench.messages().filter((line) => line === 'Restarting pods')).toHaveLength(1);
  });

  it('reports once that a person must act, and counts it once', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor({ progressDeadlineSeconds: 60 });
    await bench.clock.advance(1_000);
    bench.cluster.isBroken = true;
    await bench.change('bad', 3_600_000);
    const reasons = told('Deployment').map((line) => line.split(':')[0]);
    expect(reasons).toEqual(['RestartStarted', 'ProgressDeadlineExceeded']);
    expect(told('ConfigMap').map((line) => line.split(':')[0])).toEqual(reasons);
    expect(count('failures')).toBe(1);
    expect(count('waiting')).toBe(6);
    expect(bench.status().progress).toBe('2/8');
  });

  it('is counted, and reported, where it gets stuck as the one before, without a quiet period', async () => {
    bench.cluster.deploy('frontend', 2, APP);
    await bench.monitor({ debounceSeconds: 0 });
    await bench.clock.advance(1_000);
    const refusal = new OperatorError({ reason: 'Forbidden', message: 'no', healedBy: 'person' });
    bench.cluster.answer = () => refusal;
    await bench.change('two');
    await bench.change('three');
    const reasons = told('ConfigMap').map((line) => line.split(':')[0]);
    expect(reasons).toEqual(['RestartStarted', 'Forbidden', 'RestartStarted', 'Forbidden']);
    expect(count('failures')).toBe(2);
  });

  it('is reported on an owner of a custom kind by the UID that its pods name', async () => {
    bench.cluster.deployAs(
      { name: 'shop', labels: APP, isStateful: false, minReadySeconds: 0, customKind: 'Rollout' },
      2,
    );
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(told('Rollout')).toHaveLength(2);
    const [event] = bench.events.recorded.filter(({ kind }) => kind === 'Rollout');
    expect(event).toMatchObject({ key: 'web/shop', uid: 'uid-of-shop' });
  });

  it('goes on in silence after a crash of albridge', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    await bench.change('two', 5_000);
    await bench.crash();
    await bench.clock.advance(600_000);
    expect(told('ConfigMap')).toHaveLength(2);
  });
});

describe('the metrics of a restart', () => {
  it('count pods that were evicted, and what still waits', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    expect(count('restarted')).toBe(0);
    await bench.change('two', 5_000);
    expect(count('restarted')).toBe(2);
    expect(count('waiting')).toBe(6);
    await bench.clock.advance(600_000);
    expect(count('restarted')).toBe(8);
    expect(count('waiting')).toBe(0);
  });

  it('count pods that their template replaces, once', async () => {
    bench.cluster.deploy('frontend', 4, APP);
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 600_000);
    expect(count('restarted')).toBe(4);
  });

  it('count the pods of a StatefulSet below its partition when they are evicted', async () => {
    const db = { name: 'db', labels: APP, isStateful: true, minReadySeconds: 0, partition: 2 };
    bench.cluster.deployAs(db, 3);
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 600_000);
    expect(count('restarted')).toBe(3);
  });

  it('count each eviction that a budget refuses', async () => {
    bench.cluster.deploy('frontend', 2, APP);
    await bench.monitor();
    bench.cluster.answer = () => ({ kind: 'blocked', message: 'budget' });
    await bench.change('two', 30_000);
    expect(count('blocked')).toBeGreaterThan(1);
    expect(count('restarted')).toBe(0);
    expect(count('failures')).toBe(0);
  });

  it('end with the object', async () => {
    bench.cluster.deploy('frontend', 2, APP);
    await bench.monitor();
    bench.kube.delete(bench.object());
    await bench.clock.advance(1_000);
    expect(bench.metrics.valueOf(configMonitorMetrics.waiting)).toBeUndefined();
  });
});

describe('the progress', () => {
  it('is of the pods that there are: at rest, while a change waits, and during a restart', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor({ debounceSeconds: 30 });
    expect(bench.status().progress).toBe('8/8');
    await bench.change('two', 10_000);
    expect(bench.status().progress).toBe('0/8');
    await bench.clock.advance(22_000);
    expect(bench.status()).toMatchObject({ progress: '2/8', matchedPods: 8, pendingPods: 6 });
    await bench.clock.advance(600_000);
    expect(bench.status().progress).toBe('8/8');
    bench.cluster.scale('frontend', 10);
    await bench.clock.advance(1_000);
    expect(bench.status().progress).toBe('10/10');
  });

  it('never counts a pod that was just sent away as one with the newest data', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    bench.cluster.isFull = true;
    const seen = new Set<unknown>();
    bench.kube.server.watch(({ object }) => {
      if (object.kind === 'ConfigMonitor') seen.add((object as ConfigMonitor).status?.progress);
    });
    await bench.change('two', 5_000);
    expect(seen).not.toContain('2/8');
    expect(bench.status()).toMatchObject({ progress: '0/6', matchedPods: 6, pendingPods: 6 });
  });

  it('falls while the object is paused: its pods have older data', async () => {
    bench.cluster.deploy('frontend', 8, APP);
    await bench.monitor();
    await bench.clock.advance(1_000);
    bench.kube.edit(bench.object(), (live) => {
      const annotations = { 'albridge.io/paused': 'true' };
      return { ...live, metadata: { ...live.metadata, annotations } };
    });
    await bench.change('two', 10_000);
    expect(bench.status()).toMatchObject({ progress: '0/8', pendingPods: 8 });
    expect(bench.cluster.evicted).toEqual([]);
  });
});

it('an object whose data has changed is not Ready while its pods cannot be listed', async () => {
  await bench.deploy();
  await bench.monitor();
  const options = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
  bench.cluster.uidsOf = () => Promise.reject(new OperatorError(options));
  await bench.change('two');
  expect(bench.kept()).toBe(8);
  expect(bench.condition('Ready')).toBe('False ApiServerUnavailable');
});

describe('a single replica', () => {
  const single = async (spec: object, surges = false): Promise<readonly string[]> => {
    const of = { labels: APP, isStateful: false, minReadySeconds: 0, surges };
    bench.cluster.deployAs({ name: 'frontend', ...of }, 1);
    await bench.monitor(spec);
    await bench.change('two', 600_000);
    return bench.told('SingleReplica');
  };

  it('is warned about before it goes, in an event and in the condition', async () => {
    const messages: (string | undefined)[] = [];
    bench.cluster.beforeEviction = async () => {
      messages.push(bench.message('Reconciling'), ...bench.told('SingleReplica'));
    };
    const warning =
      'Deployment/frontend has one replica: it is unavailable for the restart; use two replicas to avoid that';
    expect(await single({})).toEqual([warning]);
    expect(messages).toEqual([warning, warning]);
    const [event] = bench.events.recorded.filter(({ reason }) => reason === 'SingleReplica');
    expect(event?.type).toBe('Warning');
  });

  it('is warned about once, where the record of the restart is refused at first', async () => {
    const refusal = { reason: 'TooManyRequests', message: 'busy', healedBy: 'time' } as const;
    bench.cluster.deploy('frontend', 1, APP);
    await bench.monitor({ debounceSeconds: 0 });
    await bench.clock.advance(1_000);
    bench.kube.failNext('applyStatus', new OperatorError(refusal));
    await bench.change('two', 600_000);
    expect(bench.status().restarts).toBe(1);
    expect(bench.told('SingleReplica')).toHaveLength(1);
  });

  it('is given the strategy that avoids it, where there is one', async () => {
    const [warning] = await single({ strategy: 'Delete' }, true);
    expect(warning).toContain('or strategy Auto, which starts the new pod first');
  });

  it('is no matter where the new pod starts first', async () => {
    expect(await single({ strategy: 'Rollout' }, true)).toEqual([]);
    expect(bench.status().restarts).toBe(1);
  });

  it('is warned about with strategy Rollout where the old pod goes first', async () => {
    expect(await single({ strategy: 'Rollout' })).toHaveLength(1);
  });

  it('is no matter of a workload with more', async () => {
    bench.cluster.deploy('frontend', 2, APP);
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(bench.told('SingleReplica')).toEqual([]);
  });

  it('counts workloads beyond the first five', async () => {
    for (let n = 0; n < 7; n++) bench.cluster.deploy(`app${n}`, 1, APP);
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(bench.told('SingleReplica')).toEqual([
      'Deployment/app0, Deployment/app1, Deployment/app2, Deployment/app3, Deployment/app4 and 2 others have one replica each: they are unavailable for the restart; use two replicas to avoid that',
    ]);
  });
});
