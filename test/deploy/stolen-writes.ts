/** What a thief of the operator's token tries, and what albridge itself does. */

/** The namespace of a tenant. */
export const TEAM = 'team';

export interface Write {
  readonly why: string;
  /** For kubectl, with the namespace. */
  readonly args: readonly string[];
  readonly manifest?: object;
  readonly refusal: RegExp;
}

export const POD_SPEC = {
  automountServiceAccountToken: false,
  containers: [{ name: 'app', image: 'nginx:1' }],
};
export const LABELS = { app: 'shop' };

function ownedBy(apiVersion: string, kind: string, uid = 'stolen'): object {
  return { apiVersion, kind, name: 'shop', uid, controller: true };
}

const IMMORTAL = ownedBy('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer');
export const WEB_APP = ownedBy('apps.example.com/v1', 'WebApp');

function pod(spec: object, namespace = TEAM, owner = IMMORTAL): Pick<Write, 'args' | 'manifest'> {
  const metadata = { name: 'stolen', ownerReferences: [owner] };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...POD_SPEC, ...spec } };
  return { args: ['-n', namespace, 'create', '-f', '-'], manifest };
}

function container(more: object): object {
  return { containers: [{ name: 'app', image: 'nginx:1', ...more }] };
}

export function patch(what: string, change: object, namespace = TEAM): Pick<Write, 'args'> {
  const merge = ['--type=merge', '-p', JSON.stringify(change)];
  return { args: ['-n', namespace, 'patch', ...what.split(' '), ...merge] };
}

const template = (spec: object): object => ({ spec: { template: { spec } } });

const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  ...container({
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  }),
};

/** Refused by RBAC or by a policy, whichever comes first. */
export const REFUSED: Readonly<Record<string, () => Write>> = {
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
    refusal: /a workload that no WebApp owns/,
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
    refusal: /a workload that no WebApp owns/,
  }),
  'stops the Deployment of others': () => ({
    why: 'the right is for restarts',
    ...patch('deployment others', { spec: { replicas: 0 } }),
    refusal: /a workload that no WebApp owns/,
  }),
  'swaps the image of a StatefulSet': () => ({
    why: 'the same',
    ...patch('statefulset others', template({ containers: [{ name: 'app', image: 'evil' }] })),
    refusal: /a workload that no WebApp owns/,
  }),
  'annotates the pods of a DaemonSet': () => ({
    why: 'an annotation can be a setting, such as one of AppArmor or a sidecar',
    ...patch('daemonset others', {
      spec: { template: { metadata: { annotations: { 'sidecar.istio.io/inject': 'false' } } } },
    }),
    refusal: /a workload that no WebApp owns/,
  }),
  'labels the Deployment of others': () => ({
    why: 'others select by labels',
    ...patch('deployment others', { metadata: { labels: { team: 'x' } } }),
    refusal: /a workload that no WebApp owns/,
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
    refusal: /a workload that no WebApp owns/,
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
export const ALLOWED: Readonly<Record<string, () => Pick<Write, 'args' | 'manifest'>>> = {
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
