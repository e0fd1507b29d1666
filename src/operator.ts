import { readClusterId } from './cluster-id.ts';
import { deadline } from './core/clock.ts';
import { untilAborted } from './core/until-aborted.ts';
import type { KindName } from './kind-names.ts';
import type { KubeReason } from './kube/kube-reasons.ts';
import { createShared, type OperatorOptions, type OperatorPorts, Runtime } from './runtime.ts';
import { annotatedConfigMapUnit, configMonitorUnit } from './units/config-monitor.ts';
import { immortalContainerUnit } from './units/immortal-container.ts';
import { myAppUnit } from './units/my-app.ts';
import { myIngressUnit } from './units/my-ingress.ts';
import type { RunningController, Unit } from './units/unit.ts';
import { webAppUnit } from './units/web-app.ts';

const UNITS: Readonly<Record<KindName, Unit>> = {
  myingress: myIngressUnit,
  configmonitor: configMonitorUnit,
  'configmap-annotation': annotatedConfigMapUnit,
  immortalcontainer: immortalContainerUnit,
  myapp: myAppUnit,
  webapp: webAppUnit,
};

const STUCK_GRACE_MS = 60_000;
const DRAIN_MS = 200;

/** One unit from its watches on; it has a controller once it works. */
interface WiredUnit {
  readonly name: string;
  readonly runtime: Runtime;
  readonly build: (clusterId: string) => RunningController;
}

/**
 * Watches at once the kinds that are on; works when the cluster is known and the lease is held, each
 * kind as soon as its own caches are filled: a kind that is not installed, or may not be watched,
 * holds up no other.
 */
export class Operator {
  readonly #shared: ReturnType<typeof createShared>;
  readonly #units: readonly WiredUnit[];
  readonly #stopping = new AbortController();
  readonly #controllers: RunningController[] = [];

  constructor(ports: OperatorPorts, options: OperatorOptions) {
    this.#shared = createShared(ports, options);
    this.#units = options.kinds.map((kind) => {
      const unit = UNITS[kind];
      const runtime = new Runtime(this.#shared);
      return { name: unit.name, runtime, build: unit.wire(runtime) };
    });
    ports.rights?.onGranted(() => this.#requeueRefused());
  }

  /** Resolves once every kind is worked on; rejects with the reason of `stop` when that comes first. */
  async start(): Promise<void> {
    const { acquired, log } = this.#shared.ports;
    const clusterId = await this.#readClusterId();
    await untilAborted(acquired, this.#stopping.signal);
    await Promise.all(this.#units.map((unit) => this.#startUnit(unit, clusterId)));
    log.info('working', { clusterID: clusterId });
  }

  /** Waits abort at once; writes that are under way are seen through. */
  async stop(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    await Promise.all(this.#controllers.map((controller) => controller.stop(reason)));
    await this.#shared.watches.stop();
  }

  /** Writes the events that still wait, for a moment: they are not worth a late successor. */
  async drainEvents(): Promise<void> {
    const bound = deadline(this.#shared.ports.clock, DRAIN_MS);
    await this.#shared.events.drain(bound.signal);
    bound.release();
  }

  /** Why a restart would help; undefined if it would not. */
  liveness(): string | undefined {
    const stuck = this.#controllers.flatMap((controller) => controller.stuckPasses(STUCK_GRACE_MS));
    return stuck.length === 0 ? undefined : `passes outlived their deadline: ${stuck.join(', ')}`;
  }

  /** What the operator cannot do of its work, and why; undefined if it can. A standby can. */
  readiness(): string | undefined {
    const faults = new Set([
      ...this.#units.flatMap(({ runtime }) => runtime.faults()),
      ...(this.#shared.ports.rights?.missing() ?? []),
    ]);
    return faults.size === 0 ? undefined : [...faults].join('; ');
  }

  refreshMetrics(): void {
    for (const controller of this.#controllers) controller.refreshMetrics();
  }

  #requeueRefused(): void {
    const reason: KubeReason = 'Forbidden';
    for (const controller of this.#controllers) controller.requeueFailed(reason);
  }

  /** Only MyIngress uses it: without that kind the operator needs no right to read kube-system. */
  async #readClusterId(): Promise<string> {
    const { client, options, ports } = this.#shared;
    if (options.clusterId !== undefined) return options.clusterId;
    if (!options.kinds.includes('myingress')) return '';
    const { clock, log } = ports;
    return readClusterId({ client, clock, log, signal: this.#stopping.signal });
  }

  async #startUnit({ name, runtime, build }: WiredUnit, clusterId: string): Promise<void> {
    await untilAborted(runtime.synced(), this.#stopping.signal);
    const controller = build(clusterId);
    this.#controllers.push(controller);
    controller.start();
    this.#shared.ports.log.info('controller started', { controller: name });
  }
}
