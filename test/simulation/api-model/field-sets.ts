import { isObject, type Json, type ManagedFields } from './stored-object.ts';

export type Path = readonly string[];

/** The fields that somebody owns, by the JSON texts of their paths. A list is one field. */
export type FieldSet = ReadonlyMap<string, Path>;

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
  const fields = new Map<string, Path>();
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind' || (key === 'status') !== (part === 'status'))
      continue;
    collect(value, [key], fields);
  }
  return fields;
}

function collect(value: unknown, path: Path, into: Map<string, Path>): void {
  const isLeaf = !isObject(value) || Object.keys(value).length === 0;
  if (isLeaf) return void into.set(JSON.stringify(path), path);
  for (const [key, inner] of Object.entries(value)) {
    if (path.length === 1 && path[0] === 'metadata' && NOBODYS.has(key)) continue;
    collect(inner, [...path, key], into);
  }
}

export function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
}

/** `object` without the field, and without the maps that this leaves empty. */
export function without(object: Json, [key = '', ...rest]: Path): Json {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: value, ...others } = object;
  if (rest.length === 0 || !isObject(value)) return others;
  const inner = without(value, rest);
  return Object.keys(inner).length === 0 ? others : { ...object, [key]: inner };
}

/** As in metadata.managedFields: `{"f:spec": {"f:size": {}}}`. */
export function encoded(fields: FieldSet): Json {
  const root: Record<string, unknown> = {};
  for (const [, path] of [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    let at = root;
    for (const key of path) {
      at = (at[`f:${key}`] ??= {}) as Record<string, unknown>;
    }
  }
  return root;
}

export function decoded({ fieldsV1 }: ManagedFields): FieldSet {
  const fields = new Map<string, Path>();
  const walk = (at: Json, path: Path): void => {
    const keys = Object.keys(at);
    if (keys.length === 0 && path.length > 0) fields.set(JSON.stringify(path), path);
    for (const key of keys) walk(at[key] as Json, [...path, key.slice(2)]);
  };
  walk(fieldsV1, []);
  return fields;
}
