// Lives here: the ConfigMaps and Secrets that an object watches: which, their hashes, which pods use them.
// May import it: src/controllers/config-monitor, src/controllers/config-monitor/reports, src/setup.
// Start with: this file, then observe-data.ts and pod-uses.ts.

import { createHash, type Hash } from 'node:crypto';
import type {
  ConfigMonitorSpec,
  ConfigMonitorStatus,
  Rollout,
  SourceRecord,
} from '../../../apis/config-monitor.ts';
import type { KubeObject } from '../../../core/objects/kube-object.ts';

/** One source in spec. */
export interface WatchedSource {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** Absent: all of them count. */
  readonly keys?: readonly string[];
}

/** The data of all sources at one time. */
export interface ObservedData {
  /** SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
  readonly sources: readonly SourceRecord[];
}

/** Of a hash in status: 64 bits, to find out which source differs. */
export const RECORDED_DIGITS = 16;

/** In the order of kind and name. Each is named once: the CRD refuses a second time. */
export function listSources(spec: ConfigMonitorSpec | undefined): readonly WatchedSource[] {
  const configMap = spec?.configMap ?? spec?.configmap;
  const { secret, sources = [] } = spec ?? {};
  const listed: readonly WatchedSource[] = [
    ...(configMap === undefined ? [] : [{ kind: 'ConfigMap', name: configMap } as const]),
    ...(secret === undefined ? [] : [{ kind: 'Secret', name: secret } as const]),
    ...sources,
  ];
  return listed.toSorted((a, b) => (nameSource(a) < nameSource(b) ? -1 : 1));
}

/** `ConfigMap/settings` */
export function nameSource({ kind, name }: Pick<WatchedSource, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** `Secret/db +1`, for a column. */
export function abbreviateSources(sources: readonly WatchedSource[]): string {
  const [first, ...others] = sources.map(nameSource);
  return others.length === 0 ? `${first}` : `${first} +${others.length}`;
}

/** `ConfigMap settings`, for a sentence. */
export function describeSources(sources: readonly WatchedSource[]): string {
  const texts = sources.map(({ kind, name }) => `${kind} ${name}`);
  if (texts.length < 3) return texts.join(' and ');
  return `${texts[0]} and ${texts.length - 1} other sources`;
}

/** A ConfigMap or Secret as it is held in memory: hashes stand for its data, which may be a megabyte. */
export interface TrimmedSource extends KubeObject {
  /** Of all its data, 64 hexadecimal digits. */
  readonly hash: string;
  /** `key=hash`, of at most 256 keys in their order. */
  readonly keyHashes: readonly string[];
  /** Of the data under all further keys together; a change of one counts as a change of each. */
  readonly restHash?: string;
}

type Fields = Readonly<Record<string, string>>;

/** SHA-256, with a key for data that nobody may guess. */
type CreateHash = () => Pick<Hash, 'digest'> & { update(text: string): unknown };

const MOST_KEYS = 256;
/** Of a key's hash: 96 bits in base64. */
const KEY_HASH_LENGTH = 16;

const createPlainHash: CreateHash = () => createHash('sha256');

export function hashFields(
  data: Fields = {},
  binaryData: Fields = {},
  create: CreateHash = createPlainHash,
): Pick<TrimmedSource, 'hash' | 'keyHashes' | 'restHash'> {
  const entries = [...listEntries('data', data), ...listEntries('binaryData', binaryData)];
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const keyHashes = sorted
    .slice(0, MOST_KEYS)
    .map((entry) => `${entry.key}=${hashEntries([entry], create)}`);
  const rest = sorted.slice(MOST_KEYS);
  return {
    hash: hashData(data, binaryData, create),
    keyHashes,
    ...(rest.length > 0 && { restHash: hashEntries(rest, create) }),
  };
}

interface Entry {
  readonly field: 'data' | 'binaryData';
  readonly key: string;
  readonly value: string;
}

function listEntries(field: Entry['field'], fields: Fields): readonly Entry[] {
  return Object.entries(fields).map(([key, value]) => ({ field, key, value }));
}

function hashEntries(entries: readonly Entry[], create: CreateHash): string {
  const hash = create();
  for (const { field, key, value } of entries) {
    for (const part of [field, key, value]) updateWith(hash, part);
  }
  return hash.digest('base64').slice(0, KEY_HASH_LENGTH);
}

/**
 * Each part stands behind its length, so that no two contents give one text: `{a: "1;b=2"}` and
 * `{a: "1", b: "2"}` must not. Frozen: it is compared with what older versions have stored.
 */
function hashData(data: Fields, binaryData: Fields, create: CreateHash): string {
  const hash = create();
  for (const [name, fields] of [
    ['data', data],
    ['binaryData', binaryData],
  ] as const) {
    const keys = Object.keys(fields).toSorted();
    hash.update(`${name} ${keys.length}\n`);
    for (const part of keys.flatMap((key) => [key, fields[key] ?? ''])) updateWith(hash, part);
  }
  return hash.digest('hex');
}

function updateWith(hash: ReturnType<CreateHash>, part: string): void {
  hash.update(`${Buffer.byteLength(part)}\n`);
  hash.update(part);
}

/**
 * The hash of one ConfigMap as a whole is that of its data, so that objects of earlier releases restart
 * nothing. Frozen: it is compared with what older versions have stored.
 */
export function combineData(
  observed: readonly (readonly [WatchedSource, TrimmedSource])[],
): ObservedData {
  const hashed = observed.map(([source, data]) => ({ source, hash: hashSource(source, data) }));
  const sources = hashed.map(({ source, hash }) => recordSource(source, hash));
  const [first] = hashed;
  if (first !== undefined && isSingleConfigMap(observed.map(([source]) => source))) {
    return { hash: first.hash, sources };
  }
  const parts = hashed.map(({ source: { kind, name, keys }, hash }) => [
    kind,
    name,
    keys?.toSorted() ?? null,
    hash,
  ]);
  return { hash: hashText(JSON.stringify(parts)), sources };
}

/** The only form of releases before 0.2. */
export function isSingleConfigMap(sources: readonly WatchedSource[]): boolean {
  const [first, ...others] = sources;
  return others.length === 0 && first?.kind === 'ConfigMap' && first.keys === undefined;
}

function hashSource({ keys }: WatchedSource, data: TrimmedSource): string {
  if (keys === undefined) return data.hash;
  const { keyHashes, restHash = null } = data;
  const found = new Map(keyHashes.map((entry) => splitEntry(entry)));
  const parts = keys.toSorted().map((key) => [key, found.get(key) ?? restHash]);
  return hashText(JSON.stringify(parts));
}

function splitEntry(entry: string): readonly [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}

function recordSource({ kind, name, keys }: WatchedSource, hash: string): SourceRecord {
  const record = { kind, name, hash: hash.slice(0, RECORDED_DIGITS) };
  if (keys === undefined) return record;
  return { ...record, keys: hashKeys(keys), keyNames: keys.toSorted() };
}

function hashKeys(keys: readonly string[]): string {
  return hashText(JSON.stringify(keys.toSorted())).slice(0, RECORDED_DIGITS);
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Status = Pick<ConfigMonitorStatus, 'configMap' | 'configHash' | 'sources' | 'rollout'>;

/** The data that the pods had before a rollout; of a release without records its one ConfigMap. */
export function readRecords(
  { configMap, configHash, sources }: Status,
  watched: readonly WatchedSource[],
): readonly SourceRecord[] {
  if (sources !== undefined) return sources;
  const isOfOne = isSingleConfigMap(watched) && watched[0]?.name === configMap;
  return isOfOne && configHash !== undefined ? recordSingle(configHash, watched) : [];
}

/** The data that the pods have, or that they are being given. */
export function readNewestRecords(
  status: Status,
  watched: readonly WatchedSource[],
): readonly SourceRecord[] {
  const { rollout } = status;
  if (rollout === undefined) return readRecords(status, watched);
  return rollout.sources ?? recordSingle(rollout.hash, watched);
}

/** With the names of the keys, which earlier releases did not record; without them an edit of the keys hides a change. */
export function nameKeys(
  records: readonly SourceRecord[],
  watched: readonly WatchedSource[],
): readonly SourceRecord[] {
  if (!areRecordsOf(records, watched)) return records;
  return watched.map((source, index) => recordSource(source, records[index]?.hash ?? ''));
}

function recordSingle(hash: string, watched: readonly WatchedSource[]): readonly SourceRecord[] {
  return watched.map((source) => recordSource(source, hash));
}

/** Whether the records are of these sources, with the same keys. */
export function areRecordsOf(
  records: readonly SourceRecord[],
  watched: readonly WatchedSource[],
): boolean {
  return (
    records.length === watched.length &&
    watched.every((source, index) => {
      const record = records[index];
      const keys = source.keys && hashKeys(source.keys);
      return record?.kind === source.kind && record.name === source.name && record.keys === keys;
    })
  );
}

/** Names of those for whose data the rollout restarts pods; with data that was reverted any of them. */
export function listRestartedFor(
  { hash, sources = [] }: Rollout,
  status: Status,
  watched: readonly WatchedSource[],
): ReadonlySet<string> {
  return hash === status.configHash
    ? new Set(watched.map(nameSource))
    : listDifferent(readRecords(status, watched), sources);
}

/** Names of those whose data differs; never none. */
export function listDifferent(
  before: readonly SourceRecord[],
  now: readonly SourceRecord[],
): ReadonlySet<string> {
  const known = new Map(before.map((record) => [nameSource(record), record.hash]));
  const different = now.filter((record) => known.get(nameSource(record)) !== record.hash);
  // Records are short: two states may have the same, though hardly ever.
  return new Set((different.length > 0 ? different : now).map(nameSource));
}
