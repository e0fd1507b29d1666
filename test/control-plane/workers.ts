import type { BinaryName } from './binaries.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { startControllerManager } from './controller-manager.ts';
import { startKwok } from './kwok.ts';
import type { ManagedProcess, ProcessSpec, WorkerSpec } from './managed-process.ts';
import { startScheduler } from './scheduler.ts';

/** What may run beside etcd and the API server. */
export interface WorkerOptions {
  /** Runs kube-controller-manager too: ServiceAccounts, garbage collection, Deployments. */
  readonly controllerManager?: boolean;
  /** Runs kube-scheduler too. */
  readonly scheduler?: boolean;
  /**
   * Nodes, played by kwok: pods on them become Running and Ready without any container, and can be
   * deleted and evicted. See kwok-stages.yaml. Needs the two above.
   */
  readonly nodes?: number;
  /** Further flags of kube-controller-manager and of kube-scheduler. */
  readonly workerArgs?: readonly string[];
}

type WorkerName = Extract<BinaryName, 'kube-controller-manager' | 'kube-scheduler' | 'kwok'>;

/** The binaries that the options call for. Throws where nodes could never take a pod. */
export function workersOf(options: WorkerOptions): readonly WorkerName[] {
  const { controllerManager = false, scheduler = false, nodes = 0 } = options;
  if (nodes > 0 && !(controllerManager && scheduler)) {
    throw new Error('nodes take pods only with controllerManager and scheduler');
  }
  const names: WorkerName[] = [];
  if (controllerManager) names.push('kube-controller-manager');
  if (scheduler) names.push('kube-scheduler');
  if (nodes > 0) names.push('kwok');
  return names;
}

export interface WorkerStart {
  readonly common: Omit<ProcessSpec, 'name' | 'args' | 'path'>;
  readonly paths: Readonly<Partial<Record<WorkerName, string>>>;
  readonly nodes: number;
  readonly extraArgs: readonly string[];
  readonly readyTimeoutMs: number;
  /** Called for each process as soon as it runs. */
  readonly onStart: (process: ManagedProcess) => void;
}

/** Starts what has a path, and returns when all of it works. */
export async function startWorkers(cluster: ClusterAccess, start: WorkerStart): Promise<void> {
  const { common, paths, nodes, extraArgs, readyTimeoutMs, onStart } = start;
  const at = (path: string): WorkerSpec => ({ ...common, path, extraArgs });
  if (paths['kube-controller-manager'] !== undefined) {
    const spec = at(paths['kube-controller-manager']);
    onStart(await startControllerManager(spec, cluster, readyTimeoutMs));
  }
  const scheduler =
    paths['kube-scheduler'] && (await startScheduler(at(paths['kube-scheduler']), cluster));
  if (scheduler) onStart(scheduler);
  if (paths.kwok !== undefined) {
    onStart(await startKwok(at(paths.kwok), cluster, { nodes, readyTimeoutMs }));
  }
  if (scheduler && scheduler.hasExited()) {
    throw new Error(`kube-scheduler ended while starting:\n${await scheduler.logTail()}`);
  }
}
