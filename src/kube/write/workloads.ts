import { RESTARTED_AT } from '../../core/objects/annotations.ts';
import { boundText } from '../../core/objects/digests.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import {
  getController,
  type KubeObject,
  type ResourceKind,
} from '../../core/objects/kube-object.ts';
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

interface RollingStrategy {
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxSurge?: number | string;
    readonly maxUnavailable?: number | string;
  };
}

/** The parts that are read of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ */
interface WorkloadObject extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly paused?: boolean;
    readonly strategy?: RollingStrategy;
    readonly updateStrategy?: RollingStrategy & {
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly ordinals?: { readonly start?: number };
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly observedGeneration?: number;
    readonly updateRevision?: string;
  };
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
    desiredPods: countDesiredPods(object),
    minReadySeconds: getMinReadySeconds(object),
    followsTemplate: followsTemplate(ref.kind) && spec.updateStrategy?.type !== 'OnDelete',
    ...readOrdinals(object),
    surges: surges(ref.kind, object),
    isPaused: spec.paused === true,
    ...omitUndefined({
      resourceVersion: metadata.resourceVersion,
      controllerUid: getController(object)?.uid,
      restartedAt: restartedAt && boundText(restartedAt),
      revision: readRevision(ref.kind, object),
    }),
  };
}

/**
 * A Deployment has the number of its newest ReplicaSet when it observes a template, or a moment later
 * (https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/controller/deployment/sync.go#L139-L250); a DaemonSet has none.
 */
function readRevision(
  kind: WorkloadKind,
  { metadata, status = {} }: WorkloadObject,
): string | undefined {
  const isObserved = kind === 'ReplicaSet' || status.observedGeneration === metadata.generation;
  if (!isObserved) return undefined;
  return status.updateRevision ?? metadata.annotations?.['deployment.kubernetes.io/revision'];
}

/** A DaemonSet wants one on each node that takes it. */
function countDesiredPods({ spec, status }: WorkloadObject): number {
  return spec?.replicas ?? status?.desiredNumberScheduled ?? 0;
}

function getMinReadySeconds({ spec }: WorkloadObject): number {
  return spec?.minReadySeconds ?? 0;
}

/**
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#start-ordinal and
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions
 */
function readOrdinals({
  spec = {},
}: WorkloadObject): Pick<Workload, 'firstOrdinal' | 'rollsFromOrdinal'> {
  const firstOrdinal = spec.ordinals?.start ?? 0;
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  return {
    ...(firstOrdinal > 0 && { firstOrdinal }),
    rollsFromOrdinal: firstOrdinal + partition,
  };
}

/**
 * Whether a single replica is replaced without a gap. Of a percentage maxSurge is rounded up and maxUnavailable
 * down, so that 25% of one pod is one more, and none less
 * (https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable). A DaemonSet has both
 * or none (https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/); a StatefulSet never surges.
 */
function surges(kind: WorkloadKind, { spec = {} }: WorkloadObject): boolean {
  if (kind === 'DaemonSet') return isAny(spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0);
  return kind === 'Deployment' && keepsOne(spec.strategy);
}

function keepsOne({ type, rollingUpdate = {} }: RollingStrategy = {}): boolean {
  const { maxSurge = '25%', maxUnavailable = '25%' } = rollingUpdate;
  return type !== 'Recreate' && isAny(maxSurge) && countOfOne(maxUnavailable) === 0;
}

function isAny(bound: number | string): boolean {
  return Number.parseInt(String(bound), 10) > 0;
}

/** A number, or a percentage of one pod, rounded down. */
function countOfOne(bound: number | string): number {
  const number = Number.parseInt(String(bound), 10);
  return String(bound).endsWith('%') ? Math.floor(number / 100) : number;
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
