import type { KindName } from './apis/kind-names.ts';
import { raceAbort, startDeadline } from './core/ports/clock.ts';
import { kubeMetrics } from './kube/client/kube-metrics.ts';
import type { KubeReason } from './kube/client/kube-reasons.ts';
import { readClusterId } from './setup/cluster-id.ts';
import {
  type BuildController,
  type OperatorPorts,
  type OperatorSettings,
  type RunningController,
  SetupContext,
  SharedContext,
} from './setup/context.ts';
import { KINDS } from './setup/kinds.ts';

const STUCK_GRACE_MS = 60_000;
const DRAIN_MS = 200;
/** For events and what a pass asks beside its own request. */
const SPARE_CONNECTIONS = 16;

/** Connections to the API server, so that no pass of any kind waits for one. */
export function countConnections(
  settings: Pick<OperatorSettings, 'kinds' | 'concurrency'>,
): number {
  return settings.kinds.length * settings.concurrency + SPARE_CONNECTIONS;
}

/**
 * Watches at once the kinds that are on; works when the lease is held, each kind as soon as its own
 * caches are filled and up to date, MyIngress once the cluster is known: a kind that is not
 * installed, or may not be watched, holds up no other.
 */
export class Operator {
  readonly #shared: SharedContext;
  readonly #setups: readonly {
    readonly kind: KindName;
    readonly context: SetupContext;
    readonly build: BuildController;
  }[];
  readonly #stopping = new AbortController();
  readonly #controllers: RunningController[] = [];

  constructor(ports: OperatorPorts, settings: OperatorSettings) {
    this.#shared = new SharedContext(ports, settings, this.#stopping.signal);
    this.#setups = settings.kinds.map((kind) => {
      const context = new SetupContext(this.#shared);
      return { kind, context, build: KINDS[kind](context) };
    });
    ports.rights?.onGranted(() => this.#requeueRefused());
  }

  /** Resolves once every kind is worked on; rejects with the reason of `stop` when that comes first. */
  async start(): Promise<void> {
    const { acquired, log } = this.#shared.ports;
    const reading = this.#readClusterId();
    reading.catch(() => {}); // it rejects with the reason of the stop, as this method does
    await raceAbort(acquired, this.#stopping.signal);
    await Promise.all(
      this.#setups.map(async ({ kind, context, build }) => {
        await raceAbort(context.waitForSync(), this.#stopping.signal);
        this.#startController(build(kind === 'myingress' ? await reading : ''));
      }),
    );
    log.info('working', { clusterID: await reading });
  }

  /**
   * Waits abort at once, writes that are under way complete. Then `release` gives the Lease away, and
   * only afterwards the events that still wait are written: no replica waits for them.
   */
  async stop(reason: Error, release: () => Promise<void> = async () => {}): Promise<void> {
    this.#stopping.abort(reason);
    await Promise.all(this.#controllers.map((controller) => controller.stop(reason)));
    await this.#shared.watches.stop();
    await release();
    await this.#drainEvents();
  }

  /** The reason for a restart; undefined if it would not help. */
  checkLiveness(): string | undefined {
    const stuck = this.#controllers.flatMap((controller) =>
      controller.listStuckPasses(STUCK_GRACE_MS),
    );
    return stuck.length === 0 ? undefined : `passes outlived their deadline: ${stuck.join(', ')}`;
  }

  /** Names what the operator cannot reconcile, and why; undefined if it can all. A standby can. */
  checkReadiness(): string | undefined {
    const faults = [...this.#listWatchFaults(), ...this.#listMissingRights()];
    return faults.length === 0 ? undefined : faults.join('; ');
  }

  /** Call before each scrape. */
  refreshMetrics(): void {
    const { metrics } = this.#shared.ports;
    metrics.gauge(kubeMetrics.watchFaults, {}, this.#listWatchFaults().length);
    metrics.gauge(kubeMetrics.missingRights, {}, this.#listMissingRights().length);
    for (const controller of this.#controllers) controller.refreshMetrics();
  }

  /** For a moment: they are not worth a late successor. */
  async #drainEvents(): Promise<void> {
    const bound = startDeadline(this.#shared.ports.clock, DRAIN_MS);
    await this.#shared.events.drain(bound.signal);
    bound.release();
  }

  /** Kinds share watches. */
  #listWatchFaults(): readonly string[] {
    return [...new Set(this.#setups.flatMap(({ context }) => context.listFaults()))];
  }

  #listMissingRights(): readonly string[] {
    return this.#shared.ports.rights?.listMissing() ?? [];
  }

  #requeueRefused(): void {
    const reason: KubeReason = 'Forbidden';
    for (const controller of this.#controllers) controller.requeueFailed(reason);
  }

  /** Only MyIngress uses it: without that kind the operator needs no right to read kube-system. */
  async #readClusterId(): Promise<string> {
    const { client, settings, ports } = this.#shared;
    if (settings.clusterId !== undefined) return settings.clusterId;
    if (!settings.kinds.includes('myingress')) return '';
    const { clock, log } = ports;
    return readClusterId({ client, clock, log, signal: this.#stopping.signal });
  }

  #startController(controller: RunningController): void {
    this.#controllers.push(controller);
    controller.start();
    this.#shared.ports.log.info('controller started', { controller: controller.name });
  }
}
