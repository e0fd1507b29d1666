import { podLabels } from '../../src/pods/pod.ts';
import {
  CONFIG_MAP,
  container,
  limited,
  limitedPod,
  pod,
  SLEEP,
  type Write,
} from './token-writes.ts';

/** Pods that albridge never creates. */
export const STOLEN_PODS: Readonly<Record<string, () => Write>> = {
  'creates a pod with host PID': () => ({
    why: 'a way to the node',
    ...pod({ hostPID: true }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with a readiness gate of others': () => ({
    why: 'it would be Ready when somebody else says so, or never',
    ...pod({ readinessGates: [{ conditionType: 'example.com/other' }] }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with a host path': () => ({
    why: 'a way to the node',
    ...pod({ volumes: [{ name: 'root', hostPath: { path: '/' } }] }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with a Secret as a volume': () => ({
    why: 'no right on Secrets must mean that none is read',
    ...pod({ volumes: [{ name: 'theirs', secret: { secretName: 'theirs' } }] }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with a Secret in its environment': () => ({
    why: 'the same',
    ...pod(container({ envFrom: [{ secretRef: { name: 'theirs' } }] })),
    refusal: /no field of a container/,
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
    refusal: /limits of a container/,
  }),
  'creates a pod with a privileged init container': () => ({
    why: 'the same, by another list',
    ...pod({
      initContainers: [{ name: 'i', image: 'nginx:1', securityContext: { privileged: true } }],
    }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with another capability': () => ({
    why: 'SYS_ADMIN is root on the node',
    ...pod(limited({ capabilities: { add: ['SYS_ADMIN'] } })),
    refusal: /limits of a container/,
  }),
  'creates a pod with a host port': () => ({
    why: 'listens in place of the node',
    ...pod(container({ ports: [{ containerPort: 80, hostPort: 80 }] })),
    refusal: /no host port/,
  }),
  'creates a Windows host process': () => ({
    why: 'a way to the node; the API server asks for the host network with it, which is refused first',
    ...pod({
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'x' } },
    }),
    refusal: /no field of a pod/,
  }),
  'creates a pod that acts as an administrator of Windows': () => ({
    why: 'among these options a host process is asked for',
    ...pod(limitedPod({ windowsOptions: { runAsUserName: 'ContainerAdministrator' } })),
    refusal: /limits of a pod/,
  }),
  'creates a pod with the ServiceAccount of others': () => ({
    why: 'would have its rights',
    ...pod({ serviceAccountName: 'rich' }),
    refusal: /no ServiceAccount but the default one/,
  }),
  'creates a pod with a token': () => ({
    why: 'the default ServiceAccount may have rights as well',
    ...pod({ automountServiceAccountToken: true }),
    refusal: /no field of a pod/,
  }),
  'creates a pod that preempts those of kube-system': () => ({
    why: 'a class of Kubernetes is above the classes of everybody else',
    ...pod({ priorityClassName: 'system-node-critical' }),
    refusal: /no priority/,
  }),
  'creates a pod on a node of its choice': () => ({
    why: 'past the scheduler, and so past every taint but NoExecute',
    ...pod({ nodeName: 'node-1' }),
    refusal: /no field of a pod/,
  }),
  'creates a pod that runs in spite of taints': () => ({
    why: 'on the nodes of the control plane too',
    ...pod({ tolerations: [{ operator: 'Exists' }] }),
    refusal: /no toleration/,
  }),
  'creates a pod with a sysctl': () => ({
    why: 'a setting of the kernel',
    ...pod(limitedPod({ sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: '1 2' }] })),
    refusal: /limits of a pod/,
  }),
  'creates a pod with the SELinux type spc_t': () => ({
    why: 'SELinux confines it no more',
    ...pod(limitedPod({ seLinuxOptions: { type: 'spc_t' } })),
    refusal: /limits of a pod/,
  }),
  'creates a pod without seccomp': () => ({
    why: 'every call to the kernel',
    ...pod(limitedPod({ seccompProfile: { type: 'Unconfined' } })),
    refusal: /limits of a pod/,
  }),
  'creates a pod that says nothing of seccomp': () => ({
    why: 'the same, by default',
    ...pod({ securityContext: {} }),
    refusal: /names a seccomp profile/,
  }),
  'creates a container without seccomp': () => ({
    why: 'the same, by the other place',
    ...pod(limited({ seccompProfile: { type: 'Unconfined' } })),
    refusal: /limits of a container/,
  }),
  'creates a container without AppArmor': () => ({
    why: 'AppArmor confines it no more',
    ...pod(limited({ appArmorProfile: { type: 'Unconfined' } })),
    refusal: /limits of a container/,
  }),
  'creates a container with the SELinux type spc_t': () => ({
    why: 'SELinux confines it no more',
    ...pod(limited({ seLinuxOptions: { type: 'spc_t' } })),
    refusal: /limits of a container/,
  }),
  'creates a container that sees all of /proc': () => ({
    why: 'with it a way to the node; the API server asks for hostUsers with it, which is refused first',
    ...pod({ hostUsers: false, ...limited({ procMount: 'Unmasked' }) }),
    refusal: /no field of a pod/,
  }),
  'creates a container that may gain privileges': () => ({
    why: 'by a setuid program',
    ...pod(container({ securityContext: {} })),
    refusal: /whether it may gain privileges/,
  }),
  'creates a probe of another host': () => ({
    why: 'the kubelet sends it, from the network of the node',
    ...pod(container({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } })),
    refusal: /no field of a container/,
  }),
  'creates a hook that calls another host': () => ({
    why: 'the same',
    ...pod(
      container({ lifecycle: { postStart: { httpGet: { host: '169.254.169.254', port: 80 } } } }),
    ),
    refusal: /no field of a container/,
  }),
  'creates a pod that sleeps before it ends': () => ({
    why: 'only those of a WebApp do',
    ...pod(container({ lifecycle: SLEEP })),
    refusal: /no field of a container/,
  }),
  'creates a pod that takes an hour to end': () => ({
    why: 'a drain of its node waits for it',
    ...pod({ terminationGracePeriodSeconds: 3600 }),
    refusal: /no field of a pod/,
  }),
  'creates a pod that is killed as it ends': () => ({
    why: 'a scale-down breaks off its requests',
    ...pod({ terminationGracePeriodSeconds: 0 }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with a claim of a device': () => ({
    why: 'devices of others',
    ...pod({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'theirs' }] }),
    refusal: /no field of a pod/,
  }),
  'creates a pod with an annotation for others': () => ({
    why: 'kube2iam gives the pod that role',
    ...pod({}, { metadata: { annotations: { 'iam.amazonaws.com/role': 'admin' } } }),
    refusal: /no annotation to a pod/,
  }),
  'creates a pod with the label of others': () => ({
    why: 'a Service would send it traffic',
    ...pod({}, { metadata: { labels: { ...podLabels, tier: 'web' } } }),
    refusal: /no label/,
  }),
  'creates a pod that does not say whose it is': () => ({
    why: 'the operator would not see it',
    ...pod({}, { metadata: { labels: {} } }),
    refusal: /label app.kubernetes.io\/managed-by/,
  }),
  'creates a pod that no kind of ours wants': () => ({
    why: 'the garbage collector removes a pod whose owner is not there',
    ...pod({}, { metadata: { ownerReferences: [CONFIG_MAP] } }),
    refusal: /only pods of an ImmortalContainer or a MyApp/,
  }),
};
