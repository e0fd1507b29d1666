import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { IndexedCache } from '../../kube/watch/object-cache.ts';
import { Reflector } from '../../kube/watch/reflector.ts';
import { type ClusterAccess, noMetrics } from '../cluster.ts';

export interface Collected {
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface WatchedOptions {
  readonly access: Pick<ClusterAccess, 'client' | 'namespace'>;
  readonly clock: Clock;
  /** Objects have changed, or what `findFault` returns. */
  readonly onChange: () => void;
}

/** A collection as the cluster has it now. */
export class Watched<T extends KubeObject> {
  readonly #cache: IndexedCache<T>;
  readonly #reflector: Reflector<T>;
  #hasFailed = false;

  constructor({ kind, namespace, ...selectors }: Collected, options: WatchedOptions) {
    const { access, clock, onChange } = options;
    const log = this.#listen(onChange);
    this.#cache = new IndexedCache<T>({ kind, log, metrics: noMetrics });
    this.#cache.subscribe(onChange);
    this.#reflector = new Reflector<T>({
      ...{ client: access.client, clock, log, metrics: noMetrics, cache: this.#cache, kind },
      ...selectors,
      ...(namespace !== undefined && { namespace }),
    });
    void this.#reflector.synced.then(onChange);
  }

  get cache(): Pick<IndexedCache<T>, 'get' | 'list'> {
    return this.#cache;
  }

  /** True once the collection has been read, or could not be. */
  isKnown(): boolean {
    return this.#reflector.hasSynced() || this.#hasFailed;
  }

  hasBeenRead(): boolean {
    return this.#reflector.hasSynced();
  }

  /** What is wrong now, in one sentence: the objects are as they were before. */
  findFault(): string | undefined {
    return this.isKnown() ? this.#reflector.findFault() : undefined;
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  /** A reflector logs when its fault appears and when it disappears, there just before. */
  #listen(onChange: () => void): Logger {
    const onLine = (): void => {
      this.#hasFailed = true;
      onChange();
    };
    const log: Logger = { debug: () => {}, info: onLine, error: onLine, child: () => log };
    return log;
  }
}
