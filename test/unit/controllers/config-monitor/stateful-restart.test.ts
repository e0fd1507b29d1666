import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

describe('a StatefulSet', () => {
  async function deployStateful(replicas: number, firstOrdinal = 0): Promise<void> {
    const labels = { app: 'frontend' };
    const what = { name: 'db', labels, isStateful: true, minReadySeconds: 0, firstOrdinal };
    bench.cluster.deployAs(what, replicas);
    await bench.clock.advance(1_000);
  }

  it('is restarted from its highest ordinal down, one pod at a time', async () => {
    await deployStateful(12);
    await bench.monitor();
    await bench.change('two', 200_000);
    const ordinals = bench.cluster.evicted.map((name) => Number(name.split('-')[1]));
    expect(ordinals).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(bench.cluster.mostUnready).toBe(1);
  });

  it('is restarted by as many at a time as the object asks for', async () => {
    await deployStateful(12);
    await bench.monitor({ maxUnavailable: 3 });
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['db-11', 'db-10', 'db-9']);
  });

  it('is restarted in its order by two objects, also while an eviction is on its way', async () => {
    await deployStateful(4);
    await bench.monitor();
    await bench.monitor({ maxUnavailable: '100%' }, 'other');
    const asked: string[] = [];
    bench.cluster.answer = ({ metadata }) => void asked.push(metadata.name);
    let isFirst = true;
    bench.cluster.beforeEviction = async () => {
      const delayMs = isFirst ? 500 : 1;
      isFirst = false;
      await sleep(bench.clock, delayMs, new AbortController().signal);
    };
    await bench.change('two', 60_000);
    expect(asked).toEqual(['db-3', 'db-2', 'db-1', 'db-0']);
  });

  it('waits for no eviction of another object where it is a Deployment', async () => {
    const asked: string[] = [];
    bench.cluster.deploy('frontend', 4, { app: 'frontend' });
    await bench.clock.advance(1_000);
    await bench.monitor({ maxUnavailable: 1 });
    await bench.monitor({ maxUnavailable: '100%' }, 'other');
    bench.cluster.beforeEviction = async () => {
      asked.push(`${bench.clock.monotonicMs()}`);
      await sleep(bench.clock, 30_000, new AbortController().signal);
    };
    await bench.change('two', 20_000);
    expect(asked).toHaveLength(2);
    await bench.clock.advance(600_000);
  });

  async function loseReadiness(...names: readonly string[]): Promise<void> {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } as const;
    for (const name of names) await bench.cluster.kubelet.setStatus(`web/${name}`, status);
  }

  function remove(...names: readonly string[]): void {
    const gone = bench.cluster.pods().filter(({ metadata }) => names.includes(metadata.name));
    for (const pod of gone) bench.kube.delete(pod);
  }

  it('does not wait for an older pod that has restarted long ago', async () => {
    await deployStateful(3);
    const conditions = [{ type: 'Ready', status: 'True' }];
    const containerStatuses = [{ name: 'app', restartCount: 1 }];
    const status = { phase: 'Running', conditions, containerStatuses } as const;
    await bench.cluster.kubelet.setStatus('web/db-0', status as never);
    await bench.monitor({ minReadySeconds: 600 });
    await bench.restart();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['db-2']);
  });

  it('whose pods are not ready loses one of them at a time, the lowest first', async () => {
    await deployStateful(4);
    await loseReadiness('db-0', 'db-2');
    await bench.monitor();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['db-0']);
    await bench.clock.advance(11_000);
    expect(bench.cluster.evicted).toEqual(['db-0', 'db-2']);
  });

  it('loses the lowest that is not ready also while those above it are missing', async () => {
    await deployStateful(3);
    await loseReadiness('db-0');
    bench.cluster.isFull = true;
    remove('db-1', 'db-2');
    await bench.monitor();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['db-0']);
  });

  it('loses the lowest that is not ready also where its ordinals start at 5', async () => {
    await deployStateful(3, 5);
    await loseReadiness('db-5');
    bench.cluster.isFull = true;
    remove('db-6', 'db-7');
    await bench.monitor();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['db-5']);
  });

  it('whose ordinals start at 5 loses none that is not ready while one below it is missing', async () => {
    await deployStateful(3, 5);
    await loseReadiness('db-6');
    bench.cluster.isFull = true;
    remove('db-5');
    await bench.monitor();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('loses none that is not ready while one below it is missing', async () => {
    await deployStateful(3);
    await loseReadiness('db-1');
    bench.cluster.isFull = true;
    remove('db-0');
    await bench.monitor();
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('that rolls by its template keeps a pod that is not ready for a moment', async () => {
    await deployStateful(3);
    await loseReadiness('db-0');
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 25_000);
    bench.cluster.heal();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('that rolls by its template says no more of a pod that could not be evicted once it is ready', async () => {
    await deployStateful(3);
    await loseReadiness('db-0');
    await bench.monitor({ strategy: 'Rollout' });
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 45_000);
    expect(bench.message('Stalled')).toContain('pod db-0 cannot be evicted: Two budgets');
    bench.cluster.heal();
    bench.cluster.isBroken = true;
    await bench.clock.advance(25_000);
    expect(bench.condition('Stalled')).toBeUndefined();
    expect(bench.message('Reconciling')).not.toContain('Two budgets');
    expect(bench.message('Reconciling')).toContain('1 of 3 pods are restarted; 2 of 3 pods');
  });

  it('of which fewer may be unavailable from now on loses none before the others are available', async () => {
    await deployStateful(6);
    await loseReadiness('db-0', 'db-1', 'db-2', 'db-3', 'db-4', 'db-5');
    await bench.monitor({ maxUnavailable: 3 });
    await bench.change('two', 1_100);
    await bench.editMonitor({ maxUnavailable: 1 });
    await bench.clock.advance(5_000);
    expect(bench.cluster.evicted).toEqual(['db-0', 'db-1', 'db-2']);
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(6);
  });
});

describe('a StatefulSet with a partition, with strategy Rollout', () => {
  it('rolls the pods above it by the template, and evicts those below', async () => {
    const labels = { app: 'frontend' };
    const what = { name: 'db', labels, isStateful: true, minReadySeconds: 0, partition: 2 };
    bench.cluster.deployAs(what, 4);
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Rollout' });
    const uids = bench.cluster.pods().map(({ metadata }) => metadata.uid);
    await bench.change('two', 300_000);
    expect(bench.cluster.asked.filter((what) => what.startsWith('restart'))).toEqual([
      'restart StatefulSet/db',
    ]);
    expect(bench.cluster.evicted).toEqual(['db-1', 'db-0']);
    expect(bench.cluster.pods().filter(({ metadata }) => uids.includes(metadata.uid))).toEqual([]);
    expect(bench.cluster.mostUnready).toBe(1);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('leaves the template alone where the partition holds all pods', async () => {
    const labels = { app: 'frontend' };
    const what = { name: 'db', labels, isStateful: true, minReadySeconds: 0, partition: 5 };
    bench.cluster.deployAs(what, 2);
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Rollout' });
    await bench.change('two', 120_000);
    expect(bench.cluster.asked).not.toContain('restart StatefulSet/db');
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('a StatefulSet that bad data has left with a pod that never gets ready', () => {
  it.each([
    ['Auto', 0],
    ['Rollout', 0],
    ['Rollout', 1],
  ] as const)('is restarted for good data (%s, partition %i)', async (strategy, partition) => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs(
      { name: 'db', labels, isStateful: true, minReadySeconds: 0, partition },
      3,
    );
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy, maxUnavailable: 2 });
    bench.cluster.isBroken = true;
    await bench.change('bad', 30_000);
    bench.cluster.isBroken = false;
    const uids = bench.cluster.pods().map(({ metadata }) => metadata.uid);
    bench.cluster.evicted.length = 0;
    await bench.change('good', 120_000);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.cluster.evicted).toEqual(partition === 0 ? ['db-2'] : ['db-2', 'db-0']);
    expect(bench.cluster.pods().filter(({ metadata }) => uids.includes(metadata.uid))).toEqual([]);
  });

  it('is restarted, although a pod that the bad data has restarted has yet to stay ready', async () => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 3);
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Auto' });
    bench.cluster.restartsAtStart = 1;
    await bench.change('bad', 2_100);
    const lowest = bench.cluster.pods()[0] as KubeObject;
    bench.kube.server.applyStatus(lowest, { phase: 'Running', containerStatuses: [] });
    await bench.clock.advance(2_000);
    await bench.change('good', 60_000);
    expect(bench.cluster.evicted).toEqual(['db-0']);
  });

  it('loses no pod while its template may not be changed', async () => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 3);
    bench.cluster.isBroken = true;
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Rollout' });
    const options = { reason: 'Forbidden', message: 'denied', healedBy: 'person' } as const;
    bench.cluster.restart = () => Promise.reject(new OperatorError(options));
    await bench.change('two', 60_000);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    expect(bench.cluster.evicted).toEqual([]);
  });
});
