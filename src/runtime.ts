import type { AwsApi } from './aws/aws-api.ts';
import type { BudgetLimits } from './aws/budget-limits.ts';
import type { Clock } from './core/clock.ts';
import type { ControllerOptions } from './core/controller.ts';
import type { KubeObject, ResourceKind } from './core/kube-object.ts';
import type { Leadership } from './core/leadership.ts';
import type { Logger } from './core/logger.ts';
import type { Metrics } from './core/metrics.ts';
import type { ObjectCache } from './core/object-store.ts';
import type { KindName } from './kind-names.ts';
import { createEventRecorder, type DrainableEventRecorder } from './kube/event-recorder.ts';
import { joinCaches } from './kube/joined-cache.ts';
import { createKubeClient, type KubeClient } from './kube/kube-client.ts';
import type { KubeTransport } from './kube/kube-transport.ts';
import type { Reflector } from './kube/reflector.ts';
import type { Rights } from './kube/rights.ts';
import { type Watched, Watches } from './kube/watches.ts';

/** Everything that reaches out of the process; a simulation gives others than main.ts does. */
export interface OperatorPorts {
  readonly transport: KubeTransport;
  /** Undefined: MyIngress is off. */
  readonly api?: AwsApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Told of every refusal of the API server. */
  readonly rights?: Rights;
  /** Asked before each write. */
  readonly leadership: Leadership;
  /** Resolves when this process may write. */
  readonly acquired: Promise<void>;
}

export interface OperatorOptions {
  readonly kinds: readonly KindName[];
  /** Undefined: the UID of the namespace kube-system. */
  readonly clusterId?: string;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  readonly budget: BudgetLimits;
  readonly sweepIntervalMs: number;
  /** Passes that may run at once, per controller. */
  readonly concurrency: number;
  /** This process in events; nothing is read out of it. */
  readonly identity: string;
  /** The pod of this process, or else its machine. */
  readonly podName: string;
  /** Where this process runs; undefined outside a cluster. */
  readonly ownNamespace?: string | undefined;
}

/** What part of a kind is watched, and what is kept of each object. */
export type WatchOptions = Pick<Watched, 'labelSelector' | 'fieldSelector' | 'transform'>;

/** What the units of one process share. */
export interface Shared {
  readonly ports: OperatorPorts;
  readonly options: OperatorOptions;
  /** Its writes ask for leadership first. */
  readonly client: KubeClient;
  readonly events: DrainableEventRecorder;
  readonly watches: Watches;
}

export function createShared(ports: OperatorPorts, options: OperatorOptions): Shared {
  const { transport, clock, metrics, log, leadership, rights } = ports;
  const told = rights === undefined ? {} : { rights };
  const client = createKubeClient({ transport, clock, metrics, leadership, ...told });
  const events = createEventRecorder({
    client: createKubeClient({ transport, clock, metrics, ...told }),
    clock,
    log,
    metrics,
    reportingInstance: options.identity,
  });
  // A watch that is refused says so itself.
  const plain = createKubeClient({ transport, clock, metrics, leadership });
  const watches = new Watches({ client: plain, clock, log, metrics });
  return { ports, options, client, events, watches };
}

const PASS_DEADLINE_MS = 120_000;
/** The API server is near and fast: failures start at a tenth of a second and end at a minute. */
const NEAR_BACKOFF = { firstMs: 100, maxMs: 60_000 } as const;

/** What one unit is put together from, and whether its caches are filled. */
export class Runtime {
  readonly ports: OperatorPorts;
  readonly options: OperatorOptions;
  readonly client: KubeClient;
  readonly #shared: Shared;
  readonly #reflectors: Reflector[] = [];

  constructor(shared: Shared) {
    this.ports = shared.ports;
    this.options = shared.options;
    this.client = shared.client;
    this.#shared = shared;
  }

  /** Opens the watch on a kind at once: one for the cluster, or one in each namespace. */
  watch<T extends KubeObject>(kind: ResourceKind, options: WatchOptions = {}): ObjectCache<T> {
    const { namespaces } = this.options;
    if (namespaces.length === 0) return this.#watchOne<T>({ ...options, kind });
    const caches = namespaces.map(
      (namespace) => [namespace, this.#watchOne<T>({ ...options, kind, namespace })] as const,
    );
    return joinCaches(new Map(caches));
  }

  /** What every controller is built with, unless it says otherwise; the rest is its own. */
  controllerDefaults(): Pick<
    ControllerOptions<KubeObject>,
    'clock' | 'log' | 'metrics' | 'events' | 'concurrency' | 'deadlineMs' | 'backoff'
  > {
    const { clock, log, metrics } = this.ports;
    const { concurrency } = this.options;
    const { events } = this.#shared;
    const limits = { deadlineMs: PASS_DEADLINE_MS, backoff: NEAR_BACKOFF };
    return { clock, log, metrics, events, concurrency, ...limits };
  }

  /** Resolves when every cache of the unit holds its whole collection. */
  async synced(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.synced));
  }

  /** One sentence for each watch that does not do its work. */
  faults(): readonly string[] {
    return this.#reflectors.flatMap((reflector) => reflector.health() ?? []);
  }

  #watchOne<T extends KubeObject>(watched: Watched): ObjectCache<T> {
    const { cache, reflector } = this.#shared.watches.watch<T>(watched);
    this.#reflectors.push(reflector);
    return cache;
  }
}
