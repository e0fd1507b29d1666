import type { ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import type { Pod } from '../../apis/pod.ts';
import {
  containerRestarts,
  lastContainerEnd,
  phaseOf,
  podConditionOf,
  podStateOf,
} from '../../apis/pod-state.ts';
import type { StatedCondition } from '../../core/conditions.ts';
import type { Scope } from './scope.ts';

type Report = { readonly [Field in keyof ImmortalContainerStatus]?: unknown };

/** Reports a pod of the object's, which counts it if it has not been counted yet. */
export function reportPod(pod: Pod, { object, pass, starts }: Scope): void {
  const ended = podStateOf(pod);
  const end = ended.kind === 'ended' ? ended.end : lastContainerEnd(pod);
  const report: Report = {
    ...starts.count(pass.key, object, pod),
    currentPod: pod.metadata.name,
    phase: phaseOf(pod),
    containerRestarts: containerRestarts(pod),
    ...(end && { lastTermination: end }),
    ...(ended.kind !== 'ended' && { nextStartTime: undefined }),
  };
  pass.report(report);
  pass.condition(podReady(pod));
}

/** Reports that the object has no pod. */
export function reportNoPod({ object, pass, starts }: Scope): void {
  const report: Report = {
    ...starts.recordOf(pass.key, object),
    currentPod: undefined,
    phase: undefined,
    containerRestarts: undefined,
    nextStartTime: undefined,
  };
  pass.report(report);
  pass.condition(podIsMissing);
}

const podIsMissing: StatedCondition = {
  type: 'PodReady',
  status: 'False',
  reason: 'NoPod',
  message: 'there is no pod',
};

/** What the pod itself says; nothing while it has not been looked at by its node. */
function podReady(pod: Pod): StatedCondition {
  const ready = podConditionOf(pod, 'Ready');
  if (ready === undefined) {
    return { ...podIsMissing, reason: 'PodPending', message: 'the pod has not started yet' };
  }
  const { status, reason, message } = ready;
  const isReady = status === 'True';
  return {
    type: 'PodReady',
    status,
    reason: reason ?? (isReady ? 'PodReady' : 'PodNotReady'),
    message: message ?? (isReady ? 'the pod is ready' : 'the pod is not ready'),
  };
}
