import { omitUndefined } from '../../core/objects/fields.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { trimMetadata } from '../../core/objects/trim-metadata.ts';
import { cut } from './events.ts';
import type { TreeNode } from './tree.ts';

/** Pods and endpoints as nodes of a tree; pure. */

interface ContainerStatus {
  readonly restartCount?: number;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
}

/** As much of a pod as the tree shows. */
export interface ListedPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export function growPod(pod: ListedPod): TreeNode {
  const { conditions = [], phase = 'Unknown' } = pod.status ?? {};
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  const state = isLeaving ? 'terminating' : `${phase}, ${isReady ? '' : 'not '}ready`;
  return {
    kind: 'pod',
    name: pod.metadata.name,
    state: `${state}, ${describeRestarts(pod)}`,
    health: isReady ? 'good' : 'bad',
    ...(isReady ? {} : describeTrouble(pod)),
  };
}

function describeRestarts({ status }: ListedPod): string {
  const counts = (status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount);
  const restarts = counts.reduce((sum, count) => sum + count, 0);
  return `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
}

/** A waiting container says more than the pod, and its reason more than its condition. */
function describeTrouble({ status = {} }: ListedPod): Pick<TreeNode, 'reason' | 'message'> {
  const { containerStatuses = [], conditions = [] } = status;
  const troubles = [
    ...containerStatuses.flatMap(({ state }) => state?.waiting ?? []),
    ...conditions.filter(({ type }) => type === 'Ready'),
  ];
  return omitUndefined({
    reason: troubles.find(({ reason }) => reason)?.reason,
    message: troubles.find(({ message }) => message)?.message,
  });
}

/** With the name of its Service: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ownership */
export const SERVICE_LABEL = 'kubernetes.io/service-name';

/** As much of an EndpointSlice as the tree shows. */
export interface ListedSlice {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[];
    readonly conditions?: { readonly ready?: boolean; readonly terminating?: boolean };
    readonly targetRef?: { readonly kind?: string; readonly name?: string };
  }[];
}

/** As much of a slice as is shown. */
export function trimSlice(slice: KubeObject & ListedSlice): KubeObject & ListedSlice {
  const { apiVersion, kind, metadata } = trimMetadata(slice);
  const endpoints = (slice.endpoints ?? []).map(trimEndpoint);
  return { apiVersion, kind, metadata, endpoints };
}

function trimEndpoint({ addresses = [], conditions, targetRef }: Endpoint): Endpoint {
  const { ready, terminating } = conditions ?? {};
  const { kind, name } = targetRef ?? {};
  return omitUndefined({
    addresses,
    conditions: omitUndefined({ ready, terminating }),
    targetRef:
      name === undefined
        ? undefined
        : omitUndefined({ kind: kind && cut(kind, 63), name: cut(name, 253) }),
  });
}

/** The endpoints of each Service: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ */
export function growTargets(
  slices: readonly ListedSlice[],
): ReadonlyMap<string, readonly TreeNode[]> {
  const byService = new Map<string, TreeNode[]>();
  for (const { metadata, endpoints } of slices) {
    const service = metadata.labels?.[SERVICE_LABEL];
    if (service === undefined) continue;
    const nodes = byService.get(service) ?? [];
    nodes.push(...(endpoints ?? []).map(growTarget));
    byService.set(service, nodes);
  }
  return byService;
}

type Endpoint = NonNullable<ListedSlice['endpoints']>[number];

function growTarget({ addresses = [], conditions = {}, targetRef }: Endpoint): TreeNode {
  // Without a word an endpoint is ready: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ready
  const isReady = conditions.ready ?? true;
  const whose = targetRef?.name === undefined ? '' : ` (${targetRef.kind} ${targetRef.name})`;
  const state = conditions.terminating ? 'terminating' : 'not ready';
  return {
    kind: 'target',
    name: `${addresses.join(', ')}${whose}`,
    state: isReady ? 'ready' : state,
    health: isReady ? 'good' : 'warning',
  };
}
