import type { ImmortalContainer, ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import type { Pod } from '../../apis/pod.ts';
import type { Key } from '../../core/kube-object.ts';

/** What is on record of the pods that were started. */
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
  recordOf(key: Key, { metadata, status }: ImmortalContainer): StartRecord {
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
    const before = this.recordOf(key, object);
    const { uid, creationTimestamp } = pod.metadata;
    if (uid === undefined || uid === before.currentPodUID) return before;
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
