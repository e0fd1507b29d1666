import type { PodReason } from '../apis/pod-reasons.ts';
import { abridge } from '../core/objects/abridge.ts';
import type { ContainerEnd, ContainerStatus, Pod, PodCondition } from './pod.ts';

/** The progress of a pod that is not being deleted. */
export type PodState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unready'; readonly reason: PodReason; readonly message: string }
  | { readonly kind: 'ended'; readonly end: PodEnd };

/** The end of a pod, or of the container in it. */
export interface PodEnd {
  /** One word such as Error, OOMKilled, Completed or Evicted. */
  readonly reason: string;
  readonly exitCode?: number;
  /** RFC 3339. */
  readonly time?: string;
}

/**
 * Our pods have one container, and `container` is its name: a webhook may have put others before it.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
export function readPodState(pod: Pod, container: string): PodState {
  switch (readPodStateKind(pod)) {
    case 'ended':
      return { kind: 'ended', end: readEnd(pod, container) };
    case 'ready':
      return { kind: 'ready' };
    case 'unready':
      return { kind: 'unready', ...explainUnready(pod, container) };
  }
}

/** The same of a pod whatever its containers. One that has ended stays as it is: nothing restarts it. */
export function readPodStateKind(pod: Pod): PodState['kind'] {
  const { phase } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') return 'ended';
  return findPodCondition(pod, 'Ready')?.status === 'True' ? 'ready' : 'unready';
}

function findPodCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** The phase as `kubectl get pods` has it for a pod that is being deleted. */
export function readPhase(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return pod.status?.phase ?? 'Pending';
}

/** Run time of the pod before it ended, in ms, from the first start of its container; 0 where it does not say. */
export function measureRunMs(pod: Pod, container: string, nowMs: number): number {
  const end = findContainer(pod, container)?.state?.terminated;
  // Of a container that was restarted only the last start is known.
  const startedAt = countContainerRestarts(pod, container) > 0 ? undefined : end?.startedAt;
  const fromMs = parseTime(startedAt) ?? parseTime(pod.status?.startTime);
  if (fromMs === undefined) return 0;
  return (parseTime(end?.finishedAt) ?? nowMs) - fromMs;
}

/** Epoch milliseconds of the end of a pod that has ended, as far as it says. */
export function readEndedAtMs(pod: Pod, container: string): number | undefined {
  return (
    parseTime(findContainer(pod, container)?.state?.terminated?.finishedAt) ??
    parseTime(findPodCondition(pod, 'Ready')?.lastTransitionTime) ??
    parseTime(pod.status?.startTime ?? pod.metadata.creationTimestamp)
  );
}

/** The last end of the container in a pod that is still running, if it did. */
export function readLastContainerEnd(pod: Pod, container: string): PodEnd | undefined {
  const { state, lastState } = findContainer(pod, container) ?? {};
  const end = state?.terminated ?? lastState?.terminated;
  return end && readContainerEnd(end);
}

export function countContainerRestarts(pod: Pod, container: string): number {
  return findContainer(pod, container)?.restartCount ?? 0;
}

function findContainer({ status }: Pod, container: string): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === container);
}

/** Epoch milliseconds; a time that the kubelet does not know is null. */
function parseTime(time: string | null | undefined): number | undefined {
  return typeof time === 'string' ? Date.parse(time) : undefined;
}

function readEnd(pod: Pod, container: string): PodEnd {
  const { phase, reason } = pod.status ?? {};
  const end = findContainer(pod, container)?.state?.terminated;
  const known = end === undefined ? {} : readContainerEnd(end);
  return { ...known, reason: reason ?? end?.reason ?? phase ?? 'Failed' };
}

function readContainerEnd({ reason, exitCode, finishedAt }: ContainerEnd): PodEnd {
  return {
    reason: reason ?? 'Error',
    ...(exitCode !== undefined && { exitCode }),
    ...(typeof finishedAt === 'string' && { time: finishedAt }),
  };
}

interface Trouble {
  readonly reason: PodReason;
  readonly message: string;
}

function explainUnready(pod: Pod, container: string): Trouble {
  return explainUnscheduled(pod) ?? explainWaiting(pod, container) ?? explainNotReady(pod);
}

function explainUnscheduled(pod: Pod): Trouble | undefined {
  const scheduled = findPodCondition(pod, 'PodScheduled');
  if (scheduled?.reason !== 'Unschedulable') return undefined;
  const message = `no node can run pod ${pod.metadata.name}: ${scheduled.message ?? ''}`;
  return { reason: 'Unschedulable', message };
}

/** Words of the kubelet: https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff */
const REASON_OF_WAITING: Readonly<Record<string, PodReason>> = {
  InvalidImageName: 'InvalidImage',
  ErrImagePull: 'ImagePullFailing',
  ImagePullBackOff: 'ImagePullFailing',
  ErrImageNeverPull: 'ImagePullFailing',
  ImageInspectError: 'ImagePullFailing',
  RegistryUnavailable: 'ImagePullFailing',
  CreateContainerConfigError: 'ContainerNotCreated',
  CreateContainerError: 'ContainerNotCreated',
  RunContainerError: 'ContainerNotCreated',
  CrashLoopBackOff: 'CrashLooping',
};

function explainWaiting(pod: Pod, container: string): Trouble | undefined {
  const { reason: word = '', message = '' } = findContainer(pod, container)?.state?.waiting ?? {};
  const reason = REASON_OF_WAITING[word];
  if (reason === undefined) return undefined;
  return { reason, message: `pod ${pod.metadata.name}: ${word}${message && `: ${message}`}` };
}

function explainNotReady(pod: Pod): Trouble {
  const { name } = pod.metadata;
  if (pod.status?.phase !== 'Running') {
    return { reason: 'Starting', message: `pod ${name} is not running yet` };
  }
  const said = findPodCondition(pod, 'Ready')?.message;
  const node = pod.spec?.nodeName ?? 'no node';
  return {
    reason: 'NotReady',
    message: `pod ${name} on ${node} is not ready${said ? `: ${said}` : ''}`,
  };
}

/** The condition PodReady of an object that has one pod, or a first one. */
export interface PodReady {
  readonly type: 'PodReady';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Describes the pod's readiness in its own words, in ours where it has none. */
export function readPodReady(pod: Pod | undefined): PodReady {
  const type = 'PodReady';
  if (pod === undefined) {
    return { type, status: 'False', reason: 'NoPod', message: 'no pod exists' };
  }
  const ready = findPodCondition(pod, 'Ready');
  if (ready === undefined) {
    return { type, status: 'False', reason: 'PodPending', message: 'the pod has not started yet' };
  }
  const isReady = ready.status === 'True';
  const { status, reason, message } = ready;
  return {
    type,
    status,
    reason: reason ?? (isReady ? 'PodReady' : 'PodNotReady'),
    message: message ?? (isReady ? 'the pod is ready' : 'the pod is not ready'),
  };
}

/** A kubelet needs a moment more than the grace that a pod is given. */
const OVERDUE_MS = 30_000;
/** The next change of a pod comes by watch; this is for one that never comes. */
const RECHECK_MS = 60_000;

/** The reason why a pod that is being deleted still exists, and when to check again. */
export interface Deletion {
  readonly reason: PodReason;
  readonly message: string;
  readonly requeueAfterMs: number;
}

/**
 * Explains a pod that is being deleted. If its node is lost, its container may still run, so the pod is
 * reported and not deleted by force: two might run at once.
 * https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/
 */
export function explainDeletion(pod: Pod, nowMs: number): Deletion {
  const { name, deletionTimestamp: due } = pod.metadata;
  if (due === undefined) {
    const message = `pod ${name} belongs to an earlier object of this name and is being deleted`;
    return { reason: 'Replacing', message, requeueAfterMs: RECHECK_MS };
  }
  const leftMs = Date.parse(due) + OVERDUE_MS - nowMs;
  if (leftMs > 0) {
    return { reason: 'Replacing', message: `pod ${name} is being deleted`, requeueAfterMs: leftMs };
  }
  return {
    reason: 'PodTerminating',
    message: `pod ${name} should have been deleted by ${due}, and ${explainOverdue(pod)}`,
    requeueAfterMs: RECHECK_MS,
  };
}

/** A name has up to 317 characters. */
const MOST_NAMED = 5;

/**
 * A forced deletion waits for finalizers too, and they may wait for a lost node:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
 */
function explainOverdue(pod: Pod): string {
  const { name, finalizers = [] } = pod.metadata;
  const names = abridge(finalizers, MOST_NAMED).join(', ');
  const held = `is held by its finalizers ${names}; what set them must remove them`;
  const node = pod.spec?.nodeName ?? 'its node';
  const lost = `${node} has not confirmed it; bring the node back, or, once the container surely no longer runs, kubectl delete pod ${name} --force`;
  if (finalizers.length === 0) return lost;
  return readPodStateKind(pod) === 'ended' ? held : `${held}, and ${lost}`;
}
