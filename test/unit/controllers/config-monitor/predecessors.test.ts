import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POD_DELETE_MATCH } from '../../../../src/apis/config-monitor.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
const NAME = 'settings-annotated';
const annotations = { [POD_DELETE_MATCH]: 'app=frontend' };

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  await bench.deploy(4);
  await bench.start();
  await bench.configure('one', { annotations });
  await bench.clock.advance(1_000);
});

afterEach(() => bench.stop());

/** The garbage collector's part, once the ConfigMap is gone. */
async function collect(): Promise<void> {
  bench.kube.delete(bench.object(NAME));
  await bench.clock.settle();
}

async function deleteConfigMap(): Promise<void> {
  bench.kube.delete(bench.configMap);
  await bench.clock.settle();
}

async function create(text: string, ms = 120_000): Promise<void> {
  await bench.configure(text, { annotations });
  await bench.clock.advance(ms);
}

async function recreate(text: string, gapMs = 0): Promise<void> {
  await deleteConfigMap();
  await collect();
  await bench.clock.advance(gapMs);
  await create(text);
}

describe('an annotated ConfigMap that is deleted and created again', () => {
  it.each([
    ['at once', 0],
    ['half an hour later', 1_800_000],
  ])('%s, with other data, restarts the pods', async (_, gapMs) => {
    await recreate('two', gapMs);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(4);
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
    expect(bench.told('BaselineRecorded')).toHaveLength(1);
  });

  it('with the same data restarts none', async () => {
    await recreate('one');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
  });

  it('with other data while its earlier ConfigMonitor is still there restarts each pod once', async () => {
    await deleteConfigMap();
    await create('two', 1_200);
    expect(bench.kept()).toBe(3);
    await collect();
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(4);
    expect(bench.told('RolloutComplete')).toHaveLength(1);
  });

  it('twice, the second time before a pass over its ConfigMonitor, restarts the pods', async () => {
    bench.beforeStatus = () => Promise.reject(new Error('no answer'));
    for (const text of ['two', 'three']) {
      await deleteConfigMap();
      await collect();
      await create(text, 1_000);
    }
    bench.beforeStatus = () => Promise.resolve();
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
  });

  it('paused, with other data, restarts the pods once it is not any more', async () => {
    await deleteConfigMap();
    await collect();
    const paused = { ...annotations, 'albridge.io/paused': 'true' };
    await bench.configure('two', { annotations: paused });
    await bench.clock.advance(10_000);
    await bench.restart();
    await bench.clock.advance(10_000);
    expect(bench.kept()).toBe(4);
    await bench.annotate(annotations);
    await bench.clock.advance(120_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(4);
  });

  it.each([
    ['before it', true],
    ['before it, and start once it is there', false],
  ])('restarts no pods that were created %s, after the earlier ones had gone', async (_, isUp) => {
    await deleteConfigMap();
    await collect();
    bench.cluster.scale('frontend', 0);
    await bench.clock.advance(60_000);
    bench.cluster.scale('frontend', 4);
    if (isUp) await bench.clock.advance(2_000);
    await create('two');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
  });

  it('restarts no pods that were created before it, where one is left that never had a controller', async () => {
    bench.cluster.pod('bare', { labels: { app: 'frontend' } });
    await deleteConfigMap();
    await collect();
    bench.cluster.scale('frontend', 0);
    await bench.clock.advance(60_000);
    bench.cluster.scale('frontend', 4);
    await bench.clock.advance(2_000);
    await create('two');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.told('BaselineRecorded')).toHaveLength(2);
  });

  it('restarts those of before alone where others were created since', async () => {
    await deleteConfigMap();
    await collect();
    bench.cluster.scale('frontend', 6);
    await create('two', 300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(4);
  });

  it('restarts also those that were up while there was none', async () => {
    await deleteConfigMap();
    await collect();
    bench.cluster.scale('frontend', 6);
    await bench.clock.advance(60_000);
    await create('two', 300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.cluster.evicted).toHaveLength(6);
  });

  it('restarts pods that had no controller meanwhile, once they have one', async () => {
    const labels = { app: 'frontend' };
    bench.cluster.deployAs({ name: 'db', labels, isStateful: true, minReadySeconds: 0 }, 3);
    await bench.clock.advance(60_000);
    const older = bench.cluster.podsOf('db').map(({ metadata }) => metadata.uid);
    bench.cluster.setController(bench.cluster.podsOf('db'));
    await bench.clock.settle();
    await recreate('two');
    const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'another' };
    bench.cluster.setController(bench.cluster.podsOf('db'), set);
    await bench.clock.settle();
    await bench.clock.advance(300_000);
    const left = bench.cluster.podsOf('db').map(({ metadata }) => metadata.uid);
    expect(left.filter((uid) => older.includes(uid))).toEqual([]);
  });

  it('begins no restart that a person had suspended', async () => {
    await bench.editMonitor({ suspend: true }, NAME);
    await bench.change('two', 10_000);
    await recreate('two');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('two hours later is watched from there on', async () => {
    await recreate('two', 7_200_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.told('BaselineRecorded')).toHaveLength(2);
  });
});

it.each([
  ['', 4],
  [', also where there are no others', 0],
])(
  'an annotated ConfigMap that is created again keeps pods without a controller on record%s',
  async (_, others) => {
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' };
    const ownerReferences = [{ ...set, uid: 'one', controller: true }];
    for (const name of ['web-1', 'web-2'])
      bench.cluster.pod(name, { labels: { app: 'frontend' }, ownerReferences });
    bench.cluster.answer = ({ metadata: { name } }) =>
      name.startsWith('web-') ? { kind: 'blocked', message: 'it would violate' } : undefined;
    await bench.configure('two', { annotations });
    await bench.clock.advance(60_000);
    bench.cluster.setController(bench.cluster.podsOf('web'));
    await bench.clock.advance(60_000);
    expect(bench.status(NAME).deselectedPods).toHaveLength(2);
    bench.cluster.scale('frontend', others);
    await recreate('two');
    bench.cluster.answer = () => undefined;
    bench.cluster.setController(bench.cluster.podsOf('web'), { ...set, uid: 'another' });
    await bench.clock.advance(120_000);
    expect(bench.cluster.podsOf('web')).toEqual([]);
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
  },
);

describe('a ConfigMap that has lost its annotation', () => {
  it('and gets it again with other data is watched from there on', async () => {
    await bench.annotate({});
    await bench.configure('two');
    await bench.annotate(annotations);
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
  });
});
