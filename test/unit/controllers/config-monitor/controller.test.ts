import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  bench.cluster.deploy('frontend', 8, { app: 'frontend', tier: 'web' });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.configure('one');
});

afterEach(() => bench.stop());

describe('a ConfigMonitor', () => {
  it('restarts the pods when the data changes, a quarter at a time', async () => {
    await bench.monitor();
    const before = bench.cluster.names;
    await bench.change('two');
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    expect(bench.cluster.names).toHaveLength(8);
    expect(bench.cluster.mostUnready).toBe(2);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status()).toMatchObject({ restarts: 1, pendingPods: 0, matchedPods: 8 });
    expect(bench.status().rollout).toBeUndefined();
  });

  it.each([
    ['progress', ['progress']],
    [
      'all that came after 0.1.0',
      ['progress', 'deselectedPods', 'hashKey', 'restartedSelection', 'source', 'sources'],
    ],
  ])('restarts each pod once where the CRD lacks %s', async (_, fields) => {
    bench.kube.server.unknownFields.push(...fields);
    await bench.monitor();
    const before = bench.cluster.names;
    await bench.change('two');
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    expect(bench.condition('Ready')).toBe('True Watching');
    await bench.restart();
    await bench.clock.advance(3_600_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.status().restarts).toBe(1);
  });

  it('restarts no pod where the CRD lacks the record of a restart, and says what to apply', async () => {
    bench.kube.server.unknownFields.push('rollout');
    await bench.monitor();
    await bench.change('two', 600_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Stalled')).toBe('True StatusNotServed');
    expect(bench.message('Stalled')).toMatch(
      /status\.rollout .*kubectl apply --server-side -k crds/,
    );
  });

  it('stays Stalled where the CRD lacks the record of a restart, and counts none at each try', async () => {
    bench.kube.server.unknownFields.push('rollout');
    await bench.monitor({ debounceSeconds: 0, minIntervalSeconds: 300 });
    await bench.change('two', 1_000);
    const written = new Set<string | undefined>();
    bench.kube.server.watch(({ object }) => {
      if (object.kind === 'ConfigMonitor') written.add(bench.condition('Stalled'));
    });
    await bench.clock.advance(1_800_000);
    expect([...written]).toEqual(['True StatusNotServed']);
    expect(bench.status().restarts).toBe(0);
    expect(bench.told('ChangesTooOften')).toEqual([]);
  });

  it('reports each step in the words of the article, and in one event', async () => {
    await bench.monitor({ podSelector: { app: 'single' } });
    bench.cluster.deploy('single', 1, { app: 'single' });
    const [pod] = bench.cluster.podsOf('single');
    await bench.clock.advance(1_000);
    bench.log.lines.length = 0;
    await bench.change('two');
    const deleted = `${pod?.metadata.name} was deleted successfully`;
    const messages = bench.messages();
    expect(messages.indexOf('Modification detected')).toBeLessThan(messages.indexOf(deleted));
    expect(messages.filter((message) => message === deleted)).toHaveLength(1);
    expect(bench.events.reasons).toEqual([
      'BaselineRecorded',
      'Watching',
      'ConfigChanged',
      'Debouncing',
      'SingleReplica',
      'RestartStarted',
      'RestartStarted',
      'PodEvicted',
      'WaitingForReady',
      'RolloutComplete',
      'RestartComplete',
      'RestartComplete',
      'Watching',
    ]);
  });

  it('takes what it sees first for what the pods have', async () => {
    await bench.monitor();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status()).toMatchObject({
      configMap: 'settings',
      configHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      shortHash: bench.status().configHash?.slice(0, 8),
      restarts: 0,
      matchedPods: 8,
    });
    expect(bench.told('BaselineRecorded')).toHaveLength(1);
  });

  it('knows the ConfigMap in the spelling of the article', async () => {
    await bench.monitor({ configmap: 'settings' }, 'monitor', ['configMap']);
    expect(bench.status().configMap).toBe('settings');
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('shows ConfigMapFound or SourcesFound after an edit of the sources, never both', async () => {
    await bench.monitor();
    await bench.store('Secret', 'login', { x: '1' });
    await bench.editMonitor({ secret: 'login' });
    expect(bench.condition('ConfigMapFound')).toBeUndefined();
    expect(bench.condition('SourcesFound')).toBe('True Found');
    bench.kube.edit(bench.object(), ({ spec: { secret: _secret, ...spec }, ...live }) => {
      return { ...live, spec };
    });
    await bench.clock.settle();
    expect(bench.condition('ConfigMapFound')).toBe('True Found');
    expect(bench.condition('SourcesFound')).toBeUndefined();
  });

  it('takes another ConfigMap for new, without a restart', async () => {
    await bench.monitor();
    await bench.configure('other', { name: 'others' });
    await bench.editMonitor({ configMap: 'others' });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.status().configMap).toBe('others');
  });

  it('does nothing for another ConfigMap, nor for labels and annotations of its own', async () => {
    await bench.monitor();
    bench.kube.writes.length = 0;
    await bench.configure('theirs', { name: 'others' });
    await bench.annotate({ team: 'web' });
    bench.kube.edit(bench.configMap, (live) => {
      return { ...live, metadata: { ...live.metadata, labels: { team: 'web' } } };
    });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.kube.writes).toEqual([]);
  });

  it('selects pods of its namespace that have all the labels', async () => {
    bench.cluster.deploy('backend', 1, { app: 'backend', tier: 'web' });
    bench.cluster.pod('elsewhere', { namespace: 'web', labels: { app: 'frontend' } });
    await bench.monitor({ podSelector: { tier: 'web', app: 'frontend' } });
    expect(bench.status().matchedPods).toBe(8);
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.cluster.evicted.every((name) => name.startsWith('frontend-'))).toBe(true);
  });

  it('counts pods that come and go', async () => {
    await bench.monitor();
    bench.cluster.scale('frontend', 3);
    await bench.clock.advance(1_000);
    expect(bench.status().matchedPods).toBe(3);
  });

  it('has nothing to restart where no pod is selected', async () => {
    await bench.monitor({ podSelector: { app: 'nobody' } });
    const before = bench.status().configHash;
    await bench.change('two');
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status()).toMatchObject({ restarts: 0, matchedPods: 0 });
    expect(bench.status().configHash).not.toBe(before);
  });

  it('writes nothing in a further pass', async () => {
    await bench.monitor();
    await bench.change('two');
    bench.kube.writes.length = 0;
    const requested = { 'albridge.io/reconcile-requested-at': 'now' };
    bench.kube.edit(bench.object(), (live) => {
      return { ...live, metadata: { ...live.metadata, annotations: requested } };
    });
    await bench.clock.advance(120_000);
    expect(bench.kube.writes.map(({ verb }) => verb)).toEqual(['applyStatus']);
    expect(bench.status().lastHandledReconcileAt).toBe('now');
    await bench.restart();
    await bench.clock.advance(120_000);
    expect(bench.kube.writes).toHaveLength(1);
  });

  it('says what a stored object lacks', async () => {
    await bench.monitor({ podSelector: {} });
    expect(bench.condition('Stalled')).toBe('True SpecMissing');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('does nothing while it is paused, and what was missed afterwards', async () => {
    await bench.monitor();
    const annotate = (annotations: Readonly<Record<string, string>>): void => {
      bench.kube.edit(bench.object(), (live) => {
        return { ...live, metadata: { ...live.metadata, annotations } };
      });
    };
    annotate({ 'albridge.io/paused': 'true' });
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
    annotate({});
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('does what was missed also if it is created paused', async () => {
    const metadata = { name: 'monitor', namespace: 'web' };
    bench.kube.create({
      ...{ apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor' },
      metadata: { ...metadata, annotations: { 'albridge.io/paused': 'true' } },
      spec: { configMap: 'settings', podSelector: { app: 'frontend' } },
    });
    await bench.clock.advance(60_000);
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
    bench.kube.editMeta(bench.object(), { annotations: {} });
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(8);
  });
});

describe('the ConfigMap', () => {
  it('may come later', async () => {
    await bench.monitor({ configMap: 'later' });
    expect(bench.condition('Reconciling')).toBe('True ConfigMapMissing');
    expect(bench.condition('ConfigMapFound')).toBe('False NotFound');
    await bench.configure('one', { name: 'later' });
    expect(bench.condition('ConfigMapFound')).toBe('True Found');
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('restarts the pods when it is deleted and comes back with other data', async () => {
    await bench.monitor();
    bench.kube.delete(bench.configMap);
    await bench.clock.advance(60_000);
    expect(bench.condition('Ready')).toBe('False ConfigMapMissing');
    expect(bench.cluster.evicted).toEqual([]);
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('restarts nothing when it comes back as it was', async () => {
    await bench.monitor();
    bench.kube.delete(bench.configMap);
    await bench.clock.advance(60_000);
    await bench.change('one');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('holds a restart up while it is gone: pods would not start without it', async () => {
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('two', 5_000);
    expect(bench.cluster.evicted).toHaveLength(2);
    bench.kube.delete(bench.configMap);
    bench.cluster.heal();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(2);
    expect(bench.condition('Reconciling')).toBe('True ConfigMapMissing');
    expect(bench.status().pendingPods).toBe(6);
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(8);
  });
});

describe('the quiet period', () => {
  it('makes one restart of several edits', async () => {
    await bench.monitor();
    for (const text of ['two', 'three', 'four']) await bench.change(text, 900);
    expect(bench.cluster.evicted).toEqual([]);
    await bench.clock.advance(200);
    expect(bench.cluster.evicted).toHaveLength(2);
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.status().restarts).toBe(1);
    expect(bench.messages().filter((text) => text === 'Modification detected')).toHaveLength(3);
    expect(bench.told('ConfigChanged')).toHaveLength(1);
  });

  it('ends after thirty seconds, however long the edits go on', async () => {
    await bench.monitor({ debounceSeconds: 5 });
    for (let edit = 0; edit < 7; edit++) await bench.change(`text ${edit}`, 4_000);
    expect(bench.cluster.evicted).toEqual([]);
    await bench.change('last', 2_000);
    expect(bench.cluster.evicted.length).toBeGreaterThan(0);
  });

  it('forgets an edit that is taken back', async () => {
    await bench.monitor();
    await bench.change('two', 500);
    await bench.change('one');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('may be left out', async () => {
    await bench.monitor({ debounceSeconds: 0 });
    await bench.configure('two');
    expect(bench.cluster.evicted).toHaveLength(2);
  });
});

describe('the least interval', () => {
  it('holds the next restart up, and acts on what changed meanwhile once', async () => {
    await bench.monitor({ minIntervalSeconds: 300 });
    await bench.change('two');
    for (const text of ['three', 'four', 'five']) await bench.change(text);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.condition('Reconciling')).toBe('True MinInterval');
    expect(bench.told('ChangesTooOften')).toHaveLength(1);
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toHaveLength(16);
    expect(bench.status().restarts).toBe(2);
  });

  it('lets pods alone that have come since: they have the data already', async () => {
    await bench.monitor({ minIntervalSeconds: 300 });
    await bench.change('two');
    await bench.change('three');
    bench.cluster.evicted.length = 0;
    bench.kube.delete(bench.cluster.pods()[0] as never);
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toHaveLength(7);
  });
});

describe('spec.suspend', () => {
  it('stops every restart and shows how many pods wait', async () => {
    await bench.monitor({ suspend: true });
    expect(bench.condition('Ready')).toBe('True Suspended');
    await bench.change('two', 120_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Reconciling')).toBe('True Suspended');
    expect(bench.status().pendingPods).toBe(8);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('stops a restart that is under way, and goes on with it afterwards', async () => {
    await bench.monitor();
    bench.cluster.isBroken = true;
    await bench.change('two', 5_000);
    await bench.editMonitor({ suspend: true });
    bench.cluster.heal();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(2);
    expect(bench.status().pendingPods).toBe(6);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.status().restarts).toBe(1);
  });
});
