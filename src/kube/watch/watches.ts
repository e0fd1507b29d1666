// Lives here: list and watch: the caches, and the reflectors that fill them.
// May import it: src/kube, src/setup, src/cli/objects and src/cli/ui.
// Start with: this file, then reflector.ts and object-cache.ts.

import {
  type Key,
  type KubeObject,
  type ResourceKind,
  splitKey,
} from '../../core/objects/kube-object.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { Collection } from './list.ts';
import { IndexedCache } from './object-cache.ts';
import { Reflector } from './reflector.ts';

export interface WatchesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A collection to watch, and what is kept of its objects. */
export interface Watched extends Collection {
  readonly transform?: Transform;
}

/** One cache and the reflector that fills it. */
export interface Watch<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly reflector: Reflector;
}

/** The open watches of one process: equal collections share one. */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #open: { readonly watched: Watched; readonly watch: Watch<KubeObject> }[] = [];

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** Opens the watch at once, unless it is open already. */
  watch<T extends KubeObject>(watched: Watched): Watch<T> {
    const known = this.#open.find((one) => isSame(one.watched, watched));
    if (known !== undefined) return known.watch as unknown as Watch<T>;
    const cache = new IndexedCache<T>({ ...this.#options, ...watched });
    const reflector = new Reflector<T>({ ...this.#options, ...watched, cache });
    const watch: Watch<T> = { cache, reflector };
    this.#open.push({ watched, watch });
    return watch;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#open.map(({ watch }) => watch.reflector.stop()));
  }
}

/** Two functions that do the same are two transforms: share the function. */
function isSame(one: Watched, other: Watched): boolean {
  return (
    isSameKind(one.kind, other.kind) &&
    one.namespace === other.namespace &&
    one.labelSelector === other.labelSelector &&
    one.fieldSelector === other.fieldSelector &&
    one.transform === other.transform
  );
}

function isSameKind(one: ResourceKind, other: ResourceKind): boolean {
  return one.group === other.group && one.version === other.version && one.plural === other.plural;
}

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
    listOwned: (uid) => caches.flatMap((cache) => cache.listOwned(uid)),
    subscribe: (onChange) => {
      const stops = caches.map((cache) => cache.subscribe(onChange));
      return () => {
        for (const stop of stops) stop();
      };
    },
    // A quiet namespace hears of versions only by bookmarks, so the written one alone is asked.
    hasReached: async (version, signal, written) =>
      (written && cacheOf(written)?.hasReached(version, signal, written)) ?? true,
    countRewinds: (key) => cacheOf(key)?.countRewinds(key) ?? 0,
  };
}
