import type { ImmortalContainer, ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import type { ChildrenOfOwner } from '../../core/children/children.ts';
import type { Key, KubeObject } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import type { Pod } from '../../pods/pod.ts';
import {
  countContainerRestarts,
  readLastContainerEnd,
  readPhase,
  readPodReady,
  readPodState,
} from '../../pods/pod-state.ts';
import { CONTAINER } from './desired-pod.ts';

/** Everything that one pass works with. */
export interface Scope {
  readonly object: ImmortalContainer;
  readonly pass: Pass;
  readonly pods: ChildrenOfOwner<Pod>;
  readonly clock: Clock;
  readonly starts: Starts;
  readonly desired: KubeObject;
}

type Report = { readonly [Field in keyof ImmortalContainerStatus]?: unknown };

/** Reports a pod of the object's, which counts it if it has not been counted yet. */
export function reportPod(pod: Pod, { object, pass, starts }: Scope): void {
  const ended = readPodState(pod, CONTAINER);
  const end = ended.kind === 'ended' ? ended.end : readLastContainerEnd(pod, CONTAINER);
  const report: Report = {
    ...starts.count(pass.key, object, pod),
    currentPod: pod.metadata.name,
    phase: readPhase(pod),
    containerRestarts: countContainerRestarts(pod, CONTAINER),
    ...(end && { lastTermination: end }),
    ...(ended.kind !== 'ended' && { nextStartTime: undefined }),
  };
  pass.report(report);
  pass.setCondition(readPodReady(pod));
}

/** Reports that the object has no pod. */
export function reportNoPod({ object, pass, starts }: Scope): void {
  const report: Report = {
    ...starts.getRecord(pass.key, object),
    currentPod: undefined,
    phase: undefined,
    containerRestarts: undefined,
    nextStartTime: undefined,
  };
  pass.report(report);
  pass.setCondition(readPodReady(undefined));
}

/** The record of the pods that were started. */
export interface StartRecord
  extends Pick<ImmortalContainerStatus, 'currentPodUID' | 'lastStartTime'> {
  readonly startTimes: number;
}

/**
 * Counts every pod once, by its UID: a crash between the creation of a pod and the status write is
 * repaired by the next pass that sees the pod. Beside that it remembers what this process has
 * counted, in case the status cannot be written before the pod is gone again.
 */
export class Starts {
  readonly #counted = new Map<Key, { readonly owner: string; readonly record: StartRecord }>();

  /** The newer one of what is stored and what is remembered. */
  getRecord(key: Key, { metadata, status }: ImmortalContainer): StartRecord {
    const { startTimes = 0, currentPodUID, lastStartTime } = status ?? {};
    const known = this.#counted.get(key);
    if (known?.owner === metadata.uid && known.record.startTimes > startTimes) return known.record;
    return {
      startTimes,
      ...(currentPodUID !== undefined && { currentPodUID }),
      ...(lastStartTime !== undefined && { lastStartTime }),
    };
  }

  /** The record with this pod of the object's in it. */
  count(key: Key, object: ImmortalContainer, pod: Pod): StartRecord {
    const before = this.getRecord(key, object);
    const { uid } = pod.metadata;
    if (uid === undefined || uid === before.currentPodUID) return before;
    return isOlder(pod, before) ? before : this.countNew(key, object, pod);
  }

  /** The same of a pod that has just been created: whatever the clocks of API servers say, no other is newer. */
  countNew(key: Key, object: ImmortalContainer, pod: Pod): StartRecord {
    const before = this.getRecord(key, object);
    const { uid, creationTimestamp } = pod.metadata;
    if (uid === undefined) return before;
    const record = {
      startTimes: before.startTimes + 1,
      currentPodUID: uid,
      ...(creationTimestamp !== undefined && { lastStartTime: creationTimestamp }),
    };
    this.#counted.set(key, { owner: object.metadata.uid, record });
    return record;
  }

  forget(key: Key): void {
    this.#counted.delete(key);
  }
}

/** A leader whose watch of pods lags behind its watch of objects sees pods that its predecessor has counted. */
export function isOlder(
  { metadata }: Pod,
  { lastStartTime }: Pick<StartRecord, 'lastStartTime'>,
): boolean {
  const { creationTimestamp } = metadata;
  if (creationTimestamp === undefined || lastStartTime === undefined) return false;
  return Date.parse(creationTimestamp) < Date.parse(lastStartTime);
}
