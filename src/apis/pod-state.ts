import type { ContainerEnd, ContainerStatus, Pod, PodCondition } from './pod.ts';
import type { PodReason } from './pod-reasons.ts';

/** How a pod that is not being deleted gets on. */
export type PodState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unready'; readonly reason: PodReason; readonly message: string }
  | { readonly kind: 'ended'; readonly end: PodEnd };

/** How a pod, or the container in it, ended. */
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
export function podStateOf(pod: Pod, container: string): PodState {
  switch (podStateKind(pod)) {
    case 'ended':
      return { kind: 'ended', end: endOf(pod, container) };
    case 'ready':
      return { kind: 'ready' };
    case 'unready':
      return { kind: 'unready', ...whyUnready(pod, container) };
  }
}

/** The same of a pod whatever its containers. One that has ended stays as it is: nothing restarts it. */
export function podStateKind(pod: Pod): PodState['kind'] {
  const { phase } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') return 'ended';
  return podConditionOf(pod, 'Ready')?.status === 'True' ? 'ready' : 'unready';
}

export function podConditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** The phase as `kubectl get pods` has it for a pod that is being deleted. */
export function phaseOf(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return pod.status?.phase ?? 'Pending';
}

/** How long the pod ran before it ended, in ms; 0 where it does not say. */
export function ranForMs(pod: Pod, container: string, nowMs: number): number {
  const end = containerOf(pod, container)?.state?.terminated;
  const fromMs = timeOf(end?.startedAt) ?? timeOf(pod.status?.startTime);
  if (fromMs === undefined) return 0;
  return (timeOf(end?.finishedAt) ?? nowMs) - fromMs;
}

/** Epoch milliseconds of the end of a pod that has ended, as far as it says. */
export function endedAtMs(pod: Pod, container: string): number | undefined {
  return (
    timeOf(containerOf(pod, container)?.state?.terminated?.finishedAt) ??
    timeOf(podConditionOf(pod, 'Ready')?.lastTransitionTime) ??
    timeOf(pod.status?.startTime ?? pod.metadata.creationTimestamp)
  );
}

/** How the container last ended inside of a pod that goes on, if it did. */
export function lastContainerEnd(pod: Pod, container: string): PodEnd | undefined {
  const { state, lastState } = containerOf(pod, container) ?? {};
  const end = state?.terminated ?? lastState?.terminated;
  return end && ofContainer(end);
}

export function containerRestarts(pod: Pod, container: string): number {
  return containerOf(pod, container)?.restartCount ?? 0;
}

function containerOf({ status }: Pod, container: string): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === container);
}

/** Epoch milliseconds; a time that the kubelet does not know is null. */
function timeOf(time: string | null | undefined): number | undefined {
  return typeof time === 'string' ? Date.parse(time) : undefined;
}

function endOf(pod: Pod, container: string): PodEnd {
  const { phase, reason } = pod.status ?? {};
  const end = containerOf(pod, container)?.state?.terminated;
  const known = end === undefined ? {} : ofContainer(end);
  return { ...known, reason: reason ?? end?.reason ?? phase ?? 'Failed' };
}

function ofContainer({ reason, exitCode, finishedAt }: ContainerEnd): PodEnd {
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

function whyUnready(pod: Pod, container: string): Trouble {
  return unscheduled(pod) ?? containerWaits(pod, container) ?? notReadyYet(pod);
}

function unscheduled(pod: Pod): Trouble | undefined {
  const scheduled = podConditionOf(pod, 'PodScheduled');
  if (scheduled?.reason !== 'Unschedulable') return undefined;
  const message = `no node takes pod ${pod.metadata.name}: ${scheduled.message ?? ''}`;
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

function containerWaits(pod: Pod, container: string): Trouble | undefined {
  const { reason: word = '', message = '' } = containerOf(pod, container)?.state?.waiting ?? {};
  const reason = REASON_OF_WAITING[word];
  if (reason === undefined) return undefined;
  return { reason, message: `pod ${pod.metadata.name}: ${word}${message && `: ${message}`}` };
}

function notReadyYet(pod: Pod): Trouble {
  const { name } = pod.metadata;
  if (pod.status?.phase !== 'Running') {
    return { reason: 'Starting', message: `pod ${name} is not running yet` };
  }
  const said = podConditionOf(pod, 'Ready')?.message;
  const node = pod.spec?.nodeName ?? 'no node';
  return {
    reason: 'NotReady',
    message: `pod ${name} on ${node} is not ready${said ? `: ${said}` : ''}`,
  };
}
