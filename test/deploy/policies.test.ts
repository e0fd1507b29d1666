import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../control-plane/run-command.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace, ROOT } from './place.ts';

/** What RBAC and the shipped policies leave to a stolen token of the operator, and to a tenant. */

let place: DeployPlace;
let token: string;

const TEAM = 'team';
const OWN = ['albridge-system', 'albridge'] as const;

beforeAll(async () => {
  place = await DeployPlace.start();
  await place.createNamespace(TEAM);
});
afterAll(() => place?.stop());

interface Write {
  readonly why: string;
  /** For kubectl, with the namespace. */
  readonly args: readonly string[];
  readonly manifest?: object;
  readonly refusal: RegExp;
}

function asThief({ args, manifest }: Pick<Write, 'args' | 'manifest'>): Promise<CommandResult> {
  const input = manifest === undefined ? {} : { input: JSON.stringify(manifest) };
  return place.cluster.kubectl(args, { kubeconfigPath: token, ...input });
}

/** A policy is in force some moments after it was applied; until then a dry run shows nothing. */
async function expectRefused(write: Write): Promise<void> {
  const dry = { ...write, args: [...write.args, '--dry-run=server'] };
  const dryRun = write.args.includes('--raw') ? write : dry;
  const refused = async (): Promise<boolean> => write.refusal.test((await asThief(dryRun)).stderr);
  await until(`refusal ${write.refusal}`, refused).catch(async (error: Error) => {
    throw new Error(`${error.message}; ${JSON.stringify(await asThief(dryRun))}`);
  });
  const { code, stderr } = await asThief(write);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(write.refusal);
}

const POD_SPEC = {
  automountServiceAccountToken: false,
  containers: [{ name: 'app', image: 'nginx:1' }],
};
const LABELS = { app: 'shop' };

function ownedBy(apiVersion: string, kind: string, uid = 'stolen'): object {
  return { apiVersion, kind, name: 'shop', uid, controller: true };
}

const IMMORTAL = ownedBy('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer');
const WEB_APP = ownedBy('apps.example.com/v1', 'WebApp');

function pod(spec: object, namespace = TEAM, owner = IMMORTAL): Pick<Write, 'args' | 'manifest'> {
  const metadata = { name: 'stolen', ownerReferences: [owner] };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...POD_SPEC, ...spec } };
  return { args: ['-n', namespace, 'create', '-f', '-'], manifest };
}

function container(more: object): object {
  return { containers: [{ name: 'app', image: 'nginx:1', ...more }] };
}

function patch(what: string, change: object, namespace = TEAM): Pick<Write, 'args'> {
  const merge = ['--type=merge', '-p', JSON.stringify(change)];
  return { args: ['-n', namespace, 'patch', ...what.split(' '), ...merge] };
}

const template = (spec: object): object => ({ spec: { template: { spec } } });

/** Objects of others, which the token finds. */
async function createVictims(): Promise<void> {
  const workload = (kind: string, ownerReferences: readonly object[] = []): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: ownerReferences.length > 0 ? 'owned' : 'others', ownerReferences },
    spec: {
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: POD_SPEC },
    },
  });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'others' },
    spec: { selector: LABELS, ports: [{ port: 80 }] },
  };
  const lonely = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'others' }, spec: POD_SPEC };
  await place.kubectl(['-n', TEAM, 'create', 'serviceaccount', 'rich']);
  const own = { ...WEB_APP, uid: await createWebApp() };
  const team = [
    workload('Deployment'),
    workload('StatefulSet'),
    workload('DaemonSet'),
    workload('Deployment', [own]),
    { ...service, metadata: { name: 'owned', ownerReferences: [own] } },
    service,
    lonely,
  ];
  const ingress = {
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: { name: 'shop' },
    spec: { subnets: ['subnet-abc', 'subnet-def'] },
  };
  for (const one of [...team, ingress])
    await place.kubectl(['-n', TEAM, 'create', '-f', '-'], JSON.stringify(one));
  const system = ['-n', 'kube-system', 'create', '-f', '-'];
  await place.kubectl(system, JSON.stringify(lonely));
}

/** So that the garbage collector leaves its children. No operator runs here. */
async function createWebApp(): Promise<string> {
  const metadata = { name: 'shop' };
  const app = { apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata, spec: { image: 'a' } };
  const create = ['-n', TEAM, 'create', '-f', '-', '-o', 'jsonpath={.metadata.uid}'];
  return place.kubectl(create, JSON.stringify(app));
}

const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  ...container({
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  }),
};

/** Refused by RBAC or by a policy, whichever comes first. */
const REFUSED: Readonly<Record<string, () => Write>> = {
  'creates a privileged pod with host PID and host path in kube-system': () => ({
    why: 'security.md S2: in effect cluster-admin',
    ...pod(
      {
        hostPID: true,
        ...container({ securityContext: { privileged: true } }),
        volumes: [{ name: 'root', hostPath: { path: '/' } }],
      },
      'kube-system',
    ),
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'swaps the image of a pod in kube-system': () => ({
    why: 'security.md S2: the pod keeps its ServiceAccount',
    args: ['-n', 'kube-system', 'set', 'image', 'pod/others', 'app=evil'],
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'moves a Deployment to the host network': () => ({
    why: 'security.md S2',
    ...patch('deployment others', template({ hostNetwork: true })),
    refusal: /workloads that are not of a WebApp/,
  }),
  'gives a Service an external address': () => ({
    why: 'security.md S2: takes the traffic to that address',
    ...patch('service others', { spec: { externalIPs: ['192.0.2.1'] } }),
    refusal: /only Services of a WebApp/,
  }),
  'creates a pod with host PID': () => ({
    why: 'a way to the node',
    ...pod({ hostPID: true }),
    refusal: /no host namespace/,
  }),
  'creates a pod with a host path': () => ({
    why: 'a way to the node',
    ...pod({ volumes: [{ name: 'root', hostPath: { path: '/' } }] }),
    refusal: /no volume but emptyDir/,
  }),
  'creates a pod with a Secret as a volume': () => ({
    why: 'no right on Secrets must mean that none is read',
    ...pod({ volumes: [{ name: 'theirs', secret: { secretName: 'theirs' } }] }),
    refusal: /no volume but emptyDir/,
  }),
  'creates a pod with a Secret in its environment': () => ({
    why: 'the same',
    ...pod(container({ envFrom: [{ secretRef: { name: 'theirs' } }] })),
    refusal: /no Secret and no ConfigMap/,
  }),
  'creates a pod with one key of a Secret in its environment': () => ({
    why: 'the same',
    ...pod(
      container({
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'theirs', key: 'a' } } }],
      }),
    ),
    refusal: /no Secret and no ConfigMap/,
  }),
  'creates a privileged pod': () => ({
    why: 'a way to the node',
    ...pod(container({ securityContext: { privileged: true } })),
    refusal: /no privileged container/,
  }),
  'creates a pod with a privileged init container': () => ({
    why: 'the same, by another list',
    ...pod({
      initContainers: [{ name: 'i', image: 'nginx:1', securityContext: { privileged: true } }],
    }),
    refusal: /no privileged container/,
  }),
  'creates a pod with another capability': () => ({
    why: 'SYS_ADMIN is root on the node',
    ...pod(container({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })),
    refusal: /no capability/,
  }),
  'creates a pod with a host port': () => ({
    why: 'listens in place of the node',
    ...pod(container({ ports: [{ containerPort: 80, hostPort: 80 }] })),
    refusal: /no host port/,
  }),
  'creates a Windows host process': () => ({
    why: 'a way to the node',
    ...pod({
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'x' } },
    }),
    refusal: /no Windows host process|no host namespace/,
  }),
  'creates a pod with the ServiceAccount of others': () => ({
    why: 'would have its rights',
    ...pod({ serviceAccountName: 'rich' }),
    refusal: /no ServiceAccount but the default one/,
  }),
  'creates a pod with a token': () => ({
    why: 'the default ServiceAccount may have rights as well',
    ...pod({ automountServiceAccountToken: true }),
    refusal: /no volume but emptyDir/,
  }),
  'creates a pod that no kind of ours wants': () => ({
    why: 'the garbage collector removes a pod whose owner is not there',
    ...pod({}, TEAM, ownedBy('v1', 'ConfigMap')),
    refusal: /only pods of an ImmortalContainer or a MyApp/,
  }),
  'swaps the image of the pod of others': () => ({
    why: 'the pod keeps its ServiceAccount and its volumes',
    args: ['-n', TEAM, 'set', 'image', 'pod/others', 'app=evil'],
    refusal: /only pods of an ImmortalContainer or a MyApp/,
  }),
  'labels the pod of others': () => ({
    why: 'a Service would send it traffic',
    ...patch('pod others', { metadata: { labels: { app: 'shop' } } }),
    refusal: /only pods of an ImmortalContainer or a MyApp/,
  }),
  'takes the pod of others for an own one': () => ({
    why: 'what the pod was before the write decides',
    ...patch('pod others', { metadata: { ownerReferences: [IMMORTAL] } }),
    refusal: /only pods of an ImmortalContainer or a MyApp/,
  }),
  'swaps the image of the Deployment of others': () => ({
    why: 'the pods keep their ServiceAccount and their volumes',
    ...patch('deployment others', template({ containers: [{ name: 'app', image: 'evil' }] })),
    refusal: /workloads that are not of a WebApp/,
  }),
  'stops the Deployment of others': () => ({
    why: 'the right is for restarts',
    ...patch('deployment others', { spec: { replicas: 0 } }),
    refusal: /workloads that are not of a WebApp/,
  }),
  'swaps the image of a StatefulSet': () => ({
    why: 'the same',
    ...patch('statefulset others', template({ containers: [{ name: 'app', image: 'evil' }] })),
    refusal: /workloads that are not of a WebApp/,
  }),
  'annotates the pods of a DaemonSet': () => ({
    why: 'an annotation can be a setting, such as one of AppArmor or a sidecar',
    ...patch('daemonset others', {
      spec: { template: { metadata: { annotations: { 'sidecar.istio.io/inject': 'false' } } } },
    }),
    refusal: /workloads that are not of a WebApp/,
  }),
  'labels the Deployment of others': () => ({
    why: 'others select by labels',
    ...patch('deployment others', { metadata: { labels: { team: 'x' } } }),
    refusal: /workloads that are not of a WebApp/,
  }),
  'moves the Deployment of a WebApp to the host network': () => ({
    why: 'albridge makes such Deployments, but never so',
    ...patch('deployment owned', template({ hostNetwork: true })),
    refusal: /no host namespace/,
  }),
  'gives a token to the pods of a WebApp': () => ({
    why: 'the default ServiceAccount may have rights as well',
    ...patch('deployment owned', template({ automountServiceAccountToken: true })),
    refusal: /no token of a ServiceAccount/,
  }),
  'adds a Secret to the Deployment of a WebApp': () => ({
    why: 'no right on Secrets must mean that none is read',
    ...patch(
      'deployment owned',
      template({ volumes: [{ name: 'theirs', secret: { secretName: 'theirs' } }] }),
    ),
    refusal: /no volume but emptyDir/,
  }),
  'creates a Deployment without a WebApp': () => ({
    why: 'it would make pods for ever',
    args: ['-n', TEAM, 'create', 'deployment', 'stolen', '--image=evil'],
    refusal: /workloads that are not of a WebApp/,
  }),
  'gives the Service of a WebApp an external address': () => ({
    why: 'takes the traffic to that address',
    ...patch('service owned', { spec: { externalIPs: ['192.0.2.1'] } }),
    refusal: /no external address/,
  }),
  'opens the Service of a WebApp to the internet': () => ({
    why: 'costs money, and nobody asked for it',
    ...patch('service owned', { spec: { type: 'LoadBalancer' } }),
    refusal: /does not set the type/,
  }),
  'evicts a pod of kube-system': () => ({
    why: 'security.md S1 and S2',
    args: ['create', '--raw', '/api/v1/namespaces/kube-system/pods/others/eviction', '-f', '-'],
    manifest: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'others', namespace: 'kube-system' },
    },
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'deletes a pod of kube-system': () => ({
    why: 'security.md S1 and S2',
    args: ['-n', 'kube-system', 'delete', 'pod', 'others'],
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'creates a pod next to the operator': () => ({
    why: 'from there NetworkPolicies may let it further',
    ...pod(RESTRICTED, 'albridge-system'),
    refusal: /and in its own/,
  }),
  'writes a ConfigMap': () => ({
    why: 'RBAC alone: no kind needs it',
    args: ['-n', TEAM, 'create', 'configmap', 'stolen', '--from-literal=a=b'],
    refusal: /cannot create resource "configmaps"/,
  }),
  'edits the spec of a MyIngress': () => ({
    why: 'spec is the word of its user',
    ...patch('myingress shop', { spec: { tags: { team: 'x' } } }),
    refusal: /never writes spec/,
  }),
};

/** What albridge does, so that a refusal above is not one of everything. */
const ALLOWED: Readonly<Record<string, () => Pick<Write, 'args' | 'manifest'>>> = {
  'creates a plain pod': () => pod({}),
  'restarts the Deployment of others': () => ({
    args: ['-n', TEAM, 'rollout', 'restart', 'deployment/others'],
  }),
  'restarts a StatefulSet': () => patch('statefulset others', restart()),
  'restarts a DaemonSet again': () => patch('daemonset others', restart()),
  'swaps the image of the Deployment of a WebApp': () =>
    patch('deployment owned', template({ containers: [{ name: 'app', image: 'nginx:2' }] })),
  'moves the port of the Service of a WebApp': () =>
    patch('service owned', { spec: { ports: [{ port: 81 }] } }),
  'puts a finalizer on a MyIngress': () =>
    patch('myingress shop', { metadata: { finalizers: ['albridge.io/load-balancer'] } }),
};

function restart(): object {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' };
  return { spec: { template: { metadata: { annotations } } } };
}

describe('the token of an operator without ConfigMonitor', () => {
  it('reads no ConfigMap', async () => {
    await place.kubectl(['apply', '--server-side', '-k', resolve(ROOT, 'deploy/base')]);
    for (const kind of ['myingress', 'immortalcontainer', 'myapp', 'webapp']) {
      const rights = resolve(ROOT, 'deploy/components', kind, 'rights.yaml');
      await place.kubectl(['apply', '--server-side', '-f', rights]);
    }
    token = await place.cluster.serviceAccountKubeconfig(...OWN);
    await until('the rights', async () => {
      return (await asThief({ args: ['get', 'pods', '-A'] })).code === 0;
    });
    const { stderr } = await asThief({ args: ['get', 'configmaps', '-A'] });
    expect(stderr).toMatch(/cannot list resource "configmaps"/);
  });
});

describe('the stolen token of the operator', () => {
  beforeAll(async () => {
    await place.apply('deploy');
    await createVictims();
  });

  it.each(Object.entries(REFUSED))('never %s', (_name, write) => expectRefused(write()));

  it.each(Object.entries(ALLOWED))('%s', async (_name, write) => {
    const { args, manifest } = write();
    const { stderr, code } = await asThief({
      args: [...args, ...(args.includes('restart') ? [] : ['--dry-run=server'])],
      ...(manifest && { manifest }),
    });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  it('is judged by expressions of which the API server knows every type', async () => {
    const policies = await until('the types are checked', async () => {
      const json = await place.kubectl(['get', 'validatingadmissionpolicies', '-o', 'json']);
      const { items } = JSON.parse(json) as { readonly items: readonly CheckedPolicy[] };
      const own = items.filter(({ metadata }) => metadata.name.startsWith('albridge-'));
      return own.every(({ status }) => status?.typeChecking !== undefined) && own;
    });
    expect(policies.length).toBeGreaterThan(8);
    const warnings = policies.flatMap(
      ({ metadata, status }) =>
        status?.typeChecking?.expressionWarnings?.map((one) => ({ of: metadata.name, ...one })) ??
        [],
    );
    expect(warnings).toEqual([]);
  });
});

interface CheckedPolicy {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly typeChecking?: { readonly expressionWarnings?: readonly object[] } };
}

/** They may write ConfigMaps; only the second one may evict pods. */
const WRITER = 'writer';
const EVICTOR = 'evictor';

function annotated(name: string, user: string, namespace = TEAM): Promise<CommandResult> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { 'magalix.com/podDeleteMatch': 'app=shop' } },
    data: { a: 'b' },
  };
  const args = ['-n', namespace, `--as=${user}`, 'apply', '-f', '-'];
  return place.cluster.kubectl(args, { input: JSON.stringify(manifest) });
}

function edit(user: string, change: object): Promise<CommandResult> {
  return place.cluster.kubectl([`--as=${user}`, ...patch('configmap settings', change).args]);
}

describe('who may write ConfigMaps', () => {
  beforeAll(async () => {
    for (const namespace of [TEAM, 'kube-system', 'albridge-system']) {
      const role = ['-n', namespace, 'create'];
      await place.kubectl([...role, 'role', 'write', '--verb=*', '--resource=configmaps']);
      await place.kubectl([...role, 'role', 'evict', '--verb=create', '--resource=pods/eviction']);
      const users = ['writer', 'evictor'].map((user) => `--user=${user}`);
      await place.kubectl([...role, 'rolebinding', 'write', '--role=write', ...users]);
      await place.kubectl([...role, 'rolebinding', 'evict', '--role=evict', '--user=evictor']);
    }
    await until('the rights', async () => (await annotated('probe', EVICTOR)).code === 0);
    await until('the policy', async () => (await annotated('settings', WRITER)).code !== 0);
    await place.kubectl(['-n', TEAM, 'delete', 'configmap', '--all']);
  });

  it('does not annotate them for the eviction of pods without that right', async () => {
    const { code, stderr } = await annotated('settings', WRITER);
    expect(code).toBe(1);
    expect(stderr).toContain('you must be allowed to create pods/eviction in this namespace');
  });

  it('annotates them as in the article with that right', async () => {
    expect(await annotated('settings', EVICTOR)).toMatchObject({ code: 0 });
  });

  it('edits the data of an annotated one, and takes the annotation off, without it', async () => {
    expect(await edit(WRITER, { data: { a: 'c' } })).toMatchObject({ code: 0 });
    const other = { metadata: { annotations: { 'magalix.com/podDeleteMatch': 'app=other' } } };
    expect((await edit(WRITER, other)).stderr).toContain('pods/eviction');
    const none = { metadata: { annotations: { 'magalix.com/podDeleteMatch': null } } };
    expect(await edit(WRITER, none)).toMatchObject({ code: 0 });
    expect((await edit(WRITER, other)).stderr).toContain('pods/eviction');
  });

  it.each(['kube-system', 'albridge-system'])('annotates none in %s', async (namespace) => {
    const { stderr } = await annotated('settings', EVICTOR, namespace);
    expect(stderr).toContain('has no effect in the namespaces of Kubernetes and of albridge');
  });
});
