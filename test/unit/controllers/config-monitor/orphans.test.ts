import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

/** Pods that the earlier Deployment of this name has left, and that their ReplicaSet starts again. */
async function leaveOrphans(count: number): Promise<void> {
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'frontend-abc', uid: 'abc' };
  const labels = { app: 'frontend', 'pod-template-hash': 'abc' };
  let started = 0;
  const start = (): void => {
    bench.cluster.pod(`old-${++started}`, {
      labels,
      ownerReferences: [{ ...set, controller: true }],
    });
  };
  for (let at = 0; at < count; at++) start();
  bench.kube.server.watch(({ type, object: { kind, metadata } }) => {
    if (type === 'DELETED' && kind === 'Pod' && metadata.name.startsWith('old-')) start();
  });
  const read = bench.cluster.read.bind(bench.cluster);
  bench.cluster.read = async (ref) => {
    const workload = await read(ref);
    if (ref.name !== set.name || workload === undefined) return workload;
    const { controllerUid: _, ...orphan } = workload;
    return orphan;
  };
  await bench.clock.advance(1_000);
}

describe('the pods of a ReplicaSet that an earlier Deployment of the name has left', () => {
  it.each(['Auto', 'Rollout'] as const)('are evicted (%s)', async (strategy) => {
    await bench.deploy(3);
    await leaveOrphans(3);
    await bench.monitor({ strategy });
    await bench.change('two', 300_000);
    expect(bench.told('WorkloadRestarted')).toHaveLength(1);
    expect(bench.cluster.evicted.toSorted()).toEqual(['old-1', 'old-2', 'old-3']);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('wait for the Deployment to roll', async () => {
    await bench.deploy(3);
    await leaveOrphans(3);
    await bench.monitor({ strategy: 'Auto' });
    await bench.change('two', 25_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.kept()).toBe(0);
  });
});
