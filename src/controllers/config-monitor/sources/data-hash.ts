import { createHash, type Hash } from 'node:crypto';
import type { KubeObject } from '../../../core/objects/kube-object.ts';

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
export type CreateHash = () => Pick<Hash, 'digest'> & { update(text: string): unknown };

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
