import type { ResourceKind } from '../../core/objects/kube-object.ts';

/** The kinds of Kubernetes that albridge reads or writes. */

export const configMapKind = define('', 'v1', 'ConfigMap');
export const namespaceKind = define('', 'v1', 'Namespace');
export const nodeKind = define('', 'v1', 'Node');
export const podKind = define('', 'v1', 'Pod');
export const secretKind = define('', 'v1', 'Secret');
export const serviceKind = define('', 'v1', 'Service');
export const deploymentKind = define('apps', 'v1', 'Deployment');
export const autoscalerKind = define('autoscaling', 'v2', 'HorizontalPodAutoscaler');
export const leaseKind = define('coordination.k8s.io', 'v1', 'Lease');
export const endpointSliceKind = define('discovery.k8s.io', 'v1', 'EndpointSlice');
/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const eventKind = define('events.k8s.io', 'v1', 'Event');

/** The plural of each is regular. */
function define(group: string, version: string, kind: string): ResourceKind {
  return { group, version, kind, plural: `${kind.toLowerCase()}s` };
}
