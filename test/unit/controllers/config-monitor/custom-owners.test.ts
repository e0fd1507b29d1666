import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

async function deploy(pods: number): Promise<void> {
  const of = { labels: { app: 'frontend' }, minReadySeconds: 0, isStateful: false };
  bench.cluster.deployAs({ ...of, name: 'shop', customKind: 'CloneSet' }, pods);
  await bench.clock.advance(1_000);
  bench.before = bench.cluster.names;
}

afterEach(() => bench.stop());

async function expectNewest(): Promise<void> {
  await bench.clock.advance(120_000);
  expect(bench.condition('Ready')).toBe('True Watching');
  expect(bench.kept()).toBe(0);
}

describe('pods of a custom kind are restarted to the end', () => {
  beforeEach(() => deploy(4));

  it('although their references name another version of the API than those of their successors', async () => {
    const reference = { apiVersion: 'example.com/v1beta1', kind: 'CloneSet', name: 'shop' };
    bench.cluster.setController(bench.cluster.pods(), { ...reference, uid: 'uid-of-shop' });
    await bench.monitor();
    await bench.change('two', 1_000);
    await expectNewest();
  });

  it('where an earlier release has recorded the version too', async () => {
    await bench.monitor();
    await bench.change('two', 1_200);
    await bench.stop();
    const { rollout, ...status } = bench.status();
    const owners = rollout?.owners.map((owner) => ({ ...owner, name: `${owner.name}/v1alpha1` }));
    bench.kube.server.applyStatus(bench.object(), { ...status, rollout: { ...rollout, owners } });
    await bench.restart();
    await expectNewest();
  });
});

describe('an owner that an earlier release recorded twice, by two versions of its API', () => {
  beforeEach(async () => {
    await deploy(8);
    await bench.monitor();
    await bench.change('two', 1_200);
    await bench.stop();
    const { rollout, ...status } = bench.status();
    const [owner] = rollout?.owners ?? [];
    const owners = ['v1alpha1', 'v1'].map((version) => {
      return { ...owner, name: `${owner?.name}/${version}`, pods: 4 };
    });
    bench.kube.server.applyStatus(bench.object(), { ...status, rollout: { ...rollout, owners } });
    bench.cluster.mostUnready = 0;
  });

  it('has no more pods unavailable than maxUnavailable allows, while its controller starts no new ones', async () => {
    bench.cluster.isFull = true;
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.cluster.mostUnready).toBeLessThanOrEqual(2);
  });

  it('has each pod evicted, and reported, once', async () => {
    await bench.restart();
    await bench.clock.advance(120_000);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.told('PodEvicted')).toHaveLength(8);
  });
});
