import type { ImmortalContainerReason } from '../../apis/immortal-container-reasons.ts';
import type { Pod } from '../../apis/pod.ts';
import { goingOf } from '../../apis/pod-going.ts';
import { type PodEnd, podStateOf } from '../../apis/pod-state.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, waiting } from '../../core/outcome.ts';
import { type BackOff, backOffOf, remainingMs } from './back-off.ts';
import { CONTAINER } from './desired-pod.ts';
import { reportNoPod, reportPod } from './report.ts';
import type { Scope } from './scope.ts';

/** The next change of the pod comes by watch; this is for one that never comes. */
export const LOOK_AGAIN_MS = 60_000;

/** Waits for a pod of ours that somebody has deleted. */
export function awaitReplacement(pod: Pod, scope: Scope): Outcome {
  reportPod(pod, scope);
  return going(pod, scope);
}

/** Waits for a pod that an earlier object of this name has left behind; it counts for nothing here. */
export function awaitGoing(pod: Pod, scope: Scope): Outcome {
  reportNoPod(scope);
  return going(pod, scope);
}

/** Replaces a pod of another image; what it ran into says nothing about the new one. */
export async function replaceOutdated(pod: Pod, scope: Scope): Promise<Outcome> {
  reportPod(pod, scope);
  scope.pass.report({ consecutiveFailures: 0, nextStartTime: undefined });
  return replace(pod, 'SpecChanged', scope);
}

/** Replaces a pod that has ended, once its delay is over; undefined where it goes on. */
export async function replaceEnded(pod: Pod, scope: Scope): Promise<Outcome | undefined> {
  const state = podStateOf(pod, CONTAINER);
  if (state.kind !== 'ended') return undefined;
  const nowMs = scope.clock.now();
  const backOff = backOffOf(pod, scope.object.status ?? {}, nowMs);
  reportPod(pod, scope);
  scope.pass.report({ ...backOff });
  const leftMs = remainingMs(backOff, nowMs);
  if (leftMs > 0) throw backingOff(pod, { ...backOff, end: state.end, leftMs }, scope);
  return replace(pod, state.end.reason, scope);
}

/**
 * The start of the pod and why it goes are on record before it goes: nobody could read them off it
 * afterwards.
 */
async function replace(pod: Pod, why: string, scope: Scope): Promise<Outcome> {
  const { pass, pods } = scope;
  pass.disproveReady();
  pass.report({ replacementReason: why });
  await pass.recordNow();
  await pods.writer.delete(pod);
  pass.log.info('Deleted pod', { pod: pod.metadata.name, why });
  const message = `pod ${pod.metadata.name} is replaced: ${why}`;
  return waiting('Replacing' satisfies ImmortalContainerReason, message, LOOK_AGAIN_MS);
}

function going(pod: Pod, { clock }: Scope): Outcome {
  const { reason, message, againAfterMs } = goingOf(pod, clock.now());
  return waiting(reason, message, againAfterMs);
}

interface Waiting extends BackOff {
  readonly end: PodEnd;
  readonly leftMs: number;
}

/** A failure that time heals: told as a warning, and tried again when the delay is over. */
function backingOff(
  pod: Pod,
  { end, leftMs, ...backOff }: Waiting,
  { pass }: Scope,
): OperatorError {
  pass.disproveReady();
  const code = end.exitCode === undefined ? '' : `, exit code ${end.exitCode}`;
  return new OperatorError({
    reason: 'BackOff' satisfies ImmortalContainerReason,
    message: `pod ${pod.metadata.name} has ended (${end.reason}${code}), ${backOff.consecutiveFailures} in a row; it is replaced at ${backOff.nextStartTime}, and at once if you delete it`,
    healedBy: 'time',
    retryAfterMs: leftMs,
  });
}
