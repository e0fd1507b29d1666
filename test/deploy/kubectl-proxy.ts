import { dirname } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { startProcess } from '../control-plane/managed-process.ts';
import { startWatchdog } from '../control-plane/watchdog.ts';
import { until } from '../surroundings/until.ts';

export interface KubectlProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** The real `kubectl proxy` with a container's arguments, on another port, as a ServiceAccount. */
export async function startKubectlProxy(
  cluster: ClusterAccess,
  kubeconfig: string,
  args: readonly string[],
): Promise<KubectlProxy> {
  const port = await findFreePort();
  const watchdog = startWatchdog([]);
  const process = await startProcess({
    name: 'kubectl-proxy',
    path: cluster.kubectlPath,
    args: [
      `--kubeconfig=${kubeconfig}`,
      ...args.map((arg) => arg.replace('--port=8001', `--port=${port}`)),
    ],
    directory: dirname(kubeconfig),
    env: isolatedEnvironment(globalThis.process.env, cluster.directory),
    watchdog,
  });
  const url = `http://127.0.0.1:${port}`;
  await until('kubectl proxy answers', async () => (await fetch(`${url}/version`)).ok);
  return {
    url,
    stop: async () => {
      await process.stop(2000);
      watchdog.finish();
    },
  };
}
