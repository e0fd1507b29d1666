import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { podKind } from '../../src/kube/client/built-in-kinds.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { buildObjectPath } from '../../src/kube/client/resource-path.ts';
import { createPodConditionWriter } from '../../src/kube/write/pods.ts';
import { GATE_LABELS, READINESS_GATE } from '../../src/pods/pod.ts';
import type { PodConditionDraft } from '../../src/pods/pod-ports.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { until } from '../surroundings/until.ts';
import { connect, type KubeAccess, post, read } from './kube-access.ts';

const COMPONENT = resolve(import.meta.dirname, '../../deploy/components/readiness-gates');
const GATED = 'gates-on';
const PLAIN = 'gates-off';

interface Pod extends KubeObject {
  readonly spec: { readonly readinessGates?: readonly { readonly conditionType: string }[] };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const SERVICE_ACCOUNT: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};
const NAMESPACE: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
};

const cluster = accessCluster(inject('controlPlane'));
let kube: KubeAccess;
let operator: KubeAccess;
let count = 0;

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  const enabled = { 'albridge.io/readiness-gates': 'enabled' };
  await createNamespace(GATED, enabled);
  await createNamespace(PLAIN, {});
  await createNamespace('albridge-system', {});
  for (const file of ['rights.yaml', 'policy.yaml', 'operator/policy.yaml']) {
    await kubectlOrThrow(cluster, ['apply', '--server-side', '-f', resolve(COMPONENT, file)]);
  }
  const account = { namespace: 'albridge-system', name: 'albridge' };
  await post(kube.client, SERVICE_ACCOUNT, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: account,
  });
  const { namespace, name } = account;
  operator = connect(await cluster.serviceAccountKubeconfig(namespace, name));
  await until('the policy gives pods the gate', async () => gatesOf(await createPod(GATED)) === 1);
});

afterAll(() => {
  void kube.transport.close();
  void operator.transport.close();
});

async function createNamespace(
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await post(kube.client, NAMESPACE, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
  const metadata = { name: 'default', namespace: name };
  await post(kube.client, SERVICE_ACCOUNT, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
}

function createPod(namespace: string, more: object = {}, labels?: object): Promise<Pod> {
  const metadata = { name: `pod-${++count}`, namespace, ...(labels && { labels }) };
  const spec = { containers: [{ name: 'app', image: 'nginx' }], ...more };
  return post<Pod>(kube.client, podKind, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec,
  } as never);
}

function gatesOf({ spec }: Pod): number {
  return (spec.readinessGates ?? []).filter((one) => one.conditionType === READINESS_GATE).length;
}

describe('the admission policy', () => {
  it('gives a pod the gate and the label, once', async () => {
    const pod = await createPod(GATED);
    expect(pod.spec.readinessGates).toEqual([{ conditionType: READINESS_GATE }]);
    expect(pod.metadata.labels).toEqual(GATE_LABELS);
  });

  it('leaves what a pod has', async () => {
    const other = { readinessGates: [{ conditionType: 'other.example.com/gate' }] };
    const pod = await createPod(GATED, other, { app: 'shop' });
    expect(pod.spec.readinessGates).toEqual([
      ...other.readinessGates,
      { conditionType: READINESS_GATE },
    ]);
    expect(pod.metadata.labels).toEqual({ app: 'shop', ...GATE_LABELS });
  });

  it('gives a gate that a person wrote the label, and no second gate', async () => {
    const pod = await createPod(GATED, { readinessGates: [{ conditionType: READINESS_GATE }] });
    expect(gatesOf(pod)).toBe(1);
    expect(pod.metadata.labels).toEqual(GATE_LABELS);
    const whole = await createPod(
      GATED,
      { readinessGates: [{ conditionType: READINESS_GATE }] },
      GATE_LABELS,
    );
    expect(gatesOf(whole)).toBe(1);
  });

  it('touches no pod of another namespace', async () => {
    const pod = await createPod(PLAIN);
    expect(pod.spec.readinessGates).toBeUndefined();
    expect(pod.metadata.labels).toBeUndefined();
  });

  it('lets pods through where it fails, without the gate', async () => {
    const text = await readFile(resolve(COMPONENT, 'policy.yaml'), 'utf8');
    const [policy, binding] = parseAllDocuments(text).map((one) => one.toJS());
    const name = 'albridge-readiness-gates-broken';
    policy.metadata.name = name;
    policy.spec.matchConstraints.namespaceSelector.matchLabels = { broken: 'yes' };
    policy.spec.mutations[0].jsonPatch.expression =
      "[JSONPatch{op: 'add', path: '/spec/nowhere/' + object.spec.nodeName, value: 'x'}]";
    binding.metadata.name = name;
    binding.spec.policyName = name;
    for (const object of [policy, binding]) {
      await kubectlOrThrow(cluster, ['apply', '-f', '-'], JSON.stringify(object));
    }
    await createNamespace('gates-broken', { broken: 'yes' });
    // It is in force once the same policy with failurePolicy Fail refuses.
    const failing = { ...policy, spec: { ...policy.spec, failurePolicy: 'Fail' } };
    await kubectlOrThrow(cluster, ['apply', '-f', '-'], JSON.stringify(failing));
    await until('it refuses', () =>
      createPod('gates-broken').then(
        () => false,
        () => true,
      ),
    );
    await kubectlOrThrow(cluster, ['apply', '-f', '-'], JSON.stringify(policy));
    const pod = await until('it lets through', () =>
      createPod('gates-broken').catch(() => undefined),
    );
    expect(pod.spec.readinessGates).toBeUndefined();
  });
});

const OPEN: PodConditionDraft = {
  ...{ type: READINESS_GATE, status: 'True', reason: 'Healthy', message: 'healthy' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

function patchStatus(client: KubeClient, pod: Pod, patch: object): Promise<unknown> {
  return client.request({
    method: 'PATCH',
    path: buildObjectPath(podKind, pod, 'status'),
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: JSON.stringify(patch),
  });
}

describe('the condition of a pod, written with the shipped rights', () => {
  it('stands next to those of the kubelet, and stays when it writes again', async () => {
    const pod = await createPod(GATED);
    const kubelet = (status: string): object => ({
      status: { podIP: '10.0.0.4', conditions: [{ type: 'ContainersReady', status }] },
    });
    await patchStatus(kube.client, pod, kubelet('False'));
    const version = await createPodConditionWriter(operator.client, podKind).apply(pod, OPEN);
    const written = await read<Pod>(kube.client, podKind, pod);
    expect(version).toBe(written.metadata.resourceVersion);
    await patchStatus(kube.client, pod, kubelet('True'));
    const { status } = await read<Pod>(kube.client, podKind, pod);
    expect(status.podIP).toBe('10.0.0.4');
    expect(status.conditions?.map((one) => `${one.type} ${one.status}`).toSorted()).toEqual([
      'ContainersReady True',
      `${READINESS_GATE} True`,
    ]);
  });

  it('is not written into a pod that is gone, or that another has taken the name of', async () => {
    const pod = await createPod(GATED);
    const { apply } = createPodConditionWriter(kube.client, podKind);
    const other = { ...pod, metadata: { ...pod.metadata, uid: crypto.randomUUID() } };
    expect(await apply(other, OPEN)).toBeUndefined();
    const gone = { ...pod, metadata: { ...pod.metadata, name: 'gone' } };
    expect(await apply(gone, OPEN)).toBeUndefined();
    expect((await read<Pod>(kube.client, podKind, pod)).status.conditions).toBeUndefined();
  });

  const stolen: Readonly<Record<string, { patch: object; refusal: RegExp }>> = {
    'the address of a pod': {
      patch: { status: { podIP: '10.9.9.9' } },
      refusal: /no status of a pod but its conditions/,
    },
    'that a pod is Ready': {
      patch: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      refusal: /no condition of a pod but that of its readiness gate/,
    },
    'that a gate is closed': {
      patch: { status: { conditions: [{ type: READINESS_GATE, status: 'False' }] } },
      refusal: /opens readiness gates and closes none/,
    },
    'labels of a pod': {
      patch: { metadata: { labels: { app: 'other' } } },
      refusal: /no metadata of a pod with its status/,
    },
  };
  it.each(Object.entries(stolen))(
    'is all that the rights are good for: not %s',
    async (_, write) => {
      const pod = await createPod(GATED);
      await until('the policy is in force', async () => {
        const error = await patchStatus(operator.client, pod, write.patch).catch((one) => one);
        return error instanceof KubeError && write.refusal.test(error.message);
      });
    },
  );
});
