import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { isGated, isReady } from './pod-facts.ts';
import { isOperator } from './stage.ts';

/** So soon after a pod has become ready, or has ceased to be, a status may say so. */
const ANSWER_MS = 1000;

/** Counts the writes by which the operator changes something of its own accord. */
export class OperatorWrites {
  #count = 0;
  #readinessMs = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#count;
  }

  onAwsWrite(): void {
    this.#count += 1;
  }

  /** Call with each change of an object, but for leases and events. */
  onCommit(commit: Commit, nowMs: number): void {
    const { kind, by, before, object } = commit;
    if (isOperator(by)) this.#count += this.#isAnswer(commit, nowMs) ? 0 : 1;
    else if (kind === PODS && before !== undefined && isReady(before) !== isReady(object)) {
      this.#readinessMs = nowMs;
    }
  }

  /**
   * A rollout whose pods wait for ten minutes each goes on for long after all else is at rest, and pods that crash
   * again and again are counted in the status of their ConfigMonitor each time.
   */
  #isAnswer({ kind, object }: Commit, nowMs: number): boolean {
    if (kind === PODS) return isGated(object);
    return kind.kind === 'ConfigMonitor' && nowMs - this.#readinessMs <= ANSWER_MS;
  }
}
