import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES } from '../../deploy/alerts.ts';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { type ManagedProcess, startProcess } from '../control-plane/managed-process.ts';
import { startWatchdog } from '../control-plane/watchdog.ts';
import { refusal, refuse } from '../localstack/setup-faults.ts';
import { type Place, placeOf } from '../localstack/setup-place.ts';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { locatePrometheus } from './debian-prometheus.ts';
import { type Labels, type Scrape, takeScrape } from './exposition.ts';

const JOB = 'albridge';
const HEALTH_CHECK = { intervalSeconds: 5, timeoutSeconds: 2 };

/** A real operator, what it shows while all is well and in trouble, and a real Prometheus that scrapes it. */
export class Monitored {
  readonly directory: string;
  /** Two of the operator while nothing is wrong. */
  healthy!: readonly [Scrape, Scrape];
  /** After everything that can be provoked in seconds. */
  troubled!: Scrape;
  #parts!: Parts;
  /** In the order of the starts. */
  readonly #stops: (() => unknown)[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async start(): Promise<Monitored> {
    const monitored = new Monitored(await mkdtemp(join(tmpdir(), 'albridge-monitored-')));
    try {
      await monitored.#startParts();
      await monitored.#fill();
      return monitored;
    } catch (error) {
      await monitored.stop();
      throw error;
    }
  }

  /** kubectl of an administrator. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    return this.#parts.place.kubectl(args, input);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).toReversed()) await stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #startParts(): Promise<void> {
    const surroundings = await startSurroundings({ provisioningMs: 200, budget: 'aws' });
    this.#stops.push(() => surroundings.stop());
    const operatorPort = await findFreePort();
    const operator = surroundings.launchOperator({
      ALBRIDGE_METRICS_ADDRESS: `127.0.0.1:${operatorPort}`,
      ALBRIDGE_SWEEP_INTERVAL: '2s',
      ALBRIDGE_LEADER_ELECTION: 'on',
      POD_NAMESPACE: 'albridge-system',
    });
    await operator.waitForLine((line) => line.msg === 'working');
    const pods = await startPods();
    this.#stops.push(() => pods.close());
    const { server, port, release } = await startPrometheus(this.directory, operatorPort);
    this.#stops.push(release, () => server.stop(5_000));
    const place = placeOf(surroundings);
    this.#stops.push(() => place.close());
    this.#parts = { place, pods, port, operatorPort };
  }

  /** The series that a query gives now. */
  async query(expression: string): Promise<readonly { readonly value: [number, string] }[]> {
    const query = new URLSearchParams({ query: expression });
    type Result = { readonly result: readonly { readonly value: [number, string] }[] };
    return (await this.#ask<Result>(`query?${query.toString()}`)).result;
  }

  /** The series of a query since Prometheus has run, which must be less than ten minutes; one value a second. */
  async queryAll(expression: string): Promise<readonly Series[]> {
    const end = Date.now() / 1000;
    const range = { start: String(end - 600), end: String(end), step: '1' };
    const query = new URLSearchParams({ query: expression, ...range });
    type Result = { readonly result: readonly Series[] };
    return (await this.#ask<Result>(`query_range?${query.toString()}`)).result;
  }

  /** Each rule of Prometheus, with its health. */
  async rules(): Promise<readonly { readonly name: string; readonly health: string }[]> {
    type Rules = {
      readonly groups: readonly {
        readonly rules: readonly { readonly name: string; readonly health: string }[];
      }[];
    };
    return (await this.#ask<Rules>('rules')).groups.flatMap(({ rules }) => rules);
  }

  async #ask<T>(path: string): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.#parts.port}/api/v1/${path}`);
    const { data, error } = (await answer.json()) as { readonly data: T; readonly error?: string };
    if (!answer.ok) throw new Error(`${path}: ${error}`);
    return data;
  }

  #scrape(): Promise<Scrape> {
    return takeScrape(`http://127.0.0.1:${this.#parts.operatorPort}/metrics`);
  }

  async #fill(): Promise<void> {
    const { place } = this.#parts;
    const objects = await place.createNamespace('monitored');
    await this.#serve(objects);
    const before = await this.#scrape();
    // Two drift scans later; whatever grows in a quiet hour grows meanwhile.
    const completedAt = 'albridge_drift_scan_timestamp_seconds';
    const since = before.sum(completedAt) + 4;
    const after = await until('two more drift scans', async () => {
      const scrape = await this.#scrape();
      // A busy API server may just have closed a watch.
      const isWell = scrape.sum('albridge_watch_faults') === 0;
      return isWell && scrape.sum(completedAt) > since && scrape;
    });
    this.healthy = [before, after];
    await this.#disturb(objects);
    this.troubled = await this.#scrape();
  }

  /** A balancer with healthy targets, a paused object and a ConfigMonitor. */
  async #serve(objects: MyIngresses): Promise<void> {
    const { place, pods } = this.#parts;
    const subnets = place.network.articleSubnets;
    const endpoints = new Endpoints(place.api, objects.namespace);
    await endpoints.create('web', [podAddress(1), podAddress(2)]);
    const { port } = pods.address() as AddressInfo;
    await place.standIn.setTargets(
      [1, 2].map((pod) => ({ ip: podAddress(pod), port: 80, address: `127.0.0.1:${port}` })),
    );
    const web = { name: 'web', service: { name: 'web', port: 80 }, healthCheck: HEALTH_CHECK };
    await objects.create('shop', { subnets, backends: [web] });
    await objects.create('paused', { subnets }, { 'albridge.io/paused': 'true' });
    const inNamespace = ['-n', objects.namespace, 'apply', '-f', '-'];
    await place.kubectl(inNamespace, JSON.stringify(CONFIG_MAP));
    await place.kubectl(inNamespace, JSON.stringify(CONFIG_MONITOR));
    await objects.whenReady('shop');
    await objects.whenReason('paused', 'Paused');
    await this.#until('the targets are healthy', groups('healthy'));
    await this.#until('the source is watched', {
      ...{ name: 'albridge_configmonitor_waiting_pods', least: 0 },
    });
  }

  /** Objects that stall, targets that fail, a balancer that others change, and an AWS that refuses. */
  async #disturb(objects: MyIngresses): Promise<void> {
    const { place } = this.#parts;
    const subnets = place.network.articleSubnets;
    const shop = await objects.whenReady('shop');
    await place.outsider.setTags(arnOf(shop), { 'albridge.io/managed-by': 'somebody' });
    await this.#until('the drift is repaired', { name: 'albridge_drift_repairs_total' });
    const endpoints = new Endpoints(place.api, objects.namespace);
    await endpoints.create('dead', [podAddress(3)]);
    await endpoints.create('nobody', []);
    const backends = ['dead', 'nobody'].map((name) => {
      return { name, service: { name, port: 80 }, healthCheck: HEALTH_CHECK };
    });
    const defaultAction = { forward: backends.map(({ name }) => ({ backend: name, weight: 1 })) };
    await objects.create('failing', { subnets, backends, defaultAction });
    await this.#until('a group is unhealthy', groups('unhealthy'));
    await this.#until('a group is empty', groups('empty'));
    await refuse(place.standIn, 'CreateLoadBalancer', refusal('AccessDenied', 403));
    await objects.create('denied', { subnets });
    await objects.whenReason('denied', 'AccessDenied');
    await place.standIn.clearFaults();
    await objects.whenReady('denied');
    const unknown = ['subnet-0000000000000000f', 'subnet-0000000000000000e'];
    await objects.create('lost', { subnets: unknown });
    await objects.whenReason('lost', 'SubnetNotFound');
    const labels = { type: 'Stalled', reason: 'SubnetNotFound' };
    await this.#until('it is shown', { name: 'albridge_object_conditions', labels });
  }

  /** Until such series are there, and add up to `least`. */
  async #until(what: string, { name, labels, least = 1 }: Awaited): Promise<void> {
    await until(what, async () => {
      const scrape = await this.#scrape();
      return scrape.find(name, labels).length > 0 && scrape.sum(name, labels) >= least;
    });
  }
}

/** https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors */
export interface Series {
  readonly metric: Labels;
  /** Seconds since 1970, and the value as text. */
  readonly values: readonly (readonly [number, string])[];
}

interface Awaited {
  readonly name: string;
  readonly labels?: Labels;
  readonly least?: number;
}

interface Parts {
  readonly place: Place;
  readonly pods: Server;
  readonly operatorPort: number;
  /** Of Prometheus. */
  readonly port: number;
}

function groups(state: string): Awaited {
  return { name: 'albridge_target_groups', labels: { state } };
}

const CONFIG_MAP = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
  data: { colour: 'blue' },
};

const CONFIG_MONITOR = {
  ...{ apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor', metadata: { name: 'settings' } },
  spec: { configMap: 'settings', podSelector: { app: 'web' } },
};

/** What stands behind the healthy targets. */
async function startPods(): Promise<Server> {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface RunningPrometheus {
  readonly server: ManagedProcess;
  readonly port: number;
  readonly release: () => void;
}

async function startPrometheus(
  directory: string,
  operatorPort: number,
): Promise<RunningPrometheus> {
  const { path } = await locatePrometheus('prometheus');
  const port = await findFreePort();
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      { job_name: JOB, static_configs: [{ targets: [`127.0.0.1:${operatorPort}`] }] },
    ],
  };
  // JSON is YAML.
  await writeFile(join(directory, 'prometheus.yaml'), JSON.stringify(configuration));
  await writeFile(join(directory, 'rules.yaml'), await readFile(RULES));
  const watchdog = startWatchdog([directory]);
  const server = await startProcess({
    ...{ name: 'prometheus', path, directory, watchdog },
    args: [
      '--config.file=prometheus.yaml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: isolatedEnvironment(process.env, directory),
  });
  await until('Prometheus is ready', async () => {
    if (server.hasExited()) throw new Error(await server.logTail());
    return (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok;
  });
  return { server, port, release: () => watchdog.finish() };
}
