import { abridge } from '../../../core/objects/abridge.ts';
import { type BackendService, hasPodTargets } from '../desired-targets.ts';
import { EMPTYING_GRACE_MS } from '../flush-plan.ts';
import type { TrimmedService } from '../transforms.ts';
import { type GatedPod, isSelected } from './gated-pod.ts';
import type { TargetReport } from './target-report.ts';
import { NEVER_MS } from './waiting-pod.ts';

/** A pod whose gate is closed. */
export interface GateFacts {
  /** Nothing else keeps it from being Ready, since this time (monotonic ms); undefined: something does. */
  readonly upSinceMs: number | undefined;
  /** One for each backend that selects the pod and gets requests. */
  readonly targets: readonly TargetReport[];
  /** Slices or a group that are made anew do not have the pod for a moment: what AWS has answered before counts on. */
  readonly answeredMs?: number;
  /** Since when it is to be seen whether a backend selects it (monotonic ms); undefined: that is known. */
  readonly unsureSinceMs?: number | undefined;
}

export type GateDecision =
  | {
      readonly kind: 'open';
      readonly reason: 'NoBackend' | 'Healthy' | 'NoAnswer';
      readonly message: string;
    }
  /** `untilMs`: unless AWS answers before (monotonic ms). `why`: what keeps it closed, where a person may have to act. */
  | { readonly kind: 'wait'; readonly untilMs?: number; readonly why?: string };

/** An event has room for the words on so many groups. */
const MOST_GROUPS = 2;

/** Without an answer for so long a pod is not held back any more. */
export const LONGEST_SILENCE_MS = 600_000;

/**
 * Opens the gate of a pod that every backend has as a healthy target. A backend that gets no requests keeps no gate
 * closed, nor does AWS's silence for good: a rollout must not wait for what does not come. AWS's refusal of the target,
 * as with a full quota, does: the pods that serve would leave without a successor.
 */
export function decideGate(facts: GateFacts, nowMs: number): GateDecision {
  const { upSinceMs, targets, unsureSinceMs = NEVER_MS, answeredMs = NEVER_MS } = facts;
  const sureMs = unsureSinceMs + EMPTYING_GRACE_MS;
  if (nowMs < sureMs) return { kind: 'wait', untilMs: sureMs };
  if (targets.length === 0) {
    return open('NoBackend', 'no backend that gets requests selects this pod');
  }
  if (upSinceMs === undefined) return { kind: 'wait' };
  const waiting = targets.filter(isWaiting);
  if (waiting.length === 0) return open('Healthy', explainOpen(targets));
  const untilMs = Math.max(upSinceMs, answeredMs, findAnswered(waiting)) + LONGEST_SILENCE_MS;
  if (nowMs < untilMs) return { kind: 'wait', untilMs, ...explainWait(waiting) };
  return open(
    'NoAnswer',
    'AWS has reported no health of this pod for 10 minutes; it is Ready without that',
  );
}

function explainWait(waiting: readonly TargetReport[]): { readonly why?: string } {
  const reasons = waiting.flatMap(({ why }) => why ?? []);
  return reasons.length === 0 ? {} : { why: abridge(reasons, MOST_GROUPS).join('. ') };
}

/** AWS's last answer about groups in which the pod is not healthy (monotonic ms); long past where there is none. */
function findAnswered(waiting: readonly TargetReport[]): number {
  return Math.max(...waiting.map(({ answeredMs = NEVER_MS }) => answeredMs));
}

function isWaiting({ health }: TargetReport): boolean {
  return health === 'waiting';
}

function explainOpen(targets: readonly TargetReport[]): string {
  const healthy = targets.filter(({ health }) => health === 'healthy').length;
  if (healthy === targets.length) return `healthy in each target group (${healthy})`;
  return `healthy in ${healthy} target groups; ${targets.length - healthy} get no requests`;
}

function open(reason: 'NoBackend' | 'Healthy' | 'NoAnswer', message: string): GateDecision {
  return { kind: 'open', reason, message };
}

/** A Service, or its port, that is missing may be back a moment later, and make the pod a target. */
export function mayBeBack(
  backend: Pick<BackendService, 'service' | 'targetType'>,
  service: TrimmedService | undefined,
  pod: Pick<GatedPod, 'metadata'>,
): boolean {
  if (backend.targetType !== 'ip') return false;
  if (service === undefined) return true;
  return !hasPodTargets(backend, service) && isSelected(pod, service.selector);
}
