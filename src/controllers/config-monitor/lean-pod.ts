import type { Pod } from '../../apis/pod.ts';
import { podStateKind } from '../../apis/pod-state.ts';
import { boundText, RESTARTED_AT } from '../../core/annotations.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../core/kube-object.ts';
import { boundController, boundLabels } from '../../core/lean-metadata.ts';
import { WORKLOAD_KINDS, type WorkloadKind, type WorkloadRef } from '../../core/workloads.ts';

/** A pod as it is held in memory: all pods of the cluster are. */
export interface LeanPod extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace: string; readonly uid: string };
  readonly state: 'ready' | 'unready' | 'ended';
  /** Of all its containers. */
  readonly restarts: number;
  /** Of the template that it was started from; see `Workload.restartedAt`. */
  readonly restartedAt?: string;
}

/** What of a pod is kept in memory. */
export function leanPod(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { annotations, labels, deletionTimestamp } = metadata;
  const restartedAt = annotations?.[RESTARTED_AT];
  const ownerReferences = boundController(metadata.ownerReferences);
  const lean: LeanPod = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(labels !== undefined && { labels: boundLabels(labels) }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    state: podStateKind(object),
    restarts: restartsOf(object),
    ...(restartedAt !== undefined && { restartedAt: boundText(restartedAt) }),
  };
  return lean;
}

function restartsOf({ status }: Pod): number {
  const statuses = status?.containerStatuses ?? [];
  return statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** Who starts a pod again: its controller, or nobody. */
export function controllerOf({ metadata }: LeanPod): OwnerReference | undefined {
  return metadata.ownerReferences?.[0];
}

/**
 * Those that share what may be unready at a time, such as `Deployment/frontend`; undefined where
 * nobody keeps count of them. Pods of one Deployment belong together, whichever of its ReplicaSets
 * they are of: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label
 */
export function ownerNameOf(pod: LeanPod): string | undefined {
  const controller = controllerOf(pod);
  if (controller === undefined) return undefined;
  const { kind, name } = controller;
  const suffix = `-${pod.metadata.labels?.['pod-template-hash']}`;
  if (kind === 'ReplicaSet' && name.endsWith(suffix)) {
    return `Deployment/${name.slice(0, -suffix.length)}`;
  }
  return isBuiltIn(controller) ? `${kind}/${name}` : `${kind}/${name} of ${controller.apiVersion}`;
}

/** The workload that an owner's name stands for; undefined where it is of a kind that others made. */
export function workloadNamed(ownerName: string, namespace: string): WorkloadRef | undefined {
  const [kind = '', name = ''] = ownerName.split('/', 2);
  if (!isWorkloadKind(kind) || name.includes(' ')) return undefined;
  return { kind, namespace, name };
}

function isBuiltIn({ apiVersion, kind }: OwnerReference): boolean {
  return isWorkloadKind(kind) && apiVersion.startsWith('apps/');
}

function isWorkloadKind(kind: string): kind is WorkloadKind {
  return (WORKLOAD_KINDS as readonly string[]).includes(kind);
}
