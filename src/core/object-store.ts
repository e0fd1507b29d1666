import type { FieldPath } from './field-path.ts';
import type { Key, KubeObject } from './kube-object.ts';

/** One change seen by the cache. `previous` is what the cache held before. */
export type Change<T extends KubeObject> =
  | { readonly kind: 'added'; readonly object: T; readonly isInitial: boolean }
  | { readonly kind: 'updated'; readonly object: T; readonly previous: T }
  | { readonly kind: 'deleted'; readonly object: T };

/** The object before the change, where it was there, and after it; once gone, as it was last. */
export function statesOf<T extends KubeObject>(change: Change<T>): readonly T[] {
  return change.kind === 'updated' ? [change.previous, change.object] : [change.object];
}

/** The indexed store that a list+watch loop keeps up to date. Its objects are frozen. */
export interface ObjectCache<T extends KubeObject> {
  get(key: Key): T | undefined;
  list(): readonly T[];
  /** Objects whose controller reference has this UID. */
  ownedBy(uid: string): readonly T[];
  /** Calls `onChange` for each change from now on; objects held already arrive as initial `added`. */
  subscribe(onChange: (change: Change<T>) => void): () => void;
  /**
   * True once the cache has seen `resourceVersion` or a later one; false when the signal aborts
   * first. Resolves at once where it has. `written` is the key whose write gave that version: a
   * cache that is fed by several watches asks the one that shows it.
   */
  hasReached(resourceVersion: string, signal: AbortSignal, written?: Key): Promise<boolean>;
  /** How often the versions of the objects where `key` lies have gone back: etcd was restored. */
  rewinds(key: Key): number;
}

/** Writes to objects of one kind. Every method throws OperatorError. */
export interface ObjectWriter<T extends KubeObject> {
  /** Guarded by UID and resourceVersion; Conflict if the object has moved on. */
  addFinalizer(object: T, finalizer: string): Promise<T>;
  /** Guarded by UID; an object that is gone, or another one of the same name, counts as done. */
  removeFinalizer(object: T, finalizer: string): Promise<T | undefined>;
  /**
   * Server-side apply on /status, guarded by UID; undefined if the object is gone. Fields that `object`
   * has and `status` does not are removed, also those that others wrote. Where the object has moved
   * on since `object`, the status goes onto the newer version if `fits` agrees, otherwise Conflict.
   */
  applyStatus(object: T, status: object, fits?: (live: T) => boolean): Promise<T | undefined>;
}

/** Writes to children of one kind, all under one field manager. */
export interface ChildWriter {
  /** undefined: an object of that name exists already, whoever owns it. */
  create(child: KubeObject): Promise<KubeObject | undefined>;
  /**
   * Server-side apply, guarded by `metadata.uid`. Fields that it owned and `child` no longer states
   * are removed, but for `leaving`: those keep their value and are no longer ours.
   */
  apply(child: KubeObject, leaving?: readonly FieldPath[]): Promise<KubeObject>;
  /** Guarded by UID; gone counts as done. */
  delete(child: KubeObject): Promise<void>;
  /** A read past the cache: undefined means that the API server said 404. */
  get(child: KubeObject): Promise<KubeObject | undefined>;
}
