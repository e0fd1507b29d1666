import { deepFreeze, type FieldPath, omitField, omitKeys } from '../../src/core/objects/fields.ts';
import {
  getKey,
  type Key,
  type KubeObject,
  type ObjectMeta,
} from '../../src/core/objects/kube-object.ts';
import { CoreReason, OperatorError } from '../../src/core/reconcile/operator-error.ts';
import { applyFields } from './field-ownership.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type FakeObject = KubeObject & { readonly status?: Fields; readonly spec?: unknown };

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakeObject;
}

interface Stored {
  readonly object: FakeObject;
  /** What our field manager applied last, per subresource: leaving a field out removes it. */
  readonly appliedMain: Fields;
  readonly appliedStatus: Fields;
}

/** The first version is chosen so that a test soon passes from 99 to 100, where text order fails. */
const FIRST_VERSION = 90;

/**
 * The objects of one cluster in memory, with the API server's rules for uid, resourceVersion,
 * generation, finalizers, deletion, the status subresource and server-side apply:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export class FakeApiServer {
  /** Of the status, which the CRDs of this cluster do not have: they are dropped. */
  readonly unknownFields: string[] = [];
  readonly #stored = new Map<string, Stored>();
  readonly #watchers = new Set<(event: WatchEvent) => void>();
  #version = FIRST_VERSION;
  #uids = 0;

  watch(onEvent: (event: WatchEvent) => void): () => void {
    this.#watchers.add(onEvent);
    return () => void this.#watchers.delete(onEvent);
  }

  list(kind: string): readonly FakeObject[] {
    return [...this.#stored.values()].map(({ object }) => object).filter((o) => o.kind === kind);
  }

  get(kind: string, key: Key): FakeObject | undefined {
    return this.#stored.get(slot(kind, key))?.object;
  }

  /** undefined where an object of that name exists. */
  create(draft: KubeObject, applied: Fields = {}): FakeObject | undefined {
    if (this.get(draft.kind, getKey(draft)) !== undefined) return undefined;
    const { status: _dropped, ...main } = draft as FakeObject;
    const metadata: ObjectMeta = {
      ...draft.metadata,
      uid: `uid-${++this.#uids}`,
      resourceVersion: this.#nextVersion(),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    const stored = { object: { ...main, metadata }, appliedMain: applied, appliedStatus: {} };
    return this.#put('ADDED', stored);
  }

  /** A PUT of the main resource; status and what the server keeps stay as they are. */
  update(next: KubeObject): FakeObject {
    const live = this.#live(next);
    const { status: _dropped, ...main } = next as FakeObject;
    const status = live.object.status === undefined ? {} : { status: live.object.status };
    return this.#store({ ...live, object: { ...main, ...status } });
  }

  /** Fields at `createOnlyFields` keep their value and are nobody's any more. */
  applyMain(fields: KubeObject, createOnlyFields: readonly FieldPath[] = []): FakeObject {
    const live = this.#live(fields);
    const applied = fields as unknown as Fields;
    const held = createOnlyFields.reduce(omitField<Fields>, live.appliedMain);
    const before = live.object as unknown as Fields;
    const object = applyFields(before, held, applied) as unknown as FakeObject;
    return this.#store({ ...live, object, appliedMain: applied });
  }

  applyStatus(object: KubeObject, status: Fields): FakeObject {
    const live = this.#live(object);
    const known = omitKeys(status, this.unknownFields);
    const next = applyFields(live.object.status ?? {}, live.appliedStatus, known);
    return this.#store({
      ...live,
      object: { ...live.object, status: next },
      appliedStatus: known,
    });
  }

  /** Removes the object whatever finalizers are on it. */
  remove(object: KubeObject): void {
    this.#remove(this.#live(object));
  }

  /** Marks an object that has finalizers; removes one that has none. */
  delete(object: KubeObject): void {
    const live = this.#live(object);
    if (!live.object.metadata.finalizers?.length) return this.#remove(live);
    this.mark(object);
  }

  /** A deletion that waits for more than finalizers, as that of a pod waits for its node. */
  mark(object: KubeObject): void {
    const live = this.#live(object);
    const { metadata } = live.object;
    if (metadata.deletionTimestamp !== undefined) return;
    const generation = (metadata.generation ?? 0) + 1;
    const marked = { ...metadata, generation, deletionTimestamp: '2026-01-02T00:00:00Z' };
    this.#put('MODIFIED', {
      ...live,
      object: this.#newVersion({ ...live.object, metadata: marked }),
    });
  }

  #live(object: KubeObject): Stored {
    const live = this.#stored.get(slot(object.kind, getKey(object)));
    if (live === undefined) throw conflict(`${object.kind} ${getKey(object)} is gone`);
    return live;
  }

  /** Keeps what only the server sets; an update that changes nothing makes no new version. */
  #store(next: Stored): FakeObject {
    const { object: before } = this.#live(next.object);
    const object = withServerFields(next.object, before);
    const stored = { ...next, object };
    if (canonical(object) === canonical(before)) return this.#keep(stored);
    const isDone =
      object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length;
    const versioned = { ...stored, object: this.#newVersion(object) };
    if (!isDone) return this.#put('MODIFIED', versioned);
    this.#stored.set(slotOf(object), versioned);
    this.#remove(versioned);
    return deepFreeze(versioned.object);
  }

  #keep(stored: Stored): FakeObject {
    this.#stored.set(slotOf(stored.object), stored);
    return stored.object;
  }

  #put(type: WatchEvent['type'], stored: Stored): FakeObject {
    const object = deepFreeze(structuredClone(stored.object));
    this.#stored.set(slotOf(object), { ...stored, object });
    this.#tell({ type, object });
    return object;
  }

  /** The event of a deletion carries the version of the deletion itself. */
  #remove(stored: Stored): void {
    this.#stored.delete(slotOf(stored.object));
    this.#tell({ type: 'DELETED', object: deepFreeze(this.#newVersion(stored.object)) });
  }

  #newVersion(object: FakeObject): FakeObject {
    return { ...object, metadata: { ...object.metadata, resourceVersion: this.#nextVersion() } };
  }

  #nextVersion(): string {
    return String(++this.#version);
  }

  #tell(event: WatchEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

export function conflict(message: string): OperatorError {
  return new OperatorError({ reason: CoreReason.Conflict, message, healedBy: 'time' });
}

function withServerFields(next: FakeObject, before: FakeObject): FakeObject {
  const { deletionTimestamp: _client, ...rest } = next.metadata;
  const { uid, resourceVersion, creationTimestamp, deletionTimestamp, generation } =
    before.metadata;
  const hasNewSpec = canonical(specOf(next)) !== canonical(specOf(before));
  const metadata = {
    ...rest,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    generation: (generation ?? 0) + (hasNewSpec ? 1 : 0),
  };
  return { ...next, metadata };
}

/** Everything but metadata and status counts toward the generation. */
function specOf({ metadata: _metadata, status: _status, ...rest }: FakeObject): unknown {
  return rest;
}

/** JSON with sorted keys: equal text means equal objects. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

function slot(kind: string, key: Key): string {
  return `${kind} ${key}`;
}

function slotOf(object: KubeObject): string {
  return slot(object.kind, getKey(object));
}
