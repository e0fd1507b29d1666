import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;
const WITHOUT = ['configMap', 'podSelector'];
const sources = [
  { kind: 'ConfigMap', name: 'a' },
  { kind: 'Secret', name: 'b' },
] as const;

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  deploy('only-a', { configMapRef: { name: 'a' } });
  deploy('only-b', { secretRef: { name: 'b' } });
  deploy('both', { configMapRef: { name: 'a' } }, { secretRef: { name: 'b' } });
  deploy('neither', { configMapRef: { name: 'c' } });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.store('ConfigMap', 'a', { x: '1' });
  await bench.store('Secret', 'b', { x: '1' });
});

afterEach(() => bench.stop());

function deploy(name: string, ...envFrom: readonly object[]): void {
  const spec = { containers: [{ name: 'app', envFrom }] };
  const isStateful = name.startsWith('db');
  bench.cluster.deployAs({ name, labels: { app: name }, isStateful, minReadySeconds: 0, spec }, 2);
}

/** Names of the Deployments whose pods were sent away, once for each pod. */
function evicted(): readonly string[] {
  return bench.cluster.evicted.map((name) => name.replace(/-5d9c-.*/, '')).toSorted();
}

async function watch(fields: object = {}): Promise<void> {
  const without = WITHOUT.filter((field) => !Object.hasOwn(fields, field));
  await bench.monitor({ sources, ...fields }, 'monitor', without);
  await bench.clock.advance(1_000);
}

describe('an object without a selector', () => {
  it('restarts the pods that use the source that has changed', async () => {
    await watch();
    expect(bench.status()).toMatchObject({ matchedPods: 6, source: 'ConfigMap/a +1' });
    expect(bench.condition('SourcesFound')).toBe('True Found');
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['both', 'both', 'only-a', 'only-a']);
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted().slice(4).length).toBe(4);
    expect(evicted().filter((name) => name === 'only-b')).toHaveLength(2);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts nothing for a change that is taken back', async () => {
    await watch({ debounceSeconds: 5 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('leaves users of the other source alone when one is changed and taken back', async () => {
    await watch({ debounceSeconds: 5 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.store('Secret', 'b', { x: '2' });
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['both', 'both', 'only-b', 'only-b']);
  });

  it('restarts a pod that was started with data that was taken back before another change', async () => {
    await watch({ debounceSeconds: 10 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    bench.cluster.scale('only-a', 3);
    await bench.clock.advance(2_000);
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['both', 'both', 'only-a', 'only-b', 'only-b']);
  });

  it('restarts of the pods that were started before it is taken back only those that use it', async () => {
    await watch({ debounceSeconds: 5 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(1_000);
    bench.cluster.scale('only-a', 3);
    bench.cluster.scale('only-b', 3);
    await bench.clock.advance(1_000);
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['only-a']);
  });

  it('restarts only users of what has changed while a restart for another is under way', async () => {
    await watch();
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(2_000);
    expect(evicted()).toEqual(['both', 'only-b']);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(300_000);
    expect(evicted().filter((name) => name === 'only-b')).toHaveLength(2);
    expect(evicted().filter((name) => name === 'only-a')).toHaveLength(2);
    expect(evicted()).not.toContain('neither');
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status().rollout).toBeUndefined();
  });

  it('restarts no user of a source alone that is taken back during another restart', async () => {
    await watch();
    bench.cluster.isFull = true;
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(2_000);
    expect(evicted()).toEqual(['both', 'only-b']);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(3_000);
    const first = evicted().filter((name) => name === 'only-a').length;
    expect(first).toBe(1);
    await bench.store('ConfigMap', 'a', { x: '1' });
    bench.cluster.isFull = false;
    bench.cluster.settle();
    await bench.clock.advance(300_000);
    // Its successor may have read the data that was taken back; the other pod never did.
    expect(evicted().filter((name) => name === 'only-a').length).toBeLessThanOrEqual(2);
    expect(bench.cluster.evicted).not.toContain('only-a-5d9c-002');
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('continues in another process', async () => {
    await watch({ debounceSeconds: 10 });
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(2_000);
    expect(bench.status().change?.sources).toEqual(['Secret/b']);
    await bench.crash();
    await bench.clock.advance(300_000);
    expect(evicted()).toEqual(['both', 'both', 'only-b', 'only-b']);
  });

  it('takes other sources for a new baseline', async () => {
    await watch();
    await bench.store('ConfigMap', 'c', { x: '1' });
    const others = [{ kind: 'ConfigMap', name: 'c' }] as const;
    await bench.editMonitor({ sources: others });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual([]);
    expect(bench.status()).toMatchObject({ matchedPods: 2, configMap: 'c' });
    await bench.store('ConfigMap', 'c', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['neither', 'neither']);
  });

  it('minds only the keys that count', async () => {
    await watch({ sources: [{ kind: 'Secret', name: 'b', keys: ['x'] }] });
    await bench.store('Secret', 'b', { x: '1', y: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual([]);
    await bench.store('Secret', 'b', { x: '2', y: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['both', 'both', 'only-b', 'only-b']);
  });
});

describe('several sources with a selector', () => {
  it('restart all selected pods, whichever changes', async () => {
    await watch({ podSelector: { app: 'neither' } });
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['neither', 'neither']);
  });

  it('select by expressions alone', async () => {
    const matchExpressions = [{ key: 'app', operator: 'NotIn', values: ['both'] }] as const;
    await watch({ matchExpressions });
    expect(bench.status().matchedPods).toBe(6);
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toHaveLength(6);
    expect(evicted()).not.toContain('both');
  });
});

describe('strategy Auto', () => {
  it('restarts the template of a Deployment', async () => {
    await watch({ strategy: 'Auto' });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    const restarts = bench.cluster.asked.filter((call) => call.startsWith('restart'));
    expect(restarts).toEqual(['restart Deployment/both', 'restart Deployment/only-a']);
    expect(evicted()).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('evicts the pods of a Deployment that is paused', async () => {
    await watch({ strategy: 'Auto' });
    bench.cluster.pause('only-a');
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['only-a', 'only-a']);
    expect(bench.cluster.asked).not.toContain('restart Deployment/only-a');
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('evicts pods of one revision where another one does not use the source', async () => {
    await watch({ strategy: 'Auto' });
    bench.cluster.respec('only-a', { containers: [{ name: 'app' }] });
    bench.cluster.scale('only-a', 3);
    await bench.clock.advance(60_000);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['only-a', 'only-a']);
    expect(bench.cluster.asked).not.toContain('restart Deployment/only-a');
  });

  it('evicts pods whose owner has no template of ours', async () => {
    const spec = { containers: [{ envFrom: [{ configMapRef: { name: 'a' } }] }] };
    const of = { name: 'canary', labels: {}, isStateful: false, minReadySeconds: 0, spec };
    bench.cluster.deployAs({ ...of, customKind: 'Rollout' }, 2);
    await bench.clock.advance(1_000);
    await watch({ strategy: 'Auto' });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['canary', 'canary']);
  });
});

describe.each(['Never', 'OnFailure'])(
  'a pod that a TaskRun runs to its end (%s)',
  (restartPolicy) => {
    beforeEach(async () => {
      const spec = { restartPolicy, containers: [{ envFrom: [{ configMapRef: { name: 'a' } }] }] };
      const of = { name: 'build', labels: { app: 'build' }, isStateful: false, minReadySeconds: 0 };
      bench.cluster.deployAs({ ...of, spec, customKind: 'TaskRun' }, 1);
      await bench.clock.advance(1_000);
    });

    it('keeps running where it uses what has changed', async () => {
      await watch();
      await bench.store('ConfigMap', 'a', { x: '2' });
      await bench.clock.advance(60_000);
      expect(evicted()).toEqual(['both', 'both', 'only-a', 'only-a']);
      expect(bench.condition('Ready')).toBe('True Watching');
    });

    it('is evicted where labels select it', async () => {
      await watch({ podSelector: { app: 'build' } });
      await bench.store('ConfigMap', 'a', { x: '2' });
      await bench.clock.advance(60_000);
      expect(evicted()).toEqual(['build']);
    });
  },
);

describe('labels that select one pod of a Deployment', () => {
  async function change(strategy: 'Auto' | 'Rollout'): Promise<readonly string[]> {
    bench.cluster.scale('neither', 4);
    await bench.clock.advance(1_000);
    const [pod] = bench.cluster.podsOf('neither');
    if (pod === undefined) throw new Error('the Deployment has no pods');
    bench.kube.edit(pod, (live) => {
      const labels = { ...live.metadata.labels, pick: 'me' };
      return { ...live, metadata: { ...live.metadata, labels } };
    });
    await watch({ podSelector: { pick: 'me' }, strategy });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(bench.condition('Ready')).toBe('True Watching');
    return bench.cluster.asked.filter((call) => call.startsWith('restart'));
  }

  it('have it evicted with Auto, and the others stay', async () => {
    expect(await change('Auto')).toEqual([]);
    expect(evicted()).toEqual(['neither']);
  });

  it('have all of them restarted with Rollout', async () => {
    expect(await change('Rollout')).toEqual(['restart Deployment/neither']);
    expect(evicted()).toEqual([]);
  });
});

describe('an object with a Secret', () => {
  it('waits until the Secret exists', async () => {
    await watch({ sources: [{ kind: 'Secret', name: 'late' }] });
    expect(bench.condition('Ready')).toBe('False SecretMissing');
    expect(bench.condition('SourcesFound')).toBe('False NotFound');
    await bench.store('Secret', 'late', { x: '1' });
    await bench.clock.advance(1_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('names the component where it is missing, and others do not notice', async () => {
    bench.secretFault = { kind: 'off' };
    await watch();
    await bench.monitor({ configMap: 'a' }, 'other', ['podSelector']);
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(bench.condition('Stalled')).toBe('True SecretsOff');
    expect(bench.message('Ready')).toContain('deploy/components/secrets');
    expect(bench.condition('SourcesFound')).toBe('Unknown SecretsOff');
    expect(bench.condition('Ready', 'other')).toBe('True Watching');
    expect(evicted()).toEqual(['both', 'both', 'only-a', 'only-a']);
  });

  it('heals by itself once Secrets can be read', async () => {
    bench.secretFault = { kind: 'unread', why: 'watch secrets: forbidden' };
    await watch();
    expect(bench.condition('Ready')).toBe('False SecretsUnread');
    expect(bench.status().progress).toBeUndefined();
    bench.secretFault = undefined;
    await bench.clock.advance(10_000);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('takes what it sees for a new baseline where the key is another one, with one warning', async () => {
    await watch();
    const { configHash, hashKey } = bench.status();
    bench.hashKey = Buffer.alloc(32, 'x');
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.status().configHash).not.toBe(configHash);
    expect(bench.status().hashKey).not.toBe(hashKey);
    expect(bench.told('HashKeyChanged')).toHaveLength(1);
    expect(evicted()).toEqual([]);
    await bench.store('Secret', 'b', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['both', 'both', 'only-b', 'only-b']);
  });

  it.each([
    ['of a restart that is under way', {}, 1_200],
    ['of a change that waits', { suspend: true }, 60_000],
  ])(
    'restarts the pods on record as older %s also where the key is another one',
    async (_, fields, afterMs) => {
      await watch(fields);
      await bench.store('ConfigMap', 'a', { x: '2' });
      await bench.clock.advance(afterMs);
      expect(bench.status().pendingPods).toBeGreaterThan(0);
      bench.hashKey = Buffer.alloc(32, 'x');
      await bench.restart();
      await bench.editMonitor({ suspend: false });
      await bench.clock.advance(120_000);
      expect(evicted()).toEqual(['both', 'both', 'only-a', 'only-a']);
      expect(bench.condition('Ready')).toBe('True Watching');
    },
  );

  it('lets nothing of the data out', async () => {
    const marker = 'hunter2-marker';
    await bench.store('Secret', 'b', { x: marker, [marker]: 'x' });
    await watch();
    await bench.store('Secret', 'b', { x: `${marker}-2` });
    await bench.clock.advance(60_000);
    const out = [bench.object(), bench.events.recorded, bench.log.lines, bench.kube.writes];
    expect(bench.events.recorded.length).toBeGreaterThan(0);
    expect(JSON.stringify(out)).not.toContain(marker);
  });
});

describe('an object of an earlier release', () => {
  it('restarts nothing at the upgrade, and gets the new fields', async () => {
    await bench.monitor({ configMap: 'a', podSelector: { app: 'only-a' } });
    await bench.clock.advance(1_000);
    const { sources: _sources, source: _source, ...older } = bench.status();
    await bench.stop();
    bench.kube.edit(bench.object(), (live) => ({ ...live, status: older }));
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual([]);
    expect(bench.told('BaselineRecorded')).toHaveLength(1);
    expect(bench.status()).toMatchObject({ source: 'ConfigMap/a', configHash: older.configHash });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    expect(evicted()).toEqual(['only-a', 'only-a']);
  });
});
