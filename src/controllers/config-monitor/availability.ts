import type { LeanPod } from './lean-pod.ts';
import type { Pods } from './pods.ts';

/**
 * A container that has run for so long is sound: the kubelet then forgets its restarts
 * (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy).
 */
export const SOUND_AFTER_MS = 600_000;

/** How soon a restarted pod counts as available if it stays ready, in ms; Infinity while it is not ready. */
export function availableInMs(pod: LeanPod, minReadySeconds: number, pods: Pods): number {
  if (pod.state !== 'ready') return Number.POSITIVE_INFINITY;
  const minReadyMs = minReadySeconds * 1000;
  const neededMs = pod.restarts === 0 ? minReadyMs : Math.max(minReadyMs, SOUND_AFTER_MS);
  // Whole: a timer of less than a millisecond may fire before any time has passed.
  return Math.max(0, Math.ceil(neededMs - pods.readyForMs(pod)));
}

/**
 * Why a pod does not count as available, as the end of a sentence that begins with its name. The same
 * for each restart of its container: a pod that crashes again and again must not be a write each time.
 */
export function describeUnavailable({ state, restarts }: LeanPod, minReadySeconds: number): string {
  if (restarts > 0) return 'has restarted';
  return state === 'ready' ? `has been ready for less than ${minReadySeconds} s` : 'is not ready';
}
