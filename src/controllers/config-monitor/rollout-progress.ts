import type { Rollout } from '../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../apis/config-monitor-reasons.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import { formatTime } from '../../core/objects/kube-object.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import {
  isOfOneObject,
  type OperatorError,
  restateError,
} from '../../core/reconcile/operator-error.ts';
import { type Outcome, waiting } from '../../core/reconcile/outcome.ts';
import type { Refusal } from './memory.ts';
import { type Report, reportPods, type Scope } from './scope.ts';
import { parseWorkload, type TrimmedPod } from './transforms.ts';
import {
  chooseMinReadySeconds,
  countUnavailable,
  describeUnavailable,
  type Owner,
  observeGroups,
  SOUND_AFTER_MS,
} from './workload-groups.ts';

/** The next change of a pod comes by watch; this is for one that never comes. */
const RECHECK_MS = 10_000;
/** The disruption controller needs a moment to observe that a pod is ready: no reason for a warning. */
const BUDGET_GRACE_MS = 3_000;
const ASK_AGAIN_MS = 500;

export function judgeProgress(
  rollout: Rollout,
  refusals: readonly Refusal[],
  scope: Scope,
): Outcome {
  const unavailable = listUnavailable(rollout, scope);
  const isWaiting = unavailable.length > 0;
  const { pass, progress } = scope;
  const idleMs = progress.idleMs(pass.key, rollout.progressTime, isStalled(scope));
  const soonestMs = Math.min(...unavailable.map(({ availableInMs }) => availableInMs));
  const leftMs = computeLeftMs(rollout, { idleMs, soonestMs }, scope);
  throwIfOfAll(refusals);
  const refusal = refusals.find(({ kind }) => kind !== 'blocked');
  // While pods that were restarted get available, a refusal waits.
  const mayWait = unavailable.some(isShortOfOthers);
  if (refusal !== undefined) throwRefusal(refusal, { mayWait, isOver: leftMs <= 0, soonestMs });
  const owner = findOwnerToBlame(rollout, refusals[0], scope);
  const why = describeWait(rollout, refusals[0], owner);
  const smaller = leftMs <= 0 ? acceptScaledDown(rollout, scope) : undefined;
  if (smaller !== undefined) {
    reportRollout(smaller, scope);
    return waiting('RolloutStarted' satisfies ConfigMonitorReason, why, 0);
  }
  if (leftMs <= 0) {
    const what = chooseEvidence(owner, scope);
    throw createDeadlineFailure(`${why}${describeRest(rollout)}`, what, { soonestMs, scope });
  }
  if (refusals.length > 0 && !isWaiting) {
    if (idleMs >= BUDGET_GRACE_MS) {
      throw createFailure(configMonitorReasons, 'PDBBlocked', { observed: why });
    }
    return waiting('WaitingForReady' satisfies ConfigMonitorReason, why, ASK_AGAIN_MS);
  }
  const reason = isWaiting ? 'WaitingForReady' : 'RolloutStarted';
  const requeueAfterMs = Math.min(RECHECK_MS, leftMs, soonestMs);
  return waiting(reason satisfies ConfigMonitorReason, why, requeueAfterMs);
}

interface Circumstances {
  readonly mayWait: boolean;
  readonly isOver: boolean;
  readonly soonestMs: number;
}

/**
 * One that time may heal is reported as it is until the deadline is over. Others may wait for a refused pod to become
 * available, of which no event tells.
 */
function throwRefusal(refusal: Refusal, { mayWait, isOver, soonestMs }: Circumstances): void {
  if (refusal.kind === 'ambiguous' && !mayWait) throw createBudgetsFailure(refusal);
  if (refusal.kind !== 'failed') return;
  const { error } = refusal;
  if (mayWait || (isOver && error.healedBy === 'time')) return;
  const isSooner = error.healedBy === 'person' && Number.isFinite(soonestMs);
  const { details, retryAfterMs = soonestMs } = error;
  const soonerMs = Math.min(retryAfterMs, soonestMs);
  throw isSooner
    ? restateError(error, { ...omitUndefined({ details }), retryAfterMs: soonerMs })
    : error;
}

/** An API server that is away, or asks for time, is no matter of one owner. */
function throwIfOfAll(refusals: readonly Refusal[]): void {
  for (const one of refusals)
    if (one.kind === 'failed' && !isOfOneObject(one.error)) throw one.error;
}

interface Waited {
  readonly idleMs: number;
  readonly soonestMs: number;
}

/**
 * Time until the deadline: the time to get ready in, and the time to stay ready for. A process that has just begun counts
 * the latter anew: pods that may have been ready for long are no reason to call a person.
 */
function computeLeftMs(rollout: Rollout, { idleMs, soonestMs }: Waited, scope: Scope): number {
  const { pass, progress, spec } = scope;
  const stayMs = computeStayMs(rollout, idleMs, scope);
  const leftMs = spec.progressDeadlineSeconds * 1000 + stayMs - idleMs;
  const isKnown = isStalled(scope) || progress.watchedMs(pass.key, rollout.progressTime) >= stayMs;
  return leftMs > 0 || isKnown || !Number.isFinite(soonestMs) ? leftMs : soonestMs;
}

function isStalled({ object }: Scope): boolean {
  const { conditions = [] } = object.status;
  return conditions.some(({ type, status }) => type === 'Stalled' && status === 'True');
}

function computeStayMs(rollout: Rollout, idleMs: number, scope: Scope): number {
  const { minReadySeconds, progressDeadlineSeconds } = scope.spec;
  const owners = rollout.owners.map((owner) => chooseMinReadySeconds(owner, scope));
  const longestMs = Math.max(minReadySeconds, ...owners) * 1000;
  const readyByMs = progressDeadlineSeconds * 1000;
  const mayBeSound = listUnavailable(rollout, scope)
    .flatMap(({ unavailable }) => unavailable)
    .filter(({ restarts, state }) => restarts > 0 && state === 'ready')
    .some((pod) => idleMs - scope.pods.readyForMs(pod) <= readyByMs);
  return mayBeSound ? Math.max(longestMs, SOUND_AFTER_MS) : longestMs;
}

export function reportRollout(rollout: Rollout, scope: Scope): void {
  scope.pass.report({ rollout } satisfies Report);
  const selected = rollout.pods.filter((uid) => scope.selectedUids.has(uid));
  reportPods(selected, scope);
}

/**
 * The rollout with the sizes that owners of kinds that others made have now, which nobody can ask: one
 * that is short for so long was scaled down. Once for an owner until a rollout is over: where its
 * controller is dead it takes one more batch and not all pods, however often the data changes.
 * undefined where this is not what it waits for.
 */
function acceptScaledDown(rollout: Rollout, scope: Scope): Rollout | undefined {
  const { clock, object, pass, pods, progress } = scope;
  const { namespace } = object.metadata;
  const short = listUnavailable(rollout, scope).filter(({ name = '', unavailable }) => {
    return unavailable.length === 0 && parseWorkload(name, namespace) === undefined;
  });
  const names = short.map(({ name = '' }) => name);
  const isNew = names.map((name) => progress.isFirstShrink(pass.key, name));
  if (!isNew.includes(true)) return undefined;
  const owners = rollout.owners.map((owner) => {
    const isShort = isNew[names.indexOf(owner.name)] === true;
    return isShort
      ? { ...owner, pods: pods.listByOwner(namespace, owner.name, 'kept').length }
      : owner;
  });
  return { ...rollout, owners, progressTime: formatTime(clock.now()) };
}

/**
 * Owners that have fewer available pods than they should. An eviction of another object that is in
 * flight counts only once the API server has agreed: a refused one would be a status write each time.
 */
export function listUnavailable(rollout: Rollout, scope: Scope): readonly Owner[] {
  return observeGroups(rollout, scope, 'kept').filter((owner) => countUnavailable(owner) > 0);
}

/** One whose pods are not available; where a pod was refused, for another reason than that one. */
function findOwnerToBlame(
  rollout: Rollout,
  refusal: Refusal | undefined,
  scope: Scope,
): Owner | undefined {
  const owners = listUnavailable(rollout, scope);
  return refusal === undefined ? owners[0] : owners.find(isShortOfOthers);
}

function describeWait(
  rollout: Rollout,
  refusal: Refusal | undefined,
  owner: Owner | undefined,
): string {
  const reasons = [refusal && describeRefusal(refusal), owner && describeOwner(owner)];
  return [describeRestarted(rollout), ...reasons].filter((part) => part !== undefined).join('; ');
}

export function describeRestarted({ pods, total }: Rollout): string {
  return `${total - pods.length} of ${total} pods are restarted`;
}

/** Pods that are still to be restarted may crash again and again: where one is refused, that is said alone. */
function isShortOfOthers(owner: Owner): boolean {
  const own = owner.unavailable.filter((pod) => owner.pending.includes(pod));
  return countUnavailable(owner) > own.length;
}

function describeRefusal(refusal: Refusal): string {
  if (refusal.kind === 'failed') return refusal.error.message;
  return `pod ${refusal.pod}: ${refusal.message}`;
}

function describeOwner(owner: Owner): string {
  const { available, minReadySeconds, name, size, unavailable } = owner;
  const pod = findFirstPod(owner);
  const which = pod
    ? `${pod.metadata.name} ${describeUnavailable(pod, minReadySeconds)}`
    : 'one is missing';
  const count = Math.max(size, available.length + unavailable.length);
  return `${available.length} of ${count} pods of ${name} are available, ${which}`;
}

function findFirstPod({ unavailable }: Owner): TrimmedPod | undefined {
  return unavailable.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

/** Names for `kubectl describe` what may say more. */
function chooseEvidence(owner: Owner | undefined, { object }: Scope): string {
  if (owner === undefined) return `configmonitor ${object.metadata.name}`;
  const pod = findFirstPod(owner);
  // `CloneSet/shop of apps.kruise.io`: kubectl knows the kind by the first word.
  return pod === undefined ? (owner.name?.split(' ')[0] ?? 'pods') : `pod ${pod.metadata.name}`;
}

function createBudgetsFailure({
  pod,
  message,
}: Extract<Refusal, { kind: 'ambiguous' }>): OperatorError {
  return createFailure(configMonitorReasons, 'MultiplePDBs', {
    observed: `pod ${pod} cannot be evicted: ${message.replace(/\.$/, '')}`,
  });
}

function describeRest({ pods }: Rollout): string {
  return pods.length === 0 ? '' : `; ${pods.length} pods keep the older data`;
}

/** No event arrives when a pod has been ready for long enough, hence `soonestMs`. */
function createDeadlineFailure(
  why: string,
  what: string,
  { soonestMs, scope }: { readonly soonestMs: number; readonly scope: Scope },
): OperatorError {
  return createFailure(configMonitorReasons, 'ProgressDeadlineExceeded', {
    observed: `no progress for ${scope.spec.progressDeadlineSeconds} s: ${why}`,
    fill: { what },
    ...(Number.isFinite(soonestMs) && { retryAfterMs: soonestMs }),
  });
}
