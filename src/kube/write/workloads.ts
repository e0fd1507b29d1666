import { RESTARTED_AT } from '../../core/objects/annotations.ts';
import { boundText } from '../../core/objects/digests.ts';
import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { Workload, WorkloadKind, WorkloadRef, Workloads } from '../../pods/workloads.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isNotFound, translateErrors } from '../client/kube-error.ts';
import { buildResourcePath } from '../client/resource-path.ts';
import { RESTART_MANAGER } from './server-side-apply.ts';

const PLURALS: Readonly<Record<WorkloadKind, string>> = {
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

/** Reads and restarts the built-in workloads. */
export function createWorkloads(client: KubeClient): Workloads {
  return {
    read: (ref) => translateErrors(`read ${formatName(ref)}`, () => readWorkload(client, ref)),
    restart: (workload, at) =>
      translateErrors(`restart ${formatName(workload)}`, () =>
        restartWorkload(client, workload, at),
      ),
  };
}

/** The parts that are read of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ */
interface WorkloadObject extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly paused?: boolean;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly ordinals?: { readonly start?: number };
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
  readonly status?: { readonly desiredNumberScheduled?: number };
}

async function readWorkload(client: KubeClient, ref: WorkloadRef): Promise<Workload | undefined> {
  try {
    const object = await client.request<WorkloadObject>({ method: 'GET', path: buildPath(ref) });
    return parseWorkload(ref, object);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function parseWorkload(ref: WorkloadRef, object: WorkloadObject): Workload {
  const { metadata, spec = {} } = object;
  const restartedAt = spec.template?.metadata?.annotations?.[RESTARTED_AT];
  return {
    ...ref,
    uid: metadata.uid ?? '',
    ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
    desiredPods: countDesiredPods(object),
    minReadySeconds: getMinReadySeconds(object),
    followsTemplate: followsTemplate(ref.kind) && spec.updateStrategy?.type !== 'OnDelete',
    rollsFromOrdinal: getFirstOrdinal(object),
    isPaused: spec.paused === true,
    ...(restartedAt !== undefined && { restartedAt: boundText(restartedAt) }),
  };
}

/** A DaemonSet wants one on each node that takes it. */
function countDesiredPods({ spec, status }: WorkloadObject): number {
  return spec?.replicas ?? status?.desiredNumberScheduled ?? 0;
}

function getMinReadySeconds({ spec }: WorkloadObject): number {
  return spec?.minReadySeconds ?? 0;
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions */
function getFirstOrdinal({ spec }: WorkloadObject): number {
  return (spec?.ordinals?.start ?? 0) + (spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** A ReplicaSet keeps the pods that it has when their template changes. */
function followsTemplate(kind: WorkloadKind): boolean {
  return kind !== 'ReplicaSet';
}

async function restartWorkload(
  client: KubeClient,
  { uid, resourceVersion, ...ref }: Workload,
  at: string,
): Promise<void> {
  const template = { metadata: { annotations: { [RESTARTED_AT]: at } } };
  await client.request<unknown>({
    method: 'PATCH',
    path: buildPath(ref),
    query: { fieldManager: RESTART_MANAGER },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { uid, resourceVersion }, spec: { template } }),
  });
}

function buildPath({ kind, namespace, name }: WorkloadRef): string {
  return buildResourcePath(toResourceKind(kind), { namespace, name });
}

function toResourceKind(kind: WorkloadKind): ResourceKind {
  return { group: 'apps', version: 'v1', kind, plural: PLURALS[kind] };
}

function formatName({ kind, namespace, name }: WorkloadRef): string {
  return `${kind} ${namespace}/${name}`;
}
