import type { ClusterAccess } from './cluster-access.ts';
import { type ManagedProcess, startProcess, type WorkerSpec } from './managed-process.ts';

/** Starts kube-scheduler as the administrator; it gives pods their nodes once there are some. */
export function startScheduler(spec: WorkerSpec, cluster: ClusterAccess): Promise<ManagedProcess> {
  return startProcess({
    ...spec,
    name: 'kube-scheduler',
    args: [
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--authentication-kubeconfig=${cluster.kubeconfigPath}`,
      `--authorization-kubeconfig=${cluster.kubeconfigPath}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      ...spec.extraArgs,
    ],
  });
}
