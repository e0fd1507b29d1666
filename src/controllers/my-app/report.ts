import type { MyApp, MyAppStatus } from '../../apis/my-app.ts';
import type { Pod } from '../../apis/pod.ts';
import { phaseOf, podStateKind } from '../../apis/pod-state.ts';
import { labelSelector } from '../../core/label-selector.ts';
import { labelsOf } from './desired-pods.ts';
import type { Look } from './look.ts';
import type { Slot } from './slot.ts';

type Report = { readonly [Field in keyof MyAppStatus]?: unknown };

/** Every count is there, also 0: a column of `kubectl get` would be blank without. */
export function reportOf(object: MyApp, { slots, surplus }: Look): Report {
  const [first] = slots;
  const pod = first && podIn(first);
  const pods = [...slots.flatMap((slot) => podIn(slot) ?? []), ...surplus];
  return {
    podName: pod?.metadata.name,
    podUID: pod?.metadata.uid,
    phase: pod && phaseOf(pod),
    replicas: pods.length,
    updatedReplicas: slots.filter(({ kind }) => kind === 'standing' || kind === 'ended').length,
    readyReplicas: pods.filter(isServing).length,
    selector: labelSelector(labelsOf(object)),
  };
}

export function podIn(slot: Slot): Pod | undefined {
  return 'pod' in slot ? slot.pod : undefined;
}

function isServing(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && podStateKind(pod) === 'ready';
}
