import type { Rollout } from '../../apis/config-monitor.ts';
import { type ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { formatTime } from '../../core/objects/kube-object.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import { restartPods } from './eviction.ts';
import type { DataChange, Refusal } from './memory.ts';
import {
  listUids,
  listUnchanged,
  listUnselected,
  reportDeselected,
  toNotedChange,
} from './pending-change.ts';
import { formatSelection } from './pod-index.ts';
import {
  announceEnd,
  announceFailure,
  announceStart,
  explainSingleReplicas,
} from './reports/announce.ts';
import {
  describeRestarted,
  judgeProgress,
  listUnavailable,
  reportRollout,
} from './rollout-progress.ts';
import { formatMillis, type Report, reportData, type Scope, shortenHash } from './scope.ts';
import {
  listRestartedFor,
  type ObservedData,
  readNewestRecords,
} from './sources/watched-source.ts';
import { getController, nameOwner, parseWorkload, type TrimmedPod } from './transforms.ts';
import {
  catchRefusal,
  countUnavailable,
  listPending,
  observeGroups,
  readSize,
  resizeOwners,
  WorkloadReader,
} from './workload-groups.ts';

interface OutdatedPods {
  readonly data: ObservedData;
  readonly outdated: readonly TrimmedPod[];
  /** UIDs of those that wait for another controller. */
  readonly orphaned: readonly string[];
}

/**
 * Records what to restart before the first pod is evicted: a successor of this process must
 * not restart a pod again, nor forget one.
 */
export async function beginRollout(
  change: DataChange,
  { data, outdated, orphaned }: OutdatedPods,
  scope: Scope,
): Promise<Rollout | undefined> {
  const { changes, object, pass } = scope;
  const workloads = new WorkloadReader(scope);
  const rollout = await planRollout(change, { data, outdated }, { scope, workloads });
  reportDeselected(orphaned, scope);
  if (outdated.length === 0) {
    const left = rollout.owners.some((owner) => isShort(owner, scope)) ? rollout : undefined;
    const restartedSelection = formatSelection(scope.selection);
    const ended = left === undefined ? { ...reportData(data), restartedSelection } : {};
    pass.report({ ...ended, rollout: left, change: undefined } satisfies Report);
    changes.settle(pass.key);
    return left;
  }
  const { startTime: lastRestartTime } = rollout;
  const restarts = (object.status.restarts ?? 0) + 1;
  const restartedSelection = chooseRestartedSelection(rollout, scope);
  const begun: Report = { rollout, lastRestartTime, restartedSelection, restarts };
  pass.report({ ...begun, change: undefined } satisfies Report);
  const warning = await explainSingleReplicas(rollout, outdated, { scope, workloads });
  const started = 'RolloutStarted' satisfies ConfigMonitorReason;
  const meanwhile = waiting(started, warning ?? describeRestarted(rollout), 0);
  try {
    // In the same write: Ready must not say that the pods have the newest data, next to a rollout.
    await pass.recordNow({ ...meanwhile, isReported: warning !== undefined }, ['rollout']);
  } catch (error) {
    // It may be stored, and then the next pass only goes on with it.
    if (error instanceof OperatorError && error.isUnanswered) reportStart(rollout, warning, scope);
    else takeBack(change, scope);
    throw error;
  }
  changes.settle(pass.key);
  reportStart(rollout, warning, scope);
  return rollout;
}

/** Of data that was taken back only some of the pods are restarted: the others are those of the restart before it. */
function chooseRestartedSelection(
  { hash }: Rollout,
  { object, selection }: Scope,
): string | undefined {
  const { configHash, restartedSelection, rollout } = object.status;
  const selector = formatSelection(selection);
  if (hash !== configHash) return selector;
  const isAtRest = (rollout?.hash ?? configHash) === configHash;
  return isAtRest && restartedSelection === selector ? selector : undefined;
}

/** Nothing is restarted: the next pass begins it, and reports it. */
function takeBack(change: DataChange, { object, pass }: Scope): void {
  const { lastRestartTime, restartedSelection, restarts, rollout } = object.status;
  const before: Report = { lastRestartTime, restartedSelection, restarts, rollout };
  pass.report({ ...before, change: toNotedChange(change) } satisfies Report);
}

function reportStart(rollout: Rollout, warning: string | undefined, scope: Scope): void {
  announceStart(rollout, warning, scope);
  const fields = { pods: rollout.total, hash: shortenHash(rollout.hash) };
  scope.pass.log.info('Restarting pods', fields);
}

interface Reading {
  readonly scope: Scope;
  readonly workloads: WorkloadReader;
}

async function planRollout(
  change: DataChange,
  { data, outdated }: Omit<OutdatedPods, 'orphaned'>,
  { scope, workloads }: Reading,
): Promise<Rollout> {
  const unchanged = listUnchanged(change, scope);
  const uids = outdated.map(({ metadata }) => metadata.uid);
  const { object, pass, progress, refusals } = scope;
  refusals.forget(pass.key);
  if (object.status.rollout === undefined) progress.forget(pass.key);
  const names = new Set([
    ...outdated.flatMap((pod) => nameOwner(pod) ?? []),
    ...listUnfinishedOwners(scope).map(({ name }) => name),
  ]);
  const owners = await Promise.all(
    [...names].map((name) => observeOwner(name, { scope, workloads })),
  );
  const nowMs = scope.clock.now();
  return {
    hash: data.hash,
    selector: formatSelection(scope.selection),
    sources: data.sources,
    startTime: formatMillis(nowMs),
    progressTime: formatTime(nowMs),
    total: outdated.length,
    unready: outdated.length,
    pods: uids,
    between: uids.filter((uid) => !unchanged.has(uid)),
    owners,
  };
}

/** Those of an earlier rollout that is not over: pods that it sent away may still be missing. */
function listUnfinishedOwners({ object, pods }: Scope): Rollout['owners'] {
  const { metadata, status } = object;
  const owners = status.rollout?.owners ?? [];
  return owners.filter(({ name }) => pods.listByOwner(metadata.namespace, name).length > 0);
}

function isShort({ name, pods }: Rollout['owners'][number], scope: Scope): boolean {
  return scope.pods.listByOwner(scope.object.metadata.namespace, name).length < pods;
}

/**
 * Some of its pods may be missing just now, because of another restart perhaps. Where its size cannot be
 * read, the earlier rollout knows: or each change of the data would send more pods away.
 */
async function observeOwner(
  name: string,
  { scope, workloads }: Reading,
): Promise<Rollout['owners'][number]> {
  const { object, pods } = scope;
  const { namespace } = object.metadata;
  const found = await catchRefusal(readSize(name, workloads, scope));
  const before = listUnfinishedOwners(scope).find((owner) => owner.name === name);
  const unread = { ...before, desiredPods: before?.pods ?? 0 };
  const {
    desiredPods,
    minReadySeconds = 0,
    uid,
  } = found === undefined || found instanceof OperatorError ? unread : found;
  const there = pods.listByOwner(namespace, name);
  const count = Math.max(desiredPods, there.length);
  const known = uid ?? findCustomUid(name, there, namespace);
  return {
    ...{ name, pods: count },
    ...(known !== undefined && { uid: known }),
    ...(minReadySeconds > 0 && { minReadySeconds }),
  };
}

/** The controller of a Deployment's pods is a ReplicaSet, but that of another kind's is the owner itself. */
function findCustomUid(
  name: string,
  pods: readonly TrimmedPod[],
  namespace: string,
): string | undefined {
  if (parseWorkload(name, namespace) !== undefined) return undefined;
  return pods.flatMap((pod) => getController(pod)?.uid ?? [])[0];
}

/** Goes on with what is on record, until all pods are restarted and available. */
export async function continueRollout(recorded: Rollout, scope: Scope): Promise<Outcome> {
  try {
    return await advance(recorded, scope);
  } catch (error) {
    announceFailure(error, recorded, scope);
    throw error;
  }
}

async function advance(recorded: Rollout, scope: Scope): Promise<Outcome> {
  const { object, pass, sourceMetrics, watched } = scope;
  sourceMetrics.attribute(pass.key, listRestartedFor(recorded, object.status, watched));
  scope.pass.disproveReady();
  const workloads = new WorkloadReader(scope);
  const rollout = await resizeOwners(recorded, workloads, scope);
  let refusals: readonly Refusal[] = [];
  try {
    refusals = await restartPods(rollout, workloads, scope);
  } finally {
    // Steps before a failure are recorded too.
    reportRollout(advanceRollout(recorded, rollout, scope), scope);
    reportDeselected(listUids(listRelabelled(recorded, scope)), scope);
  }
  const now = advanceRollout(recorded, rollout, scope);
  const isLeft = now.pods.some((uid) => !scope.orphans.has(uid));
  if (!isLeft && listUnavailable(now, scope).length === 0) return finishRollout(now, scope);
  const standing = scope.refusals.list(scope.pass.key, now.pods);
  return judgeProgress(now, [...standing, ...refusals], scope);
}

/** Those that have left the rollout without a restart: their labels may come back. */
function listRelabelled({ pods }: Rollout, scope: Scope): readonly TrimmedPod[] {
  return listUnselected(pods, scope).filter(({ metadata }) => !scope.orphans.has(metadata.uid));
}

/** Fewer pods to restart, or fewer unavailable ones than ever since one was restarted, are progress. */
function advanceRollout(recorded: Rollout, rollout: Rollout, scope: Scope): Rollout {
  const pending = listRemaining(rollout, scope);
  const pods = rollout.pods.filter((uid) => pending.has(uid));
  const between = rollout.between?.filter((uid) => pending.has(uid));
  const unready = observeGroups(rollout, scope).reduce(
    (sum, owner) => sum + countUnavailable(owner),
    0,
  );
  const hasFewerPods = pods.length < recorded.pods.length;
  const hasProgressed = hasFewerPods || unready < recorded.unready;
  return {
    ...rollout,
    total: rollout.total - listRelabelled(rollout, scope).length,
    pods,
    ...(between && { between }),
    unready: hasFewerPods ? unready : Math.min(unready, recorded.unready),
    progressTime: hasProgressed ? formatTime(scope.clock.now()) : recorded.progressTime,
  };
}

/**
 * Also one that another object is sending away may be refused yet, and one that has lost its controller be adopted.
 */
function listRemaining(rollout: Rollout, scope: Scope): ReadonlySet<string> {
  const undecided = rollout.pods.filter((uid) => {
    return scope.orphans.has(uid) || (scope.selectedUids.has(uid) && scope.pods.isUndecided(uid));
  });
  return new Set([
    ...listPending(rollout, scope).map(({ metadata }) => metadata.uid),
    ...undecided,
  ]);
}

/** But for pods that have lost their controller. */
function finishRollout(planned: Rollout, scope: Scope): Outcome {
  const { object, pass, sourceText, watched } = scope;
  const rollout = { ...planned, total: planned.total - planned.pods.length };
  reportDeselected(planned.pods, scope);
  const sources = readNewestRecords(object.status, watched);
  const data = { hash: rollout.hash, sources: rollout.sources ?? sources };
  pass.report({ ...reportData(data), rollout: undefined } satisfies Report);
  const pods = rollout.total === 1 ? '1 pod' : `${rollout.total} pods`;
  const note = `restarted ${pods} for the new data of ${sourceText}`;
  pass.log.info('Restarted pods', { pods: rollout.total, hash: shortenHash(rollout.hash) });
  pass.recordEvent({ type: 'Normal', reason: 'RolloutComplete', action: 'Restart', note });
  announceEnd(rollout, scope);
  return settled('Watching' satisfies ConfigMonitorReason, note);
}
