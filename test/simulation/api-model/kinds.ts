import type { ServedKind } from './stored-object.ts';

/** The built-in kinds that the operator reads or writes. */
export const CONFIG_MAPS = describeKind('v1', 'ConfigMap');
export const SECRETS = describeKind('v1', 'Secret');

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow */
const GRACE_MS = 30_000;

/**
 * Without what a kubelet and a scheduler do. One that has a node stays until its kubelet lets it go. Its
 * conditions are a map by type:
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodStatus
 */
export const PODS = describeKind('v1', 'Pod', {
  sharesConditions: true,
  graceMs: ({ spec }) => ((spec as { readonly nodeName?: string }).nodeName ? GRACE_MS : 0),
});

export const LEASES = describeKind('coordination.k8s.io/v1', 'Lease', {
  tracksFields: false,
  faultsOf: ({ spec }) => microTimeFaults(spec, ['acquireTime', 'renewTime']),
});

export const EVENTS = describeKind('events.k8s.io/v1', 'Event', {
  tracksFields: false,
  faultsOf: (event) => [
    ...microTimeFaults(event, ['eventTime']),
    ...microTimeFaults(event['series'], ['lastObservedTime']),
    ...['action', 'reason', 'reportingController', 'reportingInstance']
      .filter((field) => !isTextUpTo(event[field], 128))
      .map((field) => `${field}: must have 1 to 128 characters`),
    ...(isTextUpTo(event['note'], 1024) ? [] : ['note: must have at most 1024 bytes']),
  ],
});

/** Has a generation and /status, like a custom resource; what a Deployment's controller does is not in it. */
export const DEPLOYMENTS = describeKind('apps/v1', 'Deployment', { isCustom: true });

export const SERVICES = describeKind('v1', 'Service');

/** Has a /status, like a custom resource. */
export const NODES = describeKind('v1', 'Node', { isNamespaced: false, isCustom: true });

export const ENDPOINT_SLICES = describeKind('discovery.k8s.io/v1', 'EndpointSlice');
export const AUTOSCALERS = describeKind('autoscaling/v2', 'HorizontalPodAutoscaler');
export const REPLICA_SETS = describeKind('apps/v1', 'ReplicaSet', { isCustom: true });
export const STATEFUL_SETS = describeKind('apps/v1', 'StatefulSet', { isCustom: true });
export const DAEMON_SETS = describeKind('apps/v1', 'DaemonSet', { isCustom: true });
export const JOBS = describeKind('batch/v1', 'Job', { isCustom: true });

/** Its status is its controller's, and evictions take from it. */
export const BUDGETS = describeKind('policy/v1', 'PodDisruptionBudget', { isCustom: true });

export const BUILT_IN_KINDS: readonly ServedKind[] = [
  AUTOSCALERS,
  BUDGETS,
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  JOBS,
  LEASES,
  NODES,
  PODS,
  REPLICA_SETS,
  SECRETS,
  SERVICES,
  STATEFUL_SETS,
];

/** Namespaced and without a generation or /status unless `more` says otherwise. */
function describeKind(
  apiVersion: string,
  kind: string,
  more: Partial<ServedKind> = {},
): ServedKind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const plural = `${kind.toLowerCase()}s`;
  const usual = { isNamespaced: true, isCustom: false, tracksFields: true };
  return { group, version, kind, plural, ...usual, ...more };
}

/** Exactly six digits of a second: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#MicroTime */
function microTimeFaults(parent: unknown, fields: readonly string[]): readonly string[] {
  const given = (parent ?? {}) as Readonly<Record<string, unknown>>;
  return fields
    .filter((field) => given[field] !== undefined)
    .filter((field) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(given[field])))
    .map((field) => `${field}: is no MicroTime`);
}

function isTextUpTo(value: unknown, maxBytes: number): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxBytes;
}
