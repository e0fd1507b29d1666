import type { Rollout } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import { type Owner, ownersNow, resized, unreadyCount, WorkloadsOfPass } from './owners.ts';
import { hashes, type Report, reportPods, toSeconds } from './report.ts';
import { type Refusal, restartSome } from './restart.ts';
import type { Scope } from './scope.ts';

/** The next change of a pod comes by watch; this is for one that never comes. */
const LOOK_AGAIN_MS = 10_000;
/** Who keeps the budgets needs a moment to see that a pod is ready: no reason to warn anybody. */
const BUDGET_GRACE_MS = 3_000;
const ASK_AGAIN_MS = 500;

/** Goes on with what is on record, until all pods are restarted and ready. */
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
  if (now.pods.length === 0 && unreadyIn(now, scope).length === 0) return finish(now, scope);
  return outcomeOf(now, refusals, scope);
}

/** Fewer pods to restart, or fewer unready ones than ever since one was restarted, are progress. */
function progressed(recorded: Rollout, rollout: Rollout, scope: Scope): Rollout {
  const pods = rollout.pods.filter((uid) => isPending(uid, scope));
  const unready = ownersNow(rollout, scope).reduce((sum, owner) => sum + missingOf(owner), 0);
  const hasFewerPods = pods.length < recorded.pods.length;
  const hasProgressed = hasFewerPods || unready < recorded.unready;
  return {
    ...rollout,
    pods,
    unready: hasFewerPods ? unready : Math.min(unready, recorded.unready),
    progressTime: hasProgressed ? toSeconds(scope.clock.now()) : recorded.progressTime,
  };
}

/** Also one that another object is sending away may be refused yet. */
function isPending(uid: string, { pods }: Scope): boolean {
  return pods.withUid(uid) !== undefined || pods.isUndecided(uid);
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
  const { pass, progress, spec } = scope;
  const ambiguous = refusals.find(({ kind }) => kind === 'ambiguous');
  if (ambiguous !== undefined) throw multipleBudgets(ambiguous);
  const idleMs = progress.idleMs(pass.key, rollout.progressTime);
  const leftMs = spec.progressDeadlineSeconds * 1000 - idleMs;
  const [blocked] = refusals;
  const why = whyWaiting(rollout, blocked, scope);
  if (leftMs <= 0) throw deadlineExceeded(why, rollout, scope);
  if (blocked !== undefined && unreadyIn(rollout, scope).length === 0) {
    if (idleMs >= BUDGET_GRACE_MS) throw budgetBlocks(why);
    return waiting('WaitingForReady' satisfies ConfigMonitorReason, why, ASK_AGAIN_MS);
  }
  const reason = unreadyIn(rollout, scope).length > 0 ? 'WaitingForReady' : 'RolloutStarted';
  const againAfterMs = Math.min(LOOK_AGAIN_MS, leftMs);
  return waiting(reason satisfies ConfigMonitorReason, why, againAfterMs);
}

/** Owners that have fewer ready pods than they should. */
function unreadyIn(rollout: Rollout, scope: Scope): readonly Owner[] {
  return ownersNow(rollout, scope).filter((owner) => missingOf(owner) > 0);
}

/** A pod without an owner is not waited for. */
function missingOf(owner: Owner): number {
  return owner.name === undefined ? 0 : unreadyCount(owner);
}

function whyWaiting(rollout: Rollout, blocked: Refusal | undefined, scope: Scope): string {
  const done = `${rollout.total - rollout.pods.length} of ${rollout.total} pods are restarted`;
  const [owner] = unreadyIn(rollout, scope);
  if (blocked !== undefined) return `${done}; pod ${blocked.pod}: ${blocked.message}`;
  if (owner === undefined) return done;
  const [pod] = owner.unready;
  const which = pod === undefined ? 'one is missing' : `${pod.metadata.name} is not`;
  const count = Math.max(owner.size, owner.readyCount + owner.unready.length);
  return `${done}; ${owner.readyCount} of ${count} pods of ${owner.name} are ready, ${which}`;
}

function multipleBudgets({ pod, message }: Refusal): OperatorError {
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

function deadlineExceeded(why: string, rollout: Rollout, { spec }: Scope): OperatorError {
  const rest = rollout.pods.length === 0 ? '' : `; ${rollout.pods.length} pods keep the older data`;
  return new OperatorError({
    reason: 'ProgressDeadlineExceeded' satisfies ConfigMonitorReason,
    message: `no progress for ${spec.progressDeadlineSeconds} s: ${why}${rest}; correct the data, or help that pod`,
    healedBy: 'person',
  });
}
