import type { Pod } from './pod.ts';
import type { PodReason } from './pod-reasons.ts';

/** A kubelet needs a moment more than the grace that a pod is given. */
const OVERDUE_MS = 30_000;
/** The next change of a pod comes by watch; this is for one that never comes. */
const LOOK_AGAIN_MS = 60_000;

/** What is to be said of a pod that is on its way out, and when to look at it again. */
export interface Going {
  readonly reason: PodReason;
  readonly message: string;
  readonly againAfterMs: number;
}

/**
 * A pod whose node is lost stays for ever: nobody can say that its container runs no more, so it is
 * reported and not deleted by force, lest two run at once.
 * https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/
 */
export function goingOf({ metadata, spec }: Pod, nowMs: number): Going {
  const { name, deletionTimestamp: due } = metadata;
  if (due === undefined) {
    const message = `pod ${name} of an earlier object of this name goes`;
    return { reason: 'Replacing', message, againAfterMs: LOOK_AGAIN_MS };
  }
  const leftMs = Date.parse(due) + OVERDUE_MS - nowMs;
  if (leftMs > 0) {
    return { reason: 'Replacing', message: `pod ${name} is being deleted`, againAfterMs: leftMs };
  }
  const node = spec?.nodeName ?? 'its node';
  return {
    reason: 'PodTerminating',
    message: `pod ${name} should have been gone since ${due}, and ${node} does not say that it is; bring the node back, or, once the container surely runs no more, kubectl delete pod ${name} --force`,
    againAfterMs: LOOK_AGAIN_MS,
  };
}
