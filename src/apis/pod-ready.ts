import type { Pod } from './pod.ts';
import { podConditionOf } from './pod-state.ts';

/** The condition PodReady of an object that has one pod, or a first one. */
export interface PodReady {
  readonly type: 'PodReady';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** What the pod itself says of its readiness, in words of our own where it gives none. */
export function podReadyOf(pod: Pod | undefined): PodReady {
  const type = 'PodReady';
  if (pod === undefined) {
    return { type, status: 'False', reason: 'NoPod', message: 'there is no pod' };
  }
  const ready = podConditionOf(pod, 'Ready');
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
