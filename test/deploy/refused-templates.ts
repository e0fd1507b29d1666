import { LONGEST_POD_TEMPLATE, type PodTemplate } from '../../src/pods/pod-template.ts';

/** Pod templates that tenants write, and albridge then writes into a Deployment or a pod. */

interface Refused {
  readonly why: string;
  readonly template: PodTemplate;
  readonly refusal: RegExp;
}

const app = (fields: object): PodTemplate => ({
  spec: { containers: [{ name: 'app', ...fields }] },
});
const init = (fields: object): PodTemplate => ({
  spec: { initContainers: [{ name: 'init', image: 'busybox', ...fields }] },
});
const HOST = '169.254.169.254';

/** In every namespace, for everybody: nobody gets a node, or the ServiceAccount of others. */
export const NEVER: Readonly<Record<string, Refused>> = {
  'the network of the node': {
    why: 'sees the traffic of the node',
    template: { spec: { hostNetwork: true } },
    refusal: /the network or the processes of its node/,
  },
  'the processes of the node': {
    why: 'reads their environment',
    template: { spec: { hostPID: true } },
    refusal: /the network or the processes of its node/,
  },
  'a path of the node': {
    why: 'root on the node',
    template: { spec: { volumes: [{ name: 'root', hostPath: { path: '/' } }] } },
    refusal: /mounts anything of its node/,
  },
  'a volume of a kind that Kubernetes deprecates': {
    why: 'the mount runs on the node; Pod Security restricted refuses it too',
    template: { spec: { volumes: [{ name: 'git', gitRepo: { repository: 'x' } }] } },
    refusal: /mounts anything of its node/,
  },
  'a privileged container': {
    why: 'root on the node',
    template: app({ securityContext: { privileged: true, allowPrivilegeEscalation: true } }),
    refusal: /no pod with privileges/,
  },
  'a privileged init container': {
    why: 'the same, by another list',
    template: init({ securityContext: { privileged: true, allowPrivilegeEscalation: true } }),
    refusal: /no pod with privileges/,
  },
  'a privileged ephemeral container': {
    why: 'the same, by a list that no template may have',
    template: {
      spec: {
        ephemeralContainers: [
          { name: 'debug', image: 'busybox', securityContext: { privileged: true } },
        ],
      },
    },
    refusal: /ephemeral container/,
  },
  'another capability': {
    why: 'SYS_ADMIN is root on the node',
    template: app({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }),
    refusal: /no pod with privileges/,
  },
  'no seccomp': {
    why: 'every call to the kernel',
    template: { spec: { securityContext: { seccompProfile: { type: 'Unconfined' } } } },
    refusal: /no pod with privileges/,
  },
  'no AppArmor': {
    why: 'AppArmor confines it no more',
    template: app({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }),
    refusal: /no pod with privileges/,
  },
  'no AppArmor, as before Kubernetes 1.30': {
    why: 'an annotation did the same',
    template: {
      metadata: {
        annotations: { 'container.apparmor.security.beta.kubernetes.io/app': 'unconfined' },
      },
    },
    refusal: /no pod with privileges/,
  },
  'another SELinux type': {
    why: 'SELinux confines it no more',
    template: { spec: { securityContext: { seLinuxOptions: { type: 'spc_t' } } } },
    refusal: /no pod with privileges/,
  },
  'a setting of the kernel': {
    why: 'those of the node too',
    template: { spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } } },
    refusal: /no pod with privileges/,
  },
  'a port of the node': {
    why: 'listens in place of the node',
    template: app({ ports: [{ containerPort: 9090, hostPort: 9090 }] }),
    refusal: /no host port/,
  },
  'a node of its choice': {
    why: 'past the scheduler, and so past every taint but NoExecute',
    template: { spec: { nodeName: 'node-1' } },
    refusal: /on a node of its choice/,
  },
  'a probe of another host': {
    why: 'the kubelet sends it, from the network of the node',
    template: app({ livenessProbe: { httpGet: { host: HOST, port: 80 } } }),
    refusal: /asks another host/,
  },
  'a startup probe of another host': {
    why: 'the same, by another field',
    template: app({ startupProbe: { tcpSocket: { host: HOST, port: 80 } } }),
    refusal: /asks another host/,
  },
  'a hook that asks another host': {
    why: 'the same',
    template: app({ lifecycle: { postStart: { httpGet: { host: HOST, port: 80 } } } }),
    refusal: /asks another host/,
  },
  'a ServiceAccount that is not listed': {
    why: 'would have its rights',
    template: { spec: { serviceAccountName: 'rich' } },
    refusal: /no ServiceAccount but the default one/,
  },
  'a token of the default ServiceAccount': {
    why: 'it may have rights as well',
    template: { spec: { automountServiceAccountToken: true } },
    refusal: /no token of a ServiceAccount/,
  },
  'a projected token': {
    why: 'the same, by a volume',
    template: {
      spec: {
        volumes: [
          { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        ],
      },
    },
    refusal: /no token of a ServiceAccount/,
  },
  'the priority of Kubernetes itself': {
    why: 'it would preempt kube-system',
    template: { spec: { priorityClassName: 'system-node-critical' } },
    refusal: /no PriorityClass/,
  },
};

/** Judged in a namespace that lists no ServiceAccount. */
export const UNLISTED: Readonly<Record<string, Refused>> = {
  'a projected certificate': {
    why: 'it proves the same identity',
    template: {
      spec: {
        volumes: [
          {
            name: 'identity',
            projected: {
              sources: [
                {
                  podCertificate: {
                    signerName: 'example.com/pods',
                    keyType: 'ED25519',
                    credentialBundlePath: 'bundle',
                  },
                },
              ],
            },
          },
        ],
      },
    },
    refusal: /no token of a ServiceAccount/,
  },
  'a ServiceAccount by its deprecated field, where the other one is empty': {
    why: 'the API server reads the deprecated one then',
    template: { spec: { serviceAccountName: '', serviceAccount: 'rich' } },
    refusal: /no ServiceAccount but the default one/,
  },
  'a token of the default ServiceAccount, under an empty name': {
    why: 'an annotation that is missing lists no empty name',
    template: { spec: { serviceAccountName: '', automountServiceAccountToken: true } },
    refusal: /no ServiceAccount but the default one/,
  },
};

/** Refused unless a platform team has labelled the namespace: a stolen token would get the same everywhere. */
export const BY_LABEL: Readonly<Record<string, PodTemplate>> = {
  'a Secret as a volume': { spec: { volumes: [{ name: 's', secret: { secretName: 'theirs' } }] } },
  'a Secret in the environment': app({
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'theirs', key: 'a' } } }],
  }),
  'all of a ConfigMap in the environment': app({ envFrom: [{ configMapRef: { name: 'theirs' } }] }),
  'an init container': init({}),
  'a scratch directory': {
    spec: {
      volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '1Gi' } }],
      containers: [{ name: 'app', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] }],
    },
  },
  'labels and annotations': { metadata: { labels: { tier: 'web' }, annotations: { a: 'b' } } },
  'a probe that runs a command': app({ livenessProbe: { exec: { command: ['true'] } } }),
  'a hook and a long end': {
    spec: {
      terminationGracePeriodSeconds: 300,
      containers: [{ name: 'app', lifecycle: { preStop: { exec: { command: ['true'] } } } }],
    },
  },
  'affinity, tolerations and spread': {
    spec: {
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app: 'shop' } },
        },
      ],
    },
  },
  'another runtime': { spec: { runtimeClassName: 'gvisor' } },
  'names of other hosts': { spec: { hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }] } },
  'one view of the processes of all its containers': { spec: { shareProcessNamespace: true } },
  'a pull secret': { spec: { imagePullSecrets: [{ name: 'registry' }] } },
};

/** As much as the CRD and albridge take of what a policy goes through one by one. */
export const LARGEST: Readonly<Record<string, PodTemplate>> = {
  'most variables': fill((count) => app({ env: listVariables(count) })),
  'most ports': fill((count) =>
    app({
      ports: Array.from({ length: count }, (_, n) => ({ name: `p${n}`, containerPort: n + 1 })),
    }),
  ),
  'most containers, volumes, labels and annotations': fill((count) => {
    const [containers, volumes, keys] = [listNumbered(15), listNumbered(32), listNumbered(64)];
    const named = Object.fromEntries(keys.map(({ name }) => [name, '']));
    const image = 'a';
    return {
      metadata: { labels: named, annotations: named },
      spec: {
        volumes: volumes.map(({ name }) => ({ name, emptyDir: {} })),
        initContainers: containers.map(({ name }) => ({ name: `i${name}`, image })),
        containers: [
          { name: 'app', env: listVariables(count) },
          ...containers.map(({ name }) => ({ name, image, env: listVariables(1) })),
        ],
      },
    };
  }),
};

function listNumbered(count: number): readonly { readonly name: string }[] {
  return Array.from({ length: count }, (_, n) => ({ name: `n${n}` }));
}

function listVariables(count: number): readonly object[] {
  return listNumbered(count).map(({ name }) => ({ name, value: '' }));
}

/** With as many of something as fit. */
function fill(build: (count: number) => PodTemplate): PodTemplate {
  let count = 1;
  while (JSON.stringify(build(count + 1)).length <= LONGEST_POD_TEMPLATE) count += 1;
  return build(count);
}

/** In every namespace, for who may create pods there. */
export const FREE: Readonly<Record<string, PodTemplate>> = {
  'variables, resources and a command': app({
    env: [{ name: 'A', value: 'b' }],
    resources: { requests: { cpu: 0.1 }, limits: { memory: '128Mi' } },
    args: ['--verbose'],
  }),
  'a sidecar': { spec: { containers: [{ name: 'proxy', image: 'envoy:1' }] } },
  'what Pod Security restricted asks for': {
    spec: { securityContext: { runAsNonRoot: true, runAsUser: 1000 } },
  },
};
