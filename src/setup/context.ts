// Lives here: how each controller is put together, one file for each kind, and the context they share.
// May import it: src/operator.ts and src/setup/secrets; src/main.ts takes context.ts and metrics.ts; src/cli takes previewer.ts and attachments.ts.
// Start with: this file, then my-app.ts, the shortest setup.

import type { AwsApi } from '../aws/client/aws-api.ts';
import type { OperatorConfig } from '../config/config.ts';
import type { Controller, ControllerOptions } from '../core/controller/controller.ts';
import type { KubeObject, ResourceKind } from '../core/objects/kube-object.ts';
import type { ObjectCache } from '../core/ports/cache.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { EventRecorder } from '../core/ports/events.ts';
import { type Leadership, restrictToStatus } from '../core/ports/leadership.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Metrics } from '../core/ports/metrics.ts';
import { KubeClient } from '../kube/client/kube-client.ts';
import type { KubeTransport } from '../kube/client/kube-transport.ts';
import type { Rights } from '../kube/client/rights.ts';
import { KubeEventRecorder } from '../kube/events/event-recorder.ts';
import type { Reflector } from '../kube/watch/reflector.ts';
import { joinCaches, type Watched, Watches } from '../kube/watch/watches.ts';
import { Exposures } from './exposures.ts';
import { GatedServices } from './gated-services.ts';
import type { HashKeyPlace } from './secrets/hash-key.ts';

/** Everything that reaches out of the process; a simulation gives others than main.ts does. */
export interface OperatorPorts {
  readonly transport: KubeTransport;
  /** Undefined: MyIngress is off. */
  readonly api?: AwsApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Called with every request that the API server refused. */
  readonly rights?: Rights;
  /** Asked before each write. */
  readonly leadership: Leadership;
  /** Resolves when this process may write. */
  readonly acquired: Promise<void>;
}

/** The settings that the operator reads, and the names of this process. */
export interface OperatorSettings
  extends Pick<
    OperatorConfig,
    | 'mode'
    | 'kinds'
    | 'clusterId'
    | 'namespaces'
    | 'aws'
    | 'sweepIntervalMs'
    | 'readinessGates'
    | 'concurrency'
  > {
  /** This process in events; nothing is read out of it. */
  readonly identity: string;
  /** The pod of this process, or else its machine. */
  readonly podName: string;
  /** The pod of this process; undefined outside a cluster. */
  readonly ownNamespace?: string | undefined;
  /** By which the data of Secrets is hashed; undefined: Secrets are not watched. */
  readonly hashKey?: HashKeyPlace;
}

/** The part of a kind that is watched, and the transform of each object. */
export type WatchOptions = Pick<Watched, 'labelSelector' | 'fieldSelector' | 'transform'>;

export interface LateWatch<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  /** Resolves once the cache holds the whole collection. */
  readonly synced: Promise<void>;
  /** One sentence for a watch that does not do its work. */
  findFault(): string | undefined;
}

/** Shared by all controllers of one process. */
export class SharedContext {
  readonly ports: OperatorPorts;
  readonly settings: OperatorSettings;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** Its writes ask for leadership first. */
  readonly client: KubeClient;
  readonly events: KubeEventRecorder;
  readonly watches: Watches;
  readonly gatedServices = new GatedServices();
  readonly exposures = new Exposures();

  constructor(given: OperatorPorts, settings: OperatorSettings, signal: AbortSignal) {
    const isObserver = settings.mode === 'observe';
    const leadership = isObserver ? restrictToStatus(given.leadership) : given.leadership;
    const ports = { ...given, leadership };
    const { transport, clock, metrics, log, rights } = ports;
    const reporting = rights === undefined ? {} : { rights };
    this.ports = ports;
    this.settings = settings;
    this.signal = signal;
    const own = { transport, clock, metrics, leadership, stopping: signal };
    this.client = new KubeClient({ ...own, ...reporting });
    this.events = new KubeEventRecorder({
      client: new KubeClient({ transport, clock, metrics, ...reporting }),
      clock,
      log,
      metrics,
      reportingInstance: settings.identity,
    });
    // A refused watch reports its own refusal.
    const client = new KubeClient({ transport, clock, metrics, leadership });
    this.watches = new Watches({ client, clock, log, metrics });
  }
}

const PASS_DEADLINE_MS = 120_000;
/** A list takes milliseconds; what lacks its CRD is never complete. */
const LONGEST_BESIDE_MS = 5_000;
/** The API server is near and fast: failures start at a tenth of a second and end at a minute. */
const NEAR_BACKOFF = { firstMs: 100, maxMs: 60_000 } as const;

/** Gives a setup its ports and watches, and reports when its caches are filled. */
export class SetupContext {
  readonly ports: OperatorPorts;
  readonly settings: OperatorSettings;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  readonly client: KubeClient;
  readonly #shared: SharedContext;
  readonly #required: Reflector[] = [];
  /** They may never be complete. */
  readonly #optional: Reflector[] = [];
  /** The optional ones that were once complete, and that readiness depends on from then on. */
  readonly #completed: Reflector[] = [];
  readonly #beside: Promise<void>[] = [];

  constructor(shared: SharedContext) {
    this.ports = shared.ports;
    this.settings = shared.settings;
    this.signal = shared.signal;
    this.client = shared.client;
    this.#shared = shared;
  }

  /** `ALBRIDGE_MODE=observe`. */
  get isObserver(): boolean {
    return this.settings.mode === 'observe';
  }

  /** Undefined where no pod gets a readiness gate. */
  get gatedServices(): GatedServices | undefined {
    return this.settings.readinessGates ? this.#shared.gatedServices : undefined;
  }

  /** Undefined where no MyIngress is served, or no WebApp. */
  get exposures(): Exposures | undefined {
    const { kinds } = this.settings;
    const areBoth = kinds.includes('myingress') && kinds.includes('webapp');
    return areBoth ? this.#shared.exposures : undefined;
  }

  /** Opens the watch on a kind at once: one for the cluster, or one in each namespace. */
  watch<T extends KubeObject>(kind: ResourceKind, options: WatchOptions = {}): ObjectCache<T> {
    const { cache, reflectors } = this.#watchEach<T>({ ...options, kind });
    this.#required.push(...reflectors);
    return cache;
  }

  /**
   * Opens the watch on a kind for a controller that may work already. Its right is optional, so a watch that
   * never was complete is a matter of the objects that need it; one that was is a matter of readiness.
   */
  watchLate<T extends KubeObject>(kind: ResourceKind, options: WatchOptions = {}): LateWatch<T> {
    const { reflectors, ...watch } = this.#watchEach<T>({ ...options, kind });
    this.#optional.push(...reflectors);
    for (const reflector of reflectors) {
      void reflector.synced.then(() => this.#completed.push(reflector));
    }
    return watch;
  }

  /**
   * Opens the watch on a kind that others bring along, once for all who watch it. A controller waits for it, and not
   * for long: it may be that it is not there.
   */
  watchBeside<T extends KubeObject>(kind: ResourceKind, options: WatchOptions = {}): LateWatch<T> {
    const { reflectors, ...watch } = this.#watchEach<T>({ ...options, kind });
    this.#optional.push(...reflectors);
    this.waitBriefly(watch.synced);
    return watch;
  }

  /** The controller waits for it before it works, and not for long. */
  waitBriefly(ready: Promise<void>): void {
    this.#beside.push(ready);
  }

  /** Options that every controller has unless its setup overrides them. */
  getControllerDefaults(): Pick<
    ControllerOptions<KubeObject>,
    'clock' | 'log' | 'metrics' | 'events' | 'isObserver' | 'concurrency' | 'deadlineMs' | 'backoff'
  > {
    const { clock, log, metrics } = this.ports;
    const { concurrency } = this.settings;
    const { isObserver } = this;
    // An event is a write too.
    const events: EventRecorder = isObserver ? { record: () => undefined } : this.#shared.events;
    const limits = { deadlineMs: PASS_DEADLINE_MS, backoff: NEAR_BACKOFF };
    return { clock, log, metrics, events, isObserver, concurrency, ...limits };
  }

  /** Resolves when every cache of the controller holds its whole collection, as the API server has it now. */
  async waitForSync(): Promise<void> {
    const optional = this.#optional.map((reflector) => reflector.confirm());
    const beside = Promise.all([...this.#beside, ...optional]);
    await Promise.all(this.#required.map((reflector) => reflector.confirm()));
    await Promise.all(this.#required.map((reflector) => reflector.synced));
    if (this.#beside.length + optional.length === 0) return;
    const { clock } = this.ports;
    const limit = Promise.withResolvers<void>();
    const cancelTimer = clock.setTimer(LONGEST_BESIDE_MS, () => limit.resolve());
    await Promise.race([beside, limit.promise]);
    cancelTimer();
  }

  /** One sentence for each watch that does not do its work. */
  listFaults(): readonly string[] {
    const judged = [...this.#required, ...this.#completed];
    return judged.flatMap((reflector) => reflector.findFault() ?? []);
  }

  /** One watch for the cluster, or one in each namespace. */
  #watchEach<T extends KubeObject>(
    watched: Watched,
  ): LateWatch<T> & { readonly reflectors: readonly Reflector[] } {
    const { namespaces } = this.settings;
    const places = namespaces.length === 0 ? [undefined] : namespaces;
    const watches = places.map((namespace) =>
      this.#shared.watches.watch<T>({ ...watched, ...(namespace !== undefined && { namespace }) }),
    );
    const reflectors = watches.map(({ reflector }) => reflector);
    const [first] = watches;
    const caches = watches.map(({ cache }, index) => [namespaces[index] ?? '', cache] as const);
    const isOfCluster = namespaces.length === 0 && first !== undefined;
    return {
      cache: isOfCluster ? first.cache : joinCaches(new Map(caches)),
      synced: Promise.all(reflectors.map(({ synced }) => synced)).then(() => undefined),
      findFault: () => reflectors.flatMap((reflector) => reflector.findFault() ?? [])[0],
      reflectors,
    };
  }
}

/**
 * Sets one controller up. Its watches open at once; the controller is built once they have filled
 * their caches, that of MyIngress once the cluster's id is known, independent of the others.
 */
export type ControllerSetup = (context: SetupContext) => BuildController;

export type BuildController = (clusterId: string) => RunningController;

/** A Controller whatever its kind of object. */
export type RunningController = Pick<
  Controller<KubeObject>,
  'name' | 'start' | 'stop' | 'listStuckPasses' | 'refreshMetrics' | 'requeueFailed'
>;
