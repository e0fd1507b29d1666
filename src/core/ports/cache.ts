import type { Key, KubeObject } from '../objects/kube-object.ts';

/** One change observed by the cache. `previous` is what the cache held before. */
export type Change<T extends KubeObject> =
  | { readonly kind: 'added'; readonly object: T; readonly isInitial: boolean }
  | { readonly kind: 'updated'; readonly object: T; readonly previous: T }
  | { readonly kind: 'deleted'; readonly object: T };

/** The object before the change, where it was there, and after it; once gone, as it was last. */
export function listStates<T extends KubeObject>(change: Change<T>): readonly T[] {
  return change.kind === 'updated' ? [change.previous, change.object] : [change.object];
}

/** The indexed store that a list+watch loop keeps up to date. Its objects are frozen. */
export interface ObjectCache<T extends KubeObject> {
  get(key: Key): T | undefined;
  list(): readonly T[];
  /** Objects whose controller reference has this UID. */
  listOwned(uid: string): readonly T[];
  /** Calls `onChange` for each change from now on; objects held already arrive as initial `added`. */
  subscribe(onChange: (change: Change<T>) => void): () => void;
  /**
   * True once the cache has reached `resourceVersion` or a later one; false when the signal aborts
   * first. Resolves at once where it has. `written` is the key whose write gave that version: a
   * cache that is fed by several watches asks the one that shows it.
   */
  hasReached(resourceVersion: string, signal: AbortSignal, written?: Key): Promise<boolean>;
  /** Counts how often the resourceVersions of the cache that holds `key` moved back: etcd was restored. */
  countRewinds(key: Key): number;
}
