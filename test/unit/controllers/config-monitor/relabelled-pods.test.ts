import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
  bench.cluster.deploy('frontend', 8, { app: 'frontend', tier: 'web' });
  await bench.clock.advance(1_000);
  bench.before = bench.cluster.names;
});

afterEach(() => bench.stop());

/** The pod of before that is restarted last. */
function findLast(): KubeObject {
  const older = bench.cluster
    .pods()
    .filter(({ metadata: { name } }) => bench.before.includes(name));
  return older.toSorted((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1))[0] as KubeObject;
}

/** Sets the label that the object selects by and the ReplicaSet does not, or takes it away. */
async function label(pod: KubeObject, tier?: string): Promise<void> {
  setLabel(pod, tier);
  await bench.clock.settle();
}

function setLabel(pod: KubeObject, tier?: string): void {
  bench.kube.edit(pod, (live) => {
    const { tier: _, ...others } = live.metadata.labels ?? {};
    const labels = { ...others, ...(tier !== undefined && { tier }) };
    return { ...live, metadata: { ...live.metadata, labels } };
  });
}

async function expectNewest(): Promise<void> {
  await bench.clock.advance(300_000);
  expect(bench.kept()).toBe(0);
  expect(bench.cluster.evicted).toHaveLength(8);
  expect(bench.condition('Ready')).toBe('True Watching');
  expect(bench.status().deselectedPods).toBeUndefined();
}

const web = { podSelector: { tier: 'web' } } as const;

describe('a pod with older data that loses the label by which it is selected, and gets it back', () => {
  it.each([
    ['during the restart', 5_000],
    ['after it', 600_000],
  ])('%s, is restarted once', async (_, ms) => {
    await bench.monitor(web);
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.clock.advance(ms);
    expect(bench.status().deselectedPods).toEqual([pod.metadata.uid]);
    await label(pod, 'web');
    await expectNewest();
  });

  it('while pods cannot be listed, leaves the object not Ready', async () => {
    await bench.monitor(web);
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.clock.advance(600_000);
    expect(bench.condition('Ready')).toBe('True Watching');
    const options = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
    bench.cluster.uidsOf = () => Promise.reject(new OperatorError(options));
    await label(pod, 'web');
    expect(bench.condition('Ready')).toBe('False ApiServerUnavailable');
  });

  it('while a change waits that is taken back, is not restarted', async () => {
    await bench.monitor({ ...web, suspend: true });
    await bench.change('two', 1_000);
    const pod = findLast();
    await label(pod);
    await bench.change('three', 1_000);
    await bench.change('one', 1_000);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(60_000);
    await label(pod, 'web');
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('while a pass goes on, is restarted once', async () => {
    await bench.monitor(web);
    bench.cluster.answer = () => ({ kind: 'blocked', message: 'it would violate the budget' });
    await bench.change('two', 5_000);
    const pod = findLast();
    bench.cluster.beforeEviction = async () => {
      bench.cluster.beforeEviction = () => Promise.resolve();
      setLabel(pod, 'web');
    };
    await label(pod);
    await bench.clock.advance(5_000);
    bench.cluster.answer = () => undefined;
    await expectNewest();
  });

  it('does not count as restarted meanwhile', async () => {
    await bench.monitor(web);
    await bench.change('two', 1_200);
    await label(findLast());
    await bench.clock.advance(300_000);
    expect(bench.told('RolloutComplete')).toEqual([expect.stringContaining('restarted 7 pods')]);
  });

  it('across a restart of the operator, is restarted once', async () => {
    await bench.monitor(web);
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.clock.advance(600_000);
    await bench.restart();
    await label(pod, 'web');
    await expectNewest();
  });

  it('while the change waits, is restarted once', async () => {
    await bench.monitor({ ...web, suspend: true });
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(300_000);
    expect(bench.kept()).toBe(1);
    await label(pod, 'web');
    await expectNewest();
  });

  it('while two changes wait, is restarted once', async () => {
    await bench.monitor({ ...web, suspend: true });
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.change('three', 1_200);
    await label(pod, 'web');
    await bench.editMonitor({ suspend: false });
    await expectNewest();
  });

  it('while data changes again during a restart, keeps no older data', async () => {
    await bench.monitor(web);
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.change('three', 300_000);
    await label(pod, 'web');
    await bench.clock.advance(300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('while a change waits that is taken back, stays', async () => {
    await bench.monitor({ ...web, debounceSeconds: 5 });
    await bench.change('two', 1_200);
    const pod = findLast();
    await label(pod);
    await bench.change('one', 60_000);
    await label(pod, 'web');
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});
