import type { ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import type { Pod } from '../../apis/pod.ts';
import { podReadyOf } from '../../apis/pod-ready.ts';
import { containerRestarts, lastContainerEnd, phaseOf, podStateOf } from '../../apis/pod-state.ts';
import { CONTAINER } from './desired-pod.ts';
import type { Scope } from './scope.ts';

type Report = { readonly [Field in keyof ImmortalContainerStatus]?: unknown };

/** Reports a pod of the object's, which counts it if it has not been counted yet. */
export function reportPod(pod: Pod, { object, pass, starts }: Scope): void {
  const ended = podStateOf(pod, CONTAINER);
  const end = ended.kind === 'ended' ? ended.end : lastContainerEnd(pod, CONTAINER);
  const report: Report = {
    ...starts.count(pass.key, object, pod),
    currentPod: pod.metadata.name,
    phase: phaseOf(pod),
    containerRestarts: containerRestarts(pod, CONTAINER),
    ...(end && { lastTermination: end }),
    ...(ended.kind !== 'ended' && { nextStartTime: undefined }),
  };
  pass.report(report);
  pass.condition(podReadyOf(pod));
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
  pass.condition(podReadyOf(undefined));
}
