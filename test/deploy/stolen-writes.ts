import { loadBalancerFinalizer } from '../../src/apis/my-ingress.ts';
import { podLabels } from '../../src/pods/pod.ts';
import { STOLEN_PODS } from './stolen-pods.ts';
import {
  type Creation,
  container,
  HOOK_OF_OTHERS,
  IMMORTAL,
  limited,
  limitedPod,
  monitor,
  OTHERS_FINALIZER,
  ownedBy,
  patch,
  pod,
  SLEEP,
  TEAM,
  template,
  templateWithGate,
  type Write,
} from './token-writes.ts';

/** What a thief of the operator's token tries, and what albridge itself does. */

const RESTRICTED = {
  ...limitedPod({ runAsNonRoot: true }),
  ...limited({ capabilities: { drop: ['ALL'] } }),
};

/** Refused by RBAC or by a policy, whichever comes first. */
export const REFUSED: Readonly<Record<string, () => Write>> = {
  'creates a privileged pod with host PID and host path in kube-system': () => ({
    why: 'root on a node of the control plane is root in the cluster',
    ...pod(
      {
        hostPID: true,
        ...container({ securityContext: { privileged: true } }),
        volumes: [{ name: 'root', hostPath: { path: '/' } }],
      },
      { namespace: 'kube-system' },
    ),
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'swaps the image of a pod in kube-system': () => ({
    why: 'the pod keeps its ServiceAccount',
    args: ['-n', 'kube-system', 'set', 'image', 'pod/others', 'app=evil'],
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'moves a Deployment to the host network': () => ({
    why: 'the pods see the traffic of their node',
    ...patch('deployment others', template({ hostNetwork: true })),
    refusal: /a workload that no WebApp owns/,
  }),
  'gives a Service an external address': () => ({
    why: 'takes the traffic to that address',
    ...patch('service others', { spec: { externalIPs: ['192.0.2.1'] } }),
    refusal: /only Services of a WebApp/,
  }),
  ...STOLEN_PODS,
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
    refusal: /no field of a pod/,
  }),
  'gives a token to the pods of a WebApp': () => ({
    why: 'the default ServiceAccount may have rights as well',
    ...patch('deployment owned', template({ automountServiceAccountToken: true })),
    refusal: /no token of a ServiceAccount/,
  }),
  'raises the priority of the pods of a WebApp': () => ({
    why: 'they would preempt those of kube-system',
    ...patch('deployment owned', template({ priorityClassName: 'system-node-critical' })),
    refusal: /no field of a pod/,
  }),
  'takes the pods of a WebApp out of SELinux': () => ({
    why: 'a way to the node',
    ...patch(
      'deployment owned',
      template({ securityContext: { seLinuxOptions: { type: 'spc_t' } } }),
    ),
    refusal: /limits of a pod/,
  }),
  'gives the pods of a WebApp a probe of another host': () => ({
    why: 'the kubelet sends it, from the network of the node',
    ...patch(
      'deployment owned',
      template(container({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } })),
    ),
    refusal: /no field of a container/,
  }),
  'gives the pods of a WebApp a readiness probe of another host': () => ({
    why: 'the kubelet sends it, from the network of the node',
    ...patch(
      'deployment owned',
      template(container({ readinessProbe: { tcpSocket: { host: '169.254.169.254', port: 80 } } })),
    ),
    refusal: /no field of a container/,
  }),
  'gives the pods of a WebApp a readiness probe that runs a command': () => ({
    why: 'it runs in the container',
    ...patch(
      'deployment owned',
      template(container({ readinessProbe: { tcpSocket: null, exec: { command: ['id'] } } })),
    ),
    refusal: /no field of a container/,
  }),
  'gives the pods of a WebApp a hook that runs a command before they end': () => ({
    why: 'it runs in the container',
    ...patch('deployment owned', hooked({ preStop: { exec: { command: ['id'] } } })),
    refusal: /no field of a container/,
  }),
  'gives the pods of a WebApp a command next to the sleep': () => ({
    why: 'the same',
    ...patch('deployment owned', hooked({ ...SLEEP, postStart: { exec: { command: ['id'] } } })),
    refusal: /no field of a container/,
  }),
  'gives the pods of a WebApp a hook that calls another host': () => ({
    why: 'the kubelet sends it, from the network of the node',
    ...patch(
      'deployment owned',
      hooked({ preStop: { httpGet: { host: '169.254.169.254', port: 80 } } }),
    ),
    refusal: /no field of a container/,
  }),
  'lets the pods of a WebApp sleep for longer than albridge does': () => ({
    why: 'a drain of their node waits for them',
    ...patch('deployment owned', hooked({ preStop: { sleep: { seconds: 29 } } })),
    refusal: /no field of a container/,
  }),
  'lets the pods of a WebApp take an hour to end': () => ({
    why: 'the same',
    ...patch('deployment owned', template({ terminationGracePeriodSeconds: 3600 })),
    refusal: /no field of a pod/,
  }),
  'lets the pods of a WebApp be killed as they end': () => ({
    why: 'a rollout breaks off their requests',
    ...patch('deployment owned', template({ terminationGracePeriodSeconds: 0 })),
    refusal: /no field of a pod/,
  }),
  'annotates the pods of a WebApp': () => ({
    why: 'kube2iam gives them that role',
    ...patch('deployment owned', {
      spec: { template: { metadata: { annotations: { 'iam.amazonaws.com/role': 'admin' } } } },
    }),
    refusal: /no annotation to a pod/,
  }),
  'labels the pods of a WebApp': () => ({
    why: 'a Service would send them traffic',
    ...patch('deployment owned', { spec: { template: { metadata: { labels: { tier: 'web' } } } } }),
    refusal: /no label/,
  }),
  'adds a Secret to the Deployment of a WebApp': () => ({
    why: 'no right on Secrets must mean that none is read',
    ...patch(
      'deployment owned',
      template({ volumes: [{ name: 'theirs', secret: { secretName: 'theirs' } }] }),
    ),
    refusal: /no field of a pod/,
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
    refusal: /sets no type of a Service but ClusterIP where/,
  }),
  'makes the Service of a WebApp an alias of another host': () => ({
    why: 'clients would send their requests there',
    ...patch('service owned', { spec: { type: 'ExternalName', externalName: 'evil.example' } }),
    refusal: /an alias of another host/,
  }),
  'annotates the Service of a WebApp': () => ({
    why: 'external-dns gives it that name, and the controllers of a cloud more',
    ...patch('service owned', {
      metadata: { annotations: { 'external-dns.alpha.kubernetes.io/hostname': 'shop.example' } },
    }),
    refusal: /no annotation to a Service/,
  }),
  'evicts a pod of kube-system': () => ({
    why: 'what the cluster stands on would stop, one pod after the other',
    args: ['create', '--raw', '/api/v1/namespaces/kube-system/pods/others/eviction', '-f', '-'],
    manifest: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'others', namespace: 'kube-system' },
    },
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'deletes a pod of kube-system': () => ({
    why: 'what the cluster stands on would stop, past its budget',
    args: ['-n', 'kube-system', 'delete', 'pod', 'others'],
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'creates a pod next to the operator': () => ({
    why: 'from there NetworkPolicies may let it further',
    ...pod(RESTRICTED, { namespace: 'albridge-system' }),
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
  'gives a MyIngress an owner that does not exist': () => ({
    why: 'the garbage collector deletes it, and the operator its balancer',
    ...patch('myingress shop', { metadata: { ownerReferences: [ownedBy('v1', 'ConfigMap')] } }),
    refusal: /no metadata of a MyIngress but its finalizer/,
  }),
  'pauses a MyIngress': () => ({
    why: 'annotations are the word of its user as well',
    ...patch('myingress shop', { metadata: { annotations: { 'albridge.io/paused': 'true' } } }),
    refusal: /no metadata of a MyIngress but its finalizer/,
  }),
  'labels a MyIngress': () => ({
    why: 'others select by labels',
    ...patch('myingress shop', { metadata: { labels: { team: 'x' } } }),
    refusal: /no metadata of a MyIngress but its finalizer/,
  }),
  'puts a finalizer of others on a MyIngress': () => ({
    why: 'it could not be deleted any more',
    ...patch('myingress shop', { metadata: { finalizers: ['example.com/stuck'] } }),
    refusal: /no finalizer but its own/,
  }),
  'takes the finalizer of others off a MyIngress': () => ({
    why: 'what they have to clean up would stay',
    ...patch('myingress held', { metadata: { finalizers: [loadBalancerFinalizer] } }),
    refusal: /no finalizer but its own/,
  }),
  'takes its finalizer off a MyIngress that stays': () => ({
    why: 'its deletion would leave the balancer behind',
    ...patch('myingress held', { metadata: { finalizers: [OTHERS_FINALIZER] } }),
    refusal: /only off a MyIngress that is being deleted/,
  }),
  'creates a ConfigMonitor that no annotation asks for': () => ({
    why: 'it restarts pods on and on',
    ...monitor({}, { metadata: { ownerReferences: [] } }),
    refusal: /only ConfigMonitors of a ConfigMap/,
  }),
  'creates a ConfigMonitor that deletes pods for good': () => ({
    why: 'no controller makes such pods again',
    ...monitor({ unmanagedPods: 'Evict' }),
    refusal: /only what the annotation says/,
  }),
  'creates a ConfigMonitor that deletes instead of evicting': () => ({
    why: 'past the budgets of others',
    ...monitor({ strategy: 'Delete' }),
    refusal: /only what the annotation says/,
  }),
  'creates a ConfigMonitor that restarts templates': () => ({
    why: 'past the budgets too, and whoever annotates may only evict',
    ...monitor({ strategy: 'Auto' }),
    refusal: /only what the annotation says/,
  }),
  'creates a ConfigMonitor in kube-system': () => ({
    why: 'the operator would restart pods there',
    ...monitor({}, { namespace: 'kube-system' }),
    refusal: /writes nothing in the namespaces of Kubernetes/,
  }),
  'edits the ConfigMonitor of a user': () => ({
    why: 'spec is the word of its user',
    ...patch('configmonitor others', { spec: { unmanagedPods: 'Evict' } }),
    refusal: /only ConfigMonitors of a ConfigMap/,
  }),
  'deletes the ConfigMonitor of a user': () => ({
    why: 'the same',
    args: ['-n', TEAM, 'delete', 'configmonitor', 'others'],
    refusal: /only ConfigMonitors of a ConfigMap/,
  }),
};

/** What albridge does, so that a refusal above is not one of everything. */
export const ALLOWED: Readonly<Record<string, () => Creation>> = {
  'creates a plain pod': () => pod({}),
  'creates a pod with the readiness gate, as the policy of gates makes it of a plain one': () =>
    pod(
      { readinessGates: [{ conditionType: 'albridge.io/targets-healthy' }] },
      { metadata: { labels: { ...podLabels, 'albridge.io/readiness-gate': 'true' } } },
    ),
  'creates a pod of the PriorityClass that it may use': () => pod({ priorityClassName: 'usual' }),
  'creates a pod in a security context of OpenShift': () =>
    pod(
      {
        ...limitedPod({ fsGroup: 1000, seLinuxOptions: { level: 's0:c1,c2' } }),
        ...limited({ capabilities: { drop: ['ALL'] }, runAsNonRoot: true, runAsUser: 1000 }),
      },
      { metadata: { annotations: { 'openshift.io/scc': 'restricted-v2' } } },
    ),
  'creates a ConfigMonitor for an annotation': () => monitor({}),
  'takes its finalizer off a MyIngress that is being deleted': () =>
    patch('myingress leaving', { metadata: { finalizers: [OTHERS_FINALIZER] } }),
  'puts its finalizer beside that of others': () =>
    patch('myingress kept', {
      metadata: { finalizers: [OTHERS_FINALIZER, loadBalancerFinalizer] },
    }),
  'restarts the Deployment of others': () => ({
    args: ['-n', TEAM, 'rollout', 'restart', 'deployment/others'],
  }),
  'restarts a StatefulSet': () => patch('statefulset others', restart()),
  'restarts a DaemonSet again': () => patch('daemonset others', restart()),
  'swaps the image of the Deployment of a WebApp': () =>
    patch('deployment owned', template({ containers: [{ name: 'app', image: 'nginx:2' }] })),
  'gives the pods of a WebApp the readiness gate, and an end after a sleep': () =>
    patch('deployment owned', templateWithGate({})),
  'takes the readiness gate off the pods of a WebApp, and the hook of others not': () =>
    patch('deployment gated', {
      spec: {
        template: {
          metadata: { labels: { 'albridge.io/readiness-gate': null } },
          spec: { readinessGates: null, ...container({ lifecycle: HOOK_OF_OTHERS }) },
        },
      },
    }),
  'swaps the image next to the hook and the grace period of others': () =>
    patch(
      'deployment gated',
      template(container({ image: 'nginx:2', lifecycle: { ...SLEEP, ...HOOK_OF_OTHERS } })),
    ),
  'moves the port of the Service of a WebApp': () =>
    patch('service owned', { spec: { ports: [{ port: 81 }] } }),
  'puts a finalizer on a MyIngress': () =>
    patch('myingress shop', { metadata: { finalizers: [loadBalancerFinalizer] } }),
};

function hooked(lifecycle: object): object {
  return template(container({ lifecycle }));
}

function restart(): object {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' };
  return { spec: { template: { metadata: { annotations } } } };
}
