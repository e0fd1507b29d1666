import { resolve } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';

const BASE = resolve(import.meta.dirname, '../../deploy/base');
const NAMESPACE = 'albridge-system';
const SERVICE_ACCOUNT = 'albridge';

/**
 * Installs what is shipped (namespace, CRDs, roles) and returns a kubeconfig that acts as the
 * shipped ServiceAccount, so that the operator runs with the rights it will have.
 */
export async function deployBase(cluster: ClusterAccess): Promise<string> {
  await kubectlOrThrow(cluster, ['apply', '--server-side', '-k', BASE]);
  await kubectlOrThrow(cluster, [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd',
    '--all',
  ]);
  return cluster.serviceAccountKubeconfig(NAMESPACE, SERVICE_ACCOUNT);
}

/** Runs kubectl and returns what it printed; throws its own words if it fails. */
export async function kubectlOrThrow(
  cluster: Pick<ClusterAccess, 'kubectl'>,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const result = await cluster.kubectl(args, input === undefined ? {} : { input });
  if (result.code === 0) return result.stdout;
  throw new Error(`kubectl ${args.join(' ')}: ${result.stderr.trim()}`);
}
