import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POD_DELETE_MATCH } from '../../../../src/apis/config-monitor.ts';
import { listClosedNamespaces } from '../../../../src/controllers/config-monitor/annotated-config-map.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
const NAME = 'settings-annotated';

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  bench.cluster.deploy('frontend', 4, { app: 'frontend' });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.configure('one');
});

afterEach(() => bench.stop());

async function annotate(value: string): Promise<void> {
  await bench.annotate({ [POD_DELETE_MATCH]: value });
  await bench.clock.advance(1_000);
}

/** As another controller does that has the ConfigMap stand for its application. */
async function makeForConfigMap(name: string): Promise<void> {
  await bench.monitor({ podSelector: { app: 'theirs' } }, name);
  const { uid } = bench.configMap.metadata;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid, controller: true };
  bench.kube.edit(bench.object(name), (live) => {
    return { ...live, metadata: { ...live.metadata, ownerReferences: [owner] } };
  });
  await bench.clock.settle();
}

describe('a ConfigMap with the annotation', () => {
  it('gets a ConfigMonitor that restarts the pods when the data changes', async () => {
    await annotate('app=frontend');
    expect(bench.object(NAME).spec).toMatchObject({
      configMap: 'settings',
      podSelector: { app: 'frontend' },
    });
    expect(bench.condition('Ready', NAME)).toBe('True Watching');
    expect(bench.cluster.evicted).toEqual([]);
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(4);
  });

  it('leaves alone pods that nothing would start again', async () => {
    bench.cluster.pod('bare', { labels: { app: 'frontend' } });
    await annotate('app=frontend');
    expect(bench.object(NAME).spec.unmanagedPods).toBe('Skip');
    await bench.change('two');
    expect(bench.cluster.names).toContain('bare');
  });

  it('evicts pods and restarts no template, whatever the default is and whichever manager edits it', async () => {
    await annotate('app=frontend');
    expect(bench.object(NAME).spec.strategy).toBe('Evict');
    await bench.editMonitor({ strategy: 'Delete', maxUnavailable: '50%' }, NAME);
    await bench.clock.advance(1_000);
    expect(bench.object(NAME).spec).toMatchObject({ strategy: 'Evict', maxUnavailable: '50%' });
    expect(bench.told('DriftRepaired')).toHaveLength(1);
  });

  it('selects by the labels of the annotation alone', async () => {
    await annotate('app=frontend');
    await bench.editMonitor({ podSelector: { app: 'frontend', tier: 'web' } }, NAME);
    await bench.clock.advance(1_000);
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'frontend' });
    expect(bench.told('DriftRepaired')).toHaveLength(1);
  });

  it('owns it, and is itself never written', async () => {
    await annotate('app=frontend');
    const { resourceVersion, uid } = bench.configMap.metadata;
    expect(bench.kube.get(bench.object(NAME))?.metadata).toMatchObject({
      ownerReferences: [{ kind: 'ConfigMap', name: 'settings', uid, controller: true }],
    });
    await bench.clock.advance(60_000);
    expect(bench.configMap.metadata.resourceVersion).toBe(resourceVersion);
    expect(bench.configMap.metadata).not.toHaveProperty('ownerReferences');
    expect(bench.configMap.metadata).not.toHaveProperty('finalizers');
  });

  it('loses it with the annotation', async () => {
    await annotate('app=frontend');
    await bench.annotate({});
    expect(bench.object(NAME)).toBeUndefined();
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('loses it also where the annotation went while no operator ran', async () => {
    await annotate('app=frontend');
    await bench.stop();
    await bench.annotate({});
    await bench.restart();
    expect(bench.object(NAME)).toBeUndefined();
  });

  it('alone costs passes: the other ConfigMaps of the cluster cost none', async () => {
    const passes = (): number => bench.passesOf('configmap');
    const before = passes();
    bench.kube.create({ ...bench.configMap, metadata: { name: 'other', namespace: 'web' } });
    await bench.configure('two');
    expect(passes()).toBe(before);
    await annotate('app=frontend');
    const followed = passes();
    expect(followed).toBeGreaterThan(before);
    bench.kube.delete(bench.configMap);
    await bench.clock.settle();
    expect(passes()).toBeGreaterThan(followed);
  });

  it('is followed when the annotation is edited', async () => {
    await annotate('app=frontend');
    await annotate('app=backend, tier=web');
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'backend', tier: 'web' });
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it.each(['later', 'from the annotation on'])(
    'restarts no pod while it is paused, and does when it is not any more: %s',
    async (since) => {
      if (since === 'later') await annotate('app=frontend');
      const labels = { [POD_DELETE_MATCH]: 'app=frontend' };
      await bench.annotate({ ...labels, 'albridge.io/paused': 'true' });
      await bench.change('two');
      expect(bench.cluster.evicted).toEqual([]);
      expect(bench.condition('Ready', NAME)).toBe('Unknown Paused');
      await bench.annotate(labels);
      await bench.clock.advance(60_000);
      expect(bench.cluster.evicted).toHaveLength(4);
      expect(bench.condition('Ready', NAME)).toBe('True Watching');
    },
  );

  it('that lost the annotation while it was paused loses its ConfigMonitor when it is unpaused', async () => {
    await annotate('app=frontend');
    const paused = { 'albridge.io/paused': 'true' };
    await bench.annotate({ [POD_DELETE_MATCH]: 'app=frontend', ...paused });
    await bench.annotate(paused);
    await bench.clock.advance(1_000);
    expect(bench.object(NAME)).toBeDefined();
    await bench.annotate({});
    await bench.clock.advance(1_000);
    expect(bench.object(NAME)).toBeUndefined();
  });

  it('is not asked to stand for every pod', async () => {
    await annotate('');
    expect(bench.object(NAME)).toBeUndefined();
    expect(bench.told('InvalidSelector')[0]).toContain(
      'is not a label selector, at character 1: expected the key of a label',
    );
  });

  it('keeps what it has while the annotation cannot be read, and says so once', async () => {
    await annotate('app=frontend');
    await annotate('app of (frontend)');
    await bench.clock.advance(3_600_000);
    expect(bench.told('InvalidSelector')).toHaveLength(1);
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'frontend' });
  });

  it('takes what kubectl get pods -l takes', async () => {
    await annotate('app in (frontend), tier != test, !canary');
    expect(bench.object(NAME).spec).toMatchObject({
      configMap: 'settings',
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['frontend'] },
        { key: 'tier', operator: 'NotIn', values: ['test'] },
        { key: 'canary', operator: 'DoesNotExist' },
      ],
    });
    expect(bench.object(NAME).spec.podSelector).toBeUndefined();
    await bench.change('two');
    expect(bench.cluster.evicted).toHaveLength(4);
  });

  it.each([
    [`app in (${'x,'.repeat(600)}x)`, 'more than 1024 characters'],
    [Array.from({ length: 17 }, (_, at) => `key${at}`).join(), 'more than 16 conditions'],
  ])('is refused when it is too long', async (text, problem) => {
    await annotate(text);
    expect(bench.told('InvalidSelector')[0]).toContain(problem);
  });

  it('leaves a ConfigMonitor of that name alone that someone else has written', async () => {
    await bench.monitor({ podSelector: { app: 'theirs' } }, NAME);
    await annotate('app=frontend');
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'theirs' });
    expect(bench.told('NameConflict')).toHaveLength(1);
  });

  it('leaves a ConfigMonitor of that name alone that others made for the ConfigMap', async () => {
    await makeForConfigMap(NAME);
    await annotate('app=frontend');
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'theirs' });
    expect(bench.told('NameConflict')).toHaveLength(1);
    await bench.annotate({});
    expect(bench.object(NAME)).toBeDefined();
  });

  it('leaves alone a second ConfigMonitor that others made for the ConfigMap', async () => {
    await annotate('app=frontend');
    await makeForConfigMap('mine');
    await annotate('app=frontend,tier=web');
    expect(bench.object('mine')).toBeDefined();
    expect(bench.object(NAME).spec.podSelector).toEqual({ app: 'frontend', tier: 'web' });
  });

  it('gets it back when someone deletes it', async () => {
    await annotate('app=frontend');
    bench.kube.delete(bench.object(NAME));
    await bench.clock.advance(1_000);
    expect(bench.object(NAME)).toBeDefined();
  });

  it('is written for no second time by a further pass', async () => {
    await annotate('app=frontend');
    bench.kube.writes.length = 0;
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.kube.writes).toEqual([]);
  });
});

describe('a ConfigMap without the annotation', () => {
  it('leaves a ConfigMonitor alone that others made for the ConfigMap', async () => {
    await makeForConfigMap('mine');
    await bench.clock.advance(1_000);
    expect(bench.object('mine')).toBeDefined();
    expect(bench.told('AnnotationFollowed')).toEqual([]);
  });
});

describe('a ConfigMap of a closed namespace', () => {
  it('gets no ConfigMonitor, and one event says so', async () => {
    bench.closedNamespaces.add('web');
    await annotate('app=frontend');
    await bench.clock.advance(3_600_000);
    expect(bench.object(NAME)).toBeUndefined();
    await bench.change('two');
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.told('NamespaceClosed')).toEqual([
      expect.stringContaining('has no effect in namespace web'),
    ]);
  });

  it('loses the ConfigMonitor that an earlier release has created', async () => {
    await annotate('app=frontend');
    expect(bench.object(NAME)).toBeDefined();
    bench.closedNamespaces.add('web');
    await annotate('app=frontend,tier=web');
    expect(bench.object(NAME)).toBeUndefined();
  });

  it("is one of Kubernetes' own, or of the operator's, unless that is served by name", () => {
    const system = ['kube-system', 'kube-public', 'kube-node-lease'];
    expect([...listClosedNamespaces({ namespaces: [] })]).toEqual(system);
    const ownNamespace = 'albridge-system';
    expect([...listClosedNamespaces({ namespaces: [], ownNamespace })]).toEqual([
      ...system,
      ownNamespace,
    ]);
    expect([...listClosedNamespaces({ namespaces: ['web'], ownNamespace: 'web' })]).toEqual(system);
  });
});
