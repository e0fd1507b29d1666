import type { SourceRecord } from '../../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../../apis/config-monitor-reasons.ts';
import type { Key } from '../../../core/objects/kube-object.ts';
import { createFailure } from '../../../core/reconcile/failure.ts';
import { type Outcome, waiting } from '../../../core/reconcile/outcome.ts';
import {
  type Report,
  reportData,
  type Scope,
  type SecretFault,
  type SourceReader,
  shortenHash,
} from '../scope.ts';
import {
  abbreviateSources,
  areRecordsOf,
  combineData,
  hashText,
  isSingleConfigMap,
  listDifferent,
  nameKeys,
  nameSource,
  type ObservedData,
  RECORDED_DIGITS,
  readNewestRecords,
  readRecords,
  type TrimmedSource,
  type WatchedSource,
} from './watched-source.ts';

export type Observation =
  | { readonly kind: 'observed'; readonly data: ObservedData }
  | { readonly kind: 'missing'; readonly source: WatchedSource }
  | SecretFault;

/** The data of all sources, or the first reason why it is not complete. */
export function observeData(scope: Scope): Observation {
  const { secrets, watched } = scope;
  const fault = hasSecret(watched) ? secrets.findFault() : undefined;
  if (fault !== undefined) return fault;
  const observed: (readonly [WatchedSource, TrimmedSource])[] = [];
  for (const source of watched) {
    const found = getReader(source, scope).get(getSourceKey(source, scope));
    if (found === undefined) return { kind: 'missing', source };
    observed.push([source, found]);
  }
  return { kind: 'observed', data: combineData(observed) };
}

/** As `observeData`, past the watches: one of them may be silent. Undefined where a source is gone. */
export async function readNewestData(scope: Scope): Promise<ObservedData | undefined> {
  const observed: (readonly [WatchedSource, TrimmedSource])[] = [];
  for (const source of scope.watched) {
    const key = getSourceKey(source, scope);
    const newest = await getReader(source, scope).findNewest(key, scope.pass.signal);
    if (newest === undefined) return undefined;
    observed.push([source, newest]);
  }
  return combineData(observed);
}

function getReader({ kind }: WatchedSource, { configMaps, secrets }: Scope): SourceReader {
  return kind === 'Secret' ? secrets : configMaps;
}

function getSourceKey({ name }: WatchedSource, { object }: Scope): Key {
  return `${object.metadata.namespace}/${name}`;
}

function hasSecret(watched: readonly WatchedSource[]): boolean {
  return watched.some(({ kind }) => kind === 'Secret');
}

/** Something is on record, of the same sources, and of Secrets with the same key. */
export function hasBaseline(scope: Scope): boolean {
  const { secrets, watched, object } = scope;
  const { configHash, hashKey } = object.status;
  if (configHash === undefined) return false;
  if (hasSecret(watched) && hashKey !== secrets.keyId) return false;
  return areRecordsOf(readRecords(object.status, watched), watched);
}

/** The condition ConfigMapFound, or SourcesFound where there is more than one ConfigMap. */
export function reportObservation(observation: Observation, scope: Scope): void {
  const [type, replaces] = isSingleConfigMap(scope.watched)
    ? ['ConfigMapFound', 'SourcesFound']
    : ['SourcesFound', 'ConfigMapFound'];
  scope.pass.setCondition({ type, replaces, ...stateObservation(observation, scope) });
}

function stateObservation(
  observation: Observation,
  { sourceText }: Scope,
): {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
} {
  switch (observation.kind) {
    case 'observed':
      return {
        status: 'True',
        reason: 'Found',
        message: `${sourceText} ${/ (and|other) /.test(sourceText) ? 'exist' : 'exists'}`,
      };
    case 'missing':
      return {
        status: 'False',
        reason: 'NotFound',
        message: `${describe(observation.source)} does not exist`,
      };
    case 'off':
      return { status: 'Unknown', reason: 'SecretsOff', message: SECRETS_OFF };
    case 'unread':
      return { status: 'Unknown', reason: 'SecretsUnread', message: observation.why };
  }
}

const SECRETS_OFF =
  'Secrets are not watched: the component deploy/components/secrets (Helm: secrets.enabled=true) is missing';

/** Resync, for a source that is created later. */
const RECHECK_MS = 60_000;
/** For another message: nobody calls while Secrets cannot be read. */
const READ_AGAIN_MS = 5_000;

/** Restarts under way wait too: a pod that needs a missing source would not start again. */
export function awaitData(
  observation: Exclude<Observation, { readonly kind: 'observed' }>,
  { object, pass }: Scope,
): Outcome {
  pass.disproveReady();
  switch (observation.kind) {
    case 'off':
      throw createFailure(configMonitorReasons, 'SecretsOff', { observed: SECRETS_OFF });
    case 'unread':
      return waiting(
        'SecretsUnread' satisfies ConfigMonitorReason,
        `${observation.why}; no pod is restarted until Secrets can be read`,
        READ_AGAIN_MS,
      );
    case 'missing': {
      const { source } = observation;
      const reason = source.kind === 'Secret' ? 'SecretMissing' : 'ConfigMapMissing';
      const message = `${describe(source)} does not exist in namespace ${object.metadata.namespace}; no pod is restarted until it does`;
      return waiting(reason satisfies ConfigMonitorReason, message, RECHECK_MS);
    }
  }
}

function describe({ kind, name }: WatchedSource): string {
  return `${kind} ${name}`;
}

/** Assumes that the pods have the data that is observed first: nothing is restarted for it. */
export function recordBaseline(data: ObservedData, scope: Scope): void {
  const { pass, sourceText, watched } = scope;
  reportSources(scope);
  reportBaseline(data, scope);
  const hash = shortenHash(data.hash);
  pass.log.info('Recorded baseline', { source: abbreviateSources(watched), hash });
  const note = `watching ${sourceText}, whose data is now ${hash}`;
  pass.recordEvent({ type: 'Normal', reason: 'BaselineRecorded', action: 'Watch', note });
}

export function reportBaseline(
  data: ObservedData,
  { object, pass, secrets, sourceText, watched }: Scope,
): void {
  const { hashKey, restarts = 0 } = object.status;
  const none: Report = { rollout: undefined, change: undefined, restartedSelection: undefined };
  const newKey = hasSecret(watched) ? secrets.keyId : undefined;
  pass.report({ restarts, ...none, ...reportData(data), hashKey: newKey } satisfies Report);
  if (hashKey === undefined || newKey === undefined || hashKey === newKey) return;
  const warning = `Secrets are hashed with another key than before; a change of ${sourceText} made meanwhile restarts no pod`;
  const reason = 'HashKeyChanged';
  pass.recordEvent({ type: 'Warning', reason, action: 'Watch', note: warning });
}

/** Also for an object of a release that did not write them. */
export function reportSources(scope: Scope): void {
  const { watched, object, pass } = scope;
  const configMap = isSingleConfigMap(watched) ? watched[0]?.name : undefined;
  const sources = nameKeys(readRecords(object.status, watched), watched);
  const source = abbreviateSources(watched);
  pass.report({ configMap, source, sources } satisfies Report);
}

/**
 * The data that the pods have, for an edit of the sources in spec: those that stay keep their records, and new ones
 * have the data that is observed first. With another key that is so of all but those of which pods have older data.
 */
export function mergeRecords({ sources }: ObservedData, scope: Scope): readonly SourceRecord[] {
  const known = new Map(listComparable(scope).map((record) => [nameSource(record), record]));
  const isPending = findPending(scope);
  const isRehashed = hasOtherKey(scope);
  return sources.map((record) => {
    const before = known.get(nameSource(record));
    if (before === undefined && !isRehashed) return record;
    if (isPending(nameSource(record))) return { ...record, hash: hashStale(before ?? record) };
    if (before === undefined) return record;
    if (before.keys === record.keys) return before;
    return hasOtherData(before, scope) ? { ...record, hash: hashStale(before) } : record;
  });
}

/** Records that differ from the data in each source, for pods that may have older data of any. */
export function markStale({ sources }: ObservedData): readonly SourceRecord[] {
  return sources.map((record) => ({ ...record, hash: hashStale(record) }));
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
function listComparable(scope: Scope): readonly SourceRecord[] {
  const { status } = scope.object;
  if (status.configHash === undefined || hasOtherKey(scope)) return [];
  return readRecords(status, scope.watched);
}

/** Whether Secrets were hashed with another key; of ConfigMaps alone no hash has one. */
export function hasOtherKey({ object, secrets, watched }: Scope): boolean {
  const { hashKey = secrets.keyId } = object.status;
  return hasSecret(watched) && hashKey !== secrets.keyId;
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
