import type { NodeState, TrimmedNode } from './trimmed-node.ts';

/** Instances of the cluster's nodes. */
export interface Instances {
  /** Ids of those that are targets. */
  readonly usable: readonly string[];
  /** Ids of all, whatever the state of their node. */
  readonly live: ReadonlySet<string>;
  /** How many nodes there are of each state. */
  readonly counts: Readonly<Record<NodeState, number>>;
}

/** `unsupported`: nodes are not read. `unread`: the list is not complete yet; late if that takes long. */
export type Nodes =
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'unread'; readonly isLate: boolean }
  | ({ readonly kind: 'known' } & Instances);

/**
 * Ready nodes are targets. Where none is ready, those whose kubelet is silent: it may be the control plane that
 * does not hear them, as AWS Load Balancer Controller does it.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/pkg/backend/endpoint_utils.go
 */
export function chooseInstances(nodes: readonly TrimmedNode[]): Instances {
  const listIds = (states: readonly NodeState[]): readonly string[] => {
    const chosen = nodes.filter(({ state }) => states.includes(state));
    return [...new Set(chosen.map(({ instanceId }) => instanceId))];
  };
  const ready = listIds(['ready']);
  return {
    usable: ready.length > 0 ? ready : listIds(['unknown']),
    live: new Set(listIds(['ready', 'unknown', 'unready', 'excluded'])),
    counts: countStates(nodes),
  };
}

function countStates(nodes: readonly TrimmedNode[]): Readonly<Record<NodeState, number>> {
  const counts = { ready: 0, unknown: 0, unready: 0, excluded: 0, foreign: 0 };
  for (const { state } of nodes) counts[state] += 1;
  return counts;
}

/** Why none of them is a target, as `1 not ready, 2 excluded from load balancers`. */
export function describeLeftOut({
  unknown,
  unready,
  excluded,
  foreign,
}: Instances['counts']): string {
  const parts = [
    [unready + unknown, 'not ready'],
    [excluded, 'excluded from load balancers or about to be removed'],
    [foreign, 'not EC2 instances'],
  ] as const;
  return parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
}
