import { containerLimits, podLabels, podLimits } from '../../src/pods/pod.ts';

/** The parts of what is written with the token of the operator. */

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
export const OTHERS_FINALIZER = 'example.com/dns';

export function ownedBy(apiVersion: string, kind: string, uid = 'stolen'): object {
  return { apiVersion, kind, name: 'shop', uid, controller: true };
}

export const IMMORTAL = ownedBy('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer');
export const WEB_APP = ownedBy('apps.example.com/v1', 'WebApp');
export const CONFIG_MAP = ownedBy('v1', 'ConfigMap');

export type Creation = Pick<Write, 'args' | 'manifest'>;

function create(manifest: object, namespace = TEAM): Creation {
  return { args: ['-n', namespace, 'create', '-f', '-'], manifest };
}

interface Whose {
  readonly namespace?: string;
  readonly metadata?: object;
}

export function pod(spec: object, { namespace = TEAM, metadata = {} }: Whose = {}): Creation {
  const own = {
    name: 'stolen',
    labels: { controller: 'shop', ...podLabels },
    annotations: { 'albridge.io/desired-hash': 'a' },
    ownerReferences: [IMMORTAL],
  };
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...own, ...metadata },
    spec: { ...podLimits, ...container({}), ...spec },
  };
  return create(manifest, namespace);
}

export function container(more: object): object {
  return { containers: [{ name: 'app', image: 'nginx:1', ...containerLimits, ...more }] };
}

export function limited(more: object): object {
  return container({ securityContext: { ...containerLimits.securityContext, ...more } });
}

export function limitedPod(more: object): object {
  return { securityContext: { ...podLimits.securityContext, ...more } };
}

export function monitor(spec: object, { namespace = TEAM, metadata = {} }: Whose = {}): Creation {
  const manifest = {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name: 'stolen', ownerReferences: [CONFIG_MAP], ...metadata },
    spec: {
      configMap: 'shop',
      podSelector: LABELS,
      strategy: 'Evict',
      unmanagedPods: 'Skip',
      ...spec,
    },
  };
  return create(manifest, namespace);
}

export function patch(what: string, change: object, namespace = TEAM): Pick<Write, 'args'> {
  const merge = ['--type=merge', '-p', JSON.stringify(change)];
  return { args: ['-n', namespace, 'patch', ...what.split(' '), ...merge] };
}

export const template = (spec: object): object => ({ spec: { template: { spec } } });

export const SLEEP = { preStop: { sleep: { seconds: 20 } } };
export const HOOK_OF_OTHERS = { postStart: { exec: { command: ['warm-up'] } } };

/** What a WebApp sets behind a load balancer, with what others may have set there. */
export function templateWithGate(hook: object, graceSeconds = 60): object {
  const labels = { 'albridge.io/readiness-gate': 'true' };
  const spec = {
    readinessGates: [{ conditionType: 'albridge.io/targets-healthy' }],
    terminationGracePeriodSeconds: graceSeconds,
    ...container({ lifecycle: { ...SLEEP, ...hook } }),
  };
  return { spec: { template: { metadata: { labels }, spec } } };
}
