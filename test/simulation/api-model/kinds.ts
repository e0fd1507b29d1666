import type { ServedKind } from './stored-object.ts';

/** The built-in kinds that the operator reads or writes. */
export const CONFIG_MAPS: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
};

export const SECRETS: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
};

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow */
const GRACE_MS = 30_000;

/**
 * Without what a kubelet and a scheduler do. One that has a node stays until its kubelet lets it go. Its
 * conditions are a map by type:
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodStatus
 */
export const PODS: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
  sharesConditions: true,
  graceMs: ({ spec }) => ((spec as { readonly nodeName?: string }).nodeName ? GRACE_MS : 0),
};

export const LEASES: ServedKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  isNamespaced: true,
  isCustom: false,
  tracksFields: false,
  faultsOf: ({ spec }) => microTimeFaults(spec, ['acquireTime', 'renewTime']),
};

export const EVENTS: ServedKind = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  isNamespaced: true,
  isCustom: false,
  tracksFields: false,
  faultsOf: (event) => [
    ...microTimeFaults(event, ['eventTime']),
    ...microTimeFaults(event['series'], ['lastObservedTime']),
    ...['action', 'reason', 'reportingController', 'reportingInstance']
      .filter((field) => !isTextUpTo(event[field], 128))
      .map((field) => `${field}: must have 1 to 128 characters`),
    ...(isTextUpTo(event['note'], 1024) ? [] : ['note: must have at most 1024 bytes']),
  ],
};

/** Has a generation and /status, like a custom resource; what a Deployment's controller does is not in it. */
export const DEPLOYMENTS: ServedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

export const SERVICES: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
};

/** Has a /status, like a custom resource. */
export const NODES: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  isNamespaced: false,
  isCustom: true,
  tracksFields: true,
};

export const ENDPOINT_SLICES: ServedKind = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
};

export const AUTOSCALERS: ServedKind = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  isNamespaced: true,
  isCustom: false,
  tracksFields: true,
};

export const REPLICA_SETS: ServedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

export const STATEFUL_SETS: ServedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

export const DAEMON_SETS: ServedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

export const JOBS: ServedKind = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

/** Its status is its controller's, and evictions take from it. */
export const BUDGETS: ServedKind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  isNamespaced: true,
  isCustom: true,
  tracksFields: true,
};

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
