import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../../../src/core/objects/kube-object.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
const labels = { app: 'frontend' };

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

function listOwned(
  kind: string,
  apiVersion: string,
): { ownerReferences: readonly OwnerReference[] } {
  const reference = { kind, apiVersion, name: 'owner', uid: 'uid-of-owner', controller: true };
  return { ownerReferences: [reference] };
}

describe('pods without a controller', () => {
  beforeEach(() => {
    for (const name of ['one', 'two', 'three']) bench.cluster.pod(name, { labels });
  });

  it('are removed as in the article, all at once and with a warning for each', async () => {
    await bench.monitor({ unmanagedPods: 'Evict' });
    await bench.change('two', 1_100);
    expect(bench.cluster.evicted).toEqual(['one', 'three', 'two']);
    expect(bench.told('UnmanagedPod')).toHaveLength(3);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('stay unless the spec says otherwise: nothing would start them again', async () => {
    await bench.monitor();
    expect(bench.status().matchedPods).toBe(0);
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
  });
});

describe('a pod', () => {
  it.each([
    ['of a Job', listOwned('Job', 'batch/v1')],
    ['of a node, which is static', listOwned('Node', 'v1')],
  ])('%s is left alone', async (_name, owner) => {
    bench.cluster.pod('left', { labels, ...owner });
    await bench.monitor();
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.status().matchedPods).toBe(0);
  });

  it.each(['Succeeded', 'Failed'])('that has %s is left alone', async (phase) => {
    bench.cluster.pod('ended', { labels });
    await bench.cluster.kubelet.end('web/ended', { phase });
    await bench.monitor({ unmanagedPods: 'Evict' });
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('that is on its way out is left alone', async () => {
    bench.cluster.pod('going', { labels });
    await bench.cluster.kubelet.deleteSlowly('web/going');
    await bench.monitor({ unmanagedPods: 'Evict' });
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('of a kind that others made is restarted too, and waited for', async () => {
    bench.cluster.pod('theirs', { labels, ...listOwned('Kafka', 'example.com/v1') });
    await bench.monitor({ progressDeadlineSeconds: 60 });
    await bench.change('two', 5_000);
    expect(bench.cluster.evicted).toEqual(['theirs']);
    expect(bench.condition('Reconciling')).toBe('True WaitingForReady');
    bench.cluster.pod('theirs', { labels, ...listOwned('Kafka', 'example.com/v1') });
    await bench.clock.advance(11_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('that albridge itself runs in goes last', async () => {
    bench.cluster.deploy('frontend', 4, labels);
    bench.cluster.pod('albridge-1', { labels, ...listOwned('Kafka', 'example.com/v1') });
    await bench.clock.advance(1_000);
    await bench.monitor();
    await bench.change('two', 60_000);
    expect(bench.cluster.evicted).toHaveLength(5);
    expect(bench.cluster.evicted.at(-1)).toBe('albridge-1');
  });
});

describe('two ConfigMonitors that select one pod', () => {
  it('restart it once', async () => {
    bench.cluster.deploy('frontend', 8, labels);
    await bench.clock.advance(1_000);
    await bench.monitor();
    await bench.monitor({}, 'second');
    await bench.change('two', 60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.condition('Ready', 'second')).toBe('True Watching');
  });

  it('restart it once when one of them waits longer', async () => {
    bench.cluster.deploy('frontend', 8, labels);
    await bench.clock.advance(1_000);
    await bench.monitor();
    await bench.monitor({ debounceSeconds: 10 }, 'second');
    await bench.change('two', 60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
  });

  it('restart it once for two ConfigMaps that change together', async () => {
    bench.cluster.deploy('frontend', 8, labels);
    await bench.clock.advance(1_000);
    await bench.configure('one', { name: 'others' });
    await bench.monitor();
    await bench.monitor({ configMap: 'others' }, 'second');
    await bench.configure('two');
    await bench.configure('two', { name: 'others' });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
  });

  it('keep together to what may be unready, also where the watch lags', async () => {
    bench.cluster.deploy('frontend', 8, labels);
    await bench.clock.advance(1_000);
    for (const [index, pod] of bench.cluster.pods().entries()) {
      const half = index % 2 === 0 ? 'one' : 'other';
      bench.kube.edit(pod, (live) => {
        const all = { ...live.metadata.labels, half };
        return { ...live, metadata: { ...live.metadata, labels: all } };
      });
    }
    await bench.monitor({ podSelector: { half: 'one' } });
    await bench.monitor({ podSelector: { half: 'other' } }, 'second');
    await bench.configure('two');
    bench.life.pods.hold();
    await bench.clock.advance(15_000);
    expect(bench.cluster.mostUnready).toBe(2);
    bench.life.pods.catchUp();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
  });

  it('keep together to what may be unready', async () => {
    bench.cluster.deploy('frontend', 8, labels);
    await bench.clock.advance(1_000);
    await bench.configure('one', { name: 'others' });
    await bench.monitor();
    await bench.monitor({ configMap: 'others' }, 'second');
    bench.cluster.isBroken = true;
    await bench.change('two', 5_000);
    await bench.configure('two', { name: 'others' });
    await bench.clock.advance(60_000);
    expect(bench.cluster.mostUnready).toBe(2);
  });
});

it('the pod of albridge that counts as unavailable makes no room for another one', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'albridge-5d9c', uid: 'rs' };
  bench.cluster.restartsAtStart = 1;
  bench.cluster.pod('albridge-1', {
    labels: { app: 'frontend', 'pod-template-hash': '5d9c' },
    ownerReferences: [{ ...owner, controller: true }],
  });
  bench.cluster.restartsAtStart = 0;
  bench.cluster.deploy('albridge', 4, { app: 'frontend' });
  await bench.clock.advance(1_000);
  await bench.monitor({ maxUnavailable: 1 });
  await bench.change('two', 5_000);
  expect(bench.cluster.evicted).toEqual([]);
  await bench.clock.advance(60_000);
  expect(bench.cluster.evicted).toHaveLength(4);
  expect(bench.cluster.evicted.at(-1)).toBe('albridge-1');
});
