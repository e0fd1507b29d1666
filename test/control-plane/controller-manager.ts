import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from './cluster-access.ts';
import { type ManagedProcess, startProcess, type WorkerSpec } from './managed-process.ts';

/**
 * Starts kube-controller-manager as the administrator and waits until it works, which shows by the
 * default ServiceAccount that it creates.
 */
export async function startControllerManager(
  spec: WorkerSpec,
  cluster: ClusterAccess,
  readyTimeoutMs: number,
): Promise<ManagedProcess> {
  const caFile = join(spec.directory, 'ca.pem');
  await writeFile(caFile, cluster.caPem);
  const process = await startProcess({
    ...spec,
    name: 'kube-controller-manager',
    args: [
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--authentication-kubeconfig=${cluster.kubeconfigPath}`,
      `--authorization-kubeconfig=${cluster.kubeconfigPath}`,
      '--service-account-private-key-file=service-account.key',
      `--root-ca-file=${caFile}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--horizontal-pod-autoscaler-sync-period=1s',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      ...spec.extraArgs,
    ],
  });
  const deadline = performance.now() + readyTimeoutMs;
  while (!(await hasDefaultServiceAccount(cluster))) {
    if (process.hasExited() || performance.now() > deadline) {
      const tail = await process.logTail();
      await process.kill();
      throw new Error(`kube-controller-manager did not start to work:\n${tail}`);
    }
    await sleep(100);
  }
  return process;
}

async function hasDefaultServiceAccount(cluster: ClusterAccess): Promise<boolean> {
  const result = await cluster.kubectl(['get', 'serviceaccount', 'default', '-n', 'default']);
  return result.code === 0;
}
