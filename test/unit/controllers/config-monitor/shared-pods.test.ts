import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigMonitor } from '../../../../src/apis/config-monitor.ts';
import { Changes, type DataChange } from '../../../../src/controllers/config-monitor/memory.ts';
import {
  findVouchers,
  isUnnoted,
} from '../../../../src/controllers/config-monitor/pending-change.ts';
import type { Scope } from '../../../../src/controllers/config-monitor/scope.ts';
import type { TrimmedPod } from '../../../../src/controllers/config-monitor/transforms.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { ConfigMonitorBench } from './bench.ts';

const HASH = 'a'.repeat(64);
const TIME = '2026-01-01T00:00:00Z';

/** Another ConfigMonitor of the same ConfigMap, which has restarted the pods of `app=app-<at>` for this data. */
function voucher(at: number, pending: () => readonly string[]): ConfigMonitor {
  const status = {
    ...{ configMap: 'settings', configHash: HASH, lastChangeTime: TIME, lastRestartTime: TIME },
    restartedSelection: `app=app-${at}`,
    get rollout() {
      return { pods: pending() };
    },
  };
  const spec = { configMap: 'settings', podSelector: { app: `app-${at}` } };
  return { metadata: { namespace: 'web', uid: `monitor-${at}` }, spec, status } as never;
}

function scopeWith(vouchers: readonly ConfigMonitor[]): Scope {
  return {
    object: { metadata: { namespace: 'web', uid: 'own' } },
    watched: [{ kind: 'ConfigMap', name: 'settings' }],
    selection: { kind: 'labels' },
    monitors: { listBySource: () => vouchers },
    changes: { isWaiting: () => false },
    pass: { pickNewest: (held: ConfigMonitor) => held },
  } as unknown as Scope;
}

function pod(at: number, uid = `pod-${at}`): TrimmedPod {
  return {
    metadata: { namespace: 'web', uid, labels: { app: `app-${at}` }, ownerReferences: [{}] },
  } as unknown as TrimmedPod;
}

describe('other ConfigMonitors of a ConfigMap', () => {
  it('vouch for their pods, but for those that they have still to restart', () => {
    const isVouchedFor = findVouchers(HASH, scopeWith([voucher(0, () => ['late'])]));
    expect(isVouchedFor(pod(0))).toBe(true);
    expect(isVouchedFor(pod(0, 'late'))).toBe(false);
    expect(isVouchedFor(pod(1))).toBe(false);
  });

  it('are read once, however many pods a pass asks about', () => {
    let reads = 0;
    const pending = (): readonly string[] => {
      reads += 1;
      return Array.from({ length: 5000 }, (_, at) => `pending-${at}`);
    };
    const isVouchedFor = findVouchers(HASH, scopeWith([voucher(0, pending)]));
    const before = reads;
    for (let at = 0; at < 1000; at++) isVouchedFor(pod(0, `pod-${at}`));
    expect(reads).toBe(before);
  });

  it('count up to the 32nd, so that a tenant with many of them slows no pass', () => {
    const isVouchedFor = findVouchers(
      HASH,
      scopeWith(Array.from({ length: 40 }, (_, at) => voucher(at, () => []))),
    );
    const vouched = Array.from({ length: 40 }, (_, at) => at).filter((at) => isVouchedFor(pod(at)));
    expect(vouched).toEqual(Array.from({ length: 32 }, (_, at) => at));
  });
});

describe('a change that another ConfigMonitor has yet to note', () => {
  function isUnnotedAfter(ms: number, hasNoted: boolean): boolean {
    const scope = scopeWith([voucher(0, () => [])]);
    const changes = { hasNoted: () => hasNoted };
    const clock = { monotonicMs: () => ms };
    const change = { hash: HASH, lastSeenMs: 0 } as DataChange;
    return isUnnoted(change, { ...scope, changes, clock } as unknown as Scope);
  }

  it('is waited for, two seconds at most', () => {
    expect(isUnnotedAfter(1_999, false)).toBe(true);
    expect(isUnnotedAfter(2_000, false)).toBe(false);
    expect(isUnnotedAfter(0, true)).toBe(false);
  });
});

describe('another ConfigMonitor has noted data', () => {
  const noted = (status: object): boolean => {
    const other = { metadata: { namespace: 'web', name: 'other' }, status } as ConfigMonitor;
    return new Changes(new ManualClock()).hasNoted(other, HASH);
  };

  it('that it is restarting pods for, has on record, or waits with', () => {
    expect(noted({ configHash: HASH })).toBe(true);
    expect(noted({ configHash: 'other', rollout: { hash: HASH } })).toBe(true);
    expect(noted({ configHash: 'other', change: { hash: HASH } })).toBe(true);
    expect(noted({ configHash: HASH, rollout: { hash: 'other' } })).toBe(false);
    expect(noted({ configHash: 'other', change: { hash: 'another' } })).toBe(false);
  });
});

describe('a ConfigMonitor with labels and one without, of two sources', () => {
  const sources = [
    { kind: 'ConfigMap', name: 'a' },
    { kind: 'ConfigMap', name: 'b' },
  ] as const;
  let bench: ConfigMonitorBench;

  beforeEach(async () => {
    bench = new ConfigMonitorBench();
    deploy('web', 'b');
    deploy('other', 'a');
    await bench.clock.advance(1_000);
    await bench.start();
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.store('ConfigMap', 'b', { x: '1' });
  });

  afterEach(() => bench.stop());

  function deploy(name: string, source: string): void {
    const spec = { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: source } }] }] };
    const of = { name, labels: { app: name }, isStateful: false, minReadySeconds: 0 };
    bench.cluster.deployAs({ ...of, spec }, 2);
  }

  /** Names of the Deployments whose pods were sent away, once for each pod. */
  async function evictedFor(data: string, late: 'labels' | 'users'): Promise<readonly string[]> {
    const debounceOf = (name: string): number => (name === late ? 5 : 1);
    const labels = { sources, podSelector: { app: 'web' }, debounceSeconds: debounceOf('labels') };
    await bench.monitor(labels, 'labels', ['configMap']);
    const users = { sources, debounceSeconds: debounceOf('users') };
    await bench.monitor(users, 'users', ['configMap', 'podSelector']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', data, { x: '2' });
    await bench.clock.advance(300_000);
    return bench.cluster.evicted.map(nameDeployment).toSorted();
  }

  it('restart what the labels select, though the other one restarts none of it', async () => {
    expect(await evictedFor('a', 'labels')).toEqual(['other', 'other', 'web', 'web']);
  });

  it('restart what an edit of the other one selects after its restart', async () => {
    const [a] = sources;
    const of = (app: string) => ({ sources: [a], podSelector: { app } });
    await bench.monitor({ ...of('web'), suspend: true }, 'late', ['configMap']);
    await bench.monitor(of('other'), 'quick', ['configMap']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    await bench.editMonitor({ podSelector: { app: 'web' } }, 'quick');
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted.map(nameDeployment)).toEqual(['other', 'other', 'web', 'web']);
  });

  it('restart for a source that the other one watches only since its restart', async () => {
    const [a, b] = sources;
    const podSelector = { app: 'web' };
    await bench.monitor({ sources: [b], podSelector, suspend: true }, 'late', ['configMap']);
    await bench.monitor({ sources: [a], podSelector }, 'quick', ['configMap']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    await bench.store('ConfigMap', 'b', { x: '2' });
    await bench.editMonitor({ sources: [b] }, 'quick');
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted.map(nameDeployment)).toEqual(['web', 'web', 'web', 'web']);
  });

  it('restart for a source that had changed before the other one was created', async () => {
    const without = ['configMap', 'podSelector'];
    await bench.monitor({ sources, suspend: true }, 'late', without);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.monitor({ sources }, 'quick', without);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted.map(nameDeployment).toSorted()).toEqual([
      'other',
      'other',
      'web',
      'web',
    ]);
  });

  it('restart the older pods, though the other one has restarted those started with data taken back', async () => {
    const of = { sources: sources.slice(0, 1), podSelector: { app: 'web' } };
    await bench.monitor({ ...of, suspend: true }, 'late', ['configMap']);
    await bench.clock.advance(1_000);
    const before = bench.cluster.names.filter((name) => name.startsWith('web'));
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.monitor({ ...of, debounceSeconds: 20 }, 'quick', ['configMap']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: 'bad' });
    bench.cluster.scale('web', 3);
    await bench.clock.advance(2_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(1);
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.names.filter((name) => before.includes(name))).toEqual([]);
  });

  it('restart an older pod that gets the label of the other one after its restart', async () => {
    const of = { sources: sources.slice(0, 1) };
    bench.cluster.deploy('third', 2, { role: 'third' });
    await bench.monitor({ ...of, podSelector: { app: 'web' }, suspend: true }, 'late', [
      'configMap',
    ]);
    await bench.monitor({ ...of, podSelector: { role: 'third' } }, 'quick', ['configMap']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    const [pod] = bench.cluster.podsOf('web');
    if (pod === undefined) throw new Error('no pod');
    bench.kube.editMeta(pod, { labels: { ...pod.metadata.labels, role: 'third' } });
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted.map(nameDeployment)).toEqual(['third', 'third', 'web', 'web']);
  });

  it('restart pods without a controller that an edit of the other one includes after its restart', async () => {
    const of = { sources: sources.slice(0, 1), podSelector: { app: 'web' } };
    bench.cluster.pod('lone', { labels: { app: 'web' } });
    await bench.monitor({ ...of, unmanagedPods: 'Evict', suspend: true }, 'late', ['configMap']);
    await bench.monitor(of, 'quick', ['configMap']);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    await bench.editMonitor({ unmanagedPods: 'Evict' }, 'quick');
    await bench.editMonitor({ suspend: false }, 'late');
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted.map(nameDeployment)).toEqual(['web', 'web', 'lone']);
  });

  it('restart a pod once, where the one with labels comes first', async () => {
    expect(await evictedFor('b', 'users')).toEqual(['web', 'web']);
  });
});

function nameDeployment(pod: string): string {
  return pod.replace(/-5d9c-.*/, '');
}
