// Lives here: the whole operator as one process; each folder has one part, src/setup puts the kinds together.
// May import it: nobody; src/cli and localstack/embedded/data-plane take system-clock.ts.
// Start with: this file, then operator.ts; docs/architecture.md follows one pass file by file.

import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { createSdkApi } from './aws/client/sdk-api.ts';
import { type AwsConfig, loadConfig, type OperatorConfig } from './config/config.ts';
import { formatSettingsHelp, settings } from './config/settings.ts';
import { drawUuid } from './core/ports/clock.ts';
import type { Leadership } from './core/ports/leadership.ts';
import type { Logger } from './core/ports/logger.ts';
import { OperatorError } from './core/reconcile/operator-error.ts';
import { type Cluster, loadCluster } from './kube/client/credentials.ts';
import { KubeClient } from './kube/client/kube-client.ts';
import { Rights } from './kube/client/rights.ts';
import { UndiciTransport } from './kube/client/undici-transport.ts';
import { Election, type ElectionOptions } from './kube/lease/election.ts';
import { countConnections, Operator } from './operator.ts';
import type { OperatorSettings } from './setup/context.ts';
import { reportDefinitions } from './setup/definitions/definitions.ts';
import { metricDefinitions } from './setup/metrics.ts';
import { systemClock as clock, drawSecretBytes } from './system-clock.ts';
import { serveHealth } from './telemetry/health.ts';
import {
  type HttpServer,
  type HttpServerOptions,
  type ListenAddress,
  startHttpServer,
} from './telemetry/http-server.ts';
import { exitOnceWritten } from './telemetry/log-destination.ts';
import { openLog } from './telemetry/logger.ts';
import {
  type Exposition,
  PrometheusMetrics,
  processMetrics,
  serveMetrics,
} from './telemetry/metrics.ts';

/** The composition root: reads the settings, wires the parts, runs them, stops them in order. */

const USER_AGENT = `albridge/${manifest.version}`;
const LEASE_NAME = 'albridge';
/** sysexits.h: the settings are wrong, and starting again will not help. */
const EX_CONFIG = 78;

const HELP = `albridge ${manifest.version}: a Kubernetes operator that bridges custom resources to AWS.

Usage: node src/main.ts [--help | --version]

${formatSettingsHelp()}`;

interface Running {
  readonly operator: Operator;
  readonly election: Election | undefined;
  readonly http: readonly HttpServer[];
  readonly rights: Rights;
  readonly transport: UndiciTransport;
  readonly closeAws: () => void;
  readonly log: Logger;
}

type Stop = (why: string, exitCode: number) => void;

await run();

async function run(): Promise<void> {
  const mode = readArguments();
  if (mode !== 'run') return print(mode === 'help' ? HELP : `${manifest.version}\n`);
  const parsed = loadConfig();
  if (parsed.kind === 'problems') return refuse(parsed.problems);
  try {
    await serve(parsed.config);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    refuse([error.message]);
  }
}

function readArguments(): 'run' | 'help' | 'version' {
  const flag = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({ options: { help: flag, version: flag } });
    if (values.help) return 'help';
    return values.version ? 'version' : 'run';
  } catch (error) {
    // What follows is about positional arguments in general.
    const [sentence] = (error as Error).message.split(/\. /, 1);
    refuse([`${sentence}; run with --help for usage`]);
    process.exit();
  }
}

/** Its reader may be gone, which a pipe reports by SIGPIPE to other programs: 128 + 13. */
function print(text: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exitCode = code === 'EPIPE' ? 141 : 1;
    if (code === 'EPIPE') return;
    process.stderr.write(`albridge: the output cannot be written (${code}): check where it goes\n`);
  });
  process.stdout.write(text);
}

function refuse(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`albridge: ${problem}\n`);
  process.exitCode = EX_CONFIG;
}

/**
 * Takes signals from the beginning: node is process 1 in the image, and such a process does not end by a signal for which it
 * has no handler (https://man7.org/linux/man-pages/man7/pid_namespaces.7.html). Until the operator runs there is nothing to
 * stop. The listeners that the image has while it loads go after the next are there: where there is none, Node drops a
 * signal that has come while it was busy.
 */
async function serve(config: OperatorConfig): Promise<void> {
  let stop: Stop = (_why, exitCode) => exitOnceWritten(clock, exitCode);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const earlier = process.listeners(signal);
    process.on(signal, () => stop(signal, 0));
    for (const listener of earlier) process.off(signal, listener);
  }
  const metrics = new PrometheusMetrics(metricDefinitions.flatMap((all) => Object.values(all)));
  metrics.gauge(processMetrics.buildInfo, { version: manifest.version }, 1);
  const log = await openLog(config.log, { clock, metrics });
  const cluster = loadCluster(config.cluster, clock);
  log.info('starting', {
    version: manifest.version,
    cluster: cluster.server,
    credentials: cluster.description,
    mode: config.mode,
    kinds: config.kinds,
    ...(config.aws && describeAws(config.aws)),
  });
  stop = runUntilStopped(await start(config, cluster, { log, metrics }));
}

function describeAws(aws: AwsConfig): Readonly<Record<string, string>> {
  const { region, endpoint = 'AWS', ec2Endpoint = 'AWS', acmEndpoint = 'AWS', proxy } = aws;
  return {
    ...{ region, endpoint },
    ...(ec2Endpoint !== endpoint && { ec2Endpoint }),
    ...(acmEndpoint !== endpoint && { acmEndpoint }),
    ...(proxy && { proxy: new URL(proxy.url).host }),
  };
}

/**
 * Probes and metrics first: the address may be taken, and then nothing else has begun. The watch
 * comes next: everything else can happen while it fills the cache.
 */
async function start(
  config: OperatorConfig,
  cluster: Cluster,
  { log, metrics }: { readonly log: Logger; readonly metrics: PrometheusMetrics },
): Promise<Running> {
  const begun: { operator?: Operator } = {};
  const http = await serveHttp(config, metrics, () => begun.operator);
  const transport = new UndiciTransport(cluster, {
    userAgent: USER_AGENT,
    clock,
    log,
    connections: countConnections(config),
  });
  const podName = config.pod.name ?? hostname();
  // Two pods may have one name for a while, and the pid is 1 in every container.
  const identity = `${podName}_${drawUuid(clock)}`;
  const rights = new Rights({ client: new KubeClient({ transport, clock, metrics }), clock, log });
  const client = new KubeClient({ transport, clock, metrics, rights });
  void reportDefinitions(new KubeClient({ transport, clock, metrics }), { ...config, log });
  const election = joinElection(config, cluster, { client, identity, clock, log, metrics });
  const leadership: Leadership = election ?? { isLeader: () => true };
  const api =
    config.aws && createSdkApi({ clock, leadership, userAgent: USER_AGENT, ...config.aws });
  const acquired = election?.acquired ?? Promise.resolve();
  const ports = {
    ...{ transport, clock, log, metrics, leadership, acquired, rights },
    ...(api && { api }),
  };
  const ownNamespace = config.pod.namespace;
  const names = { identity, podName, ownNamespace, ...placeHashKey(config, cluster) };
  const operator = new Operator(ports, { ...config, ...names });
  begun.operator = operator;
  return { operator, election, http, rights, transport, closeAws: () => api?.close(), log };
}

/** Undefined: this process works without asking others. */
function joinElection(
  config: OperatorConfig,
  cluster: Cluster,
  options: Omit<ElectionOptions, 'namespace' | 'name'>,
): Election | undefined {
  if (!(config.leaderElection ?? cluster.isInCluster)) return undefined;
  const namespace = chooseNamespace(config, cluster);
  return new Election({ ...options, namespace, name: LEASE_NAME });
}

/** Without it Secrets are not watched. */
function placeHashKey(config: OperatorConfig, cluster: Cluster): Pick<OperatorSettings, 'hashKey'> {
  if (!config.secrets) return {};
  const namespace = chooseNamespace(config, cluster);
  return { hashKey: { namespace, draw: () => drawSecretBytes(32) } };
}

/** Of what this installation keeps for itself. */
function chooseNamespace({ pod }: OperatorConfig, cluster: Cluster): string {
  return pod.namespace ?? cluster.namespace ?? 'default';
}

/** Health has a port of its own: a flood on the other does not keep the kubelet out. */
async function serveHttp(
  { metricsAddress, healthAddress }: OperatorConfig,
  metrics: PrometheusMetrics,
  operator: () => Operator | undefined,
): Promise<readonly HttpServer[]> {
  const collect = (): Promise<Exposition> => {
    operator()?.refreshMetrics();
    return metrics.collect();
  };
  const answerHealth = serveHealth({
    liveness: { passes: () => operator()?.checkLiveness() },
    readiness: {
      watch: () => (operator() === undefined ? 'not begun' : operator()?.checkReadiness()),
    },
  });
  return startAll([
    {
      address: metricsAddress,
      setting: settings.metricsAddress.name,
      maxConnections: 64,
      answer: serveMetrics(collect, clock),
    },
    {
      address: healthAddress,
      setting: settings.healthAddress.name,
      // Twice the connections that one turn of the event loop can accept, Node's backlog of 511:
      // a probe is answered before the next turn resets it.
      maxConnections: 1024,
      answer: answerHealth,
    },
  ]);
}

type Listening = Omit<HttpServerOptions, 'address' | 'clock'> & {
  readonly address: ListenAddress | undefined;
};

/** All of them, or none. */
async function startAll(addresses: readonly Listening[]): Promise<readonly HttpServer[]> {
  const servers: HttpServer[] = [];
  try {
    for (const { address, ...options } of addresses) {
      if (address !== undefined)
        servers.push(await startHttpServer({ ...options, address, clock }));
    }
    return servers;
  } catch (error) {
    for (const server of servers) await server.stop();
    throw error;
  }
}

/**
 * Returns what a signal calls: the first one stops in order, the second at once. A lost lease and a failed start stop like a
 * signal does: a leader that works on nothing would keep every other replica from it.
 */
function runUntilStopped(running: Running): Stop {
  const { election, log, operator } = running;
  let isStopping = false;
  const stop: Stop = (why, exitCode) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info('stopping', { why });
    stopInOrder(running, new Error(why)).then(
      () => exitOnceWritten(clock, exitCode),
      (error: unknown) => {
        log.error('the stop failed', { err: error });
        exitOnceWritten(clock, 1);
      },
    );
  };
  void election?.lost.then(() => {
    if (!isStopping) stop('the lease was lost', 1);
  });
  operator.start().catch((error: unknown) => {
    if (isStopping) return;
    log.error('startup failed', { err: error });
    stop('startup failed', 1);
  });
  return stop;
}

async function stopInOrder(running: Running, reason: Error): Promise<void> {
  const { operator, http, election, rights, transport, closeAws, log } = running;
  await operator.stop(reason, async () => {
    await Promise.all(http.map((server) => server.stop()));
    await election?.release();
  });
  rights.stop();
  await transport.close();
  closeAws();
  log.info('stopped');
}
