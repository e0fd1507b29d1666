import type { ImmortalContainerStatus } from '../../apis/immortal-container.ts';
import {
  type ImmortalContainerReason,
  immortalContainerReasons,
} from '../../apis/immortal-container-reasons.ts';
import { checkOwned } from '../../core/children/owned-objects.ts';
import { formatTime } from '../../core/objects/kube-object.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type OperatorError } from '../../core/reconcile/operator-error.ts';
import { type Outcome, waiting } from '../../core/reconcile/outcome.ts';
import type { Pod } from '../../pods/pod.ts';
import { explainDeletion, measureRunMs, type PodEnd } from '../../pods/pod-state.ts';
import { CONTAINER } from './desired-pod.ts';
import { isOlder, reportNoPod, reportPod, type Scope } from './status.ts';

/** The next change of the pod comes by watch; this is for one that never comes. */
export const RECHECK_MS = 60_000;

/** Waits until our pod, which was deleted, is gone. */
export function awaitReplacement(pod: Pod, scope: Scope): Outcome {
  reportPod(pod, scope);
  return awaitDeletion(pod, scope);
}

/** Waits for a pod that an earlier object of this name has left behind; it counts for nothing here. */
export function awaitLeftover(pod: Pod, scope: Scope): Outcome {
  reportNoPod(scope);
  return awaitDeletion(pod, scope);
}

/** Replaces a pod of another image; what it ran into says nothing about the new one. */
export async function replaceOutdated(pod: Pod, scope: Scope): Promise<Outcome> {
  reportPod(pod, scope);
  const { object, desired, pods } = scope;
  // A pod is not given up for one that the API server does not take.
  await checkOwned(object, desired, pods.writer);
  scope.pass.report({ consecutiveFailures: 0, nextStartTime: undefined });
  return replace(pod, 'SpecChanged', scope);
}

/** Replaces a pod that has ended, once its delay is over. */
export async function replaceEnded(pod: Pod, end: PodEnd, scope: Scope): Promise<Outcome> {
  const nowMs = scope.clock.now();
  const backOff = planBackOff(pod, scope.object.status ?? {}, nowMs);
  reportPod(pod, scope);
  scope.pass.report({ ...backOff });
  const leftMs = computeRemainingMs(backOff, nowMs);
  if (leftMs > 0) throw createBackOffFailure(pod, { ...backOff, end, leftMs }, scope);
  return replace(pod, end.reason, scope);
}

/**
 * Records the start of the pod and why it is replaced before deleting it: they cannot be read
 * afterwards. From there on it is not Ready.
 */
async function replace(pod: Pod, why: string, scope: Scope): Promise<Outcome> {
  const { pass, pods } = scope;
  pass.disproveReady();
  pass.report({ replacementReason: why });
  const message = `replacing pod ${pod.metadata.name}: ${why}`;
  const outcome = waiting('Replacing' satisfies ImmortalContainerReason, message, RECHECK_MS);
  // At a retry it is not Ready, and says why the pod is still there.
  const { conditions = [] } = scope.object.status ?? {};
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  await pass.recordNow(isReady ? outcome : undefined);
  pass.throwIfEdited();
  await pods.writer.delete(pod);
  pass.log.info('Deleted pod', { pod: pod.metadata.name, why });
  return outcome;
}

function awaitDeletion(pod: Pod, { clock }: Scope): Outcome {
  const { reason, message, requeueAfterMs } = explainDeletion(pod, clock.now());
  return waiting(reason, message, requeueAfterMs);
}

interface Waiting extends BackOff {
  readonly end: PodEnd;
  readonly leftMs: number;
}

/** A failure that time heals: reported as a warning, and retried when the delay is over. */
function createBackOffFailure(
  pod: Pod,
  { end, leftMs, ...backOff }: Waiting,
  { pass }: Scope,
): OperatorError {
  pass.disproveReady();
  const code = end.exitCode === undefined ? '' : `, exit code ${end.exitCode}`;
  const { name } = pod.metadata;
  return createFailure(immortalContainerReasons, 'BackOff', {
    observed: `pod ${name} has ended (${end.reason}${code}), ${backOff.consecutiveFailures} in a row; it is replaced at ${backOff.nextStartTime}`,
    fill: { pod: name },
    retryAfterMs: leftMs,
  });
}

/** The kubelet's own figures: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy */
const FIRST_MS = 10_000;
const MAX_MS = 300_000;
/** A pod that ran for so long resets the count. */
const LONG_RUN_MS = 600_000;

/** The record of pods that ended, and when the next one starts. */
interface BackOff {
  readonly consecutiveFailures: number;
  /** RFC 3339. */
  readonly nextStartTime: string;
}

/**
 * When a pod that has ended is to be replaced. Decided once, at first sight of its end, and stored:
 * where it stands in `status` already it stays, also across a restart of the operator.
 */
function planBackOff(pod: Pod, status: Partial<ImmortalContainerStatus>, nowMs: number): BackOff {
  const { consecutiveFailures = 0, currentPodUID, nextStartTime } = status;
  // One that is not counted never becomes the current one: without this it would be put off again and again.
  const isPlanned = currentPodUID === pod.metadata.uid || isOlder(pod, status);
  if (nextStartTime !== undefined && isPlanned) {
    // Further off than any delay: another clock has written it, a day ahead of ours perhaps.
    const isOfOurClock = Date.parse(nextStartTime) - nowMs <= MAX_MS + 1000;
    return isOfOurClock
      ? { consecutiveFailures, nextStartTime }
      : delayStart(consecutiveFailures, nowMs);
  }
  const hasRunLong = measureRunMs(pod, CONTAINER, nowMs) >= LONG_RUN_MS;
  const failures = hasRunLong ? 1 : consecutiveFailures + 1;
  return delayStart(failures, nowMs);
}

function delayStart(failures: number, nowMs: number): BackOff {
  const nextStartTime = formatNextSecond(nowMs + computeDelayMs(Math.max(1, failures)));
  return { consecutiveFailures: failures, nextStartTime };
}

/** Time left, in ms; never longer than the longest delay, whatever became of the clocks. */
function computeRemainingMs({ nextStartTime }: BackOff, nowMs: number): number {
  return Math.min(MAX_MS, Math.max(0, Date.parse(nextStartTime) - nowMs));
}

function computeDelayMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
}

/** Rounded up: status keeps whole seconds, and no start may come early. */
function formatNextSecond(epochMs: number): string {
  return formatTime(Math.ceil(epochMs / 1000) * 1000);
}
