import type { ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import type { Pod } from '../../apis/pod.ts';
import { ranForMs } from '../../apis/pod-state.ts';
import { CONTAINER } from './desired-pod.ts';

/** The kubelet's own figures: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy */
const FIRST_MS = 10_000;
const MAX_MS = 300_000;
/** A pod that ran for so long starts the count anew. */
const LONG_RUN_MS = 600_000;

/** What is on record of pods that ended, and when the next one starts. */
export interface BackOff {
  readonly consecutiveFailures: number;
  /** RFC 3339. */
  readonly nextStartTime: string;
}

/**
 * When a pod that has ended is to be replaced. Decided once, at first sight of its end, and stored:
 * where it stands in `status` already it stays, also across a restart of the operator.
 */
export function backOffOf(
  pod: Pod,
  status: Partial<ImmortalContainerStatus>,
  nowMs: number,
): BackOff {
  const { consecutiveFailures = 0, currentPodUID, nextStartTime } = status;
  if (nextStartTime !== undefined && currentPodUID === pod.metadata.uid) {
    // Further off than any delay: another clock has written it, a day ahead of ours perhaps.
    const isOfOurClock = Date.parse(nextStartTime) - nowMs <= MAX_MS + 1000;
    return isOfOurClock
      ? { consecutiveFailures, nextStartTime }
      : startingAfter(consecutiveFailures, nowMs);
  }
  const hasRunLong = ranForMs(pod, CONTAINER, nowMs) >= LONG_RUN_MS;
  const failures = hasRunLong ? 1 : consecutiveFailures + 1;
  return startingAfter(failures, nowMs);
}

function startingAfter(failures: number, nowMs: number): BackOff {
  const nextStartTime = toSeconds(nowMs + delayMs(Math.max(1, failures)));
  return { consecutiveFailures: failures, nextStartTime };
}

/** How long is left, in ms; never longer than the longest delay, whatever became of the clocks. */
export function remainingMs({ nextStartTime }: BackOff, nowMs: number): number {
  return Math.min(MAX_MS, Math.max(0, Date.parse(nextStartTime) - nowMs));
}

function delayMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
}

/** Rounded up: status keeps whole seconds, and no start may come early. */
function toSeconds(epochMs: number): string {
  const whole = Math.ceil(epochMs / 1000) * 1000;
  return `${new Date(whole).toISOString().slice(0, 19)}Z`;
}
