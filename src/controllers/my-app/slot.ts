import type { MyApp } from '../../apis/my-app.ts';
import type { Pod } from '../../apis/pod.ts';
import {
  endedAtMs,
  type PodEnd,
  type PodState,
  podStateKind,
  podStateOf,
} from '../../apis/pod-state.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { placeOf } from '../../core/replaceable.ts';
import { containerNameOf } from './desired-pods.ts';

/** The place of one wanted pod, and what stands there. */
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

/** `seen` is what stands under the name of `desired`. */
export function slotOf(object: MyApp, desired: KubeObject, seen: Pod | undefined): Slot {
  const place = placeOf(object, seen, desired);
  switch (place.kind) {
    case 'vacant':
      return { kind: 'vacant', desired };
    case 'leftover':
    case 'leaving':
      return { kind: 'going', desired, pod: place.child };
    case 'outdated':
      return { kind: 'outdated', desired, pod: place.child, isReady: isReady(place.child) };
    case 'standing':
      return standing(object, desired, place.child);
    default:
      return place satisfies never;
  }
}

function standing(object: MyApp, desired: KubeObject, pod: Pod): Slot {
  const container = containerNameOf(object);
  const state = podStateOf(pod, container);
  if (state.kind !== 'ended') {
    return { kind: 'standing', desired, pod, isReady: state.kind === 'ready', state };
  }
  return { kind: 'ended', desired, pod, end: state.end, endedAtMs: endedAtMs(pod, container) };
}

function isReady(pod: Pod): boolean {
  return podStateKind(pod) === 'ready';
}
