import { isObject, type Json, type ManagedFields } from './stored-object.ts';

/** The fields that somebody owns, each as the JSON text of its path. A list is one field. */
export type FieldSet = ReadonlySet<string>;

/** Metadata that the API server keeps itself, or that names the object. */
const NOBODYS = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
]);

/** The fields that an object states, the subresource `status` alone or all but it. */
export function fieldsOf(object: Json, part: 'main' | 'status'): FieldSet {
  const fields = new Set<string>();
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind' || (key === 'status') !== (part === 'status'))
      continue;
    collect(value, [key], fields);
  }
  return fields;
}

function collect(value: unknown, path: readonly string[], into: Set<string>): void {
  const isLeaf = !isObject(value) || Object.keys(value).length === 0;
  if (isLeaf) return void into.add(JSON.stringify(path));
  for (const [key, inner] of Object.entries(value)) {
    if (path.length === 1 && path[0] === 'metadata' && NOBODYS.has(key)) continue;
    collect(inner, [...path, key], into);
  }
}

export function valueAt(object: unknown, field: string): unknown {
  const path = JSON.parse(field) as readonly string[];
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
}

/** `object` without the field, and without the maps that this leaves empty. */
export function without(object: Json, field: string): Json {
  return removed(object, JSON.parse(field) as readonly string[]);
}

function removed(object: Json, [key = '', ...rest]: readonly string[]): Json {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: value, ...others } = object;
  if (rest.length === 0 || !isObject(value)) return others;
  const inner = removed(value, rest);
  return Object.keys(inner).length === 0 ? others : { ...object, [key]: inner };
}

/** As in metadata.managedFields: `{"f:spec": {"f:size": {}}}`. */
export function encoded(fields: FieldSet): Json {
  const root: Record<string, unknown> = {};
  for (const field of [...fields].toSorted()) {
    let at = root;
    for (const key of JSON.parse(field) as readonly string[]) {
      at = (at[`f:${key}`] ??= {}) as Record<string, unknown>;
    }
  }
  return root;
}

export function decoded({ fieldsV1 }: ManagedFields): FieldSet {
  const fields = new Set<string>();
  const walk = (at: Json, path: readonly string[]): void => {
    const keys = Object.keys(at);
    if (keys.length === 0 && path.length > 0) fields.add(JSON.stringify(path));
    for (const key of keys) walk(at[key] as Json, [...path, key.slice(2)]);
  };
  walk(fieldsV1, []);
  return fields;
}
