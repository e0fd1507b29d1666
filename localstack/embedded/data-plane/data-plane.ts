// Lives here: what listeners do with requests, on the loopback: they route, forward and answer, with TLS and health checks.
// May import it: localstack/embedded/http takes on-demand.ts and target-table.ts. It stands on the model, which knows nothing of it.
// Start with: request-handler.ts; only on-demand.ts imports this file.

import type { Clock } from '../../../src/core/ports/clock.ts';
import type { AwsWorld } from '../aws-world.ts';
import type { Listener } from '../listeners/listener.ts';
import { type TrafficView, trafficAsOf } from '../traffic/traffic.ts';
import { chooseCertificate } from './certificates.ts';
import { Forwarder } from './forwarding.ts';
import { ListenerSocket } from './listener-socket.ts';
import { Prober } from './prober.ts';
import { handleRequest } from './request-handler.ts';
import type { TargetTable } from './target-table.ts';

export interface DataPlaneParts {
  readonly world: AwsWorld;
  readonly clock: Clock;
  readonly targets: TargetTable;
}

/** Where a listener can be reached. */
export interface ListenerAddress {
  readonly loadBalancerArn: string;
  readonly dnsName: string;
  readonly port: number;
  readonly protocol: string;
  /** `127.0.0.1:40123` */
  readonly address: string;
}

interface OpenListener {
  readonly listener: Listener;
  readonly socket: Promise<ListenerSocket>;
}

export class DataPlane {
  readonly #parts: DataPlaneParts;
  readonly #traffic: PropagatedTraffic;
  readonly #prober: Prober;
  readonly #forwarder: Forwarder;
  /** By ARN, port and protocol: a listener that changes one of the latter is another socket. */
  readonly #open = new Map<string, OpenListener>();
  readonly #usedPorts = new Set<number>();
  readonly #timers = new Set<() => void>();
  #isReconcileDue = false;
  #isStopped = false;

  constructor(parts: DataPlaneParts) {
    this.#parts = parts;
    this.#traffic = new PropagatedTraffic(parts.world);
    const shared = { ...parts, traffic: this.#traffic };
    this.#prober = new Prober(shared);
    this.#forwarder = new Forwarder({ ...shared, prober: this.#prober });
    this.noteChange();
  }

  /** To be called after each change of the control plane. */
  noteChange(): void {
    this.#traffic.noteChange();
    if (this.#isReconcileDue || this.#isStopped) return;
    this.#isReconcileDue = true;
    this.#later(0, () => {
      this.#isReconcileDue = false;
      this.#reconcile();
      const { propagationMs } = this.#parts.world.settings;
      if (propagationMs > 0) this.#later(propagationMs + 1, () => this.#reconcile());
    });
  }

  /** All listeners that have arrived, once their sockets are open. */
  async listAddresses(): Promise<readonly ListenerAddress[]> {
    this.#reconcile();
    const open = [...this.#open.values()].map(async ({ listener, socket }) => ({
      loadBalancerArn: listener.balancerArn,
      dnsName: this.#parts.world.balancers.byArn(listener.balancerArn)?.dnsName ?? '',
      port: listener.port,
      protocol: listener.protocol,
      address: (await socket).address,
    }));
    return Promise.all(open);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    this.#prober.stop();
    await this.#forwarder.stop();
    await Promise.all([...this.#open.values()].map(closeListener));
  }

  #reconcile(): void {
    this.#traffic.advance();
    const desired = new Map(
      this.#traffic.current.listeners.all().map((listener) => [socketKey(listener), listener]),
    );
    for (const [key, open] of this.#open) {
      if (desired.has(key)) continue;
      this.#open.delete(key);
      void closeListener(open);
    }
    for (const [key, listener] of desired) this.#openOrRenew(key, listener);
    this.#prober.reconcile();
    const nextCutMs = this.#forwarder.cutDrained();
    if (nextCutMs === undefined) return;
    this.#later(nextCutMs - this.#parts.clock.now() + 1, () => void this.#forwarder.cutDrained());
  }

  #openOrRenew(key: string, listener: Listener): void {
    const open = this.#open.get(key);
    if (open !== undefined)
      return void open.socket.then(
        (socket) => socket.renew(),
        () => {},
      );
    const socket = this.#openSocket(listener);
    socket.catch((error: unknown) => process.stderr.write(`data plane: ${String(error)}\n`));
    this.#open.set(key, { listener, socket });
  }

  #openSocket({ arn, protocol, balancerArn }: Listener): Promise<ListenerSocket> {
    const { world, clock } = this.#parts;
    const parts = { world, traffic: this.#traffic, forwarder: this.#forwarder };
    const get = (key: string): string | undefined =>
      world.balancers.byArn(balancerArn)?.attributes.get(key);
    return ListenerSocket.open({
      ...{ protocol, clock, usedPorts: this.#usedPorts },
      isHttp2On: () => get('routing.http2.enabled') !== 'false',
      keepAliveMs: Number(get('client_keep_alive.seconds') ?? 3600) * 1000,
      getIdleMs: () => Number(get('idle_timeout.timeout_seconds') ?? 60) * 1000,
      chooseCertificate: (servername) => {
        const { tls, extraCertificateArns = [] } = this.#traffic.current.listeners.byArn(arn) ?? {};
        if (tls === undefined) return undefined;
        const imported = world.importedCertificates;
        return chooseCertificate({ tls, extraCertificateArns, imported }, servername);
      },
      handle: (client) => handleRequest(parts, arn, client),
    });
  }

  #later(delayMs: number, act: () => void): void {
    const cancel = this.#parts.clock.setTimer(delayMs, () => {
      this.#timers.delete(cancel);
      act();
    });
    this.#timers.add(cancel);
  }
}

function socketKey({ arn, port, protocol }: Listener): string {
  return `${arn} ${port} ${protocol}`;
}

async function closeListener({ socket }: OpenListener): Promise<void> {
  const opened = await socket.catch(() => undefined);
  await opened?.close();
}

/**
 * Listeners, rules and target groups as far as they have reached the data plane: `propagationMs`
 * after the control plane. AWS's data plane takes changes in windows of about 10 s:
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/4039
 */
class PropagatedTraffic {
  readonly #world: Pick<AwsWorld, 'traffic' | 'settings' | 'clock'>;
  #past: TrafficView | undefined;
  /** Up to here every change has arrived. */
  #arrivedUntilMs = 0;

  constructor(world: Pick<AwsWorld, 'traffic' | 'settings' | 'clock'>) {
    this.#world = world;
    this.noteChange();
  }

  get current(): TrafficView {
    const { traffic, settings, clock } = this.#world;
    if (settings.propagationMs === 0) return traffic;
    const atMs = Math.max(clock.now() - settings.propagationMs, this.#arrivedUntilMs);
    this.#past ??= trafficAsOf(traffic, atMs);
    return this.#past;
  }

  /** To be called after each change: one that is made while nothing lags arrives at once. */
  noteChange(): void {
    const { settings, clock } = this.#world;
    if (settings.propagationMs === 0) this.#arrivedUntilMs = clock.now();
  }

  /** To be called when a change is old enough. */
  advance(): void {
    this.#past = undefined;
  }
}
