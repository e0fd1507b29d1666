import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { OperatorError } from '../../src/core/reconcile/operator-error.ts';
import { buildObjectPath } from '../../src/kube/client/resource-path.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { createLivePods, createPodEvictor } from '../../src/kube/write/pods.ts';
import { createWorkloads } from '../../src/kube/write/workloads.ts';
import type { PodEvictor } from '../../src/pods/pod-ports.ts';
import type { WorkloadRef, Workloads } from '../../src/pods/workloads.ts';
import { connect, createNamespace, type KubeAccess, post, read } from './kube-access.ts';

const NAMESPACE = 'kube-pods';
const POD: ResourceKind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' };
const BUDGET: ResourceKind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
};
const containers = [{ name: 'app', image: 'nginx' }];

let kube: KubeAccess;
let evictor: PodEvictor;
let workloads: Workloads;
let name: string;
let count = 0;

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, NAMESPACE);
  evictor = createPodEvictor(kube.client, POD);
  workloads = createWorkloads(kube.client);
});

beforeEach(() => {
  name = `pod-${++count}`;
});

afterAll(() => kube.transport.close());

function patchStatus(kind: ResourceKind, object: KubeObject, status: object): Promise<unknown> {
  return kube.client.request({
    method: 'PATCH',
    path: buildObjectPath(kind, object, 'status'),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ status }),
  });
}

/** One that runs and is ready: budgets count no other. */
async function createPod(): Promise<KubeObject> {
  const metadata = { name, namespace: NAMESPACE, labels: { pod: name } };
  const draft = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
  await createAccount();
  await post(kube.client, POD, draft);
  const pod = await read<KubeObject>(kube.client, POD, draft);
  const conditions = [{ type: 'Ready', status: 'True' }];
  await patchStatus(POD, pod, { phase: 'Running', conditions });
  return pod;
}

/** Pods are refused until the namespace has its ServiceAccount, which here nobody makes. */
async function createAccount(): Promise<void> {
  const account = { metadata: { name: 'default', namespace: NAMESPACE } };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', ...account });
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await kube.client.request({ method: 'POST', path, body }).catch(() => {});
}

/** As the disruption controller keeps it, which does not run here. */
async function createBudget(suffix: string, disruptionsAllowed: number): Promise<void> {
  const metadata = { name: `${name}-${suffix}`, namespace: NAMESPACE };
  const spec = { maxUnavailable: disruptionsAllowed, selector: { matchLabels: { pod: name } } };
  const draft = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec };
  const budget = await post<KubeObject>(kube.client, BUDGET, draft);
  await patchStatus(BUDGET, budget, {
    observedGeneration: 1,
    disruptionsAllowed,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
  });
}

async function isThere(pod: KubeObject): Promise<boolean> {
  const live = await read<KubeObject>(kube.client, POD, pod).catch(() => undefined);
  return live?.metadata.uid === pod.metadata.uid && !live?.metadata.deletionTimestamp;
}

describe('the eviction of a pod by a real API server', () => {
  it('evicts it', async () => {
    const pod = await createPod();
    expect(await evictor.evict(pod, 'same')).toEqual({ kind: 'evicted' });
    expect(await isThere(pod)).toBe(false);
  });

  it('succeeds if the pod no longer exists', async () => {
    const pod = await createPod();
    await evictor.evict(pod, 'same');
    expect(await evictor.evict(pod, 'same')).toEqual({ kind: 'evicted' });
  });

  it.each(['evict', 'delete'] as const)('%s hits no other pod of the name', async (verb) => {
    const pod = await createPod();
    const uid = 'f5a3c1d0-0000-4000-8000-000000000000';
    const old = { ...pod, metadata: { ...pod.metadata, uid } };
    await expect(evictor[verb](old, 'same')).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await isThere(pod)).toBe(true);
  });

  it.each(['evict', 'delete'] as const)(
    '%s waits for the newest state of the pod',
    async (verb) => {
      const pod = await createPod();
      expect(await evictor[verb](pod, 'unchanged')).toEqual({ kind: 'changed' });
      expect(await isThere(pod)).toBe(true);
      const live = await read<KubeObject>(kube.client, POD, pod);
      expect(await evictor[verb](live, 'unchanged')).toEqual({ kind: 'evicted' });
      expect(await isThere(pod)).toBe(false);
      expect(await evictor[verb](live, 'unchanged')).toEqual({ kind: 'evicted' });
    },
  );

  it('is not asked of budgets where the pod is deleted', async () => {
    const pod = await createPod();
    await createBudget('a', 0);
    expect(await evictor.delete(pod, 'same')).toEqual({ kind: 'evicted' });
    expect(await isThere(pod)).toBe(false);
    expect(await evictor.delete(pod, 'same')).toEqual({ kind: 'evicted' });
  });

  it('succeeds if a budget allows it', async () => {
    const pod = await createPod();
    await createBudget('a', 1);
    expect(await evictor.evict(pod, 'same')).toEqual({ kind: 'evicted' });
  });

  it('is blocked by a budget without room, and the pod stays', async () => {
    const pod = await createPod();
    await createBudget('a', 0);
    expect(await evictor.evict(pod, 'same')).toEqual({
      kind: 'blocked',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    });
    expect(await isThere(pod)).toBe(true);
  });

  it('is never possible under two budgets', async () => {
    const pod = await createPod();
    await createBudget('a', 1);
    await createBudget('b', 1);
    expect(await evictor.evict(pod, 'same')).toEqual({
      kind: 'ambiguous',
      message: expect.stringContaining('more than one PodDisruptionBudget') as string,
    });
    expect(await isThere(pod)).toBe(true);
  });
});

describe('the live list of pods', () => {
  it('has those that have all the labels', async () => {
    const pod = await createPod();
    const live = createLivePods(kube.client, POD);
    const { signal } = new AbortController();
    expect(await live.uidsOf(NAMESPACE, { labelSelector: `pod=${name}` }, signal)).toEqual(
      new Set([pod.metadata.uid]),
    );
    expect(await live.uidsOf(NAMESPACE, { labelSelector: `pod=${name},app=x` }, signal)).toEqual(
      new Set(),
    );
  });
});

const template = { metadata: { labels: { app: 'x' } }, spec: { containers } };
const selector = { matchLabels: { app: 'x' } };

async function createWorkload(ref: WorkloadRef, spec: object): Promise<void> {
  const plural = `${ref.kind.toLowerCase()}s`;
  const kind: ResourceKind = { group: 'apps', version: 'v1', kind: ref.kind, plural };
  const metadata = { name: ref.name, namespace: NAMESPACE };
  const draft = { apiVersion: 'apps/v1', kind: ref.kind, metadata };
  await post(kube.client, kind, { ...draft, spec: { selector, template, ...spec } } as KubeObject);
}

describe('a workload in a real API server', () => {
  const at = '2026-01-02T03:04:05.678Z';

  it.each(['Deployment', 'ReplicaSet', 'StatefulSet'] as const)('%s is read', async (kind) => {
    const ref = { kind, namespace: NAMESPACE, name };
    await createWorkload(ref, { replicas: 3, minReadySeconds: 5 });
    expect(await workloads.read(ref)).toEqual({
      ...ref,
      uid: expect.stringMatching(/-/) as string,
      resourceVersion: expect.stringMatching(/^\d+$/) as string,
      desiredPods: 3,
      minReadySeconds: 5,
      followsTemplate: kind !== 'ReplicaSet',
      rollsFromOrdinal: 0,
      surges: kind === 'Deployment',
      isPaused: false,
    });
  });

  it('StatefulSet is read with the ordinal from which it rolls', async () => {
    const ref = { kind: 'StatefulSet', namespace: NAMESPACE, name } as const;
    const updateStrategy = { rollingUpdate: { partition: 2 } };
    await createWorkload(ref, { updateStrategy, ordinals: { start: 5 } });
    const ordinals = { firstOrdinal: 5, rollsFromOrdinal: 7 };
    expect(await workloads.read(ref)).toMatchObject(ordinals);
  });

  it.each([
    { rollingUpdate: { maxSurge: 1, maxUnavailable: '99%' }, surges: true },
    { rollingUpdate: { maxSurge: '1%', maxUnavailable: 0 }, surges: true },
    { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 }, surges: false },
    { rollingUpdate: { maxSurge: 1, maxUnavailable: '100%' }, surges: false },
    { rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' }, surges: false },
    { type: 'Recreate', surges: false },
  ])('Deployment replaces its only pod without a gap: $surges', async ({ surges, ...strategy }) => {
    const ref = { kind: 'Deployment', namespace: NAMESPACE, name } as const;
    await createWorkload(ref, { replicas: 1, strategy });
    expect(await workloads.read(ref)).toMatchObject({ surges });
  });

  it.each([
    { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, surges: true },
    { rollingUpdate: { maxUnavailable: 1 }, surges: false },
  ])('DaemonSet replaces the pod of a node without a gap: $surges', async (of) => {
    const { surges, rollingUpdate } = of;
    const ref = { kind: 'DaemonSet', namespace: NAMESPACE, name } as const;
    await createWorkload(ref, { updateStrategy: { rollingUpdate } });
    expect(await workloads.read(ref)).toMatchObject({ surges });
  });

  it.each(['StatefulSet', 'DaemonSet'] as const)('%s may wait for its pods', async (kind) => {
    const ref = { kind, namespace: NAMESPACE, name };
    await createWorkload(ref, { updateStrategy: { type: 'OnDelete' } });
    expect(await workloads.read(ref)).toMatchObject({ followsTemplate: false });
  });

  it.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)('%s is restarted', async (kind) => {
    const ref = { kind, namespace: NAMESPACE, name };
    await createWorkload(ref, {});
    const workload = await workloads.read(ref);
    if (workload === undefined) throw new Error('it is not there');
    await workloads.restart(workload, at);
    const { resourceVersion: _before, ...kept } = workload;
    expect(await workloads.read(ref)).toMatchObject({ ...kept, restartedAt: at });
    // Of two who have read the same state one restarts it.
    await expect(workloads.restart(workload, '2026-01-02T03:04:06.000Z')).rejects.toMatchObject({
      reason: 'Conflict',
      healedBy: 'time',
    });
    expect(await workloads.read(ref)).toMatchObject({ restartedAt: at });
  });

  it.each(['albridge', 'albridge-restart'])(
    'stays restarted under the name %s when the WebApp that owns it is edited',
    async (fieldManager) => {
      const kind: ResourceKind = {
        ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
      };
      const writer = createChildWriter(kube.client, [kind]);
      const ref = { kind: 'Deployment', namespace: NAMESPACE, name } as const;
      const metadata = { name, namespace: NAMESPACE };
      const child = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
      const created = await writer.create({ ...child, spec: { selector, template } } as KubeObject);
      const annotations = { 'kubectl.kubernetes.io/restartedAt': at };
      await kube.client.request({
        method: 'PATCH',
        path: buildObjectPath(kind, child),
        query: { fieldManager },
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ spec: { template: { metadata: { annotations } } } }),
      });
      const { uid } = created?.metadata ?? {};
      for (const replicas of [3, 4]) {
        const spec = { selector, template, replicas };
        await writer.apply({ ...child, metadata: { ...metadata, uid }, spec } as KubeObject, []);
        expect(await workloads.read(ref)).toMatchObject({ desiredPods: replicas, restartedAt: at });
      }
    },
  );

  it('is restarted under a name that applies nothing', async () => {
    const ref = { kind: 'Deployment', namespace: NAMESPACE, name } as const;
    await createWorkload(ref, {});
    const workload = await workloads.read(ref);
    if (workload === undefined) throw new Error('it is not there');
    await workloads.restart(workload, at);
    const kind: ResourceKind = {
      ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
    };
    const { metadata } = await read<KubeObject>(kube.client, kind, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: NAMESPACE } },
    });
    type Managed = { readonly managedFields?: readonly { readonly manager: string }[] };
    const managers = (metadata as Managed).managedFields?.map(({ manager }) => manager);
    expect(managers).toContain('albridge-restart');
  });

  it('says when a Deployment is paused', async () => {
    const ref = { kind: 'Deployment', namespace: NAMESPACE, name } as const;
    await createWorkload(ref, { paused: true });
    expect(await workloads.read(ref)).toMatchObject({ isPaused: true });
  });

  it('may not be there', async () => {
    const ref = { kind: 'Deployment', namespace: NAMESPACE, name: 'no-such' } as const;
    expect(await workloads.read(ref)).toBeUndefined();
  });

  it('is not restarted where another one has taken its name', async () => {
    const ref = { kind: 'Deployment', namespace: NAMESPACE, name } as const;
    await createWorkload(ref, {});
    const workload = await workloads.read(ref);
    if (workload === undefined) throw new Error('it is not there');
    const old = { ...workload, uid: 'f5a3c1d0-0000-4000-8000-000000000000' };
    await expect(workloads.restart(old, at)).rejects.toBeInstanceOf(OperatorError);
    expect(await workloads.read(ref)).toEqual(workload);
  });
});
