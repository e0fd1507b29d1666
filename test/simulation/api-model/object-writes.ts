import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { ownersAfterUpdate, type Writer } from './field-owners.ts';
import type { ObjectTable } from './object-table.ts';
import { alreadyExists, conflict, invalid, notFound } from './refusal.ts';
import {
  isObject,
  type Json,
  type ServedKind,
  type StoredMeta,
  type StoredObject,
} from './stored-object.ts';

export interface WriteParts {
  readonly table: ObjectTable;
  readonly clock: Pick<Clock, 'now'>;
  /** UIDs come from it. */
  readonly random: Random;
}

/** Who writes what, and how it is told in the trace. */
export interface WriteContext extends Writer {
  readonly kind: ServedKind;
  readonly by: string;
}

/** How a write begins: the live object, or the refusal that there is none. */
export function liveOf(parts: WriteParts, kind: ServedKind, key: string): StoredObject {
  const live = parts.table.get(kind, key);
  if (live === undefined) throw notFound({ kind, name: key.slice(key.indexOf('/') + 1) });
  return live;
}

/** POST: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-operations */
export function createObject(parts: WriteParts, draft: Json, context: WriteContext): StoredObject {
  const { kind } = context;
  const { status: _ignored, ...main } = draft;
  const object = kind.isCustom ? main : draft;
  const metadata = object['metadata'] as StoredMeta;
  const key = `${metadata.namespace ?? ''}/${metadata.name}`;
  if (parts.table.get(kind, key)) throw alreadyExists({ kind, name: metadata.name });
  const { managedFields: _m, resourceVersion: _r, deletionTimestamp: _d, ...given } = metadata;
  const born: StoredObject = {
    ...((kind.withDefaults?.(object) ?? object) as StoredObject),
    metadata: withoutEmpty({
      ...given,
      uid: uid(parts.random),
      resourceVersion: '',
      ...(kind.isCustom && { generation: 1 }),
      creationTimestamp: seconds(parts.clock),
    }),
  };
  admit(born, undefined, kind);
  return parts.table.put(kind, withOwners(born, undefined, context), context.by);
}

/**
 * Every write to an object that exists ends here: the server's own fields stay, the generation
 * counts, a write that changes nothing makes no version, and the last finalizer lets a deleted
 * object go. `next` comes with its owners where the write is an apply.
 */
export function storeObject(
  parts: WriteParts,
  live: StoredObject,
  { next, context }: { readonly next: StoredObject; readonly context: WriteContext },
): StoredObject {
  const { kind, by } = context;
  guard(live, next.metadata, kind);
  const kept = keptByServer(live, next, context);
  const object = (kind.withDefaults?.(kept) ?? kept) as StoredObject;
  if (isDeepStrictEqual(contentOf(object), contentOf(live))) return live;
  admit(object, live, kind);
  const isLeft = live.metadata.finalizers?.length && !object.metadata.finalizers?.length;
  const isOver = object.metadata.deletionTimestamp !== undefined && isLeft;
  return isOver ? parts.table.remove(kind, object, by) : parts.table.put(kind, object, by);
}

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly gracePeriodSeconds?: number;
}

/** Marks an object that has finalizers or gets time to end, removes any other. */
export function deleteObject(
  parts: WriteParts,
  live: StoredObject,
  { options, context }: { readonly options: DeleteOptions; readonly context: WriteContext },
): StoredObject {
  const { kind, by } = context;
  const { metadata } = live;
  guardDelete(live, options, kind);
  const graceMs = kind.graceMs?.(live) ?? 0;
  const isGraceful = graceMs > 0 && options.gracePeriodSeconds !== 0;
  if (!metadata.finalizers?.length && !isGraceful) return parts.table.remove(kind, live, by);
  if (metadata.deletionTimestamp !== undefined) return live;
  const generation = kind.isCustom ? { generation: (metadata.generation ?? 0) + 1 } : {};
  const marked = { ...metadata, ...generation, deletionTimestamp: seconds(parts.clock, graceMs) };
  return parts.table.put(kind, { ...live, metadata: marked }, by);
}

function guardDelete({ metadata }: StoredObject, options: DeleteOptions, kind: ServedKind): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } =
    options.preconditions ?? {};
  if (uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict({ kind, name: metadata.name }, why);
  }
  if (resourceVersion === metadata.resourceVersion) return;
  const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`;
  throw conflict({ kind, name: metadata.name }, why);
}

/** The version is looked at before anything else of the object. */
function guard(live: StoredObject, given: Partial<StoredMeta>, kind: ServedKind): void {
  const { name, uid: liveUid, resourceVersion } = live.metadata;
  if (given.resourceVersion && given.resourceVersion !== resourceVersion) {
    const why = 'the object has been modified; please apply your changes to the latest version';
    throw conflict({ kind, name }, why);
  }
  if (given.uid && given.uid !== liveUid) {
    throw invalid({ kind, name }, [
      `metadata.uid: Invalid value: "${given.uid}": field is immutable`,
    ]);
  }
}

function keptByServer(live: StoredObject, next: StoredObject, context: WriteContext): StoredObject {
  const { kind, part } = context;
  const own = part === 'status' ? { ...live, status: next['status'] } : next;
  const main = part === 'main' && kind.isCustom ? { ...own, status: live['status'] } : own;
  const {
    uid: liveUid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    generation,
  } = live.metadata;
  const given = part === 'status' ? live.metadata : next.metadata;
  const { deletionTimestamp: _client, ...rest } = given;
  const isChanged = !isDeepStrictEqual(countedOf(main), countedOf(live));
  const metadata = withoutEmpty({
    ...rest,
    uid: liveUid,
    resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(generation !== undefined && { generation: generation + Number(isChanged) }),
    managedFields: next.metadata.managedFields ?? live.metadata.managedFields ?? [],
  });
  const kept = withoutUndefined({ ...main, metadata }) as StoredObject;
  const isOwnersWrite = next.metadata.managedFields !== live.metadata.managedFields;
  return isOwnersWrite ? kept : withOwners(kept, live, context);
}

function withOwners(
  object: StoredObject,
  before: StoredObject | undefined,
  context: WriteContext,
): StoredObject {
  if (!context.kind.tracksFields) return object;
  const managedFields = ownersAfterUpdate(object, before, context);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function admit(object: StoredObject, old: StoredObject | undefined, kind: ServedKind): void {
  const bad = (object.metadata.finalizers ?? []).filter(
    (name) => !/^[\w.-]+(\/[\w.-]+)?$/.test(name),
  );
  const faults = [
    ...bad.map((name) => `metadata.finalizers: Invalid value: "${name}"`),
    ...(kind.faultsOf?.(object, old) ?? []),
  ];
  if (faults.length > 0) throw invalid({ kind, name: object.metadata.name }, faults);
}

/** What makes a new version when it differs. */
function contentOf({ metadata, ...rest }: StoredObject): unknown {
  const { resourceVersion: _version, ...counted } = metadata;
  return { ...rest, metadata: counted };
}

/** What the generation counts. */
function countedOf({ metadata: _metadata, status: _status, ...rest }: StoredObject): unknown {
  return withoutUndefined(rest);
}

function withoutEmpty(metadata: Json): StoredMeta {
  const kept = Object.entries(metadata).filter(([key, value]) => {
    if (value === undefined) return false;
    const isEmpty = Array.isArray(value)
      ? value.length === 0
      : isObject(value) && Object.keys(value).length === 0;
    return !isEmpty || key === 'annotations' || key === 'labels';
  });
  return Object.fromEntries(kept) as unknown as StoredMeta;
}

function withoutUndefined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export function seconds(clock: Pick<Clock, 'now'>, laterMs = 0): string {
  return `${new Date(clock.now() + laterMs).toISOString().slice(0, 19)}Z`;
}

function uid(random: Random): string {
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}
