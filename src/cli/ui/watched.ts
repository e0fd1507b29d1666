import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import { IndexedCache } from '../../kube/watch/object-cache.ts';
import { Reflector } from '../../kube/watch/reflector.ts';
import { type ClusterAccess, noMetrics } from '../cluster.ts';
import { describeError } from '../errors.ts';

export interface Collected {
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Leaves out what is not shown. */
  readonly transform?: Transform;
}

export interface WatchedOptions {
  readonly access: Pick<ClusterAccess, 'client' | 'namespace'>;
  readonly clock: Clock;
  /** Objects have changed, or what `findFault` returns. */
  readonly onChange: () => void;
}

/** With which a fault begins: the kind is named by those who show it. */
const STEP = /^watch \S+( in namespace \S+)?: /;

/** A collection as the cluster has it now. */
export class Watched<T extends KubeObject> {
  readonly #cache: IndexedCache<T>;
  readonly #reflector: Reflector<T>;
  readonly #isWide: boolean;
  #hasFailed = false;
  /** Of the last failure, where a person must act. */
  #cause: unknown;

  constructor({ kind, namespace, transform, ...selectors }: Collected, options: WatchedOptions) {
    const { access, clock, onChange } = options;
    this.#isWide = namespace === undefined;
    const log = this.#listen(onChange);
    this.#cache = new IndexedCache<T>({
      ...{ kind, log, metrics: noMetrics },
      ...(transform && { transform }),
    });
    this.#cache.subscribe(onChange);
    this.#reflector = new Reflector<T>({
      ...{ client: access.client, clock, log, metrics: noMetrics, cache: this.#cache, kind },
      ...selectors,
      ...(namespace !== undefined && { namespace }),
    });
    void this.#reflector.synced.then(onChange);
  }

  get cache(): Pick<IndexedCache<T>, 'get' | 'list' | 'subscribe'> {
    return this.#cache;
  }

  /** Resolves once the collection has been read. */
  get synced(): Promise<void> {
    return this.#reflector.synced;
  }

  /** True once the collection has been read, or could not be. */
  isKnown(): boolean {
    return this.#reflector.hasSynced() || this.#hasFailed;
  }

  hasBeenRead(): boolean {
    return this.#reflector.hasSynced();
  }

  /** One sentence while the watch does not work, and the objects are as they were before. */
  findFault(): string | undefined {
    const fault = this.isKnown() ? this.#reflector.findFault() : undefined;
    return fault && (describeRefusal(this.#cause, this.#isWide) ?? fault.replace(STEP, ''));
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  /** A reflector logs when its fault appears and when it disappears, there just before. */
  #listen(onChange: () => void): Logger {
    const onLine = (_: string, fields: LogFields = {}): void => {
      this.#hasFailed = true;
      this.#cause = fields['err'];
      onChange();
    };
    const log: Logger = { debug: () => {}, info: onLine, error: onLine, child: () => log };
    return log;
  }
}

/** For the reader of the page, who is not the operator. */
function describeRefusal(cause: unknown, isWide: boolean): string | undefined {
  if (!(cause instanceof KubeError)) return undefined;
  if (cause.status === 404) return 'not installed in this cluster (docs/install.md)';
  const hint = cause.status === 403 && isWide ? ', or name one namespace with -n' : '';
  return `${describeError(cause)}${hint}`;
}
