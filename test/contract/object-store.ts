import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ObjectWithStatus } from '../../src/core/controller/status.ts';
import { getKey, type KubeObject } from '../../src/core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../src/core/ports/cache.ts';
import type { ChildWriter, ObjectWriter } from '../../src/core/ports/writers.ts';
import { CoreReason } from '../../src/core/reconcile/operator-error.ts';

/**
 * What the ports of src/core/ports/cache.ts and writers.ts promise, as tests that run over any implementation:
 * the one in memory and the one on a real API server.
 */
export interface StoreUnderTest {
  /** Objects of one kind that has a status subresource with observedGeneration and conditions. */
  readonly cache: ObjectCache<StoreObject>;
  readonly writer: ObjectWriter<StoreObject>;
  /** ConfigMaps. */
  readonly childCache: ObjectCache<StoreChild>;
  readonly childWriter: ChildWriter;
  /** A valid object of that kind, not yet stored, in a namespace that exists. */
  draft(name: string): StoreObject;
  /** The same object with another valid spec. */
  withEditedSpec(object: StoreObject): StoreObject;
  readonly people: People;
}

/** Somebody else's kubectl: past our caches and under another field manager. */
export interface People {
  create<T extends KubeObject>(draft: T): Promise<T>;
  /** Reads the object as it stands, changes it and puts it back. */
  edit<T extends KubeObject>(object: T, change: (live: T) => T): Promise<T>;
  delete(object: KubeObject): Promise<void>;
  get<T extends KubeObject>(object: T): Promise<T | undefined>;
}

export type StoreObject = ObjectWithStatus;
export type StoreChild = KubeObject & { readonly data?: Readonly<Record<string, string>> };

const FINALIZER = 'albridge.io/contract';
const OTHERS = 'example.com/others';
const CONFLICT = expect.objectContaining({ reason: CoreReason.Conflict, healedBy: 'time' });
const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Contract',
  message: 'a contract test wrote this',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
};

/** Declares the whole suite; `open` is called once and answers with a store that has started. */
export function describeObjectStore(title: string, open: () => Promise<StoreUnderTest>): void {
  describe(title, () => {
    let store: StoreUnderTest;
    beforeAll(async () => {
      store = await open();
    });
    describe('adding the finalizer', () => addFinalizerContract(() => store));
    describe('removing the finalizer', () => removeFinalizerContract(() => store));
    describe('applying status', () => applyStatusContract(() => store));
    describe('writing children', () => childContract(() => store));
    describe('deleting children', () => childDeletionContract(() => store));
    describe('the cache', () => cacheContract(() => store));
  });
}

type Store = () => StoreUnderTest;

function addFinalizerContract(store: Store): void {
  it('adds it beside those of others and leaves the generation alone', async () => {
    const { writer, people } = store();
    const object = await people.create(withFinalizers(store().draft('add-beside'), [OTHERS]));
    const written = await writer.addFinalizer(object, FINALIZER);
    expect(written.metadata.finalizers).toEqual([OTHERS, FINALIZER]);
    expect(written.metadata.generation).toBe(object.metadata.generation);
    expect(written.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    expect(finalizersOf(await people.get(object))).toEqual([OTHERS, FINALIZER]);
  });

  it('is a Conflict where the object has moved on', async () => {
    const { writer, people, withEditedSpec } = store();
    const stale = await people.create(store().draft('add-moved'));
    await people.edit(stale, withEditedSpec);
    await expect(writer.addFinalizer(stale, FINALIZER)).rejects.toEqual(CONFLICT);
    expect(finalizersOf(await people.get(stale))).toEqual([]);
  });

  it('is a Conflict where the object was deleted and created again', async () => {
    const { writer, people } = store();
    const old = await recreated(store(), store().draft('add-recreated'));
    await expect(writer.addFinalizer(old, FINALIZER)).rejects.toEqual(CONFLICT);
    expect(finalizersOf(await people.get(old))).toEqual([]);
  });

  it('is a Conflict where the object is gone', async () => {
    const { writer, people } = store();
    const object = await people.create(store().draft('add-gone'));
    await people.delete(object);
    await expect(writer.addFinalizer(object, FINALIZER)).rejects.toEqual(CONFLICT);
  });
}

function removeFinalizerContract(store: Store): void {
  it('keeps those that others have added since', async () => {
    const { writer, people } = store();
    const object = await people.create(withFinalizers(store().draft('remove-keep'), [FINALIZER]));
    await people.edit(object, (live) => withFinalizers(live, [FINALIZER, OTHERS]));
    const written = await writer.removeFinalizer(object, FINALIZER);
    expect(finalizersOf(written)).toEqual([OTHERS]);
    expect(finalizersOf(await people.get(object))).toEqual([OTHERS]);
  });

  it('succeeds where it is off already', async () => {
    const { writer, people } = store();
    const object = await people.create(withFinalizers(store().draft('remove-twice'), [FINALIZER]));
    await writer.removeFinalizer(object, FINALIZER);
    await writer.removeFinalizer(object, FINALIZER);
    expect(finalizersOf(await people.get(object))).toEqual([]);
  });

  it('lets an object go that waits for nothing else', async () => {
    const { writer, people } = store();
    const object = await people.create(withFinalizers(store().draft('remove-last'), [FINALIZER]));
    await people.delete(object);
    expect((await people.get(object))?.metadata.deletionTimestamp).toBeDefined();
    await writer.removeFinalizer(object, FINALIZER);
    expect(await people.get(object)).toBeUndefined();
    await expect(writer.removeFinalizer(object, FINALIZER)).resolves.toBeUndefined();
  });

  it('leaves another object of the same name as it is', async () => {
    const { writer, people } = store();
    const old = await recreated(
      store(),
      withFinalizers(store().draft('remove-other'), [FINALIZER]),
    );
    await expect(writer.removeFinalizer(old, FINALIZER)).resolves.toBeUndefined();
    expect(finalizersOf(await people.get(old))).toEqual([FINALIZER]);
  });
}

function applyStatusContract(store: Store): void {
  it('writes status alone and leaves the generation as it is', async () => {
    const { writer, people } = store();
    const object = await people.create(store().draft('status-alone'));
    const written = await writer.applyStatus(object, { observedGeneration: 1 });
    expect(written?.status?.observedGeneration).toBe(1);
    const stored = await people.get(object);
    expect(stored?.status?.observedGeneration).toBe(1);
    expect(stored?.metadata.generation).toBe(object.metadata.generation);
  });

  it('keeps what people have changed since the object was read', async () => {
    const { writer, people, withEditedSpec } = store();
    const stale = await people.create(store().draft('status-stale'));
    const edited = await people.edit(stale, withEditedSpec);
    const written = await writer.applyStatus(stale, { observedGeneration: 1 });
    expect(written).toMatchObject({
      metadata: { generation: 2 },
      status: { observedGeneration: 1 },
    });
    expect((await people.get(stale)) as unknown).toMatchObject({
      spec: (edited as unknown as { spec: unknown }).spec,
    });
  });

  it('drops a field that is left out', async () => {
    const { writer, people } = store();
    const object = await people.create(store().draft('status-drop'));
    await writer.applyStatus(object, { observedGeneration: 1, conditions: [CONDITION] });
    expect((await people.get(object))?.status?.conditions).toEqual([CONDITION]);
    await writer.applyStatus(object, { observedGeneration: 1 });
    expect((await people.get(object))?.status).not.toHaveProperty('conditions');
  });

  it('makes no new version when nothing differs', async () => {
    const { writer, people } = store();
    const object = await people.create(store().draft('status-same'));
    const status = { observedGeneration: 1, conditions: [CONDITION] };
    const first = await writer.applyStatus(object, status);
    const second = await writer.applyStatus(object, status);
    expect(second?.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
  });

  it('answers undefined for an object that is gone', async () => {
    const { writer, people } = store();
    const object = await people.create(store().draft('status-gone'));
    await people.delete(object);
    expect(await writer.applyStatus(object, { observedGeneration: 1 })).toBeUndefined();
    expect(await people.get(object)).toBeUndefined();
  });

  it('leaves another object of the same name as it is', async () => {
    const { writer, people } = store();
    const old = await recreated(store(), store().draft('status-other'));
    const before = await people.get(old);
    expect(await writer.applyStatus(old, { observedGeneration: 1 })).toBeUndefined();
    expect(await people.get(old)).toEqual(before);
  });
}

function childContract(store: Store): void {
  it('creates a child and says undefined where the name is taken', async () => {
    const { childWriter, people } = store();
    const child = configMap(store(), 'child-create', { a: '1' });
    const created = await childWriter.create(child);
    expect(created?.metadata.uid).toBeTruthy();
    expect(
      await childWriter.create(configMap(store(), 'child-create', { a: '2' })),
    ).toBeUndefined();
    expect((await people.get(child))?.data).toEqual({ a: '1' });
  });

  it('reads past the cache and says undefined for what does not exist', async () => {
    const { childWriter, people } = store();
    const child = configMap(store(), 'child-get', { a: '1' });
    expect(await childWriter.get(child)).toBeUndefined();
    await people.create(child);
    expect(await childWriter.get(child)).toMatchObject({ data: { a: '1' }, kind: 'ConfigMap' });
  });

  it('drops a field that create had set and apply leaves out, and keeps those of others', async () => {
    const { childWriter, people } = store();
    const child = configMap(store(), 'child-drop', { kept: '1', dropped: '1' });
    await childWriter.create(child);
    await people.edit(child, (live) => ({ ...live, data: { ...live.data, theirs: '1' } }));
    const seen = await people.get(child);
    await childWriter.apply(withUidOf(configMap(store(), 'child-drop', { kept: '2' }), seen));
    expect((await people.get(child))?.data).toEqual({ kept: '2', theirs: '1' });
  });

  it('makes no new version when nothing differs', async () => {
    const { childWriter } = store();
    const child = configMap(store(), 'child-same', { a: '1' });
    const created = await childWriter.create(child);
    const first = await childWriter.apply(withUidOf(child, created));
    const second = await childWriter.apply(withUidOf(child, created));
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('is a Conflict where the child was deleted and created again, and changes nothing', async () => {
    const { childWriter, people } = store();
    const old = await recreated(store(), configMap(store(), 'child-other', { a: '1' }));
    const stale = withUidOf(configMap(store(), 'child-other', { a: '2' }), old);
    await expect(childWriter.apply(stale)).rejects.toEqual(CONFLICT);
    expect((await people.get(old))?.data).toEqual({ a: '1' });
  });

  it('is a Conflict where the child is gone, and makes no new one', async () => {
    const { childWriter, people } = store();
    const child = await people.create(configMap(store(), 'child-gone', { a: '1' }));
    await people.delete(child);
    const stale = withUidOf(configMap(store(), 'child-gone', { a: '2' }), child);
    await expect(childWriter.apply(stale)).rejects.toEqual(CONFLICT);
    expect(await people.get(child)).toBeUndefined();
  });
}

function childDeletionContract(store: Store): void {
  it('deletes, and counts gone as done', async () => {
    const { childWriter, people } = store();
    const child = await people.create(configMap(store(), 'child-delete', { a: '1' }));
    await childWriter.delete(child);
    expect(await people.get(child)).toBeUndefined();
    await expect(childWriter.delete(child)).resolves.toBeUndefined();
  });

  it('leaves another object of the same name as it is', async () => {
    const { childWriter, people } = store();
    const old = await recreated(store(), configMap(store(), 'child-delete-other', { a: '1' }));
    await childWriter.delete(old);
    expect(await people.get(old)).toBeDefined();
  });
}

function cacheContract(store: Store): void {
  it('reports an object that appears, changes and goes, with its state before', async () => {
    const { people, withEditedSpec } = store();
    const draft = store().draft('cache-changes');
    const changes = changesOf(store(), draft);
    const created = await people.create(draft);
    await eventually(() => expect(changes).toHaveLength(1));
    const edited = await people.edit(created, withEditedSpec);
    await eventually(() => expect(changes).toHaveLength(2));
    await people.delete(created);
    await eventually(() => expect(changes).toHaveLength(3));
    expect(changes).toMatchObject([
      { kind: 'added', isInitial: false, object: { metadata: { uid: created.metadata.uid } } },
      {
        kind: 'updated',
        object: { metadata: { resourceVersion: edited.metadata.resourceVersion } },
        previous: { metadata: { resourceVersion: created.metadata.resourceVersion } },
      },
      { kind: 'deleted', object: { metadata: { uid: created.metadata.uid } } },
    ]);
    expect(store().cache.get(getKey(draft))).toBeUndefined();
  });

  it('hands what it holds to a new subscriber as initial, and nothing after it has left', async () => {
    const { cache, people, withEditedSpec } = store();
    const object = await people.create(store().draft('cache-initial'));
    await seen(store(), object);
    const changes: Change<StoreObject>[] = [];
    const leave = cache.subscribe((change) => changes.push(change));
    const mine = (): readonly unknown[] =>
      changes.filter((c) => getKey(c.object) === getKey(object));
    expect(mine()).toMatchObject([{ kind: 'added', isInitial: true }]);
    leave();
    await seen(store(), await people.edit(object, withEditedSpec));
    expect(mine()).toHaveLength(1);
  });

  it('has reached a version at once when it holds it, later when it comes, never when aborted', async () => {
    const { cache, people, withEditedSpec } = store();
    const object = await people.create(store().draft('cache-reached'));
    await seen(store(), object);
    const edited = await people.edit(object, withEditedSpec);
    const version = edited.metadata.resourceVersion as string;
    expect(await cache.hasReached(version, new AbortController().signal)).toBe(true);
    expect(await cache.hasReached(version, AbortSignal.abort())).toBe(true);
    const never = `${version}000`;
    expect(await cache.hasReached(never, AbortSignal.abort())).toBe(false);
    const controller = new AbortController();
    const waits = cache.hasReached(never, controller.signal);
    controller.abort();
    expect(await waits).toBe(false);
  });

  it('has reached the version that a write answered with once it holds that write', async () => {
    const { cache, writer, people } = store();
    const object = await people.create(store().draft('cache-own-write'));
    const written = await writer.applyStatus(object, { observedGeneration: 1 });
    await seen(store(), written as StoreObject);
    expect(cache.get(getKey(object))?.status?.observedGeneration).toBe(1);
  });

  it('holds frozen objects with kind and apiVersion', async () => {
    const { cache, people } = store();
    const object = await people.create(store().draft('cache-frozen'));
    await seen(store(), object);
    const held = cache.get(getKey(object)) as StoreObject;
    expect(held).toMatchObject({ kind: object.kind, apiVersion: object.apiVersion });
    expect([held, held.metadata].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('finds children by the uid of their controller, not of another owner', async () => {
    const { childCache, childWriter, people } = store();
    const owner = await people.create(store().draft('cache-owner'));
    const uid = owner.metadata.uid as string;
    const own = ownedConfigMap(store(), 'cache-owned', { owner, controller: true });
    await childWriter.create(own);
    await childWriter.create(
      ownedConfigMap(store(), 'cache-not-owned', { owner, controller: false }),
    );
    await eventually(() => expect(childCache.list().map(nameOf)).toContain('cache-not-owned'));
    expect(childCache.listOwned(uid).map(nameOf)).toEqual(['cache-owned']);
  });
}

/** Stores a draft, deletes it and stores it again; answers with the first, which is gone. */
async function recreated<T extends KubeObject>(store: StoreUnderTest, draft: T): Promise<T> {
  const old = await store.people.create(draft);
  if (old.metadata.finalizers !== undefined) {
    await store.people.edit(old, (live) => withFinalizers(live, []));
  }
  await store.people.delete(old);
  const next = await store.people.create(draft);
  expect(next.metadata.uid).not.toBe(old.metadata.uid);
  return old;
}

/** Caches follow what is written; on a real API server that may take its time. */
function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 120_000 });
}

async function seen(store: StoreUnderTest, object: StoreObject): Promise<void> {
  const version = object.metadata.resourceVersion as string;
  expect(await store.cache.hasReached(version, AbortSignal.timeout(120_000))).toBe(true);
}

function changesOf(store: StoreUnderTest, object: KubeObject): readonly Change<StoreObject>[] {
  const changes: Change<StoreObject>[] = [];
  const leave = store.cache.subscribe((change) => {
    if (getKey(change.object) === getKey(object)) changes.push(change);
  });
  onTestFinished(leave);
  return changes;
}

function configMap(
  store: StoreUnderTest,
  name: string,
  data: Readonly<Record<string, string>>,
): StoreChild {
  const { namespace } = store.draft(name).metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function ownedConfigMap(
  store: StoreUnderTest,
  name: string,
  { owner, controller }: { readonly owner: KubeObject; readonly controller: boolean },
): StoreChild {
  const child = configMap(store, name, {});
  const { apiVersion, kind, metadata } = owner;
  const uid = metadata.uid as string;
  const reference = { apiVersion, kind, name: metadata.name, uid, controller };
  return { ...child, metadata: { ...child.metadata, ownerReferences: [reference] } };
}

function withUidOf(child: StoreChild, seen: KubeObject | undefined): StoreChild {
  return { ...child, metadata: { ...child.metadata, uid: seen?.metadata.uid as string } };
}

function withFinalizers<T extends KubeObject>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function finalizersOf(object: KubeObject | undefined): readonly string[] {
  return object?.metadata.finalizers ?? [];
}

function nameOf(object: KubeObject): string {
  return object.metadata.name;
}
