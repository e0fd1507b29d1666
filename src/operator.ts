import { loadBalancerFinalizer, type MyIngress, myIngressKind } from './apis/my-ingress.ts';
import type { AwsApi } from './aws/aws-api.ts';
import type { BudgetLimits } from './aws/budget-limits.ts';
import { wireAws } from './aws/wire.ts';
import { readClusterId } from './cluster-id.ts';
import { myIngressReconciler } from './controllers/my-ingress/controller.ts';
import { Memory } from './controllers/my-ingress/memory.ts';
import { Sweep } from './controllers/my-ingress/sweep.ts';
import { type Clock, deadline } from './core/clock.ts';
import { Controller } from './core/controller.ts';
import type { Leadership } from './core/leadership.ts';
import type { Logger } from './core/logger.ts';
import type { Metrics } from './core/metrics.ts';
import { untilAborted } from './core/until-aborted.ts';
import { createEventRecorder, type DrainableEventRecorder } from './kube/event-recorder.ts';
import { createKubeClient, type KubeClient } from './kube/kube-client.ts';
import type { KubeTransport } from './kube/kube-transport.ts';
import { createObjectCache, type WritableCache } from './kube/object-cache.ts';
import { createObjectWriter } from './kube/object-writer.ts';
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
  readonly budget: BudgetLimits;
  readonly sweepIntervalMs: number;
  readonly concurrency: number;
  /** This process in events. */
  readonly identity: string;
}

const PASS_DEADLINE_MS = 120_000;
const STUCK_GRACE_MS = 60_000;
const DRAIN_MS = 2_000;
const BACKOFF = { firstMs: 1_000, maxMs: 300_000 } as const;

/** Watches at once; works when the cache is filled, the cluster is known and the lease is held. */
export class Operator {
  readonly #ports: OperatorPorts;
  readonly #options: OperatorOptions;
  readonly #client: KubeClient;
  readonly #cache: WritableCache<MyIngress>;
  readonly #reflector: Reflector;
  readonly #events: DrainableEventRecorder;
  readonly #stopping = new AbortController();
  #controller: Controller<MyIngress> | undefined;

  constructor(ports: OperatorPorts, options: OperatorOptions) {
    const { transport, clock, metrics, log, leadership } = ports;
    this.#ports = ports;
    this.#options = options;
    this.#client = createKubeClient({ transport, clock, metrics, leadership });
    const kind = myIngressKind;
    this.#cache = createObjectCache<MyIngress>({ kind, log, metrics });
    const client = this.#client;
    this.#reflector = startReflector({ client, kind, cache: this.#cache, clock, log, metrics });
    this.#events = createEventRecorder({
      client: createKubeClient({ transport, clock, metrics }),
      clock,
      log,
      metrics,
      reportingInstance: options.identity,
    });
  }

  /** Resolves once passes run; rejects with the reason of `stop` when that comes first. */
  async start(): Promise<void> {
    const { acquired, clock, log } = this.#ports;
    const { signal } = this.#stopping;
    const options = { client: this.#client, clock, log, signal };
    const cluster = this.#options.clusterId ?? (await readClusterId(options));
    await untilAborted(Promise.all([this.#reflector.synced, acquired]), signal);
    this.#controller = this.#createController(cluster);
    this.#controller.start();
    log.info('working', { clusterID: cluster, objects: this.#cache.list().length });
  }

  /** Waits abort at once; writes that are under way are seen through. */
  async stop(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    await this.#controller?.stop(reason);
    await this.#reflector.stop();
    const bound = deadline(this.#ports.clock, DRAIN_MS);
    await this.#events.drain(bound.signal);
    bound.release();
  }

  /** Why a restart would help; undefined if it would not. */
  liveness(): string | undefined {
    const stuck = this.#controller?.stuckPasses(STUCK_GRACE_MS) ?? [];
    return stuck.length === 0 ? undefined : `passes outlived their deadline: ${stuck.join(', ')}`;
  }

  readiness(): string | undefined {
    const fault = this.#reflector.health();
    if (fault !== undefined) return fault;
    return this.#reflector.hasSynced()
      ? undefined
      : 'the first list of myingresses is not complete';
  }

  refreshMetrics(): void {
    this.#controller?.refreshMetrics();
  }

  #createController(cluster: string): Controller<MyIngress> {
    const { api, clock, log, metrics, leadership } = this.#ports;
    const { budget, concurrency, sweepIntervalMs } = this.#options;
    const cache = this.#cache;
    const aws = wireAws({ api, clock, leadership, metrics, budget, log });
    const { inventory, loadBalancers } = aws;
    const sweep = new Sweep({
      inventory,
      cache,
      cluster,
      intervalMs: sweepIntervalMs,
      clock,
      log: log.child({ controller: 'myingress' }),
    });
    const memory = new Memory(clock);
    return new Controller<MyIngress>({
      name: 'myingress',
      cache,
      writer: createObjectWriter<MyIngress>(this.#client, myIngressKind),
      reconciler: myIngressReconciler({
        cluster,
        aws: loadBalancers,
        inventory,
        sweep,
        memory,
        clock,
      }),
      finalizer: loadBalancerFinalizer,
      sources: [sweep.source],
      concurrency,
      deadlineMs: PASS_DEADLINE_MS,
      backoff: BACKOFF,
      clock,
      events: this.#events,
      log,
      metrics,
    });
  }
}
