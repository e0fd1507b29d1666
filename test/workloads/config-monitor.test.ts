import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored, tellsOfPause } from './place.ts';
import { PodWatch } from './pod-watch.ts';

const place = new SharedPlace();
const watches: PodWatch[] = [];
afterAll(() => {
  for (const watch of watches) watch.close();
});

const NAME = 'flakapp-config-monitor';
/** Several batches, of which each must stay ready, within one wait of a test. */
const QUICK = { minReadySeconds: 1 };
const NEVER_READY = 'test.albridge.io/never-ready';

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

interface Wanted {
  readonly replicas?: number;
  /** On top of the article's. */
  readonly spec?: object;
}

/** The article's application and ConfigMonitor, which has seen the ConfigMap. */
async function running(prefix: string, { replicas = 1, spec }: Wanted = {}): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await example('flaskapp/configmap.yaml'));
  // From the start: whoever scales down is answered before the pods have gone.
  const deployment = await example('flaskapp/deployment.yaml');
  await namespace.apply(deployment.replace('\nspec:\n', `\nspec:\n  replicas: ${replicas}\n`));
  await namespace.kubectl(['rollout', 'status', 'deployment/frontend', '--timeout=120s']);
  await namespace.apply(await example('configmonitor-01-article.yaml'));
  if (spec !== undefined) await patch(namespace, { strategy: 'Evict', ...spec });
  await namespace.whenReady('configmonitor', NAME);
  return namespace;
}

function patch(namespace: Namespace, spec: object): Promise<string> {
  const body = JSON.stringify({ spec });
  return namespace.kubectl(['patch', 'cmon', NAME, '--type=merge', '-p', body]);
}

async function edit(namespace: Namespace, text = 'Welcome to Operators!'): Promise<string> {
  const manifest = await example('flaskapp/configmap.yaml');
  return namespace.apply(manifest.replace('MSG="Welcome to Kubernetes!"', `MSG="${text}"`));
}

/** Counts from when there are just these many pods, all of them ready. */
async function watch(namespace: Namespace, pods: number): Promise<PodWatch> {
  const started = new PodWatch(place.cluster, namespace.name);
  watches.push(started);
  await started.count(pods);
  return started;
}

async function podNames(namespace: Namespace): Promise<readonly string[]> {
  const pods = await namespace.list('pods', '-l', 'app=frontend');
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
}

function whenRestarted(namespace: Namespace, restarts = 1, name = NAME): Promise<Stored> {
  return namespace.when('configmonitor', name, (object) => {
    return (
      object.status?.['restarts'] === restarts && conditionOf(object, 'Ready')?.status === 'True'
    );
  });
}

function whenReason(namespace: Namespace, type: string, reason: string): Promise<Stored> {
  return namespace.when('configmonitor', NAME, (object) => {
    return conditionOf(object, type)?.reason === reason;
  });
}

async function budget(namespace: Namespace, name: string, minAvailable: number): Promise<void> {
  const selector = { matchLabels: { app: 'frontend' } };
  await namespace.apply({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { minAvailable, selector },
  });
  await namespace.when('pdb', name, ({ metadata, status }) => {
    return status?.observedGeneration === metadata.generation && status?.['currentHealthy'] !== 0;
  });
}

/**
 * A ReplicaSet changes its template without starting anything anew, as a ConfigMap does. Pods that
 * come from now on are of the new one: its controller has seen it.
 */
async function breakNewPods(namespace: Namespace, isBroken: boolean): Promise<void> {
  const annotations = { [NEVER_READY]: isBroken ? 'true' : null };
  const body = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
  await namespace.kubectl(['patch', 'rs', 'frontend', '--type=merge', '-p', body]);
  await namespace.when('rs', 'frontend', ({ metadata, status }) => {
    return status?.observedGeneration === metadata.generation;
  });
}

async function replicaSet(prefix: string, spec: object = {}): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await example('flaskapp/configmap.yaml'));
  const labels = { app: 'frontend' };
  await namespace.apply({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'frontend' },
    spec: {
      replicas: 8,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'flask' }] } },
    },
  });
  await namespace.when('rs', 'frontend', ({ status }) => status?.['readyReplicas'] === 8);
  await namespace.apply(await example('configmonitor-01-article.yaml'));
  await patch(namespace, spec);
  await namespace.whenReady('configmonitor', NAME);
  return namespace;
}

describe("the article's ConfigMonitor", { concurrent: true }, () => {
  it('replaces the pod when the ConfigMap is applied with another text', async () => {
    const namespace = await running('cmon-article', { spec: {} });
    const [before] = await podNames(namespace);
    expect(await edit(namespace)).toBe('configmap/flaskapp-config configured\n');
    await whenRestarted(namespace);
    const after = await podNames(namespace);
    expect(after).toHaveLength(1);
    expect(after).not.toContain(before);
    const last = `${before} was deleted successfully`;
    const lines = await namespace.whenLogged(NAME, ({ msg }) => msg === last);
    const said = lines.map(({ msg }) => msg);
    const at = said.indexOf('Modification detected');
    expect(at).toBeGreaterThan(-1);
    expect(said.indexOf(last)).toBeGreaterThan(at);
    const { note } = await namespace.event(NAME, 'PodEvicted');
    expect(note).toBe(last);
  });

  it('prints its columns, under each of its names', async () => {
    const namespace = await running('cmon-table', { replicas: 2, spec: {} });
    await edit(namespace);
    await whenRestarted(namespace);
    const age = expect.stringMatching(/^\d+s$/) as string;
    for (const name of ['configmonitors', 'configmonitor', 'cmon']) {
      expect(await namespace.table(name)).toEqual([
        ['NAME', 'SOURCE', 'PODS', 'PROGRESS', 'RESTARTS', 'LAST-RESTART', 'READY', 'AGE'],
        [NAME, 'ConfigMap/flaskapp-config', '2', '2/2', '1', age, 'True', age],
      ]);
    }
    const [head, row] = await namespace.table('cmon', '-o', 'wide');
    const wide = ['PENDING', 'SELECTOR', 'STRATEGY', 'HASH', 'REASON', 'MESSAGE'];
    expect(head?.slice(8)).toEqual(wide);
    expect(row?.slice(8, 13)).toEqual([
      '0',
      '{"app":"frontend"}',
      'Evict',
      expect.stringMatching(/^[0-9a-f]{8}$/),
      'Watching',
    ]);
  });

  it('does nothing for labels, annotations and other ConfigMaps', async () => {
    const namespace = await running('cmon-quiet');
    const before = await podNames(namespace);
    await namespace.kubectl(['label', 'configmap', 'flaskapp-config', 'team=web']);
    await namespace.kubectl(['annotate', 'configmap', 'flaskapp-config', 'note=hello']);
    await namespace.kubectl(['create', 'configmap', 'other', '--from-literal=a=b']);
    // Whoever knows the last one of them knows all changes before.
    const spec = { configMap: 'other', podSelector: { app: 'none' } };
    const metadata = { name: 'of-other' };
    await namespace.apply({ apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor', metadata, spec });
    await namespace.when('cmon', 'of-other', (object) => {
      return conditionOf(object, 'ConfigMapFound')?.status === 'True';
    });
    const annotation = 'albridge.io/reconcile-requested-at=now-1';
    await namespace.kubectl(['annotate', 'cmon', NAME, annotation]);
    const { status } = await namespace.when('cmon', NAME, (object) => {
      return object.status?.lastHandledReconcileAt === 'now-1';
    });
    expect(status).toMatchObject({ restarts: 0 });
    expect(status).not.toHaveProperty('lastChangeTime');
    expect(await podNames(namespace)).toEqual(before);
    await namespace.pause('cmon', NAME);
    const lines = await namespace.whenLogged(NAME, tellsOfPause);
    expect(lines.map(({ msg }) => msg)).not.toContain('Modification detected');
  });
});

describe('the second example', { concurrent: true }, () => {
  it('restarts one pod after the other', async () => {
    const namespace = await running('cmon-careful', { replicas: 3 });
    await namespace.kubectl(['delete', 'cmon', NAME]);
    const label = '{"spec":{"template":{"metadata":{"labels":{"tier":"web"}}}}}';
    await namespace.kubectl(['patch', 'deployment', 'frontend', '-p', label]);
    await namespace.kubectl(['rollout', 'status', 'deployment/frontend', '--timeout=120s']);
    const careful = await example('configmonitor-02-careful.yaml');
    await namespace.apply(careful.replace('minReadySeconds: 15', 'minReadySeconds: 1'));
    await namespace.whenReady('cmon', 'careful');
    const pods = await watch(namespace, 3);
    await edit(namespace);
    await whenRestarted(namespace, 1, 'careful');
    await pods.whenReady(3);
    expect(pods.fewestReady).toBe(2);
    expect(pods.seen.size).toBe(6);
  });
});

describe('a Deployment of eight pods', { concurrent: true }, () => {
  it('gets eight new ones, and never more than a quarter is unready', async () => {
    const namespace = await running('cmon-eight', { replicas: 8, spec: QUICK });
    const before = await podNames(namespace);
    const pods = await watch(namespace, 8);
    await edit(namespace);
    await whenRestarted(namespace);
    const after = await podNames(namespace);
    expect(after).toHaveLength(8);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    await pods.whenReady(8);
    expect(pods.fewestReady).toBeGreaterThanOrEqual(6);
    expect(pods.fewestReady).toBeLessThan(8);
    expect(pods.seen.size).toBe(16);
  });

  it('is restarted once by two ConfigMonitors', async () => {
    const namespace = await running('cmon-two', { replicas: 8, spec: QUICK });
    const second = (await example('configmonitor-01-article.yaml')).replace(NAME, 'second');
    await namespace.apply(second.replace('\nspec:', '\nspec:\n  strategy: Evict'));
    await namespace.whenReady('configmonitor', 'second');
    const pods = await watch(namespace, 8);
    await edit(namespace);
    await whenRestarted(namespace);
    await whenRestarted(namespace, 1, 'second');
    await pods.whenReady(8);
    expect(pods.seen.size).toBe(16);
    expect(pods.fewestReady).toBeGreaterThanOrEqual(6);
    expect(pods.fewestReady).toBeLessThan(8);
  });

  it('is rolled by its template as the article applies it', async () => {
    const namespace = await running('cmon-rollout', { replicas: 4 });
    const before = await podNames(namespace);
    await edit(namespace);
    await whenRestarted(namespace);
    await until('the old pods are gone', async () => {
      const after = await podNames(namespace);
      return after.length === 4 && !after.some((name) => before.includes(name));
    });
    const history = await namespace.kubectl(['rollout', 'history', 'deployment/frontend']);
    expect(history.trimEnd().split('\n').at(-1)).toMatch(/^2 /);
    expect((await namespace.event(NAME, 'WorkloadRestarted')).note).toBe(
      'restarted Deployment frontend',
    );
  });

  it('is restarted despite its budget with strategy Delete', async () => {
    const namespace = await running('cmon-delete', { replicas: 2, spec: { strategy: 'Delete' } });
    await budget(namespace, 'all', 2);
    const before = await podNames(namespace);
    await edit(namespace);
    await whenRestarted(namespace);
    expect((await podNames(namespace)).filter((name) => before.includes(name))).toEqual([]);
    await namespace.event(NAME, 'PodDeleted');
  });
});

describe('a PodDisruptionBudget', { concurrent: true }, () => {
  it('blocks; the pods are evicted once it allows it', async () => {
    const namespace = await running('cmon-budget', { replicas: 2, spec: {} });
    await budget(namespace, 'all', 2);
    const before = await podNames(namespace);
    await edit(namespace);
    const blocked = await whenReason(namespace, 'Reconciling', 'PDBBlocked');
    expect(blocked.status).toMatchObject({ pendingPods: 2 });
    expect((await namespace.event(NAME, 'PDBBlocked')).type).toBe('Warning');
    expect(await podNames(namespace)).toEqual(before);
    await namespace.kubectl(['delete', 'pdb', 'all']);
    await whenRestarted(namespace);
    expect((await podNames(namespace)).filter((name) => before.includes(name))).toEqual([]);
  });

  it('together with a second one is reported as needing action', async () => {
    const namespace = await running('cmon-budgets', { spec: {} });
    await budget(namespace, 'one', 0);
    await budget(namespace, 'two', 0);
    const before = await podNames(namespace);
    await edit(namespace);
    const { status } = await whenReason(namespace, 'Stalled', 'MultiplePDBs');
    expect(status).toMatchObject({ pendingPods: 1 });
    expect(await podNames(namespace)).toEqual(before);
  });
});

describe('data that the pods do not start with', { concurrent: true }, () => {
  it('breaks a quarter and not the service, until it is corrected', async () => {
    const namespace = await replicaSet('cmon-bad', { ...QUICK, progressDeadlineSeconds: 8 });
    const before = await podNames(namespace);
    const pods = await watch(namespace, 8);
    await breakNewPods(namespace, true);
    await edit(namespace, 'bad');
    const stalled = await whenReason(namespace, 'Stalled', 'ProgressDeadlineExceeded');
    expect(conditionOf(stalled, 'Stalled')?.message).toContain(
      '6 of 8 pods of ReplicaSet/frontend are available',
    );
    expect(stalled.status).toMatchObject({ pendingPods: 6, matchedPods: 8 });
    expect(pods.names.filter((name) => before.includes(name))).toHaveLength(6);
    await breakNewPods(namespace, false);
    await edit(namespace, 'good');
    await whenRestarted(namespace, 2);
    expect((await podNames(namespace)).filter((name) => before.includes(name))).toEqual([]);
    await pods.whenReady(8);
    expect(pods.fewestReady).toBeGreaterThanOrEqual(6);
    expect(pods.fewestReady).toBeLessThan(8);
    expect(pods.seen.size).toBe(18);
  });
});

describe('a forged status', { concurrent: true }, () => {
  it.each(['Evict', 'Delete'])('does not lend its author the right to %s', async (strategy) => {
    const namespace = await running('cmon-forged', { spec: { strategy } });
    const victims = await place.createNamespace('cmon-victims');
    const run = ['run', 'victim', '--image=flask', '--labels=app=frontend'];
    await victims.kubectl(run);
    await namespace.kubectl(run);
    await namespace.kubectl(['run', 'other', '--image=flask', '--labels=app=backend']);
    const pods = [
      await victims.get('pod', 'victim'),
      await namespace.get('pod', 'victim'),
      await namespace.get('pod', 'other'),
    ];
    const uids = pods.map(({ metadata }) => metadata.uid ?? '');
    const { status } = await namespace.get('cmon', NAME);
    const time = '2026-01-01T00:00:00Z';
    const rollout = {
      ...{ hash: status?.['configHash'], startTime: time, progressTime: time, unready: 999 },
      ...{ total: 999, pods: uids, owners: [{ name: 'Deployment/none', pods: 1 }] },
    };
    const body = JSON.stringify({ status: { rollout } });
    const forge = ['--subresource=status', '--type=merge', '-p', body];
    await namespace.kubectl(['patch', 'cmon', NAME, ...forge]);
    const annotation = 'albridge.io/reconcile-requested-at=forged';
    await namespace.kubectl(['annotate', 'cmon', NAME, annotation]);
    await namespace.when('cmon', NAME, (object) => {
      return object.status?.lastHandledReconcileAt === 'forged';
    });
    await edit(namespace);
    await whenRestarted(namespace);
    for (const { metadata } of pods) {
      const of = metadata.namespace === victims.name ? victims : namespace;
      const live = await of.get('pod', metadata.name);
      expect(live.metadata.uid).toBe(metadata.uid);
      expect(live.metadata.deletionTimestamp).toBeUndefined();
    }
  });
});

describe('pods without a controller', { concurrent: true }, () => {
  it('are removed if the object requests it, with a warning', async () => {
    const spec = { unmanagedPods: 'Evict' };
    const namespace = await running('cmon-bare', { replicas: 0, spec });
    await namespace.kubectl(['run', 'bare', '--image=flask', '--labels=app=frontend']);
    await namespace.when('cmon', NAME, ({ status }) => status?.['matchedPods'] === 1);
    await edit(namespace);
    await whenRestarted(namespace);
    await until('the pod is gone', async () => !(await namespace.exists('pod', 'bare')));
    expect((await namespace.event(NAME, 'UnmanagedPod')).type).toBe('Warning');
  });
});

describe('an annotated ConfigMap', { concurrent: true }, () => {
  const ANNOTATION = 'magalix.com/podDeleteMatch';
  const GENERATED = 'frontend-config-annotated';

  async function annotated(prefix: string): Promise<Namespace> {
    const namespace = await place.createNamespace(prefix);
    await namespace.apply(await example('configmonitor-03-annotation.yaml'));
    const deployment = await example('flaskapp/deployment.yaml');
    await namespace.apply(deployment.replace('flaskapp-config', 'frontend-config'));
    await namespace.kubectl(['rollout', 'status', 'deployment/frontend', '--timeout=120s']);
    await namespace.whenReady('configmonitor', GENERATED);
    return namespace;
  }

  it('restarts the pods with no ConfigMonitor of the user, and shows one', async () => {
    const namespace = await annotated('cmon-annotated');
    const [before] = await podNames(namespace);
    const manifest = await example('configmonitor-03-annotation.yaml');
    await namespace.apply(manifest.replace('Kubernetes', 'Operators'));
    await whenRestarted(namespace, 1, GENERATED);
    expect(await podNames(namespace)).not.toContain(before);
    const [, row] = await namespace.table('cmon');
    expect(row?.slice(0, 2)).toEqual([GENERATED, 'ConfigMap/frontend-config']);
    const last = `${before} was deleted successfully`;
    await namespace.whenLogged(GENERATED, ({ msg }) => msg === last);
  });

  it('is never written, and its ConfigMonitor is deleted with it', async () => {
    const namespace = await annotated('cmon-annotated-gone');
    type Managed = Stored & {
      readonly metadata: { readonly managedFields?: readonly { readonly manager: string }[] };
    };
    const get = ['get', 'configmap', 'frontend-config', '--show-managed-fields', '-o', 'json'];
    const { metadata } = JSON.parse(await namespace.kubectl(get)) as Managed;
    const managers = metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toEqual(['kubectl-client-side-apply']);
    expect(metadata).not.toHaveProperty('finalizers');
    await namespace.kubectl(['delete', 'configmap', 'frontend-config']);
    await until('it is gone', async () => !(await namespace.exists('cmon', GENERATED)));
  });

  it('loses the ConfigMonitor with the annotation', async () => {
    const namespace = await annotated('cmon-annotation-off');
    await namespace.kubectl(['annotate', 'configmap', 'frontend-config', `${ANNOTATION}-`]);
    await until('it is gone', async () => !(await namespace.exists('cmon', GENERATED)));
    expect(await namespace.exists('configmap', 'frontend-config')).toBe(true);
  });

  it('says what is wrong with the annotation', async () => {
    const namespace = await annotated('cmon-annotation-bad');
    const bad = `${ANNOTATION}=app of (frontend)`;
    await namespace.kubectl(['annotate', 'configmap', 'frontend-config', bad, '--overwrite']);
    const { note, type } = await namespace.event('frontend-config', 'InvalidSelector');
    expect({ note, type }).toEqual({
      note: expect.stringContaining('at character 5: expected =') as string,
      type: 'Warning',
    });
  });
});
