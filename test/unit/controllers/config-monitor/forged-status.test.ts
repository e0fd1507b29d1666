import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigMonitorStatus, Rollout } from '../../../../src/apis/config-monitor.ts';
import { ConfigMonitorBench } from './bench.ts';

/** Whoever may write /status can name any pod of the cluster there. */

let bench: ConfigMonitorBench;

const VICTIMS: Readonly<Record<string, object>> = {
  'of another namespace': { namespace: 'kube-system', labels: { app: 'frontend' } },
  'of another namespace, with a controller': {
    ...{ namespace: 'team-b', labels: { app: 'frontend' } },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'cni', uid: 'u', controller: true },
    ],
  },
  'that the object does not select': {
    ...{ labels: { app: 'backend' } },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true },
    ],
  },
  'that no controller would start again': { labels: { app: 'frontend' } },
  'of a Job': {
    labels: { app: 'frontend' },
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: 'once', uid: 'u', controller: true },
    ],
  },
};

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
  bench.cluster.deploy('frontend', 2, { app: 'frontend' });
  for (const [index, of] of Object.values(VICTIMS).entries()) {
    bench.cluster.pod(`victim-${index}`, of);
  }
  await bench.clock.advance(15_000);
});

afterEach(() => bench.stop());

function victims(): readonly string[] {
  return bench.cluster
    .pods()
    .filter(({ metadata }) => metadata.name.startsWith('victim-'))
    .map(({ metadata }) => metadata.uid ?? '');
}

function rollout(hash: string): Rollout {
  const time = '2026-01-01T00:00:00Z';
  const uids = victims();
  const owners = ['DaemonSet/cni', 'StatefulSet/db', 'Job/once of batch/v1'];
  return {
    ...{ hash, startTime: time, progressTime: time, total: uids.length, unready: 0 },
    ...{ pods: uids, between: uids, owners: owners.map((name) => ({ name, pods: 1 })) },
  };
}

type Forgery = (status: ConfigMonitorStatus) => Partial<ConfigMonitorStatus>;

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'a rollout for the newest data': ({ configHash = '' }) => ({ rollout: rollout(configHash) }),
  'a rollout for other data': () => ({ rollout: rollout('f'.repeat(64)) }),
  'a change': ({ configHash: hash = '' }) => ({
    configHash: 'f'.repeat(64),
    change: {
      ...{ hash, recorded: 'f'.repeat(64), selector: 'app=frontend' },
      ...{ pods: victims(), between: victims() },
    },
  }),
};

describe('a forged status', () => {
  const cases = Object.keys(FORGERIES).flatMap((forgery) =>
    (['Evict', 'Delete', 'Rollout'] as const).map((strategy) => [forgery, strategy] as const),
  );

  it.each(cases)(
    'with %s and strategy %s touches no pod that is not selected',
    async (name, strategy) => {
      await bench.monitor({ strategy });
      await bench.stop();
      const forged = { ...bench.status(), ...FORGERIES[name]?.(bench.status()) };
      bench.kube.server.applyStatus(bench.object(), forged);
      bench.cluster.asked.length = 0;
      await bench.restart();
      await bench.clock.advance(60_000);
      expect(victims()).toHaveLength(Object.keys(VICTIMS).length);
      expect(
        bench.cluster.asked.filter((asked) => /restart (?!Deployment.frontend)/.test(asked)),
      ).toEqual([]);
    },
  );

  it('that names pods is cleaned up, and does not hold up the object', async () => {
    await bench.monitor();
    await bench.stop();
    const { configHash = '' } = bench.status();
    const forged = { ...bench.status(), rollout: rollout(configHash) };
    bench.kube.server.applyStatus(bench.object(), forged);
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.status().rollout?.pods ?? []).toEqual([]);
  });
});
