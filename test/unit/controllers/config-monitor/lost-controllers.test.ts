import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../../../src/core/objects/kube-object.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
let older: ReadonlySet<string>;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
  const labels = { app: 'frontend' };
  bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 3);
  await bench.clock.advance(1_000);
  older = new Set(listUids());
});

afterEach(() => bench.stop());

function listUids(): readonly string[] {
  return bench.cluster.pods().map(({ metadata }) => metadata.uid ?? '');
}

/** How many pods still have the first data. */
function kept(): number {
  return listUids().filter((uid) => older.has(uid)).length;
}

async function own(controller?: OwnerReference): Promise<void> {
  bench.cluster.setController(bench.cluster.podsOf('db'), controller);
  await bench.clock.settle();
}

/** `kubectl delete sts db --cascade=orphan`, and what follows until it is created again. */
async function withoutSet(meanwhile: () => Promise<void>): Promise<void> {
  const { cluster } = bench;
  const read = cluster.read.bind(cluster);
  cluster.read = (ref) => (ref.name === 'db' ? Promise.resolve(undefined) : read(ref));
  await own();
  await meanwhile();
  cluster.read = read;
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'another' };
  await own(set);
}

const pass = (ms: number) => (): Promise<void> => bench.clock.advance(ms);

async function expectNewest(): Promise<void> {
  await bench.clock.advance(300_000);
  expect(kept()).toBe(0);
  expect(bench.condition('Ready')).toBe('True Watching');
  expect(bench.status().deselectedPods).toBeUndefined();
}

describe('a pod without a controller', () => {
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c', uid: 'rs' };

  async function quarantine(): Promise<void> {
    await bench.deploy(8);
    const labels = { app: 'frontend', 'pod-template-hash': '5d9c' };
    bench.cluster.pod('quarantined', { labels });
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(bench.status().deselectedPods).toHaveLength(1);
  }

  const find = () =>
    bench.cluster.pods().filter(({ metadata: { name } }) => name === 'quarantined');

  it('that is adopted is restarted, and no other one', async () => {
    await quarantine();
    const before = bench.cluster.evicted.length;
    bench.cluster.setController(find(), set);
    await bench.clock.advance(600_000);
    expect(bench.cluster.evicted.slice(before)).toEqual(['quarantined']);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status().deselectedPods).toBeUndefined();
  });

  it('that is deleted is named no longer', async () => {
    await quarantine();
    for (const pod of find()) bench.kube.delete(pod);
    await bench.clock.advance(600_000);
    expect(bench.status().deselectedPods).toBeUndefined();
  });
});

describe('a StatefulSet that is deleted without its pods, and created again', () => {
  it('next to others that are restarted already restarts its own alone', async () => {
    await bench.deploy(8);
    await bench.monitor({ strategy: 'Evict' });
    await withoutSet(() => bench.change('two', 600_000));
    await bench.clock.advance(600_000);
    expect(kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(11);
  });

  it('during a restart keeps no older data', async () => {
    await bench.monitor();
    await bench.change('two', 5_000);
    expect(kept()).toBe(2);
    await withoutSet(pass(120_000));
    expect(bench.condition('Ready')).toContain('False');
    await expectNewest();
  });

  it('during a restart of others too, loses each pod once', async () => {
    bench.cluster.deploy('web', 8, { app: 'frontend' });
    await bench.clock.advance(1_000);
    older = new Set(listUids());
    await bench.monitor();
    await bench.change('two', 5_000);
    await withoutSet(pass(2_000));
    await expectNewest();
    expect(bench.cluster.evicted).toHaveLength(11);
    expect(bench.told('RolloutComplete')).toEqual([expect.stringContaining('restarted 11 pods')]);
  });

  it('counts only what was restarted while it is away', async () => {
    await bench.monitor();
    await bench.change('two', 5_000);
    await withoutSet(async () => {
      await bench.clock.advance(60_000);
      expect(bench.told('RolloutComplete')).toEqual([expect.stringContaining('restarted 1 pod ')]);
      expect(bench.status().deselectedPods).toHaveLength(2);
    });
  });

  it('while a change waits keeps no older data', async () => {
    await bench.monitor({ debounceSeconds: 5 });
    await bench.change('two', 1_000);
    await withoutSet(pass(60_000));
    await expectNewest();
  });

  it('with new data in between keeps no older data', async () => {
    await bench.monitor();
    await withoutSet(() => bench.change('two', 60_000));
    await expectNewest();
  });

  it('with new data in between, next to others, keeps no older data', async () => {
    bench.cluster.deploy('web', 8, { app: 'frontend' });
    await bench.clock.advance(1_000);
    older = new Set(listUids());
    await bench.monitor();
    await withoutSet(() => bench.change('two', 300_000));
    expect(kept()).toBe(3);
    await expectNewest();
  });

  it('with a selector that is edited meanwhile, keeps no older data', async () => {
    bench.cluster.deploy('web', 4, { app: 'web' });
    await bench.clock.advance(1_000);
    older = new Set(listUids());
    const matchExpressions = [{ key: 'app', operator: 'In', values: ['frontend', 'web'] }] as const;
    await bench.monitor({ matchExpressions, minIntervalSeconds: 60 }, 'monitor', ['podSelector']);
    await withoutSet(async () => {
      await bench.change('two', 500);
      await bench.editMonitor({ matchExpressions: [{ key: 'app', operator: 'Exists' }] });
      await bench.clock.advance(60_000);
    });
    await expectNewest();
  });

  it('with new data in between and taken back restarts no pod', async () => {
    await bench.monitor({ debounceSeconds: 5 });
    await withoutSet(async () => {
      await bench.change('two', 1_000);
      await bench.change('one', 60_000);
    });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('of two ConfigMonitors loses each pod', async () => {
    await bench.monitor();
    await bench.monitor({}, 'second');
    await bench.change('two', 5_000);
    await withoutSet(pass(120_000));
    await expectNewest();
    expect(bench.condition('Ready', 'second')).toBe('True Watching');
    expect(bench.status('second').deselectedPods).toBeUndefined();
  });

  it('across a restart of the operator keeps no older data', async () => {
    await bench.monitor();
    await bench.change('two', 5_000);
    await withoutSet(async () => {
      await bench.clock.advance(60_000);
      await bench.restart();
    });
    await expectNewest();
  });

  it('without any change restarts no pod', async () => {
    await bench.monitor();
    await withoutSet(pass(60_000));
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
  });
});

describe('a ReplicaSet without a Deployment that is deleted without its pods, and created again', () => {
  it('during a restart keeps no older data, though its pods have no label of a revision', async () => {
    const labels = { app: 'web' };
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' };
    const of = { labels, ownerReferences: [{ ...set, uid: 'one', controller: true }] };
    for (const name of ['web-1', 'web-2', 'web-3']) bench.cluster.pod(name, of);
    await bench.monitor({ podSelector: labels });
    bench.cluster.answer = () => ({ kind: 'blocked', message: 'it would violate the budget' });
    await bench.change('two', 5_000);
    bench.cluster.setController(bench.cluster.podsOf('web'));
    await bench.clock.advance(60_000);
    expect(bench.status().deselectedPods).toHaveLength(3);
    bench.cluster.answer = () => undefined;
    bench.cluster.setController(bench.cluster.podsOf('web'), { ...set, uid: 'another' });
    await bench.clock.advance(300_000);
    expect(bench.cluster.podsOf('web')).toEqual([]);
  });
});

describe('a pod that never had a controller', () => {
  it('is restarted where spec.unmanagedPods excludes it for a while during a restart', async () => {
    bench.cluster.pod('bare', { labels: { app: 'frontend' } });
    await bench.monitor({ unmanagedPods: 'Evict' });
    bench.cluster.answer = ({ metadata: { name } }) =>
      name === 'bare' ? { kind: 'blocked', message: 'it would violate the budget' } : undefined;
    await bench.change('two', 5_000);
    await bench.editMonitor({ unmanagedPods: 'Skip' });
    await bench.clock.advance(300_000);
    bench.cluster.answer = () => undefined;
    await bench.editMonitor({ unmanagedPods: 'Evict' });
    await bench.clock.advance(300_000);
    expect(bench.cluster.names).not.toContain('bare');
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('is not on record as one that lost it', async () => {
    bench.cluster.pod('bare', { labels: { app: 'frontend' } });
    await bench.monitor();
    await bench.change('two', 300_000);
    expect(bench.status().deselectedPods).toBeUndefined();
    expect(bench.cluster.names).toContain('bare');
  });
});
