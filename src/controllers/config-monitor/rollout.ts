import type { Rollout } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import { describeUnavailable, SOUND_AFTER_MS } from './availability.ts';
import { type LeanPod, workloadNamed } from './lean-pod.ts';
import {
  minReadySecondsOf,
  type Owner,
  ownersNow,
  pendingOf,
  resized,
  unavailableCount,
  WorkloadsOfPass,
} from './owners.ts';
import { hashes, type Report, reportPods, toSeconds } from './report.ts';
import { type Refusal, restartSome } from './restart.ts';
import type { Scope } from './scope.ts';

/** The next change of a pod comes by watch; this is for one that never comes. */
const LOOK_AGAIN_MS = 10_000;
/** Who keeps the budgets needs a moment to see that a pod is ready: no reason to warn anybody. */
const BUDGET_GRACE_MS = 3_000;
const ASK_AGAIN_MS = 500;

/** Goes on with what is on record, until all pods are restarted and available. */
export async function carryOn(recorded: Rollout, scope: Scope): Promise<Outcome> {
  scope.pass.disproveReady();
  const workloads = new WorkloadsOfPass(scope);
  const rollout = await resized(recorded, workloads, scope);
  let refusals: readonly Refusal[] = [];
  try {
    refusals = await restartSome(rollout, workloads, scope);
  } finally {
    // What went before a failure is on record too.
    report(progressed(recorded, rollout, scope), scope);
  }
  const now = progressed(recorded, rollout, scope);
  if (now.pods.length === 0 && unavailableIn(now, scope).length === 0) return finish(now, scope);
  return outcomeOf(now, refusals, scope);
}

/** Fewer pods to restart, or fewer unavailable ones than ever since one was restarted, are progress. */
function progressed(recorded: Rollout, rollout: Rollout, scope: Scope): Rollout {
  const pending = undecidedOrPending(rollout, scope);
  const pods = rollout.pods.filter((uid) => pending.has(uid));
  const between = rollout.between?.filter((uid) => pending.has(uid));
  const unready = ownersNow(rollout, scope).reduce(
    (sum, owner) => sum + unavailableCount(owner),
    0,
  );
  const hasFewerPods = pods.length < recorded.pods.length;
  const hasProgressed = hasFewerPods || unready < recorded.unready;
  return {
    ...rollout,
    pods,
    ...(between && { between }),
    unready: hasFewerPods ? unready : Math.min(unready, recorded.unready),
    progressTime: hasProgressed ? toSeconds(scope.clock.now()) : recorded.progressTime,
  };
}

/** Also one that another object is sending away may be refused yet. */
function undecidedOrPending(rollout: Rollout, scope: Scope): ReadonlySet<string> {
  const undecided = rollout.pods.filter(
    (uid) => scope.selectedUids.has(uid) && scope.pods.isUndecided(uid),
  );
  return new Set([...pendingOf(rollout, scope).map(({ metadata }) => metadata.uid), ...undecided]);
}

/**
 * The rollout with the sizes that owners of kinds that others made have now, which nobody can ask: one
 * that is short for so long was scaled down. Once for an owner until a rollout is over: where its
 * controller is dead it takes one more batch and not all pods, however often the data changes.
 * undefined where this is not what it waits for.
 */
function withScaledDown(rollout: Rollout, scope: Scope): Rollout | undefined {
  const { clock, object, pass, pods, progress } = scope;
  const { namespace } = object.metadata;
  const short = unavailableIn(rollout, scope).filter(({ name = '', unavailable }) => {
    return unavailable.length === 0 && workloadNamed(name, namespace) === undefined;
  });
  const names = short.map(({ name = '' }) => name);
  const isNew = names.map((name) => progress.isFirstShrink(pass.key, name));
  if (!isNew.includes(true)) return undefined;
  const owners = rollout.owners.map((owner) => {
    const isShort = isNew[names.indexOf(owner.name)] === true;
    return isShort ? { ...owner, pods: pods.ofOwner(namespace, owner.name).length } : owner;
  });
  return { ...rollout, owners, progressTime: toSeconds(clock.now()) };
}

function report(rollout: Rollout, scope: Scope): void {
  scope.pass.report({ rollout } satisfies Report);
  reportPods(rollout.pods, scope);
}

function finish(rollout: Rollout, scope: Scope): Outcome {
  const { configMapName, pass } = scope;
  pass.report({ ...hashes(rollout.hash), rollout: undefined } satisfies Report);
  const pods = rollout.total === 1 ? '1 pod has' : `${rollout.total} pods have`;
  const note = `${pods} been restarted for the new data of ConfigMap ${configMapName}`;
  pass.log.info(note);
  pass.event({ type: 'Normal', reason: 'RolloutComplete', action: 'Restart', note });
  return settled('Watching' satisfies ConfigMonitorReason, note);
}

function outcomeOf(rollout: Rollout, refusals: readonly Refusal[], scope: Scope): Outcome {
  const unavailable = unavailableIn(rollout, scope);
  const isWaiting = unavailable.length > 0;
  // While another owner goes on, a refusal that a person must see to waits.
  const refusal = refusals.find(({ kind }) => kind !== 'blocked');
  if (refusal !== undefined) throwRefusal(refusal, isWaiting);
  const { pass, progress } = scope;
  const idleMs = progress.idleMs(pass.key, rollout.progressTime);
  const leftMs = deadlineMs(rollout, idleMs, scope) - idleMs;
  const owner = ownerToBlame(rollout, refusals[0], scope);
  const why = whyWaiting(rollout, refusals[0], owner);
  const smaller = leftMs <= 0 ? withScaledDown(rollout, scope) : undefined;
  if (smaller !== undefined) {
    report(smaller, scope);
    return waiting('RolloutStarted' satisfies ConfigMonitorReason, why, 0);
  }
  const soonestMs = Math.min(...unavailable.map(({ availableInMs }) => availableInMs));
  if (leftMs <= 0) {
    const next = whatToDo(owner);
    throw deadlineExceeded(`${why}${restOf(rollout)}; ${next}`, soonestMs, scope);
  }
  if (refusals.length > 0 && !isWaiting) {
    if (idleMs >= BUDGET_GRACE_MS) throw budgetBlocks(why);
    return waiting('WaitingForReady' satisfies ConfigMonitorReason, why, ASK_AGAIN_MS);
  }
  const reason = isWaiting ? 'WaitingForReady' : 'RolloutStarted';
  const againAfterMs = Math.min(LOOK_AGAIN_MS, leftMs, soonestMs);
  return waiting(reason satisfies ConfigMonitorReason, why, againAfterMs);
}

function throwRefusal(refusal: Refusal, isWaiting: boolean): void {
  if (refusal.kind === 'failed' && (!isWaiting || refusal.error.healedBy === 'time')) {
    throw refusal.error;
  }
  if (refusal.kind === 'ambiguous' && !isWaiting) throw multipleBudgets(refusal);
}

/** The time to get ready in, and the time to stay ready for. */
function deadlineMs(rollout: Rollout, idleMs: number, scope: Scope): number {
  const { minReadySeconds, progressDeadlineSeconds } = scope.spec;
  const owners = rollout.owners.map((owner) => minReadySecondsOf(owner, scope));
  const longestMs = Math.max(minReadySeconds, ...owners) * 1000;
  const readyByMs = progressDeadlineSeconds * 1000;
  const mayBeSound = unavailableIn(rollout, scope)
    .flatMap(({ unavailable }) => unavailable)
    .filter(({ restarts, state }) => restarts > 0 && state === 'ready')
    .some((pod) => idleMs - scope.pods.readyForMs(pod) <= readyByMs);
  return readyByMs + (mayBeSound ? Math.max(longestMs, SOUND_AFTER_MS) : longestMs);
}

/** Owners that have fewer available pods than they should. */
function unavailableIn(rollout: Rollout, scope: Scope): readonly Owner[] {
  return ownersNow(rollout, scope).filter((owner) => unavailableCount(owner) > 0);
}

/** One whose pods are not available; where a pod was refused, for another reason than that one. */
function ownerToBlame(
  rollout: Rollout,
  refusal: Refusal | undefined,
  scope: Scope,
): Owner | undefined {
  const owners = unavailableIn(rollout, scope);
  return refusal === undefined ? owners[0] : owners.find(isShortOfOthers);
}

function whyWaiting(
  rollout: Rollout,
  refusal: Refusal | undefined,
  owner: Owner | undefined,
): string {
  const done = `${rollout.total - rollout.pods.length} of ${rollout.total} pods are restarted`;
  const reasons = [refusal && describeRefusal(refusal), owner && describeOwner(owner)];
  return [done, ...reasons].filter((part) => part !== undefined).join('; ');
}

/** Pods that are still to be restarted may crash again and again: where one is refused, that is said alone. */
function isShortOfOthers(owner: Owner): boolean {
  const own = owner.unavailable.filter((pod) => owner.pending.includes(pod));
  return unavailableCount(owner) > own.length;
}

function describeRefusal(refusal: Refusal): string {
  if (refusal.kind === 'failed') return refusal.error.message;
  return `pod ${refusal.pod}: ${refusal.message}`;
}

function describeOwner(owner: Owner): string {
  const { availableCount, minReadySeconds, name, size, unavailable } = owner;
  const pod = firstOf(owner);
  const which = pod
    ? `${pod.metadata.name} ${describeUnavailable(pod, minReadySeconds)}`
    : 'one is missing';
  const count = Math.max(size, availableCount + unavailable.length);
  return `${availableCount} of ${count} pods of ${name} are available, ${which}`;
}

function firstOf({ unavailable }: Owner): LeanPod | undefined {
  return unavailable.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function whatToDo(owner: Owner | undefined): string {
  if (owner === undefined) return 'check what keeps the pods from being replaced';
  const pod = firstOf(owner);
  if (pod === undefined) return `check why ${owner.name} does not start it`;
  return `correct the data, or check kubectl describe pod ${pod.metadata.name}`;
}

function multipleBudgets({ pod, message }: Extract<Refusal, { kind: 'ambiguous' }>): OperatorError {
  return new OperatorError({
    reason: 'MultiplePDBs' satisfies ConfigMonitorReason,
    message: `pod ${pod} cannot be evicted: ${message} Make one of the budgets select other pods, or set spec.strategy to Delete`,
    healedBy: 'person',
  });
}

function budgetBlocks(why: string): OperatorError {
  return new OperatorError({
    reason: 'PDBBlocked' satisfies ConfigMonitorReason,
    message: why,
    healedBy: 'time',
  });
}

function restOf({ pods }: Rollout): string {
  return pods.length === 0 ? '' : `; ${pods.length} pods keep the older data`;
}

/** No event comes when a pod has been ready for long enough. */
function deadlineExceeded(why: string, soonestMs: number, { spec }: Scope): OperatorError {
  return new OperatorError({
    reason: 'ProgressDeadlineExceeded' satisfies ConfigMonitorReason,
    message: `no progress for ${spec.progressDeadlineSeconds} s: ${why}`,
    healedBy: 'person',
    ...(Number.isFinite(soonestMs) && { retryAfterMs: soonestMs }),
  });
}
