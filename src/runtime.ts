import type { AwsApi } from './aws/aws-api.ts';
import type { BudgetLimits } from './aws/budget-limits.ts';
import type { Clock } from './core/clock.ts';
import type { ControllerOptions } from './core/controller.ts';
import type { KubeObject, ResourceKind } from './core/kube-object.ts';
import type { Leadership } from './core/leadership.ts';
import type { Logger } from './core/logger.ts';
import type { Metrics } from './core/metrics.ts';
import type { ObjectCache } from './core/object-store.ts';
import { createEventRecorder, type DrainableEventRecorder } from './kube/event-recorder.ts';
import { joinCaches } from './kube/joined-cache.ts';
import { createKubeClient, type KubeClient } from './kube/kube-client.ts';
import type { KubeTransport } from './kube/kube-transport.ts';
import { createObjectCache } from './kube/object-cache.ts';
import { type Reflector, startReflector } from './kube/reflector.ts';

/** Everything that reaches out of the process; a simulation gives others than main.ts does. */
export interface OperatorPorts {
  readonly transport: KubeTransport;
  readonly api: AwsApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Asked before each write. */
  readonly leadership: Leadership;
  /** Resolves when this process may write. */
  readonly acquired: Promise<void>;
}

export interface OperatorOptions {
  /** Undefined: the UID of the namespace kube-system. */
  readonly clusterId?: string;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  readonly budget: BudgetLimits;
  readonly sweepIntervalMs: number;
  /** Passes that may run at once, per controller. */
  readonly concurrency: number;
  /** This process in events. */
  readonly identity: string;
}

const PASS_DEADLINE_MS = 120_000;

/** What the controllers of one process share: the way to the API server, its caches, its events. */
export class Runtime {
  readonly ports: OperatorPorts;
  readonly options: OperatorOptions;
  /** Its writes ask for leadership first. */
  readonly client: KubeClient;
  readonly events: DrainableEventRecorder;
  readonly #reflectors: Reflector[] = [];

  constructor(ports: OperatorPorts, options: OperatorOptions) {
    const { transport, clock, metrics, log, leadership } = ports;
    this.ports = ports;
    this.options = options;
    this.client = createKubeClient({ transport, clock, metrics, leadership });
    this.events = createEventRecorder({
      client: createKubeClient({ transport, clock, metrics }),
      clock,
      log,
      metrics,
      reportingInstance: options.identity,
    });
  }

  /** Opens the watch on a kind at once: one for the cluster, or one in each namespace. */
  watch<T extends KubeObject>(kind: ResourceKind): ObjectCache<T> {
    const { namespaces } = this.options;
    if (namespaces.length === 0) return this.#watchIn<T>(kind);
    const entries = namespaces.map((name) => [name, this.#watchIn<T>(kind, name)] as const);
    return joinCaches(new Map(entries));
  }

  /** What every controller is built with; the rest is its own. */
  controllerDefaults(): Pick<
    ControllerOptions<KubeObject>,
    'clock' | 'log' | 'metrics' | 'events' | 'concurrency' | 'deadlineMs'
  > {
    const { clock, log, metrics } = this.ports;
    const { concurrency } = this.options;
    const { events } = this;
    return { clock, log, metrics, events, concurrency, deadlineMs: PASS_DEADLINE_MS };
  }

  /** Resolves when every cache holds its whole collection. */
  async synced(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.synced));
  }

  /** Undefined while every watch does its work. */
  health(): string | undefined {
    const faults = this.#reflectors.flatMap((reflector) => reflector.health() ?? []);
    if (faults.length > 0) return faults.join('; ');
    const areFilled = this.#reflectors.every((reflector) => reflector.hasSynced());
    return areFilled ? undefined : 'the first list of what is watched is not complete';
  }

  async stopWatching(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  #watchIn<T extends KubeObject>(kind: ResourceKind, namespace?: string): ObjectCache<T> {
    const { clock, log, metrics } = this.ports;
    const cache = createObjectCache<T>({ kind, log, metrics });
    const scope = namespace === undefined ? {} : { namespace };
    const { client } = this;
    this.#reflectors.push(startReflector({ client, kind, cache, clock, log, metrics, ...scope }));
    return cache;
  }
}
