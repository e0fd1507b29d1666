import type { Rollout } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, waiting } from '../../core/outcome.ts';
import { livePodsOf, MAX_PODS, noteChange } from './change-note.ts';
import { type DataChange, outdatedIn, recordedHash } from './changes.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import { type LeanPod, ownerNameOf, workloadNamed } from './lean-pod.ts';
import { orRefused } from './owners.ts';
import { hashes, type Report, reportPods, shortOf, toMillis, toSeconds } from './report.ts';
import type { Scope } from './scope.ts';
import { vouchersOf } from './vouching.ts';

export type Started =
  /** Not now. */
  | { readonly kind: 'held'; readonly outcome: Outcome }
  /** The data is what is on record, and no pod has other data. */
  | { readonly kind: 'needless' }
  /** On record; undefined where no pod has older data. */
  | { readonly kind: 'started'; readonly rollout: Rollout | undefined };

/**
 * Begins to restart the pods for other data, once it is time: the quiet period and the least interval
 * are over, and nobody has suspended the object. What an earlier rollout has left undone goes with it.
 */
export async function startRollout(configMap: LeanConfigMap, scope: Scope): Promise<Started> {
  const change = await noteChange(configMap, scope);
  const older = outdatedIn(change);
  const outdated = outdatedPods(change, older, scope);
  const isRecorded = change.hash === recordedHash(scope.object);
  if (isRecorded && outdated.length === 0) return { kind: 'needless' };
  scope.pass.disproveReady();
  reportPods(
    outdated.map(({ metadata }) => metadata.uid),
    scope,
  );
  const outcome = holdOf(change, outdated.length, scope) ?? (await holdForCache(older, scope));
  if (outcome !== undefined) return { kind: 'held', outcome };
  if (outdated.length > MAX_PODS) throw tooManyPods(outdated.length);
  return { kind: 'started', rollout: await begin(change, outdated, scope) };
}

/**
 * With a rollout back to its data, those are still to be restarted that were so before. With the data
 * of before the rollout, those are not that it has not restarted yet.
 */
function outdatedPods(
  change: DataChange,
  older: ReadonlySet<string>,
  scope: Scope,
): readonly LeanPod[] {
  const { hash } = change;
  const { configHash, rollout } = scope.object.status;
  const pending = new Set(rollout?.hash === hash ? rollout.pods : []);
  const kept = hash === configHash ? unchangedIn(change, scope) : undefined;
  const isVouchedFor = vouchersOf(hash, scope);
  return scope.selected.filter((pod) => {
    const { uid } = pod.metadata;
    if (pending.has(uid)) return true;
    return older.has(uid) && kept?.has(uid) !== true && !isVouchedFor(pod);
  });
}

/** The pods that have the data of status.configHash for certain. */
function unchangedIn({ pods, between }: DataChange, { object }: Scope): ReadonlySet<string> {
  const { configHash, rollout } = object.status;
  if (rollout === undefined) return pods;
  const changed = new Set([...between, ...(rollout.between ?? rollout.pods)]);
  if (rollout.hash !== configHash) {
    return new Set(rollout.pods.filter((uid) => !changed.has(uid)));
  }
  const pending = new Set(rollout.pods);
  return new Set([...pods].filter((uid) => !changed.has(uid) && !pending.has(uid)));
}

/** A pod that the watch does not show yet would be forgotten: it would count as gone. */
async function holdForCache(
  older: ReadonlySet<string>,
  scope: Scope,
): Promise<Outcome | undefined> {
  const unseen = [...older].filter((uid) => !scope.pods.isSeen(uid));
  if (unseen.length === 0) return undefined;
  const live = await livePodsOf(scope);
  if (unseen.every((uid) => !live.has(uid))) return undefined;
  const message = 'the watch of pods lags behind; pods are restarted when it shows them all';
  return waiting('Debouncing' satisfies ConfigMonitorReason, message, 1_000);
}

function holdOf(change: DataChange, pods: number, scope: Scope): Outcome | undefined {
  const { changes, configMapName, spec } = scope;
  if (spec.suspend) {
    const message = `suspended; ${pods} pods wait to be restarted`;
    return waiting('Suspended' satisfies ConfigMonitorReason, message, 60_000);
  }
  const quietMs = changes.quietForMs(change, spec.debounceSeconds);
  if (quietMs > 0) {
    const message = `the data of ConfigMap ${configMapName} has changed; ${pods} pods are restarted when it has stayed as it is for ${spec.debounceSeconds} s`;
    return waiting('Debouncing' satisfies ConfigMonitorReason, message, quietMs);
  }
  return intervalHold(change, pods, scope);
}

/**
 * Whoever changes a ConfigMap every few seconds should hear of it. The last restart was before the
 * change was seen: that bounds the wait where another process wrote its time by another clock.
 */
function intervalHold(change: DataChange, pods: number, scope: Scope): Outcome | undefined {
  const { changes, clock, object, spec, pass } = scope;
  const { lastRestartTime } = object.status;
  const intervalMs = spec.minIntervalSeconds * 1000;
  if (lastRestartTime === undefined || intervalMs === 0) return undefined;
  const leftMs = Math.min(
    Date.parse(lastRestartTime) + intervalMs - clock.now(),
    change.firstSeenMs + intervalMs - clock.monotonicMs(),
  );
  if (leftMs <= 0) return undefined;
  const reason = 'MinInterval' satisfies ConfigMonitorReason;
  const message = `the data has changed again within ${spec.minIntervalSeconds} s; ${pods} pods are restarted when they are over`;
  if (changes.isFirstSince(pass.key, lastRestartTime)) {
    pass.event({ type: 'Warning', reason: 'ChangesTooOften', action: 'Watch', note: message });
  }
  return waiting(reason, message, leftMs);
}

/**
 * What is to be restarted is on record before the first pod goes: a successor of this process must
 * not restart a pod again, nor forget one.
 */
async function begin(
  change: DataChange,
  outdated: readonly LeanPod[],
  scope: Scope,
): Promise<Rollout | undefined> {
  const { changes, object, pass } = scope;
  const rollout = await rolloutOf(change, outdated, scope);
  if (outdated.length === 0) {
    const left = rollout.owners.some((owner) => isShort(owner, scope)) ? rollout : undefined;
    const hash = left === undefined ? hashes(change.hash) : {};
    pass.report({ ...hash, rollout: left, change: undefined } satisfies Report);
    changes.settle(pass.key);
    return left;
  }
  const { startTime: lastRestartTime } = rollout;
  const restarts = (object.status.restarts ?? 0) + 1;
  pass.report({ rollout, lastRestartTime, restarts, change: undefined } satisfies Report);
  await pass.recordNow();
  changes.settle(pass.key);
  pass.log.info('Restarting pods', { pods: rollout.total, hash: shortOf(change.hash) });
  return rollout;
}

async function rolloutOf(
  change: DataChange,
  outdated: readonly LeanPod[],
  scope: Scope,
): Promise<Rollout> {
  const unchanged = unchangedIn(change, scope);
  const uids = outdated.map(({ metadata }) => metadata.uid);
  const { object, pass, progress } = scope;
  if (object.status.rollout === undefined) progress.forget(pass.key);
  const names = new Set([
    ...outdated.flatMap((pod) => ownerNameOf(pod) ?? []),
    ...unfinishedOwners(scope).map(({ name }) => name),
  ]);
  const owners = await Promise.all([...names].map((name) => ownerAtStart(name, scope)));
  const nowMs = scope.clock.now();
  return {
    hash: change.hash,
    startTime: toMillis(nowMs),
    progressTime: toSeconds(nowMs),
    total: outdated.length,
    unready: outdated.length,
    pods: uids,
    between: uids.filter((uid) => !unchanged.has(uid)),
    owners,
  };
}

/** Those of an earlier rollout that is not over: pods that it sent away may still be missing. */
function unfinishedOwners({ object, pods }: Scope): Rollout['owners'] {
  const { metadata, status } = object;
  const owners = status.rollout?.owners ?? [];
  return owners.filter(({ name }) => pods.ofOwner(metadata.namespace, name).length > 0);
}

function isShort({ name, pods }: Rollout['owners'][number], scope: Scope): boolean {
  return scope.pods.ofOwner(scope.object.metadata.namespace, name).length < pods;
}

/**
 * Some of its pods may be missing just now, because of another restart perhaps. Where its size cannot be
 * read, the earlier rollout knows: or each change of the data would send more pods away.
 */
async function ownerAtStart(name: string, scope: Scope): Promise<Rollout['owners'][number]> {
  const { object, pods, workloads } = scope;
  const { namespace } = object.metadata;
  const workload = workloadNamed(name, namespace);
  const found = workload && (await orRefused(workloads.read(workload)));
  const before = unfinishedOwners(scope).find((owner) => owner.name === name);
  const unread = { ...before, wantedPods: before?.pods ?? 0 };
  const { wantedPods, minReadySeconds = 0 } =
    found === undefined || found instanceof OperatorError ? unread : found;
  const count = Math.max(wantedPods, pods.ofOwner(namespace, name).length);
  return { name, pods: count, ...(minReadySeconds > 0 && { minReadySeconds }) };
}

function tooManyPods(count: number): OperatorError {
  return new OperatorError({
    reason: 'TooManyPods' satisfies ConfigMonitorReason,
    message: `${count} pods are selected, and at most ${MAX_PODS} can be restarted by one object; select fewer by each of several`,
    healedBy: 'person',
  });
}
