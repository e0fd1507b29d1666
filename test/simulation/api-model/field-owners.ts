import { isDeepStrictEqual } from 'node:util';
import {
  decoded,
  encoded,
  type FieldSet,
  fieldsOf,
  type Path,
  valueAt,
  without,
} from './field-sets.ts';
import { isObject, type Json, type ManagedFields, type StoredObject } from './stored-object.ts';

/** As an entry of a FieldSet. */
type Field = readonly [text: string, path: Path];

/** Who writes, and which part of the object. */
export interface Writer {
  readonly manager: string;
  readonly part: 'main' | 'status';
}

/** The owners after a plain write: what it changed is the writer's, what it removed is nobody's. */
export function ownersAfterUpdate(
  next: StoredObject,
  before: StoredObject | undefined,
  writer: Writer,
): readonly ManagedFields[] {
  const stated = fieldsOf(next, writer.part);
  const changed = new Map(
    [...stated].filter(
      ([, path]) => !isDeepStrictEqual(valueAt(next, path), valueAt(before, path)),
    ),
  );
  const owners = before?.metadata.managedFields ?? [];
  const others = owners.map((owner) =>
    isUpdateOf(owner, writer) ? owner : restricted(owner, ([field]) => !changed.has(field)),
  );
  const own = owners.find((owner) => isUpdateOf(owner, writer));
  const kept = others.filter((owner) => !isUpdateOf(owner, writer));
  const fields = new Map([...(own ? decoded(own) : []), ...changed]);
  const all = [...kept, ...entryOf(fields, writer, 'Update')];
  const present = all.map((owner) =>
    restricted(owner, ([, path]) => valueAt(next, path) !== undefined),
  );
  return inOrder(present.filter((owner) => Object.keys(owner.fieldsV1).length > 0));
}

export interface Applied {
  readonly object: StoredObject;
  /** Fields of other managers that the apply would change, as `manager: .path`. */
  readonly conflicts: readonly string[];
}

/**
 * Server-side apply: https://kubernetes.io/docs/reference/using-api/server-side-apply/
 * `config` is stated over `live`; what the manager applied before and no longer states goes, unless
 * somebody else owns it too.
 */
export function applied(live: StoredObject, config: Json, writer: Writer): Applied {
  const owners = live.metadata.managedFields ?? [];
  const own = owners.find((owner) => isApplyOf(owner, writer));
  const others = owners.filter((owner) => owner !== own);
  const stated = fieldsOf(config, writer.part);
  const given = [...(own ? decoded(own) : [])].filter(([field]) => !stated.has(field));
  const lost = given.filter(([field]) => !others.some((other) => decoded(other).has(field)));
  const object = lost.reduce<Json>(
    (left, [, path]) => without(left, path),
    merged(live, config, writer.part),
  );
  const isTaken = ([field, path]: Field): boolean =>
    stated.has(field) && !isDeepStrictEqual(valueAt(live, path), valueAt(config, path));
  const conflicts = others.flatMap((other) =>
    [...decoded(other)].filter(isTaken).map(([, path]) => `"${other.manager}": .${path.join('.')}`),
  );
  const kept = others
    .map((other) => restricted(other, (field) => !isTaken(field)))
    .filter((other) => Object.keys(other.fieldsV1).length > 0);
  const managedFields = inOrder([...kept, ...entryOf(stated, writer, 'Apply')]);
  const metadata = { ...(object['metadata'] as StoredObject['metadata']), managedFields };
  return { object: { ...(object as StoredObject), metadata }, conflicts };
}

function merged(live: StoredObject, config: Json, part: Writer['part']): Json {
  const { apiVersion: _version, kind: _kind, metadata, status, ...main } = config;
  if (part === 'status') return status === undefined ? live : overlaid(live, { status });
  const own = isObject(metadata) ? statedMetadata(metadata) : {};
  return overlaid(live, { ...main, metadata: own });
}

function statedMetadata(metadata: Json): Json {
  const {
    name: _n,
    namespace: _ns,
    uid: _u,
    resourceVersion: _r,
    managedFields: _m,
    ...own
  } = metadata;
  return own;
}

function overlaid(under: Json, over: Json): Json {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isObject(value) && isObject(below) ? overlaid(below, value) : value;
  }
  return result;
}

/** Always the same, so that an apply that changes nothing changes nothing. */
function inOrder(owners: readonly ManagedFields[]): readonly ManagedFields[] {
  const nameOf = (owner: ManagedFields): string =>
    `${owner.manager} ${owner.operation} ${owner.subresource ?? ''}`;
  return owners.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function isUpdateOf(owner: ManagedFields, writer: Writer): boolean {
  return owner.operation === 'Update' && isOf(owner, writer);
}

function isApplyOf(owner: ManagedFields, writer: Writer): boolean {
  return owner.operation === 'Apply' && isOf(owner, writer);
}

function isOf(owner: ManagedFields, { manager, part }: Writer): boolean {
  return owner.manager === manager && (owner.subresource === 'status') === (part === 'status');
}

function entryOf(
  fields: FieldSet,
  { manager, part }: Writer,
  operation: ManagedFields['operation'],
): readonly ManagedFields[] {
  if (fields.size === 0) return [];
  const subresource = part === 'status' ? { subresource: 'status' } : {};
  return [{ manager, operation, ...subresource, fieldsV1: encoded(fields) }];
}

function restricted(owner: ManagedFields, isKept: (field: Field) => boolean): ManagedFields {
  const fields = decoded(owner);
  const kept = new Map([...fields].filter(isKept));
  return kept.size === fields.size ? owner : { ...owner, fieldsV1: encoded(kept) };
}
