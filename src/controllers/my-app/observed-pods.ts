import type { MyApp } from '../../apis/my-app.ts';
import { classifyChild } from '../../core/children/child-state.ts';
import type { ChildrenOfOwner } from '../../core/children/children.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Pod } from '../../pods/pod.ts';
import {
  type PodEnd,
  type PodState,
  readEndedAtMs,
  readPodState,
  readPodStateKind,
} from '../../pods/pod-state.ts';
import { desirePods, nameContainer } from './desired-pods.ts';

/** The desired and observed pods at one moment of a pass. */
export interface Snapshot {
  /** One for each desired pod, the first one first. */
  readonly slots: readonly Slot[];
  /** Pods of the object under names that are not desired. */
  readonly surplus: readonly Pod[];
}

/** `written` is what this pass has written: newer than what the cache shows. */
export function takeSnapshot(
  object: MyApp,
  pods: ChildrenOfOwner<Pod>,
  written: ReadonlyMap<Key, Pod> = new Map(),
): Snapshot {
  const desired = desirePods(object);
  const desiredKeys = new Set(desired.map(getKey));
  const slots = desired.map((pod) => {
    const key = getKey(pod);
    return observeSlot(object, pod, written.get(key) ?? pods.observed.get(key));
  });
  return { slots, surplus: pods.listOwned().filter((pod) => !desiredKeys.has(getKey(pod))) };
}

/** The slot of one desired pod, and the pod in it. */
export type Slot =
  /** No pod, or a foreign one, which is refused when ours is to be created. */
  | { readonly kind: 'vacant'; readonly desired: KubeObject }
  /** Being deleted, or left over from an earlier object of this name. */
  | { readonly kind: 'going'; readonly desired: KubeObject; readonly pod: Pod }
  | {
      readonly kind: 'ended';
      readonly desired: KubeObject;
      readonly pod: Pod;
      readonly end: PodEnd;
      /** Epoch milliseconds, as far as it says. */
      readonly endedAtMs: number | undefined;
    }
  /** Of an older spec. */
  | {
      readonly kind: 'outdated';
      readonly desired: KubeObject;
      readonly pod: Pod;
      readonly isReady: boolean;
    }
  | {
      readonly kind: 'standing';
      readonly desired: KubeObject;
      readonly pod: Pod;
      readonly isReady: boolean;
      readonly state: PodState;
    };

/** Classifies the pod that has the name of `desired`. */
export function observeSlot(object: MyApp, desired: KubeObject, observed: Pod | undefined): Slot {
  const place = classifyChild(object, observed, desired);
  switch (place.kind) {
    case 'absent':
      return { kind: 'vacant', desired };
    case 'stale':
    case 'terminating':
      return { kind: 'going', desired, pod: place.child };
    case 'outdated':
      return { kind: 'outdated', desired, pod: place.child, isReady: isReady(place.child) };
    case 'current':
      return observeStanding(object, desired, place.child);
    default:
      return place satisfies never;
  }
}

function observeStanding(object: MyApp, desired: KubeObject, pod: Pod): Slot {
  const container = nameContainer(object);
  const state = readPodState(pod, container);
  if (state.kind !== 'ended') {
    return { kind: 'standing', desired, pod, isReady: state.kind === 'ready', state };
  }
  return { kind: 'ended', desired, pod, end: state.end, endedAtMs: readEndedAtMs(pod, container) };
}

function isReady(pod: Pod): boolean {
  return readPodStateKind(pod) === 'ready';
}
