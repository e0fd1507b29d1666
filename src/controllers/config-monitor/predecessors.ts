import type { ConfigMonitor, ConfigMonitorStatus } from '../../apis/config-monitor.ts';
import { isPaused } from '../../core/objects/annotations.ts';
import { getController, getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { isSpared, listLost, type TrimmedPod } from './transforms.ts';

/** Those that went longest ago make room. */
const MOST_KEPT = 500;
const KEPT_MS = 3_600_000;

/** The part of the status that is about the pods, and not about the object. */
type PodRecord = Omit<
  ConfigMonitorStatus,
  'conditions' | 'observedGeneration' | 'lastHandledReconcileAt'
>;

/**
 * The ConfigMonitors that went with the ConfigMap that owned them, for those that another ConfigMap of its name gets:
 * the pods still run with the data of before. The garbage collector deletes what an object that is gone owned
 * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/).
 */
export class Predecessors {
  readonly #clock: Clock;
  readonly #gone = new Map<Key, Gone>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * For an object that is deleted, in its last state, and the pods that it selected then; of those that spec spares only
   * they count that had a controller. An object without a record has taken over nothing yet. What a person held back, of
   * which the next one knows nothing, is not begun by that one.
   */
  keep(object: ConfigMonitor, selected: readonly TrimmedPod[]): void {
    const { spec, status } = object;
    const key = getKey(object);
    if (getController(object)?.kind !== 'ConfigMap' || status?.configHash === undefined) return;
    this.#dropOld();
    this.#gone.delete(key);
    if (spec?.suspend === true || isPaused(object)) return;
    const pods = new Set([...listOwn(object, selected), ...(status.deselectedPods ?? [])]);
    this.#gone.set(key, { object, pods, sinceMs: this.#clock.monotonicMs() });
  }

  /**
   * For an object that has nothing on record, and its pods; undefined where none of an earlier ConfigMap was there, or none
   * of the pods of that one is left. A pod that still starts waits for the ConfigMap, and has read nothing of the former one.
   */
  find(object: ConfigMonitor, pods: readonly TrimmedPod[]): Inheritance | undefined {
    this.#dropOld();
    const gone = this.#gone.get(getKey(object));
    if (gone === undefined || !isSuccessor(object, gone.object)) return undefined;
    const isKnown = ({ metadata }: TrimmedPod): boolean => gone.pods.has(metadata.uid);
    if (!pods.some(isKnown)) return undefined;
    const older = pods.filter((pod) => isKnown(pod) || pod.state !== 'starting');
    const {
      conditions: _,
      observedGeneration: _of,
      lastHandledReconcileAt: _at,
      ...record
    } = gone.object.status;
    return { record, pods: new Set(older.map(({ metadata }) => metadata.uid)) };
  }

  #dropOld(): void {
    const firstMs = this.#clock.monotonicMs() - KEPT_MS;
    for (const [key, { sinceMs }] of this.#gone) {
      if (sinceMs >= firstMs && this.#gone.size <= MOST_KEPT) return;
      this.#gone.delete(key);
    }
  }
}

interface Gone {
  readonly object: ConfigMonitor;
  /** UIDs of those that it selected, or had selected with older data. */
  readonly pods: ReadonlySet<string>;
  readonly sinceMs: number;
}

export interface Inheritance {
  readonly record: PodRecord;
  /** UIDs of those that may have the data on record. */
  readonly pods: ReadonlySet<string>;
}

/** UIDs of those that would be restarted, or would be if they had their controller still. */
function listOwn(
  { spec, status }: ConfigMonitor,
  selected: readonly TrimmedPod[],
): readonly string[] {
  const own = selected.filter((pod) => !isSpared(pod, spec));
  const spared = selected.filter((pod) => isSpared(pod, spec));
  return [...own.map(({ metadata }) => metadata.uid), ...listLost(spared, status)];
}

/** Of a ConfigMap that was created again: one of the same ConfigMap was deleted on purpose, by its annotation perhaps. */
function isSuccessor(object: ConfigMonitor, before: ConfigMonitor): boolean {
  const [owner, former] = [getController(object), getController(before)];
  return owner?.kind === former?.kind && owner?.name === former?.name && owner?.uid !== former?.uid;
}
