import {
  controllerOf,
  type Key,
  type KubeObject,
  keyOf,
  type ResourceKind,
} from '../core/kube-object.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Change, ObjectCache } from '../core/object-store.ts';
import { ingestObject, type Transform } from './object-cache-ingest.ts';
import { SeenVersion } from './object-cache-versions.ts';
import { reflectorMetrics, resourceName } from './reflector-metrics.ts';

/** An object event of a watch; https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export interface ObjectEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** The side of a cache that its reflector writes. Subscribers are called before a method returns. */
export interface CacheWriter<T extends KubeObject> {
  /** A raw object of a list or a watch in the shape the cache holds: stamped, lean, frozen. */
  ingest(raw: unknown): T;
  /**
   * Takes `objects` (ingested) as the whole collection at `resourceVersion`, in one step. Objects
   * of unchanged resourceVersion are silent; those missed while no watch was open arrive as
   * `deleted` in the last state known.
   */
  replace(objects: readonly T[], resourceVersion: string): void;
  apply(event: ObjectEvent<T>): void;
  /** Nothing changed up to `resourceVersion`. */
  bookmark(resourceVersion: string): void;
}

export interface ObjectCacheOptions {
  readonly kind: ResourceKind;
  /** Leaves out what its readers do not need, before the object is held. */
  readonly transform?: Transform;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export type WritableCache<T extends KubeObject> = ObjectCache<T> & CacheWriter<T>;

/** An empty cache of one kind, to be kept up to date by one reflector. */
export function createObjectCache<T extends KubeObject>(
  options: ObjectCacheOptions,
): WritableCache<T> {
  return new IndexedCache<T>(options);
}

type Subscriber<T extends KubeObject> = (change: Change<T>) => void;

class IndexedCache<T extends KubeObject> implements ObjectCache<T>, CacheWriter<T> {
  readonly #options: ObjectCacheOptions;
  readonly #objects = new Map<Key, T>();
  readonly #byOwner = new Map<string, Map<Key, T>>();
  readonly #subscribers = new Set<Subscriber<T>>();
  readonly #seen = new SeenVersion();
  #listed: readonly T[] | undefined;
  #hasBeenFilled = false;

  constructor(options: ObjectCacheOptions) {
    this.#options = options;
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    this.#listed ??= Object.freeze([...this.#objects.values()]);
    return this.#listed;
  }

  ownedBy(uid: string): readonly T[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  hasReached(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    return this.#seen.reach(resourceVersion, signal);
  }

  rewinds(): number {
    return this.#seen.rewinds;
  }

  subscribe(onChange: Subscriber<T>): () => void {
    const subscriber: Subscriber<T> = (change) => onChange(change);
    const held = this.list();
    this.#subscribers.add(subscriber);
    for (const object of held) this.#tell(subscriber, { kind: 'added', object, isInitial: true });
    return () => void this.#subscribers.delete(subscriber);
  }

  ingest(raw: unknown): T {
    return ingestObject<T>(raw, this.#options);
  }

  replace(objects: readonly T[], resourceVersion: string): void {
    const isInitial = !this.#hasBeenFilled;
    this.#hasBeenFilled = true;
    const missing = new Set(this.#objects.keys());
    const changes: Change<T>[] = [];
    for (const object of objects) {
      missing.delete(keyOf(object));
      changes.push(...this.#store(object, isInitial));
    }
    for (const key of missing) changes.push(...this.#drop(key));
    this.#tellAll(changes);
    this.#seen.jump(resourceVersion);
  }

  apply(event: ObjectEvent<T>): void {
    const { type, object } = event;
    if (type === 'DELETED') this.#tellAll(this.#drop(keyOf(object), object));
    else this.#tellAll(this.#store(object, false));
    this.#seen.advance(object.metadata.resourceVersion ?? '');
  }

  bookmark(resourceVersion: string): void {
    this.#seen.advance(resourceVersion);
  }

  /** A new UID under an old name is another object: the old one's end must not go unseen. */
  #store(object: T, isInitial: boolean): readonly Change<T>[] {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous && isSameState(previous, object)) return [];
    const isRecreated = previous !== undefined && previous.metadata.uid !== object.metadata.uid;
    const gone = isRecreated ? this.#drop(key) : [];
    this.#unindex(key, previous);
    this.#objects.set(key, object);
    this.#index(key, object);
    if (!previous || isRecreated) return [...gone, { kind: 'added', object, isInitial }];
    return [{ kind: 'updated', object, previous }];
  }

  #drop(key: Key, lastState?: T): readonly Change<T>[] {
    const previous = this.#objects.get(key);
    if (!previous) return [];
    this.#unindex(key, previous);
    this.#objects.delete(key);
    return [{ kind: 'deleted', object: lastState ?? previous }];
  }

  #index(key: Key, object: T): void {
    this.#listed = undefined;
    const owner = controllerOf(object)?.uid;
    if (owner === undefined) return;
    const owned = this.#byOwner.get(owner);
    if (owned) owned.set(key, object);
    else this.#byOwner.set(owner, new Map([[key, object]]));
  }

  #unindex(key: Key, object: T | undefined): void {
    this.#listed = undefined;
    const owner = object && controllerOf(object)?.uid;
    const owned = owner === undefined ? undefined : this.#byOwner.get(owner);
    if (owner === undefined || !owned?.delete(key)) return;
    if (owned.size === 0) this.#byOwner.delete(owner);
  }

  /** Those who subscribe meanwhile have got the whole state as initial adds already. */
  #tellAll(changes: readonly Change<T>[]): void {
    const subscribers = [...this.#subscribers];
    for (const change of changes) {
      for (const subscriber of subscribers) this.#tell(subscriber, change);
    }
  }

  #tell(subscriber: Subscriber<T>, change: Change<T>): void {
    if (!this.#subscribers.has(subscriber)) return;
    try {
      subscriber(change);
    } catch (error) {
      const { kind, log, metrics } = this.#options;
      metrics.count(reflectorMetrics.subscriberErrors, { name: resourceName(kind) });
      log.error('subscriber threw on a change', {
        resource: resourceName(kind),
        change: change.kind,
        key: keyOf(change.object),
        err: error,
      });
    }
  }
}

function isSameState(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}
