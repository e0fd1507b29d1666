import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { FleetController } from './fleet-controller.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';
import { PodWatch } from './pod-watch.ts';

const place = new SharedPlace();
const watches: PodWatch[] = [];
const fleets: FleetController[] = [];
afterAll(async () => {
  await Promise.all(fleets.map((fleet) => fleet.stop()));
  for (const watch of watches) watch.close();
});

/** One row of the table of workloads in docs/configmonitor.md each. */
const LABELS = { app: 'frontend' };
const TEMPLATE = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'c', image: 'x' }] },
};
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

type Kind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet';

interface Row {
  readonly kind: Kind;
  /** On top of selector and template. */
  readonly workload: object;
  readonly pods: number;
  /** Of the ConfigMonitor. */
  readonly spec: object;
}

/** A workload whose pods are ready, and a ConfigMonitor that has seen its ConfigMap. */
async function running(prefix: string, { kind, workload, pods, spec }: Row): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  const of = { selector: { matchLabels: LABELS }, template: TEMPLATE, ...workload };
  await namespace.apply({ apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec: of });
  await whenReadyPods(namespace, pods);
  await monitor(namespace, spec);
  return namespace;
}

async function monitor(namespace: Namespace, spec: object): Promise<void> {
  await configure(namespace, 'one');
  await namespace.apply({
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name: 'web' },
    spec: { configMap: 'settings', podSelector: LABELS, minReadySeconds: 1, ...spec },
  });
  await namespace.whenReady('cmon', 'web');
}

function configure(namespace: Namespace, text: string): Promise<string> {
  const [metadata, data] = [{ name: 'settings' }, { text }];
  return namespace.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

async function whenReadyPods(namespace: Namespace, pods: number): Promise<void> {
  await until(`${pods} ready pods`, async () => {
    const all = await namespace.list('pods', '-l', 'app=frontend');
    return all.length === pods && all.every((pod) => conditionOf(pod, 'Ready')?.status === 'True');
  });
}

async function uids(namespace: Namespace): Promise<readonly (string | undefined)[]> {
  return (await namespace.list('pods')).map(({ metadata }) => metadata.uid);
}

function whenRestarted(namespace: Namespace): Promise<Stored> {
  return namespace.when('cmon', 'web', (object) => {
    const isReady = conditionOf(object, 'Ready')?.status === 'True';
    return object.status?.['restarts'] === 1 && isReady;
  });
}

/** Edits the data, and expects in the end that each pod is another one. */
async function restart(namespace: Namespace): Promise<void> {
  const before = await uids(namespace);
  await configure(namespace, 'two');
  const { status } = await whenRestarted(namespace);
  const count = before.length;
  expect(status).toMatchObject({ progress: `${count}/${count}` });
  await whenReadyPods(namespace, count);
  expect((await uids(namespace)).filter((uid) => before.includes(uid))).toEqual([]);
}

/** Names of the pods that were evicted, in their order. */
async function evictions(namespace: Namespace): Promise<readonly string[]> {
  const said = / was deleted successfully$/;
  const lines = await namespace.whenLogged('web', ({ msg }) => msg === 'Restarted pods');
  return lines
    .map(({ msg }) => msg)
    .filter((msg) => said.test(msg))
    .map((msg) => msg.split(' ')[0] ?? '');
}

async function isTemplateRestarted(namespace: Namespace, kind: Kind): Promise<boolean> {
  const { spec } = await namespace.get(kind.toLowerCase(), 'web');
  return JSON.stringify(spec?.['template']).includes(RESTARTED_AT);
}

async function watch(namespace: Namespace, pods: number): Promise<PodWatch> {
  const started = new PodWatch(place.cluster, namespace.name);
  watches.push(started);
  await started.count(pods);
  return started;
}

describe('a StatefulSet', { concurrent: true }, () => {
  const kind = 'StatefulSet';

  it('is evicted one pod after the other, from the highest ordinal down', async () => {
    const spec = { strategy: 'Evict' };
    const namespace = await running('row-sts', { kind, workload: { replicas: 3 }, pods: 3, spec });
    const pods = await watch(namespace, 3);
    await restart(namespace);
    expect(await evictions(namespace)).toEqual(['web-2', 'web-1', 'web-0']);
    expect(pods.fewestReady).toBe(2);
  });

  it('rolls by its template, one pod after the other', async () => {
    const spec = { strategy: 'Auto' };
    const workload = { replicas: 3 };
    const namespace = await running('row-sts-auto', { kind, workload, pods: 3, spec });
    const pods = await watch(namespace, 3);
    await restart(namespace);
    expect(await isTemplateRestarted(namespace, kind)).toBe(true);
    expect(await evictions(namespace)).toEqual([]);
    expect(pods.fewestReady).toBe(2);
  });

  it('with OnDelete is evicted, and its template stays', async () => {
    const workload = { replicas: 2, updateStrategy: { type: 'OnDelete' } };
    const spec = { strategy: 'Auto' };
    const namespace = await running('row-ondelete', { kind, workload, pods: 2, spec });
    await restart(namespace);
    expect(await evictions(namespace)).toEqual(['web-1', 'web-0']);
    expect(await isTemplateRestarted(namespace, kind)).toBe(false);
  });
});

describe('a DaemonSet', { concurrent: true }, () => {
  const kind = 'DaemonSet';

  it('rolls by its template, within its own maxUnavailable', async () => {
    const workload = { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } };
    const spec = { strategy: 'Auto' };
    const namespace = await running('row-ds', { kind, workload, pods: 4, spec });
    const pods = await watch(namespace, 4);
    await restart(namespace);
    expect(await isTemplateRestarted(namespace, kind)).toBe(true);
    expect(pods.fewestReady).toBe(3);
  });

  it('with maxSurge starts the new pod of a node first', async () => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    const workload = { updateStrategy: { rollingUpdate } };
    const spec = { strategy: 'Auto' };
    const namespace = await running('row-ds-surge', { kind, workload, pods: 4, spec });
    const pods = await watch(namespace, 4);
    await restart(namespace);
    expect(pods.fewestReady).toBeGreaterThanOrEqual(4);
  });

  it('is evicted a quarter at a time', async () => {
    const spec = { strategy: 'Evict' };
    const namespace = await running('row-ds-evict', { kind, workload: {}, pods: 4, spec });
    const pods = await watch(namespace, 4);
    await restart(namespace);
    expect(await evictions(namespace)).toHaveLength(4);
    expect(pods.fewestReady).toBe(3);
    expect(await isTemplateRestarted(namespace, kind)).toBe(false);
  });
});

describe('pods that do not follow a template', { concurrent: true }, () => {
  const onDelete = { updateStrategy: { type: 'OnDelete' } };

  it.each<readonly [Kind, string, object]>([
    ['DaemonSet', 'row-ds-ondelete', onDelete],
    ['ReplicaSet', 'row-rs', { replicas: 4 }],
  ])('of a %s are evicted a quarter at a time', async (kind, prefix, workload) => {
    const namespace = await running(prefix, {
      kind,
      workload,
      pods: 4,
      spec: { strategy: 'Auto' },
    });
    const pods = await watch(namespace, 4);
    await restart(namespace);
    expect(await evictions(namespace)).toHaveLength(4);
    expect(pods.fewestReady).toBe(3);
    expect(await isTemplateRestarted(namespace, kind)).toBe(false);
  });
});

describe('a Deployment', { concurrent: true }, () => {
  const kind = 'Deployment';
  const spec = { strategy: 'Auto' };

  it('with Recreate is rolled by its template, all pods at once, which a single one is warned about', async () => {
    const workload = { replicas: 1, strategy: { type: 'Recreate' } };
    const namespace = await running('row-recreate', { kind, workload, pods: 1, spec });
    const pods = await watch(namespace, 1);
    await restart(namespace);
    expect(pods.fewestReady).toBe(0);
    expect(await isTemplateRestarted(namespace, kind)).toBe(true);
    const { note, type } = await namespace.event('web', 'SingleReplica');
    expect({ note, type }).toEqual({
      note: 'Deployment/web has one replica: it is unavailable for the restart; use two replicas to avoid that',
      type: 'Warning',
    });
  });

  it('with one replica is evicted, after a warning that names the way without a gap', async () => {
    const workload = { replicas: 1 };
    const namespace = await running('row-single', {
      ...{ kind, workload, pods: 1 },
      spec: { strategy: 'Evict' },
    });
    await restart(namespace);
    const { note } = await namespace.event('web', 'SingleReplica');
    expect(note).toContain('or strategy Auto, which starts the new pod first');
  });

  it('with one replica that surges never lacks it, and there is no warning', async () => {
    const namespace = await running('row-surge', {
      kind,
      workload: { replicas: 1 },
      pods: 1,
      spec,
    });
    const pods = await watch(namespace, 1);
    await restart(namespace);
    expect(pods.fewestReady).toBe(1);
    const told = await namespace.whenTold('web', ['RestartComplete']);
    expect(told).not.toContain('SingleReplica');
  });

  it('that is paused is left alone and named, and restarts when it is resumed', async () => {
    const workload = { replicas: 2 };
    const namespace = await running('row-paused', {
      ...{ kind, workload, pods: 2 },
      spec: { strategy: 'Rollout' },
    });
    await namespace.kubectl(['rollout', 'pause', 'deployment/web']);
    const before = await uids(namespace);
    await configure(namespace, 'two');
    const { status } = await namespace.when('cmon', 'web', (object) => {
      return conditionOf(object, 'Stalled')?.reason === 'WorkloadPaused';
    });
    expect(status).toMatchObject({ progress: '0/2' });
    expect(await uids(namespace)).toEqual(before);
    await namespace.kubectl(['rollout', 'resume', 'deployment/web']);
    await whenRestarted(namespace);
    await whenReadyPods(namespace, 2);
    expect((await uids(namespace)).filter((uid) => before.includes(uid))).toEqual([]);
  });

  it('that is paused is evicted with Auto, and its ReplicaSet starts the new pods', async () => {
    const namespace = await running('row-auto-paused', {
      ...{ kind, workload: { replicas: 2 }, pods: 2, spec },
    });
    await namespace.kubectl(['rollout', 'pause', 'deployment/web']);
    await restart(namespace);
    expect(await evictions(namespace)).toHaveLength(2);
    expect(await isTemplateRestarted(namespace, kind)).toBe(false);
  });

  it('and its ConfigMap have events of the restart, one when it begins and one when it ends', async () => {
    const workload = { replicas: 4 };
    const namespace = await running('row-events', { kind, workload, pods: 4, spec });
    await restart(namespace);
    expect(await namespace.whenTold('settings', ['RestartComplete'])).toEqual([
      'RestartComplete',
      'RestartStarted',
    ]);
    const described = await namespace.kubectl(['describe', 'deployment', 'web']);
    const line = 'ConfigMonitor web: restarted pods for new data of ConfigMap/settings';
    expect(described.split(line)).toHaveLength(2);
  });
});

describe('an owner of a custom kind', () => {
  it('is evicted a quarter at a time, as its controller replaces the pods', async () => {
    const namespace = await place.createNamespace('row-custom');
    const controller = new FleetController(namespace, LABELS, 4);
    fleets.push(controller);
    await controller.start('shop');
    await whenReadyPods(namespace, 4);
    await monitor(namespace, { strategy: 'Auto' });
    const pods = await watch(namespace, 4);
    await restart(namespace);
    expect(await evictions(namespace)).toHaveLength(4);
    expect(pods.fewestReady).toBe(3);
    const told = await namespace.whenTold('shop', ['RestartComplete']);
    expect(told).toEqual(['RestartComplete', 'RestartStarted']);
  });
});

describe('pods that no workload would replace', () => {
  it('of a Job, and those without a controller, stay', async () => {
    const namespace = await place.createNamespace('row-bare');
    const spec = { containers: TEMPLATE.spec.containers };
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', labels: LABELS },
      spec,
    });
    await namespace.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template: { ...TEMPLATE, spec: { ...spec, restartPolicy: 'Never' } } },
    });
    await whenReadyPods(namespace, 2);
    const before = await uids(namespace);
    const of = { selector: { matchLabels: { ...LABELS, tier: 'web' } }, replicas: 2 };
    const template = { ...TEMPLATE, metadata: { labels: { ...LABELS, tier: 'web' } } };
    await namespace.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { ...of, template },
    });
    await whenReadyPods(namespace, 4);
    await monitor(namespace, { strategy: 'Evict' });
    await configure(namespace, 'two');
    const { status } = await whenRestarted(namespace);
    expect(status).toMatchObject({ matchedPods: 2, progress: '2/2' });
    const after = await uids(namespace);
    expect(before.filter((uid) => after.includes(uid))).toEqual(before);
  });
});
