import type { FieldPath } from '../objects/fields.ts';
import type { KubeObject } from '../objects/kube-object.ts';

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
  /** undefined: an object of that name exists already, owned by us or not. */
  create(child: KubeObject): Promise<KubeObject | undefined>;
  /**
   * Throws what `create` would throw, and writes nothing; an object of that name, or a webhook that does not support dry
   * runs, is no matter. Nor is a quota that is full for now: `create` may be refused by it even once another child is
   * deleted.
   */
  check(child: KubeObject): Promise<void>;
  /**
   * Server-side apply, guarded by `metadata.uid`. Fields that it owned and `child` no longer states
   * are removed, but for `createOnlyFields`: those keep their value and are no longer ours.
   */
  apply(child: KubeObject, createOnlyFields?: readonly FieldPath[]): Promise<KubeObject>;
  /** Guarded by UID; gone counts as done. */
  delete(child: KubeObject): Promise<void>;
  /** A read past the cache: undefined means that the API server said 404. */
  get(child: KubeObject): Promise<KubeObject | undefined>;
}
