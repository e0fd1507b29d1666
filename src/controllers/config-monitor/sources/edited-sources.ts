import type { SourceRecord } from '../../../apis/config-monitor.ts';
import type { Scope } from '../scope.ts';
import { observeData } from './observe-data.ts';
import {
  hashText,
  listDifferent,
  nameSource,
  type ObservedData,
  RECORDED_DIGITS,
  readNewestRecords,
  readRecords,
  type WatchedSource,
} from './watched-source.ts';

/**
 * The data that the pods have, for an edit of the sources in spec: those that stay keep their records, and new ones
 * have the data that is observed first.
 */
export function mergeRecords({ sources }: ObservedData, scope: Scope): readonly SourceRecord[] {
  const known = new Map(listComparable(scope).map((record) => [nameSource(record), record]));
  const isPending = findPending(scope);
  return sources.map((record) => {
    const before = known.get(nameSource(record));
    if (before === undefined) return record;
    if (isPending(nameSource(record))) return { ...record, hash: hashStale(before) };
    if (before.keys === record.keys) return before;
    return hasOtherData(before, scope) ? { ...record, hash: hashStale(before) } : record;
  });
}

/** Whether the keys that counted before have other data now. */
function hasOtherData({ kind, name, keys, keyNames, hash }: SourceRecord, scope: Scope): boolean {
  // Of a release that did not record them, nobody knows.
  if (keys !== undefined && keyNames === undefined) return false;
  const source: WatchedSource = { kind, name, ...(keyNames && { keys: keyNames }) };
  const observation = observeData({ ...scope, watched: [source] });
  return observation.kind === 'observed' && observation.data.sources[0]?.hash !== hash;
}

/** None where Secrets were hashed with another key: that is a new baseline, of all sources. */
function listComparable({ object, secrets, watched }: Scope): readonly SourceRecord[] {
  const { status } = object;
  const { configHash, hashKey = secrets.keyId } = status;
  if (configHash === undefined || hashKey !== secrets.keyId) return [];
  return readRecords(status, watched);
}

/** Of some sources pods may have data other than that on record, or than that which is observed. */
function findPending({ changes, object, watched }: Scope): (name: string) => boolean {
  const { status } = object;
  const { rollout, configHash } = status;
  const change = changes.get(object);
  const isMixed = rollout?.hash === configHash || rollout?.between?.length !== 0;
  const isUnknown = change !== undefined && change.sources === undefined;
  if (isUnknown || (rollout !== undefined && isMixed)) return () => true;
  const given =
    rollout && listDifferent(readRecords(status, watched), readNewestRecords(status, watched));
  return (name) => change?.sources?.has(name) === true || given?.has(name) === true;
}

/** Of no data, also of that which comes back later: pods have several. */
function hashStale({ hash }: SourceRecord): string {
  return hashText(`stale ${hash}`).slice(0, RECORDED_DIGITS);
}
