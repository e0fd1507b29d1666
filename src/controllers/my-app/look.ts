import type { MyApp } from '../../apis/my-app.ts';
import type { Pod } from '../../apis/pod.ts';
import type { ChildrenOfOne } from '../../core/children.ts';
import { type Key, keyOf } from '../../core/kube-object.ts';
import { desiredPods } from './desired-pods.ts';
import { type Slot, slotOf } from './slot.ts';

/** What stands where, at one moment of a pass. */
export interface Look {
  /** One for each wanted pod, the first one first. */
  readonly slots: readonly Slot[];
  /** Those of ours under names that are not wanted. */
  readonly surplus: readonly Pod[];
}

/** `written` is what this pass has written: newer than what the cache shows. */
export function lookAt(
  object: MyApp,
  pods: ChildrenOfOne<Pod>,
  written: ReadonlyMap<Key, Pod> = new Map(),
): Look {
  const desired = desiredPods(object);
  const wanted = new Set(desired.map(keyOf));
  const slots = desired.map((pod) => {
    const key = keyOf(pod);
    return slotOf(object, pod, written.get(key) ?? pods.observed.get(key));
  });
  return { slots, surplus: pods.ownedBy().filter((pod) => !wanted.has(keyOf(pod))) };
}
