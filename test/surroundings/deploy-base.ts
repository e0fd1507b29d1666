import { resolve } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { until } from './until.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const NAMESPACE = 'albridge-system';
const SERVICE_ACCOUNT = 'albridge';

/**
 * Installs what is shipped (namespace, CRDs, roles) and returns a kubeconfig that acts as the
 * shipped ServiceAccount, so that the operator runs with the rights it will have.
 */
export async function deployBase(cluster: ClusterAccess): Promise<string> {
  await kubectlOrThrow(cluster, ['apply', '--server-side', '-k', DEPLOY]);
  await whenEstablished(cluster);
  await whenBound(cluster);
  return cluster.serviceAccountKubeconfig(NAMESPACE, SERVICE_ACCOUNT);
}

interface Definitions {
  readonly items: readonly {
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
    };
  }[];
}

/**
 * Waits until every CRD is served. Not by `kubectl wait`: the conditions of a CRD are null until the
 * API server has looked at it, and that ends `kubectl wait` with an error.
 */
export async function whenEstablished(cluster: Pick<ClusterAccess, 'kubectl'>): Promise<void> {
  await until('every CRD is established', async () => {
    const json = await kubectlOrThrow(cluster, ['get', 'crds', '-o', 'json']);
    return (JSON.parse(json) as Definitions).items.every(({ status }) =>
      status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True'),
    );
  });
}

/** Waits until the ServiceAccount has its rights: the API server learns of bindings by a watch. */
async function whenBound(cluster: ClusterAccess): Promise<void> {
  await until('the ServiceAccount has its rights', () => mayOperator(cluster, 'list'));
}

/** Whether the shipped ServiceAccount may do this with MyIngresses, as the API server judges now. */
export async function mayOperator(
  cluster: ClusterAccess,
  verb: string,
  subresource = '',
): Promise<boolean> {
  const account = `--as=system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`;
  const what = ['myingresses.demo.rtfm.co.ua', `--subresource=${subresource}`];
  const may = ['auth', 'can-i', verb, ...what, '-A', account];
  return (await cluster.kubectl(may)).stdout.trim() === 'yes';
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
