import { loadBalancerFinalizer } from '../../../src/apis/my-ingress.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { isOperator, type Stage } from '../world/stage.ts';

/**
 * So long a change may stay unknown: an API server that is down for 40 s and the pause of 10 s until its watch is
 * opened again, or a watch that was silent for 45 s.
 */
const UNKNOWN_MS = 60_000;
/** A call arrives at most so long after it was sent (`world/aws-network.ts`), and the change meets it on its way. */
const IN_FLIGHT_MS = 50;

/**
 * Finalizers that others took off. The operator knows an object by its watch alone, which is eventually consistent
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes): while it is cut off, an object
 * that others remove and create again is still the one that has the finalizer, and its targets follow their pods.
 */
export class LostFinalizers {
  readonly #stage: Pick<Stage, 'clock' | 'isCutOff'>;
  readonly #lostMs = new Map<string, number>();

  constructor(stage: Pick<Stage, 'clock' | 'isCutOff'>) {
    this.#stage = stage;
  }

  /** Call with each change of a MyIngress. */
  onCommit({ by, object, before }: Commit): void {
    if (isOperator(by) || before === undefined) return;
    const isLost = hasFinalizer(before) && !hasFinalizer(object);
    if (isLost) this.#lostMs.set(keyOfStored(object), this.#stage.clock.monotonicMs());
  }

  /**
   * Whether the operator may not know that the object has lost it: it was lost since the call was sent, or a fault
   * hides it. Targets follow their pods until the pass that takes the group away, which may wait for a worker; they
   * leave nothing behind.
   */
  mayBeUnknown(key: string, operation = ''): boolean {
    const { clock, isCutOff } = this.#stage;
    const lostMs = this.#lostMs.get(key);
    const nowMs = clock.monotonicMs();
    if (lostMs === undefined || nowMs - lostMs > UNKNOWN_MS) return false;
    if (nowMs - lostMs <= IN_FLIGHT_MS) return true;
    return operation.endsWith('Targets') || isCutOff(lostMs - UNKNOWN_MS, nowMs);
  }
}

function hasFinalizer({ metadata }: StoredObject): boolean {
  return metadata.finalizers?.includes(loadBalancerFinalizer) ?? false;
}
