import { createHmac } from 'node:crypto';
import {
  type ConfigMonitor,
  type ConfigMonitorSpec,
  type ConfigMonitorStatus,
  POD_DELETE_MATCH,
} from '../../apis/config-monitor.ts';
import { isPaused, RESTARTED_AT } from '../../core/objects/annotations.ts';
import { boundText } from '../../core/objects/digests.ts';
import {
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  parseGroup,
} from '../../core/objects/kube-object.ts';
import {
  boundAnnotations,
  boundController,
  boundLabels,
  type Transform,
} from '../../core/objects/trim-metadata.ts';
import type { Pod } from '../../pods/pod.ts';
import { readPodStateKind } from '../../pods/pod-state.ts';
import { WORKLOAD_KINDS, type WorkloadKind, type WorkloadRef } from '../../pods/workloads.ts';
import { listUses, type PodUses, SharedUses } from './sources/pod-uses.ts';
import { hashFields, type TrimmedSource } from './sources/watched-source.ts';

/** A ConfigMap as it is held in memory. */
export type TrimmedConfigMap = TrimmedSource;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Of podDeleteMatch, in characters: some ten labels. */
const LONGEST_LABEL_LIST = 1024;

/** The part of a ConfigMap that is kept in memory. */
export function trimConfigMap(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, data, binaryData } = object as ConfigMap;
  const { name, namespace = '', uid = '', resourceVersion = '', deletionTimestamp } = metadata;
  const annotations = trimAnnotations(metadata.annotations);
  const trimmed: TrimmedConfigMap = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(annotations !== undefined && { annotations }),
    },
    ...hashFields(data, binaryData),
  };
  return trimmed;
}

function trimAnnotations(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const kept = boundAnnotations(annotations);
  const labels = annotations[POD_DELETE_MATCH];
  if (labels === undefined) return kept;
  return { ...kept, [POD_DELETE_MATCH]: boundText(labels, LONGEST_LABEL_LIST) };
}

/** Most ConfigMaps of a cluster have no ConfigMonitor. A paused one may have lost the annotation, and kept it. */
export function mayHaveMonitor(configMap: TrimmedConfigMap): boolean {
  return isAnnotated(configMap) || isPaused(configMap);
}

export function isAnnotated({ metadata }: TrimmedConfigMap): boolean {
  return metadata.annotations?.[POD_DELETE_MATCH] !== undefined;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Makes the transform of Secrets: hashes with a key, since a plain one of a short password can be guessed from a
 * dictionary, and of its name, so that equal data of two Secrets does not show. Its annotations may hold the data (kubectl.kubernetes.io/last-applied-configuration).
 */
export function createSecretTransform(key: Buffer): Transform {
  return (object) => {
    const { apiVersion, kind, metadata, data } = object as Secret;
    const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
    const trimmed: TrimmedSource = {
      apiVersion,
      kind,
      metadata: { name, namespace, uid, resourceVersion },
      ...hashFields(data, {}, () => createHmac('sha256', key).update(`${namespace}/${name}\n`)),
    };
    return trimmed;
  };
}

/** A pod as it is held in memory: all pods of the cluster are. */
export interface TrimmedPod extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace: string; readonly uid: string };
  /** `starting`: not ready, and a container has yet to start, or to start again. */
  readonly state: 'ready' | 'starting' | 'unready' | 'ended';
  /** Of all its containers. */
  readonly restarts: number;
  /** Of the template that it was started from; see `Workload.restartedAt`. */
  readonly restartedAt?: string;
  /** The sources that it reads, as `listUses` gives them; absent for none. */
  readonly uses?: PodUses;
}

/** Makes the transform of pods, which share their lists of uses. */
export function createPodTransform(): Transform {
  const shared = new SharedUses();
  return (object) => trimPod(object, shared);
}

/** The part of a pod that is kept in memory. */
export function trimPod(object: KubeObject, shared = new SharedUses()): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { annotations, labels, deletionTimestamp } = metadata;
  const restartedAt = annotations?.[RESTARTED_AT];
  const ownerReferences = boundController(metadata.ownerReferences);
  const trimmed: TrimmedPod = {
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
    state: readState(object),
    restarts: countRestarts(object),
    ...(restartedAt !== undefined && { restartedAt: boundText(restartedAt) }),
    ...trimUses(object, shared),
  };
  return trimmed;
}

function trimUses(object: KubeObject, shared: SharedUses): Pick<TrimmedPod, 'uses'> {
  const uses = listUses(object);
  return uses.size > 0 ? { uses: shared.share(uses) } : {};
}

function readState(pod: Pod): TrimmedPod['state'] {
  const state = readPodStateKind(pod);
  return state === 'unready' && !areContainersRunning(pod) ? 'starting' : state;
}

function areContainersRunning({ status }: Pod): boolean {
  const statuses = status?.containerStatuses ?? [];
  return statuses.length > 0 && statuses.every(({ state }) => state?.running !== undefined);
}

function countRestarts({ status }: Pod): number {
  const statuses = status?.containerStatuses ?? [];
  return statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** The pod's controller, which starts it again, or nobody. */
export function getController({ metadata }: TrimmedPod): OwnerReference | undefined {
  return metadata.ownerReferences?.[0];
}

/** Whether spec spares it because nobody would start it again. */
export function isSpared(
  pod: TrimmedPod,
  { unmanagedPods }: Pick<ConfigMonitorSpec, 'unmanagedPods'>,
): boolean {
  return getController(pod) === undefined && unmanagedPods === 'Skip';
}

/**
 * Whether a controller has made it and is gone, as after `kubectl delete --cascade=orphan`: another one may adopt it.
 * ReplicaSets of a Deployment, StatefulSets and DaemonSets label their pods with a revision
 * (https://pkg.go.dev/k8s.io/api/apps/v1#pkg-constants).
 */
function hasLostController(pod: TrimmedPod): boolean {
  const { labels = {} } = pod.metadata;
  const isOfRevision = 'controller-revision-hash' in labels || 'pod-template-hash' in labels;
  return isOfRevision && getController(pod) === undefined;
}

/** UIDs of the spared ones that had a controller: where it left no label, because they are on record. */
export function listLost(
  spared: readonly TrimmedPod[],
  { deselectedPods = [], rollout }: ConfigMonitorStatus,
): ReadonlySet<string> {
  const recorded = new Set([...deselectedPods, ...(rollout?.pods ?? [])]);
  const uids = spared.flatMap((pod) => {
    const { uid } = pod.metadata;
    return hasLostController(pod) || recorded.has(uid) ? uid : [];
  });
  return new Set(uids);
}

/**
 * Those that share what may be unready at a time, such as `Deployment/frontend` or `CloneSet/shop of
 * apps.kruise.io`; undefined where nobody keeps count of them. Pods of one Deployment belong together, whichever of
 * its ReplicaSets they are of: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label
 */
export function nameOwner(pod: TrimmedPod): string | undefined {
  const controller = getController(pod);
  if (controller === undefined) return undefined;
  const { kind, name } = controller;
  const suffix = `-${pod.metadata.labels?.['pod-template-hash']}`;
  if (kind === 'ReplicaSet' && name.endsWith(suffix)) {
    return `Deployment/${name.slice(0, -suffix.length)}`;
  }
  if (isBuiltIn(controller)) return `${kind}/${name}`;
  // Pods keep the version of the API that made them.
  return `${kind}/${name} of ${parseGroup(controller.apiVersion) || 'v1'}`;
}

/** Earlier releases recorded the version too, as `CloneSet/shop of apps.kruise.io/v1alpha1`, and each version apart. */
export function renameOwners(object: ConfigMonitor): ConfigMonitor {
  const { rollout } = object.status;
  if (rollout === undefined) return object;
  const renamed = rollout.owners.map(({ name, ...owner }) => {
    return { ...owner, name: name.replace(/( of [^/]+)\/.*$/, '$1') };
  });
  const byName = Map.groupBy(renamed, ({ name }) => name);
  const owners = [...byName.values()].map((same) => {
    const pods = same.reduce((sum, one) => sum + one.pods, 0);
    return { ...(same[0] as (typeof same)[number]), pods };
  });
  return { ...object, status: { ...object.status, rollout: { ...rollout, owners } } };
}

/** The workload that an owner's name stands for; undefined where it is of a kind that others made. */
export function parseWorkload(ownerName: string, namespace: string): WorkloadRef | undefined {
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
