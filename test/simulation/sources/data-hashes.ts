import {
  combineData,
  type TrimmedSource,
} from '../../../src/controllers/config-monitor/sources/watched-source.ts';
import {
  createSecretTransform,
  trimConfigMap,
} from '../../../src/controllers/config-monitor/transforms.ts';
import { CONFIG_MAPS, SECRETS } from '../api-model/kinds.ts';
import type { Commit, ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import { LEASE } from '../world/replica.ts';
import { type DataKey, parseData, type WatchedSource } from './watched.ts';

/** Where the operator keeps the key by which it hashes Secrets. */
export const HASH_KEY = `${LEASE.namespace}/albridge-hash-key` as const;

/** What the operator may call the data that there is: of Secrets by any of the keys that it has had. */
export class DataHashes {
  readonly #table: ObjectTable;
  readonly #keys: Buffer[] = [];

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  onCommit({ kind, type, object }: Commit): void {
    if (kind !== SECRETS || type !== 'ADDED' || keyOfStored(object) !== HASH_KEY) return;
    const { key = '' } = object['data'] as { readonly key?: string };
    this.#keys.push(Buffer.from(key, 'base64'));
  }

  /** None if a source is missing. */
  of(data: DataKey): readonly string[] {
    const { namespace, sources: unordered } = parseData(data);
    const sources = unordered.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const transforms = [undefined, ...this.#keys].map((key) => key && createSecretTransform(key));
    return transforms.flatMap((transform) => {
      const trimmed = sources.map((source) => {
        const isSecret = source.kind === 'Secret';
        const trim = isSecret ? transform : trimConfigMap;
        const kind = isSecret ? SECRETS : CONFIG_MAPS;
        const live = this.#table.get(kind, `${namespace}/${source.name}`);
        return [source, live && (trim?.(live) as TrimmedSource | undefined)] as const;
      });
      const found = trimmed.flatMap(([source, one]) => (one ? [[source, one] as const] : []));
      return found.length < sources.length ? [] : [combineData(found).hash];
    });
  }
}

function nameOf({ kind, name }: WatchedSource): string {
  return `${kind}/${name}`;
}
