import type { Clock } from '../core/clock.ts';
import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { ObjectCache } from '../core/object-store.ts';
import type { KubeClient } from './kube-client.ts';
import { createObjectCache } from './object-cache.ts';
import type { Transform } from './object-cache-ingest.ts';
import { type Reflector, startReflector } from './reflector.ts';
import type { Collection } from './reflector-request.ts';

export interface WatchesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** What is watched, and what is kept of it. */
export interface Watched extends Collection {
  readonly transform?: Transform;
}

/** One cache and the reflector that fills it. */
export interface Watch<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly reflector: Reflector;
}

/** The open watches of one process: whoever asks for the same collection shares one. */
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
    const cache = createObjectCache<T>({ ...this.#options, ...watched });
    const reflector = startReflector<T>({ ...this.#options, ...watched, cache });
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
