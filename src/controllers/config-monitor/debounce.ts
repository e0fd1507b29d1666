import type { Rollout } from '../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../apis/config-monitor-reasons.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, waiting } from '../../core/reconcile/outcome.ts';
import { type DataChange, listOutdated, readRecordedHash } from './memory.ts';
import {
  findVouchers,
  isUnnoted,
  listLivePods,
  listUids,
  listUnselected,
  MAX_PODS,
  noteChange,
  reportDeselected,
} from './pending-change.ts';
import { concerns, formatSelection } from './pod-index.ts';
import { beginRollout } from './rollout.ts';
import { type Report, reportPods, type Scope } from './scope.ts';
import { readNewestData } from './sources/observe-data.ts';
import {
  listDifferent,
  nameSource,
  type ObservedData,
  readNewestRecords,
  readRecords,
} from './sources/watched-source.ts';
import type { TrimmedPod } from './transforms.ts';
import { listOrphans } from './workload-groups.ts';

export type Started =
  /** Not now. */
  | { readonly kind: 'held'; readonly outcome: Outcome }
  /** The data is what is on record, and no pod has other data. */
  | { readonly kind: 'needless' }
  /** On record; undefined where no pod has older data. */
  | { readonly kind: 'started'; readonly rollout: Rollout | undefined };

/**
 * Begins to restart the pods for other data, once it is time: the quiet period and the least interval
 * are over, and nobody has suspended the object. It takes over what an earlier rollout has not finished.
 */
export async function startRollout(shown: ObservedData, scope: Scope): Promise<Started> {
  const data = await refreshData(shown, scope);
  if (data === undefined) return { kind: 'held', outcome: awaitSources(scope) };
  if (isSettled(data, scope)) return { kind: 'needless' };
  scope.pass.disproveReady();
  const noted = await noteOutdated(data, scope);
  const { change, outdated, orphaned } = noted;
  if (hasComeBack(noted, scope)) {
    leaveOrphans(orphaned, scope);
    takeBackChange(scope);
    return { kind: 'needless' };
  }
  reportPods(
    outdated.map(({ metadata }) => metadata.uid),
    scope,
  );
  const outcome = await findAnyHold(noted, scope);
  if (outcome !== undefined) return { kind: 'held', outcome };
  // The watch may have fallen silent since the change was noted.
  const newest = data === shown ? await readNewestData(scope) : data;
  if (newest === undefined) return { kind: 'held', outcome: awaitSources(scope) };
  if (newest.hash !== data.hash) return startRollout(newest, scope);
  throwIfTooMany(outdated.length);
  return {
    kind: 'started',
    rollout: await beginRollout(change, { data, outdated, orphaned }, scope),
  };
}

/**
 * The data of record is there again, and no pod has other data but those that a rollout restarts anyway. One of these that
 * may have read the other data has to be on record as such: it is restarted also for the data before the rollout.
 */
function hasComeBack({ change, outdated }: Outdated, { object }: Scope): boolean {
  const { pods = [], between = pods } = object.status.rollout ?? {};
  const unknown = new Set(between);
  const known = pods.filter((uid) => unknown.has(uid) || !change.between.has(uid));
  const planned = new Set(known);
  const isRecorded = change.hash === readRecordedHash(object);
  return isRecorded && outdated.every(({ metadata }) => planned.has(metadata.uid));
}

/**
 * It was no change: other objects may rely on the last restart, as they did before. Of pods that this object selected then,
 * and does not now, nobody knows whether they were started meanwhile.
 */
function takeBackChange({ object, pass, selection }: Scope): void {
  const { lastChangeTime, lastRestartTime, restartedSelection } = object.status;
  if (restartedSelection !== formatSelection(selection)) {
    pass.report({ restartedSelection: undefined } satisfies Report);
    return;
  }
  if (lastChangeTime === undefined || lastRestartTime === undefined) return;
  const isOlder = Date.parse(lastChangeTime) <= Date.parse(lastRestartTime);
  pass.report({ lastChangeTime: isOlder ? lastChangeTime : lastRestartTime } satisfies Report);
}

async function findAnyHold(
  { change, older, outdated }: Outdated,
  scope: Scope,
): Promise<Outcome | undefined> {
  return (
    findHold(change, outdated.length, scope) ??
    awaitOthers(change, outdated.length, scope) ??
    awaitPodCache(older, scope)
  );
}

function throwIfTooMany(pods: number): void {
  if (pods <= MAX_PODS) return;
  throw createFailure(configMonitorReasons, 'TooManyPods', {
    observed: `${pods} pods are selected, and one object can restart at most ${MAX_PODS}`,
  });
}

/** Those of the rollout stay a part of it. */
function leaveOrphans(orphaned: readonly string[], scope: Scope): void {
  const planned = new Set(scope.object.status.rollout?.pods);
  const rest = orphaned.filter((uid) => !planned.has(uid));
  if (rest.length > 0) reportDeselected(rest, scope);
}

/** Records which pods are older than the data: later that is unknown. Restarts nothing. */
export async function recordOutdated(shown: ObservedData, scope: Scope): Promise<void> {
  const data = (await refreshData(shown, scope)) ?? shown;
  if (isSettled(data, scope)) return;
  const { outdated } = await noteOutdated(data, scope);
  reportPods(
    outdated.map(({ metadata }) => metadata.uid),
    scope,
  );
}

/**
 * The newest data, where what the watch shows would be noted: a new leader whose watch has been silent would take the
 * data before for a change, and the pods with the newest for older ones. Undefined where a source is gone.
 */
async function refreshData(shown: ObservedData, scope: Scope): Promise<ObservedData | undefined> {
  return scope.changes.get(scope.object)?.hash === shown.hash ? shown : readNewestData(scope);
}

/** The data is what is on record, and nothing else has been noted. */
function isSettled({ hash }: ObservedData, { changes, object }: Scope): boolean {
  return hash === readRecordedHash(object) && changes.get(object) === undefined;
}

interface Outdated {
  readonly change: DataChange;
  readonly older: ReadonlySet<string>;
  readonly outdated: readonly TrimmedPod[];
  /** UIDs of those that have lost their controller, or their labels; not to be restarted for now. */
  readonly orphaned: readonly string[];
}

async function noteOutdated(data: ObservedData, scope: Scope): Promise<Outdated> {
  const change = await noteChange(data, scope);
  const older = listOutdated(change);
  const isOutdated = findOutdated(change, data, scope);
  const noted = new Set([...older, ...(scope.object.status.rollout?.pods ?? [])]);
  const others = new Set([...listOrphans(scope), ...listUnselected(noted, scope)]);
  const orphaned = [...listUids([...others].filter(isOutdated))];
  return { change, older, outdated: scope.selected.filter(isOutdated), orphaned };
}

/** With a rollout back to its data, those are still to be restarted that were so before. */
function findOutdated(
  change: DataChange,
  data: ObservedData,
  scope: Scope,
): (pod: TrimmedPod) => boolean {
  const { rollout } = scope.object.status;
  const planned = new Set(rollout?.pods);
  const pending = rollout?.hash === data.hash ? planned : NONE;
  const older = listOutdated(change);
  const listChanged = findChangedSources(change, data, scope);
  const isVouchedFor = findVouchers(data.hash, scope);
  return (pod) => {
    const { uid } = pod.metadata;
    if (pending.has(uid)) return true;
    if (!(older.has(uid) || planned.has(uid)) || !concerns(scope.selection, pod, listChanged(uid)))
      return false;
    // One that was noted with the data on record is still the same, whatever labels it has been given since.
    return change.pods.has(uid) || !isVouchedFor(pod);
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Gives the names of the sources that a pod may have read other data of, by what it was started with. */
function findChangedSources(
  { between, pods, sources: touched }: DataChange,
  data: ObservedData,
  scope: Scope,
): (uid: string) => ReadonlySet<string> {
  const { object, watched } = scope;
  const { configHash, rollout } = object.status;
  const all = new Set(watched.map(nameSource));
  const sinceBaseline =
    data.hash === configHash
      ? NONE
      : listDifferent(readRecords(object.status, watched), data.sources);
  const sinceRecorded =
    data.hash === readRecordedHash(object)
      ? NONE
      : listDifferent(readNewestRecords(object.status, watched), data.sources);
  const pending = new Set(rollout?.pods);
  const unknown = new Set([...between, ...(rollout?.between ?? pending)]);
  return (uid) => {
    if (pending.has(uid)) return unknown.has(uid) ? all : sinceBaseline;
    return pods.has(uid) ? sinceRecorded : (touched ?? all);
  };
}

function awaitOthers(change: DataChange, pods: number, scope: Scope): Outcome | undefined {
  if (pods === 0 || !isUnnoted(change, scope)) return undefined;
  const message = `${pods} pods restart once the other ConfigMonitors of this data have noted the change`;
  return waiting('Debouncing' satisfies ConfigMonitorReason, message, 50);
}

function awaitSources({ pass, sourceText }: Scope): Outcome {
  pass.disproveReady();
  const message = `the watch of ${sourceText} lags behind the API server, which has not all of it; pods restart when it is back`;
  return waiting('Debouncing' satisfies ConfigMonitorReason, message, 1_000);
}

/** A pod that the watch does not show yet would be forgotten: it would count as gone. */
async function awaitPodCache(
  older: ReadonlySet<string>,
  scope: Scope,
): Promise<Outcome | undefined> {
  const unseen = [...older].filter((uid) => !scope.pods.isCached(uid));
  if (unseen.length === 0) return undefined;
  const live = await listLivePods(scope);
  if (unseen.every((uid) => !live.has(uid))) return undefined;
  const message = 'the pod cache lags behind the API server; pods restart when it has caught up';
  return waiting('Debouncing' satisfies ConfigMonitorReason, message, 1_000);
}

function findHold(change: DataChange, pods: number, scope: Scope): Outcome | undefined {
  const { changes, sourceText, spec } = scope;
  if (spec.suspend) {
    const message = `suspended; ${pods} pods are waiting to restart`;
    return waiting('Suspended' satisfies ConfigMonitorReason, message, 60_000);
  }
  const quietMs = changes.measureQuietMs(change, spec.debounceSeconds);
  if (quietMs > 0) {
    const message = `the data of ${sourceText} changed; ${pods} pods restart once it has been unchanged for ${spec.debounceSeconds} s`;
    return waiting('Debouncing' satisfies ConfigMonitorReason, message, quietMs);
  }
  return awaitMinInterval(change, pods, scope);
}

/**
 * Warns whoever changes a ConfigMap every few seconds. The last restart was before the
 * change was observed: that bounds the wait where another process wrote its time by another clock.
 */
function awaitMinInterval(change: DataChange, pods: number, scope: Scope): Outcome | undefined {
  const { changes, clock, object, spec, pass } = scope;
  const { lastRestartTime, rollout } = object.status;
  const intervalMs = spec.minIntervalSeconds * 1000;
  if (lastRestartTime === undefined || intervalMs === 0) return undefined;
  // The restart that is under way gets pods that other data was there for meanwhile; it is no second one.
  if (rollout?.hash === change.hash) return undefined;
  const leftMs = Math.min(
    Date.parse(lastRestartTime) + intervalMs - clock.now(),
    change.firstSeenMs + intervalMs - clock.monotonicMs(),
  );
  if (leftMs <= 0) return undefined;
  const reason = 'MinInterval' satisfies ConfigMonitorReason;
  const message = `the data changed again within ${spec.minIntervalSeconds} s; ${pods} pods restart when that interval is over`;
  if (changes.isFirstSince(pass.key, lastRestartTime)) {
    pass.recordEvent({
      type: 'Warning',
      reason: 'ChangesTooOften',
      action: 'Watch',
      note: message,
    });
  }
  return waiting(reason, message, leftMs);
}
