import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiServerIdentity,
  type ApiServerSpec,
  createIdentity,
  PortTakenError,
  type RunningApiServer,
  startApiServer,
} from './api-server.ts';
import type { BinaryName } from './binaries.ts';
import { accessCluster, type ClusterAccess, writeKubeconfig } from './cluster-access.ts';
import { isolatedEnvironment } from './environment.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import { findFreePort } from './free-port.ts';
import { type LocateOptions, locateBinaries } from './locate.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { LocatedBinary } from './obtain.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';
import { startWorkers, type WorkerOptions, type WorkerStart, workersOf } from './workers.ts';

export interface ControlPlaneOptions extends WorkerOptions {
  /** Holds everything, and stays afterwards; default: a temporary one, removed at the end. */
  readonly directory?: string;
  /** Default `kube-apiserver`; the other is of the oldest Kubernetes that is promised, and gets its etcd too. */
  readonly apiServer?: 'kube-apiserver' | 'kube-apiserver-oldest';
  /** Further kube-apiserver flags, e.g. `--feature-gates=...`; they win over ours. */
  readonly apiServerArgs?: readonly string[];
  /**
   * Called when the API server is ready and before anything works on its objects. What is defined
   * here is known to the garbage collector from the start; of a kind that is defined later it learns
   * only every 30 s, and until then leaves alone what objects of that kind owned.
   */
  readonly beforeWorkers?: (cluster: ClusterAccess) => Promise<void>;
  /**
   * Whether etcd answers a write only once the disk has it, as in every real cluster. Default false:
   * a test loses nothing by it, and gains time.
   */
  readonly isDurable?: boolean;
  /** How long each process may take to become ready; default 60 s. */
  readonly readyTimeoutMs?: number;
  /** Where binaries come from. */
  readonly locate?: LocateOptions;
}

/** Real etcd and kube-apiserver processes, and their life. */
export interface ControlPlane extends ClusterAccess {
  /** From the first process to ready, without finding the binaries. */
  readonly bootMs: number;
  /** Process ids that run now, the youngest process first. */
  readonly pids: () => readonly number[];
  /** Stops the API server in good order, stays away for `downMs`, starts it again. */
  readonly restartApiServer: (options?: { readonly downMs?: number }) => Promise<void>;
  /** SIGKILL: connections break in the middle. */
  readonly killApiServer: () => Promise<void>;
  /** Starts it again on the same port and data, and waits until it is ready. */
  readonly startApiServer: () => Promise<void>;
  /**
   * Makes etcd forget the history before its newest revision, or before `revision`. The API server
   * answers 410 Gone for it once its own memory is out of the way: for the next page of a list
   * within 15 s, or at once with `--feature-gates=ListFromCacheSnapshot=false` among its flags;
   * for a watch, after `restartApiServer()`.
   */
  readonly compactEtcd: (revision?: number) => Promise<void>;
  /** The last lines that kube-apiserver logged. */
  readonly apiServerLog: (lines?: number) => Promise<string>;
  /** Ends every process and removes what was temporary. May be called more than once. */
  readonly stop: () => Promise<void>;
}

/** What one start works with; `running` grows as processes come up. */
interface Boot {
  readonly options: ControlPlaneOptions;
  readonly paths: BinaryPaths;
  readonly directory: string;
  /** Short, for unix sockets; removed at the end. */
  readonly temporaryDirectory: string;
  readonly watchdog: Watchdog;
  readonly running: Running;
}

interface BinaryPaths {
  readonly etcd: string;
  readonly apiServer: string;
  readonly kubectl: string;
  readonly workers: WorkerStart['paths'];
}

interface Running {
  etcd?: Etcd;
  apiServer?: RunningApiServer;
  readonly workers: ManagedProcess[];
}

/** Grace before SIGKILL; the API server may be busy closing watches. */
const graceMs = 2000;

/**
 * Starts etcd and kube-apiserver, on request what works on their objects, and waits until all of it
 * is ready. They end with `stop()`, and also when this process dies in any other way. Throws
 * MissingBinaryError, or an error with the end of the log of what did not start; nothing is left
 * running then.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const paths = await locatePaths(options);
  const startedAt = performance.now();
  const temporaryDirectory = await mkdtemp(join(shortTemporaryRoot(), 'albridge-'));
  const directory = resolve(options.directory ?? temporaryDirectory);
  await mkdir(directory, { recursive: true });
  const watchdog = startWatchdog([temporaryDirectory]);
  const boot: Boot = {
    options,
    paths,
    directory,
    temporaryDirectory,
    watchdog,
    running: { workers: [] },
  };
  try {
    const { cluster, spec, identity } = await bootAll(boot);
    const bootMs = performance.now() - startedAt;
    return { ...cluster, bootMs, ...lifecycle(boot, spec, identity) };
  } catch (error) {
    await stopAll(boot);
    throw error;
  }
}

/** A socket path holds about 100 bytes, and some TMPDIRs are that long already. */
function shortTemporaryRoot(): string {
  return tmpdir().length > 70 ? '/tmp' : tmpdir();
}

async function locatePaths(options: ControlPlaneOptions): Promise<BinaryPaths> {
  const workers = workersOf(options);
  const apiServer = options.apiServer ?? 'kube-apiserver';
  const etcd = apiServer === 'kube-apiserver-oldest' ? 'etcd-oldest' : 'etcd';
  const located: Readonly<Partial<Record<BinaryName, LocatedBinary>>> = await locateBinaries(
    [etcd, apiServer, 'kubectl', ...workers],
    options.locate,
  );
  const pathOf = (name: BinaryName): string => located[name]?.path ?? '';
  return {
    etcd: pathOf(etcd),
    apiServer: pathOf(apiServer),
    kubectl: pathOf('kubectl'),
    workers: Object.fromEntries(workers.map((name) => [name, pathOf(name)])),
  };
}

async function bootAll(boot: Boot): Promise<{
  readonly cluster: ClusterAccess;
  readonly spec: ApiServerSpec;
  readonly identity: ApiServerIdentity;
}> {
  const { directory, options, paths, running } = boot;
  const common = processCommon(boot);
  const identity = await createIdentity(directory);
  const { isDurable = false } = options;
  const etcd = { ...common, path: paths.etcd, isDurable };
  running.etcd = await startEtcd(etcd, boot.temporaryDirectory);
  const spec = await startOnFreePort(boot, running.etcd, identity);
  const cluster = await describeCluster(boot, spec, identity);
  await options.beforeWorkers?.(cluster);
  await startWorkers(cluster, {
    common,
    paths: paths.workers,
    nodes: options.nodes ?? 0,
    extraArgs: options.workerArgs ?? [],
    readyTimeoutMs: readyTimeoutMs(options),
    onStart: (worker) => running.workers.unshift(worker),
  });
  return { cluster, spec, identity };
}

function processCommon({ directory, watchdog }: Boot): {
  readonly directory: string;
  readonly env: Record<string, string>;
  readonly watchdog: Watchdog;
} {
  return { directory, watchdog, env: isolatedEnvironment(process.env, directory) };
}

function readyTimeoutMs(options: ControlPlaneOptions): number {
  return options.readyTimeoutMs ?? 60_000;
}

async function startOnFreePort(
  boot: Boot,
  etcd: Etcd,
  identity: ApiServerIdentity,
): Promise<ApiServerSpec> {
  for (let attempt = 1; ; attempt++) {
    const spec: ApiServerSpec = {
      ...processCommon(boot),
      path: boot.paths.apiServer,
      port: await findFreePort(),
      etcdAddress: etcd.address,
      hasControllerManager: boot.options.controllerManager ?? false,
      extraArgs: boot.options.apiServerArgs ?? [],
      readyTimeoutMs: readyTimeoutMs(boot.options),
    };
    try {
      boot.running.apiServer = await startApiServer(spec, identity);
      return spec;
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === 3) throw error;
    }
  }
}

async function describeCluster(
  { directory, paths, running }: Boot,
  { port }: ApiServerSpec,
  { adminToken }: ApiServerIdentity,
): Promise<ClusterAccess> {
  const url = `https://127.0.0.1:${port}`;
  const caPem = running.apiServer?.caPem ?? '';
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeKubeconfig(kubeconfigPath, { url, caPem, token: adminToken, name: 'admin' });
  const kubectlPath = paths.kubectl;
  return accessCluster({ url, caPem, adminToken, kubeconfigPath, kubectlPath, directory });
}

type Lifecycle = Omit<ControlPlane, keyof ClusterAccess | 'bootMs'>;

function lifecycle(boot: Boot, spec: ApiServerSpec, identity: ApiServerIdentity): Lifecycle {
  const { running } = boot;
  const start = async (): Promise<void> => {
    if (running.apiServer?.process.hasExited() === false) return;
    running.apiServer = await startApiServer(spec, identity);
  };
  return {
    pids: () => runningProcesses(running).map(({ pid }) => pid),
    startApiServer: start,
    killApiServer: async () => await running.apiServer?.process.kill(),
    restartApiServer: async ({ downMs = 0 } = {}) => {
      await running.apiServer?.process.stop(graceMs);
      await sleep(downMs);
      await start();
    },
    compactEtcd: async (revision) => await running.etcd?.compact(revision),
    apiServerLog: async (lines) => (await running.apiServer?.process.logTail(lines)) ?? '',
    stop: () => stopAll(boot),
  };
}

function runningProcesses(running: Running): readonly ManagedProcess[] {
  return [...running.workers, running.apiServer?.process, running.etcd?.process].filter(
    (process) => process !== undefined && !process.hasExited(),
  ) as readonly ManagedProcess[];
}

/** In the reverse order of the start, so that nobody misses what it depends on. */
async function stopAll({ running, temporaryDirectory, watchdog }: Boot): Promise<void> {
  for (const process of runningProcesses(running)) await process.stop(graceMs);
  watchdog.finish();
  await rm(temporaryDirectory, { recursive: true, force: true });
}
