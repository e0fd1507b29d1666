import type { ConfigMonitor, NotedChange } from '../../apis/config-monitor.ts';
import { isBeingDeleted, type KubeObject } from '../../core/objects/kube-object.ts';
import { type DataChange, listOutdated, readRecordedHash } from './memory.ts';
import { canBeRestarted, concerns, formatSelection, readSelection, selects } from './pod-index.ts';
import { formatMillis, type Report, type Scope, shortenHash } from './scope.ts';
import { listUses } from './sources/pod-uses.ts';
import {
  abbreviateSources,
  areRecordsOf,
  listDifferent,
  type ObservedData,
  readNewestRecords,
  readRecords,
} from './sources/watched-source.ts';
import { getController, isSpared, type TrimmedPod } from './transforms.ts';

/** As many UIDs as a list in status has room for. */
export const MAX_PODS = 5000;

/** It is on record whatever comes of this pass, but for a pass that acts on it. */
export async function noteChange(data: ObservedData, scope: Scope): Promise<DataChange> {
  const { changes, object } = scope;
  const { hash } = data;
  const before = changes.get(object);
  const selector = formatSelection(scope.selection);
  const isNew = before?.hash !== hash;
  const isSame = !isNew && before.selector === selector;
  const change = isSame ? before : await observePods(data, selector, scope);
  reportChange(change, isNew, scope);
  if (before && before.selector !== selector)
    reportDeselected(listOutdated({ ...before, hash }), scope);
  if (isNew && !scope.isReselected) recordChange(hash, before === undefined, scope);
  return change;
}

/**
 * Records those of the pods with older data that are not selected now: an edit or a label may select them again, or a
 * controller adopt them.
 */
export function reportDeselected(older: Iterable<string>, scope: Scope): void {
  const { deselected, pass } = scope;
  for (const uid of older) deselected.add(uid);
  const there = listUids(listUnselected(deselected, scope));
  const deselectedPods = there.size === 0 ? undefined : [...there].slice(0, MAX_PODS);
  pass.report({ deselectedPods } satisfies Report);
}

/** Those that are there and may be selected again: one without a controller, or of a Job, may not. */
export function listUnselected(uids: Iterable<string>, scope: Scope): readonly TrimmedPod[] {
  const { orphans, pods, selectedUids, selection } = scope;
  return [...uids]
    .filter((uid) => !selectedUids.has(uid))
    .flatMap((uid) => pods.getByUid(uid, 'kept') ?? [])
    .filter(
      (pod) => orphans.has(pod.metadata.uid) || !selects(selection, pod) || isOurs(pod, scope),
    );
}

/** It was selected again during this pass, and the next one sees so. */
function isOurs(pod: TrimmedPod, { spec }: Scope): boolean {
  return !isSpared(pod, spec) && canBeRestarted(pod);
}

/** Whether spec selects otherwise than the restart began, or pods are selected again that were not before theirs. */
export function hasReselected({ object, selectedUids, selection }: Scope): boolean {
  const { deselectedPods = [], rollout } = object.status;
  if (deselectedPods.some((uid) => selectedUids.has(uid))) return true;
  const selector = rollout?.selector;
  return selector !== undefined && selector !== formatSelection(selection);
}

/**
 * Those that have older data by what is on record, where nothing but their return has changed since; undefined: all that
 * are selected may.
 */
export function listReselected(data: ObservedData, scope: Scope): ReadonlySet<string> | undefined {
  const { changes, deselected, object, selectedUids, selection } = scope;
  const { restartedSelection, rollout } = object.status;
  const selector = formatSelection(selection);
  const noted = changes.get(object);
  const others = [rollout?.selector, noted?.selector].filter((one) => one !== undefined);
  const isSame = [restartedSelection, ...others].every((one) => one === selector);
  if (!isSame || ![readRecordedHash(object), noted?.hash].includes(data.hash)) return undefined;
  const older = [...deselected, ...listOlder(scope)];
  return new Set(older.filter((uid) => selectedUids.has(uid)));
}

/** UIDs of the pods that a rollout has still to restart, and of those that are older than a change. */
export function listOlder({ changes, object }: Scope): readonly string[] {
  const noted = changes.get(object);
  return [...(object.status.rollout?.pods ?? []), ...(noted ? listOutdated(noted) : [])];
}

async function observePods(
  data: ObservedData,
  selector: string,
  scope: Scope,
): Promise<DataChange> {
  const { hash } = data;
  const { changes, endedPods, object, pods } = scope;
  const live = await listAffected(selector, scope);
  const isVouchedFor = findVouchers(hash, scope);
  const known = [...live].flatMap((uid) => pods.getByUid(uid) ?? []);
  const running = listUids(known.filter(({ state }) => state !== 'starting'));
  const recorded = readRecordedHash(object) ?? hash;
  return changes.note(object, {
    hash,
    recorded,
    selector,
    sources: hash === recorded ? new Set() : listChangedSources(data, scope),
    live,
    // A pod that an ended rollout has just restarted is not known to work yet.
    starting: new Set(
      [...live].filter((uid) => !running.has(uid) || endedPods?.has(uid) === false),
    ),
    vouchedFor: listUids(known.filter(isVouchedFor)),
  });
}

/** With the pods of a change that have lost a label since: whether they are older is known once the data stays. */
async function listAffected(selector: string, scope: Scope): Promise<ReadonlySet<string>> {
  const { affected, changes, object } = scope;
  const live = await listLivePods(scope);
  const selected = affected ? [...live].filter((uid) => affected.has(uid)) : live;
  const before = changes.get(object);
  const noted = before?.selector === selector ? [...before.pods, ...before.between] : [];
  return new Set([...selected, ...listUids(listUnselected(noted, scope))]);
}

function listChangedSources(
  { sources }: ObservedData,
  { object, watched }: Scope,
): ReadonlySet<string> {
  return listDifferent(readNewestRecords(object.status, watched), sources);
}

export function listUids(pods: readonly TrimmedPod[]): ReadonlySet<string> {
  return new Set(pods.map(({ metadata }) => metadata.uid));
}

/** Beyond the limit of status only this process knows it: one restart too many, never one too few. */
export function toNotedChange(change: DataChange): NotedChange | undefined {
  const { pods, between, sources } = change;
  if (pods.size + between.size > MAX_PODS) return undefined;
  const { hash, recorded, selector } = change;
  return {
    ...{ hash, recorded, selector },
    ...(sources && { sources: [...sources] }),
    pods: [...pods],
    between: [...between],
  };
}

function reportChange(noted: DataChange, isNew: boolean, scope: Scope): void {
  const { clock, isReselected, object, pass } = scope;
  const change = toNotedChange(noted);
  pass.report({ change } satisfies Report);
  // The write that was to store it may have been refused.
  const isUnstored = change !== undefined && change.hash !== object.status.change?.hash;
  if (isReselected || !(isNew || isUnstored)) return;
  pass.report({ lastChangeTime: formatMillis(clock.now()) } satisfies Report);
}

/** The article's sentence for each modification, one event for all that are acted on together. */
function recordChange(hash: string, isFirst: boolean, scope: Scope): void {
  const { pass, sourceText, watched } = scope;
  const source = abbreviateSources(watched);
  pass.log.info('Modification detected', { source, hash: shortenHash(hash) });
  if (!isFirst) return;
  const note = `the data of ${sourceText} changed to ${shortenHash(hash)}`;
  pass.recordEvent({ type: 'Normal', reason: 'ConfigChanged', action: 'Watch', note });
}

/** UIDs of the selected pods, past every cache. */
export function listLivePods({
  livePods,
  object,
  pass,
  selection,
}: Scope): Promise<ReadonlySet<string>> {
  const isSelected = (pod: KubeObject): boolean =>
    selects(selection, { metadata: pod.metadata, uses: listUses(pod) });
  const query =
    selection.kind === 'labels' ? { labelSelector: formatSelection(selection) } : { isSelected };
  return livePods.uidsOf(object.metadata.namespace, query, pass.signal);
}

/**
 * The pods that have the data of status.configHash for certain: those that a rollout has still to restart, and
 * those that use nothing of what it is for.
 */
export function listUnchanged(
  { pods: older, between }: DataChange,
  { object, pods, selection, watched }: Scope,
): ReadonlySet<string> {
  const { configHash, rollout } = object.status;
  if (rollout === undefined) return older;
  const changed = new Set([...between, ...(rollout.between ?? rollout.pods)]);
  const pending = new Set(rollout.pods);
  if (rollout.hash === configHash) {
    return new Set([...older].filter((uid) => !changed.has(uid) && !pending.has(uid)));
  }
  const given = listDifferent(
    readRecords(object.status, watched),
    readNewestRecords(object.status, watched),
  );
  const untouched = [...older].filter((uid) => {
    const pod = pods.getByUid(uid);
    return !pending.has(uid) && pod !== undefined && !concerns(selection, pod, given);
  });
  return new Set([...rollout.pods, ...untouched].filter((uid) => !changed.has(uid)));
}

/** A pod that further ones alone vouch for is restarted by each of them. */
const MOST_VOUCHERS = 32;

/**
 * Gives whether another ConfigMonitor of the same sources says that a pod has the data of this hash: a
 * pod that two of them select is restarted once. One that has a change of its own waiting says nothing.
 */
export function findVouchers(hash: string, scope: Scope): (pod: TrimmedPod) => boolean {
  const vouchers = listMonitorsWith(hash, scope)
    .slice(0, MOST_VOUCHERS)
    .map((other) => ({
      isMeant: wouldRestart(other),
      pending: new Set([
        ...(other.status.rollout?.pods ?? []),
        ...(other.status.deselectedPods ?? []),
      ]),
    }));
  return (pod) =>
    vouchers.some(({ isMeant, pending }) => isMeant(pod) && !pending.has(pod.metadata.uid));
}

/** One that cannot note anything is not waited for any longer. */
const LONGEST_NOTING_MS = 2_000;

/**
 * Whether another ConfigMonitor of the same sources has yet to note the change: it would take the pods that a restart
 * brings for older ones.
 */
export function isUnnoted({ hash, lastSeenMs }: DataChange, scope: Scope): boolean {
  const { changes, clock } = scope;
  if (clock.monotonicMs() - lastSeenMs >= LONGEST_NOTING_MS) return false;
  return listOthers(scope).some((other) => {
    return !isBeingDeleted(other) && !changes.hasNoted(other, hash);
  });
}

/**
 * Those that have restarted all of their pods for this data, or are about it. Of several sources one without labels
 * restarts only the users of what has changed since its baseline, which may be younger than that of this object.
 */
function listMonitorsWith(hash: string, scope: Scope): readonly ConfigMonitor[] {
  const { changes, watched } = scope;
  return listOthers(scope)
    .filter(({ spec }) => watched.length < 2 || readSelection(spec)?.kind === 'labels')
    .filter((other) => !changes.isWaiting(other) && hasBegun(other, hash))
    .filter(hasSelectedSo);
}

/** With records of the same sources. */
function listOthers({ monitors, object, pass, watched }: Scope): readonly ConfigMonitor[] {
  const [first] = watched;
  if (first === undefined) return [];
  return monitors
    .listBySource(object.metadata.namespace, first)
    .map((other) => pass.pickNewest(other))
    .filter(({ metadata }) => metadata.uid !== object.metadata.uid)
    .filter(({ status }) => areRecordsOf(readRecords(status, watched), watched));
}

/** But for pods without a controller: one that it has restarted is gone for good. */
function wouldRestart({ spec }: ConfigMonitor): (pod: TrimmedPod) => boolean {
  const selection = readSelection(spec);
  return (pod) =>
    selection !== undefined && getController(pod) !== undefined && selects(selection, pod);
}

/** Whether it selects as it did when it restarted pods: it did not restart those that an edit selects. */
function hasSelectedSo({ spec, status }: ConfigMonitor): boolean {
  const selection = readSelection(spec);
  return selection !== undefined && formatSelection(selection) === status.restartedSelection;
}

/**
 * A baseline says nothing about older data, and who has seen other data since its last restart does
 * not know what pods have come meanwhile.
 */
function hasBegun(other: ConfigMonitor, hash: string): boolean {
  const { lastChangeTime, lastRestartTime } = other.status;
  if (lastRestartTime === undefined || lastChangeTime === undefined) return false;
  if (Date.parse(lastRestartTime) < Date.parse(lastChangeTime)) return false;
  return readRecordedHash(other) === hash;
}
