import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import { type Clock, DeadlineExceeded } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { KubeError, NoAnswerError } from '../../kube/client/kube-error.ts';
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

/** Of one collection. */
export interface ReadState {
  /** As people name it. */
  readonly name: string;
  /** It has been read, or could not be. */
  readonly isKnown: boolean;
  readonly isRead: boolean;
  /** One sentence about its watch; undefined while it works. */
  readonly fault: string | undefined;
}

/** True once each has been read, or could not be. */
export function areKnown(states: readonly ReadState[]): boolean {
  return states.every(({ isKnown }) => isKnown);
}

/** With which a fault begins: the kind is named by those who show it. */
const STEP = /^watch \S+( in namespace \S+)?: /;

/** A collection as the cluster has it now. */
export class Watched<T extends KubeObject> {
  readonly #cache: IndexedCache<T>;
  readonly #reflector: Reflector<T>;
  readonly #isWide: boolean;

  constructor({ kind, namespace, transform, ...selectors }: Collected, options: WatchedOptions) {
    const { access, clock, onChange } = options;
    this.#isWide = namespace === undefined;
    const log = listenTo(onChange);
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
    return this.#reflector.hasSynced() || this.#reflector.findCause() !== undefined;
  }

  hasBeenRead(): boolean {
    return this.#reflector.hasSynced();
  }

  /** One sentence while the watch does not work, and the objects are as they were before. */
  findFault(): string | undefined {
    const fault = this.isKnown() ? this.#reflector.findFault() : undefined;
    if (fault === undefined) return undefined;
    const described = describeCause(this.#reflector.findCause(), this.#isWide);
    return described ?? `${fault.replace(STEP, '')}; trying again`;
  }

  describeState(name: string): ReadState {
    const { isKnown, isRead } = { isKnown: this.isKnown(), isRead: this.hasBeenRead() };
    return { name, isKnown, isRead, fault: this.findFault() };
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}

/** A reflector logs when its fault appears, and when it disappears. */
function listenTo(onChange: () => void): Logger {
  const log: Logger = { debug: () => {}, info: onChange, error: onChange, child: () => log };
  return log;
}

/** For the reader of the page, who is not the operator. */
function describeCause(cause: unknown, isWide: boolean): string | undefined {
  if (cause instanceof NoAnswerError || cause instanceof DeadlineExceeded) {
    return describeError(cause);
  }
  if (!(cause instanceof KubeError)) return undefined;
  if (cause.status === 404) return 'not installed in this cluster (docs/install.md)';
  const hint = cause.status === 403 && isWide ? ', or name one namespace with -n' : '';
  return `${describeError(cause)}${hint}`;
}
