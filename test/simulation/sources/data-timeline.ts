import { canonical, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type DataKey, parseData, type WatchedSource } from './watched.ts';

type Fields = Readonly<Record<string, string>>;

/** What an object holds from `atMs` on; undefined: there is no such object. */
interface FieldsSince {
  readonly atMs: number;
  readonly fields: readonly (readonly [string, Fields])[] | undefined;
}

/** The content of some data from `atMs` on, as text of which equal texts mean equal contents. */
export interface ContentSince {
  readonly atMs: number;
  /** undefined: one of its sources was missing. */
  readonly content: string | undefined;
}

/** Which contents ConfigMaps and Secrets had when, one by one and together. */
export class DataTimeline {
  readonly #objects = new Map<string, FieldsSince[]>();
  readonly #known = new Map<DataKey, readonly ContentSince[]>();

  note(object: StoredObject, isDeleted: boolean, atMs: number): void {
    const key = `${object.kind} ${keyOfStored(object)}`;
    const { data = {}, binaryData = {} } = object as {
      readonly data?: Fields;
      binaryData?: Fields;
    };
    const known = this.#objects.get(key) ?? [];
    this.#objects.set(key, known);
    const fields = isDeleted
      ? undefined
      : ([
          ['data', data],
          ['binaryData', binaryData],
        ] as const);
    known.push({ atMs, fields });
    this.#known.clear();
  }

  of(data: DataKey): readonly ContentSince[] {
    const known = this.#known.get(data) ?? this.#combine(data);
    this.#known.set(data, known);
    return known;
  }

  #combine(data: DataKey): readonly ContentSince[] {
    const { namespace, sources } = parseData(data);
    const lines = sources.map((source) => ({
      source,
      line: this.#objects.get(`${source.kind} ${namespace}/${source.name}`) ?? [],
    }));
    const times = new Set(lines.flatMap(({ line }) => line.map(({ atMs }) => atMs)));
    const combined: ContentSince[] = [];
    for (const atMs of [...times].toSorted((a, b) => a - b)) {
      const contents = lines.map(({ source, line }) =>
        pick(source, line.findLast((one) => one.atMs <= atMs)?.fields),
      );
      const content = contents.includes(undefined) ? undefined : contents.join('\n');
      if (combined.length === 0 || combined.at(-1)?.content !== content) {
        combined.push({ atMs, content });
      }
    }
    return combined;
  }
}

/** The part that counts. */
function pick({ keys }: WatchedSource, fields: FieldsSince['fields']): string | undefined {
  if (fields === undefined) return undefined;
  const counting = fields.map(([name, all]) => {
    const kept = Object.entries(all).filter(([key]) => keys === undefined || keys.includes(key));
    return [name, Object.fromEntries(kept)] as const;
  });
  return canonical(Object.fromEntries(counting));
}
