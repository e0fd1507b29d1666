// Lives here: nodes as targets: what is kept of them, which of them are targets, and the watch.
// May import it: src/controllers/targets and src/setup.
// Start with: this file, then instances.ts and node-watch.ts.

import type { KubeObject } from '../../../core/objects/kube-object.ts';

/** `foreign`: not an EC2 instance, such as a node of Fargate. `unknown`: its kubelet is silent. */
export type NodeState = 'ready' | 'unknown' | 'unready' | 'excluded' | 'foreign';

/** A Node as it is held in memory: all of the cluster are, once a backend has targetType instance. */
export interface TrimmedNode extends KubeObject {
  /** Of EC2; empty for a foreign node. */
  readonly instanceId: string;
  readonly state: NodeState;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
interface Node extends KubeObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly { readonly key: string; readonly effect: string }[] | null;
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
}

/**
 * The zone may be empty. A node of Fargate has another element in front of its name.
 * https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/instances.go
 */
const PROVIDER_ID = /^aws:\/\/\/[^/]*\/(i-(?:[0-9a-f]{8}|[0-9a-f]{17}))$/;

/**
 * With any value. The first is Kubernetes' own, the others are what AWS Load Balancer Controller leaves out too.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/pkg/backend/endpoint_utils.go
 */
const EXCLUDING_LABELS = [
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'alpha.service-controller.kubernetes.io/exclude-balancer',
  'node-role.kubernetes.io/master',
] as const;
const COMPUTE_TYPE = 'eks.amazonaws.com/compute-type';

/** Nodes that are about to be removed. A cordoned node serves on. */
const AUTOSCALER_TAINT = 'ToBeDeletedByClusterAutoscaler';
const KARPENTER_TAINT = 'karpenter.sh/disrupted';

/** The part of a Node that is kept in memory. */
export function trimNode(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata }: Node = object;
  const { name, uid = '', resourceVersion = '' } = metadata;
  const instanceId = readInstanceId(object);
  const trimmed: TrimmedNode = {
    ...{ apiVersion, kind, metadata: { name, uid, resourceVersion } },
    ...{ instanceId, state: readState(object, instanceId) },
  };
  return trimmed;
}

function readInstanceId({ spec }: Node): string {
  return PROVIDER_ID.exec(spec?.providerID ?? '')?.[1] ?? '';
}

function readState(node: Node, instanceId: string): NodeState {
  if (instanceId === '' || node.metadata.labels?.[COMPUTE_TYPE] === 'fargate') return 'foreign';
  if (isExcluded(node)) return 'excluded';
  return readReadiness(node);
}

function isExcluded({ metadata: { labels = {} }, spec }: Node): boolean {
  if (EXCLUDING_LABELS.some((label) => labels[label] !== undefined)) return true;
  return (spec?.taints ?? []).some(({ key, effect }) => {
    return key === AUTOSCALER_TAINT || (key === KARPENTER_TAINT && effect === 'NoSchedule');
  });
}

/** https://kubernetes.io/docs/reference/node/node-status/#condition */
function readReadiness({ status }: Node): NodeState {
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 'ready';
  return ready?.status === 'Unknown' ? 'unknown' : 'unready';
}
