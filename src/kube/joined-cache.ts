import { type Key, type KubeObject, splitKey } from '../core/kube-object.ts';
import type { ObjectCache } from '../core/object-store.ts';

/** One cache for readers, kept up to date by one watch in each namespace. */
export function joinCaches<T extends KubeObject>(
  byNamespace: ReadonlyMap<string, ObjectCache<T>>,
): ObjectCache<T> {
  const caches = [...byNamespace.values()];
  const cacheOf = (key: Key): ObjectCache<T> | undefined =>
    byNamespace.get(splitKey(key).namespace);
  return {
    get: (key) => cacheOf(key)?.get(key),
    list: () => caches.flatMap((cache) => cache.list()),
    ownedBy: (uid) => caches.flatMap((cache) => cache.ownedBy(uid)),
    subscribe: (onChange) => {
      const stops = caches.map((cache) => cache.subscribe(onChange));
      return () => {
        for (const stop of stops) stop();
      };
    },
    // A quiet namespace hears of versions only by bookmarks, so the written one alone is asked.
    hasReached: async (version, signal, written) =>
      (written && cacheOf(written)?.hasReached(version, signal, written)) ?? true,
    rewinds: (key) => cacheOf(key)?.rewinds(key) ?? 0,
  };
}
