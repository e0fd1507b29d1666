import { isDeepStrictEqual } from 'node:util';
import { invalid, NotModelled } from './refusal.ts';
import { isObject, type Json, type ServedKind, type StoredObject } from './stored-object.ts';

/** RFC 7386. */
export function mergePatched(live: Json, patch: Json): Json {
  const result: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(patch)) {
    const below = result[key];
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? mergePatched(isObject(below) ? below : {}, value) : value;
  }
  return result;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** RFC 6902, as far as `test` and `remove` go; a failed test is answered 422. */
export function jsonPatched(live: StoredObject, patch: unknown, kind: ServedKind): StoredObject {
  const result = structuredClone(live);
  for (const operation of patch as readonly Operation[]) apply(result, operation, kind);
  return result;
}

function apply(object: StoredObject, { op, path, value }: Operation, kind: ServedKind): void {
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    object,
  );
  const { name } = object.metadata;
  const found = (parent as Record<string, unknown> | undefined)?.[last];
  if (op === 'test') {
    if (isDeepStrictEqual(found, value)) return;
    throw invalid({ kind, name }, [
      `${path}: the server rejected our request: testing value failed`,
    ]);
  }
  if (op !== 'remove') throw new NotModelled(`the JSON patch operation ${op}`);
  if (found === undefined)
    throw invalid({ kind, name }, [`${path}: unable to remove nonexistent key`]);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<string, unknown>)[last];
}
