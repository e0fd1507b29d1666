import { deepFreeze } from '../../core/objects/fields.ts';
import {
  compareVersions,
  formatApiVersion,
  getController,
  getKey,
  type Key,
  type KubeObject,
  type ResourceKind,
} from '../../core/objects/kube-object.ts';
import { type Transform, trimMetadata } from '../../core/objects/trim-metadata.ts';
import type { Change, ObjectCache } from '../../core/ports/cache.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { kubeMetrics } from '../client/kube-metrics.ts';
import { formatResourceName } from '../client/resource-path.ts';

/** An object event of a watch; https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export interface ObjectEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

export interface ObjectCacheOptions {
  readonly kind: ResourceKind;
  /** Leaves out what its readers do not need, before the object is held. */
  readonly transform?: Transform;
  readonly log: Logger;
  readonly metrics: Metrics;
}

type Subscriber<T extends KubeObject> = (change: Change<T>) => void;

/**
 * The objects of one kind, by key and by owner, kept up to date by one reflector. Subscribers are
 * called before a method of the reflector's side (`ingest`, `replace`, `apply`, `bookmark`) returns.
 */
export class IndexedCache<T extends KubeObject> implements ObjectCache<T> {
  readonly #options: ObjectCacheOptions;
  readonly #objects = new Map<Key, T>();
  readonly #byOwner = new Map<string, Map<Key, T>>();
  readonly #subscribers = new Set<Subscriber<T>>();
  readonly #observed = new ObservedVersion();
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

  listOwned(uid: string): readonly T[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  hasReached(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    return this.#observed.waitFor(resourceVersion, signal);
  }

  countRewinds(): number {
    return this.#observed.rewinds;
  }

  subscribe(onChange: Subscriber<T>): () => void {
    const subscriber: Subscriber<T> = (change) => onChange(change);
    const held = this.list();
    this.#subscribers.add(subscriber);
    for (const object of held) this.#notify(subscriber, { kind: 'added', object, isInitial: true });
    return () => void this.#subscribers.delete(subscriber);
  }

  /** A raw object of a list or a watch in the shape the cache holds: stamped, trimmed, frozen. */
  ingest(raw: unknown): T {
    return ingestObject<T>(raw, this.#options);
  }

  /**
   * Takes `objects` (ingested) as the whole collection at `resourceVersion`, in one step. Objects
   * of unchanged resourceVersion are silent; those missed while no watch was open arrive as
   * `deleted` in the last state known.
   */
  replace(objects: readonly T[], resourceVersion: string): void {
    const isInitial = !this.#hasBeenFilled;
    this.#hasBeenFilled = true;
    const missing = new Set(this.#objects.keys());
    const changes: Change<T>[] = [];
    for (const object of objects) {
      missing.delete(getKey(object));
      changes.push(...this.#store(object, isInitial));
    }
    for (const key of missing) changes.push(...this.#drop(key));
    // First: after a jump back no subscriber takes an older state for a write of its own.
    this.#observed.jump(resourceVersion);
    this.#notifyAll(changes);
  }

  apply(event: ObjectEvent<T>): void {
    const { type, object } = event;
    if (type === 'DELETED') this.#notifyAll(this.#drop(getKey(object), object));
    else this.#notifyAll(this.#store(object, false));
    this.#observed.advance(object.metadata.resourceVersion ?? '');
  }

  /** Nothing changed up to `resourceVersion`. */
  bookmark(resourceVersion: string): void {
    this.#observed.advance(resourceVersion);
  }

  /** A new UID under an old name is another object: the old one's end must not go unseen. */
  #store(object: T, isInitial: boolean): readonly Change<T>[] {
    const key = getKey(object);
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
    const owner = getController(object)?.uid;
    if (owner === undefined) return;
    const owned = this.#byOwner.get(owner);
    if (owned) owned.set(key, object);
    else this.#byOwner.set(owner, new Map([[key, object]]));
  }

  #unindex(key: Key, object: T | undefined): void {
    this.#listed = undefined;
    const owner = object && getController(object)?.uid;
    const owned = owner === undefined ? undefined : this.#byOwner.get(owner);
    if (owner === undefined || !owned?.delete(key)) return;
    if (owned.size === 0) this.#byOwner.delete(owner);
  }

  /** Those who subscribe meanwhile have got the whole state as initial adds already. */
  #notifyAll(changes: readonly Change<T>[]): void {
    const subscribers = [...this.#subscribers];
    for (const change of changes) {
      for (const subscriber of subscribers) this.#notify(subscriber, change);
    }
  }

  #notify(subscriber: Subscriber<T>, change: Change<T>): void {
    if (!this.#subscribers.has(subscriber)) return;
    try {
      subscriber(change);
    } catch (error) {
      const { kind, log, metrics } = this.#options;
      metrics.count(kubeMetrics.subscriberErrors, { name: formatResourceName(kind) });
      log.error('subscriber threw on a change', {
        resource: formatResourceName(kind),
        change: change.kind,
        key: getKey(change.object),
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

/**
 * Makes an object off the wire fit to be held for long and shared by everybody: items of a list
 * carry no apiVersion and kind, so they are stamped; what `transform` leaves out, by default
 * metadata that is not read, is left out; and the rest is frozen once instead of being copied for
 * each reader.
 */
function ingestObject<T extends KubeObject>(
  raw: unknown,
  { kind, transform = trimMetadata }: { kind: ResourceKind; transform?: Transform },
): T {
  const stamped = { ...(raw as KubeObject), apiVersion: formatApiVersion(kind), kind: kind.kind };
  return deepFreeze(transform(stamped) as T);
}

interface Waiter {
  readonly resourceVersion: string;
  readonly settle: (hasReached: boolean) => void;
}

/** The newest resourceVersion that a cache has observed, and the callers that wait for a newer one. */
class ObservedVersion {
  readonly #waiters = new Set<Waiter>();
  #observed: string | undefined;
  #rewinds = 0;

  /** Number of times that `jump` has gone back. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** Moves forward, never back. */
  advance(resourceVersion: string): void {
    if (this.#hasObserved(resourceVersion)) return;
    this.jump(resourceVersion);
  }

  /** Moves to the version of a fresh list, also backward: etcd was restored. */
  jump(resourceVersion: string): void {
    if (this.#observed !== undefined && compareVersions(resourceVersion, this.#observed) < 0)
      this.#rewinds++;
    this.#observed = resourceVersion;
    for (const waiter of this.#waiters) {
      if (this.#hasObserved(waiter.resourceVersion)) waiter.settle(true);
    }
  }

  /** True once `resourceVersion` was observed, false when the signal aborts first. */
  waitFor(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    if (this.#hasObserved(resourceVersion)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = (): void => waiter.settle(false);
      const waiter: Waiter = {
        resourceVersion,
        settle: (hasReached) => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', onAbort);
          resolve(hasReached);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #hasObserved(resourceVersion: string): boolean {
    return this.#observed !== undefined && compareVersions(this.#observed, resourceVersion) >= 0;
  }
}
