import { readClusterId } from './cluster-id.ts';
import { deadline } from './core/clock.ts';
import { untilAborted } from './core/until-aborted.ts';
import { type OperatorOptions, type OperatorPorts, Runtime } from './runtime.ts';
import { myIngressUnit } from './units/my-ingress.ts';
import type { RunningController, Unit } from './units/unit.ts';

const UNITS: readonly Unit[] = [myIngressUnit];

const STUCK_GRACE_MS = 60_000;
const DRAIN_MS = 2_000;

/** Watches at once; works when the caches are filled, the cluster is known and the lease is held. */
export class Operator {
  readonly #runtime: Runtime;
  readonly #build: readonly ((clusterId: string) => RunningController)[];
  readonly #stopping = new AbortController();
  #controllers: readonly RunningController[] = [];

  constructor(ports: OperatorPorts, options: OperatorOptions) {
    this.#runtime = new Runtime(ports, options);
    this.#build = UNITS.map((unit) => unit(this.#runtime));
  }

  /** Resolves once passes run; rejects with the reason of `stop` when that comes first. */
  async start(): Promise<void> {
    const { client, options, ports } = this.#runtime;
    const { acquired, clock, log } = ports;
    const { signal } = this.#stopping;
    const clusterId = options.clusterId ?? (await readClusterId({ client, clock, log, signal }));
    await untilAborted(Promise.all([this.#runtime.synced(), acquired]), signal);
    this.#controllers = this.#build.map((build) => build(clusterId));
    for (const controller of this.#controllers) controller.start();
    log.info('working', { clusterID: clusterId });
  }

  /** Waits abort at once; writes that are under way are seen through. */
  async stop(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    await Promise.all(this.#controllers.map((controller) => controller.stop(reason)));
    await this.#runtime.stopWatching();
    const bound = deadline(this.#runtime.ports.clock, DRAIN_MS);
    await this.#runtime.events.drain(bound.signal);
    bound.release();
  }

  /** Why a restart would help; undefined if it would not. */
  liveness(): string | undefined {
    const stuck = this.#controllers.flatMap((controller) => controller.stuckPasses(STUCK_GRACE_MS));
    return stuck.length === 0 ? undefined : `passes outlived their deadline: ${stuck.join(', ')}`;
  }

  /** Why the operator cannot do its work; undefined if it can. A standby can. */
  readiness(): string | undefined {
    return this.#runtime.health();
  }

  refreshMetrics(): void {
    for (const controller of this.#controllers) controller.refreshMetrics();
  }
}
