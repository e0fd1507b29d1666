import manifest from '../../../package.json' with { type: 'json' };
import type { Clock } from '../../core/ports/clock.ts';
import type { Lease } from '../../kube/lease/lease.ts';
import { type Deployment, readEnvironment, readIfAllowed } from '../account/installation.ts';
import type { ClusterAccess } from '../cluster.ts';
import type { Environment } from '../surroundings.ts';
import type { Check } from './check.ts';
import type { ServiceAccountUser } from './check-rights.ts';

/** The operator in the cluster: its Deployment, its Lease, and whether there are two of them. */

/** One installation. */
export interface InstalledOperator {
  readonly namespace: string;
  readonly name: string;
  readonly user: ServiceAccountUser;
  /** Tag of its image. */
  readonly version: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly env: Environment;
}

interface OperatorDeployment extends Deployment {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly serviceAccountName?: string;
        readonly containers: Deployment['spec']['template']['spec']['containers'] &
          readonly { readonly image?: string }[];
      };
    };
  };
  readonly status?: { readonly readyReplicas?: number };
}

/** By the label of every installation. Undefined: the caller may not list Deployments. */
export async function readInstalled(
  { client }: ClusterAccess,
  signal: AbortSignal,
): Promise<readonly InstalledOperator[] | undefined> {
  const path = '/apis/apps/v1/deployments';
  const query = { labelSelector: 'app.kubernetes.io/name=albridge' };
  const read = { path, query, signal };
  type List = { readonly items: readonly OperatorDeployment[] };
  const list = await readIfAllowed<List>(client, read);
  if (list === undefined) return undefined;
  return Promise.all(
    list.items.map(async (one) => shapeOperator(one, await readEnvironment(client, one, signal))),
  );
}

function shapeOperator(deployment: OperatorDeployment, env: Environment): InstalledOperator {
  const { metadata, spec, status } = deployment;
  const { serviceAccountName = 'default', containers } = spec.template.spec;
  const namespace = metadata.namespace ?? '';
  return {
    ...{ namespace, name: metadata.name, env },
    user: `system:serviceaccount:${namespace}:${serviceAccountName}`,
    version: /:([^:@/]+)(?:@.*)?$/.exec(containers[0]?.image ?? '')?.[1] ?? 'unknown',
    replicas: spec.replicas ?? 1,
    readyReplicas: status?.readyReplicas ?? 0,
  };
}

/** Its Deployment has a ready pod, of this version; pure. */
export function judgeDeployments(
  operators: readonly InstalledOperator[] | undefined,
): readonly Check[] {
  const name = 'operator';
  if (operators === undefined) {
    const message = 'you may not list Deployments';
    const next = 'ask for the right to list deployments of the API group apps';
    return [{ name, verdict: 'not checked', message, next }];
  }
  if (operators.length > 0) return operators.map(judgeDeployment);
  const message = 'no Deployment has the label app.kubernetes.io/name=albridge';
  const next = 'install it: docs/install.md; or start it outside of the cluster';
  return [{ name, verdict: 'failed', message, next }];
}

function judgeDeployment(operator: InstalledOperator): Check {
  const { namespace, name: deployment, replicas, readyReplicas, version } = operator;
  const where = `${namespace}/${deployment}`;
  const name = 'operator';
  const message = `${where}: ${readyReplicas} of ${replicas} pods ready, version ${version}`;
  if (readyReplicas === 0) {
    const next = `kubectl -n ${namespace} describe deployment ${deployment}, then kubectl -n ${namespace} logs deploy/${deployment}`;
    return { name, verdict: 'failed', message, next };
  }
  if (version === manifest.version) return { name, verdict: 'ok', message };
  const next = `the command line is ${manifest.version}: use the same version as the operator`;
  return { name, verdict: 'warning', message, next };
}

/** Each Lease `albridge`: somebody holds and renews it. */
export async function checkLeases(
  { client }: ClusterAccess,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const path = '/apis/coordination.k8s.io/v1/leases';
  const query = { fieldSelector: 'metadata.name=albridge' };
  const read = { path, query, signal };
  const list = await readIfAllowed<{ readonly items: readonly Lease[] }>(client, read);
  const name = 'leader';
  if (list === undefined) {
    const next = 'ask for the right to list leases of the API group coordination.k8s.io';
    return [{ name, verdict: 'not checked', message: 'you may not list Leases', next }];
  }
  if (list.items.length > 0) return list.items.map((lease) => judgeLease(lease, clock.now()));
  const message = 'there is no Lease albridge: no operator has led yet';
  const next =
    "look at the operator's log; one that runs with ALBRIDGE_LEADER_ELECTION=false has none";
  return [{ name, verdict: 'warning', message, next }];
}

/** Pure. */
export function judgeLease({ metadata, spec = {} }: Lease, nowMs: number): Check {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 15 } = spec;
  const name = 'leader';
  const where = `Lease ${metadata.namespace}/${metadata.name}`;
  const next = `kubectl -n ${metadata.namespace} logs -l app.kubernetes.io/name=albridge`;
  if (holderIdentity === '')
    return { name, verdict: 'failed', message: `nobody holds the ${where}`, next };
  const seconds = Math.round((nowMs - Date.parse(renewTime)) / 1000);
  const message = `${holderIdentity} holds the ${where}, renewed ${seconds} s ago`;
  if (seconds <= leaseDurationSeconds) return { name, verdict: 'ok', message };
  return {
    name,
    verdict: 'failed',
    message: `${message}, past its ${leaseDurationSeconds} s`,
    next,
  };
}

/** Two operators of one cluster id would undo each other's work; pure. */
export function judgeClusterIds(operators: readonly InstalledOperator[]): readonly Check[] {
  const name = 'cluster id';
  const serving = operators.filter(({ env }) => servesMyIngress(env));
  const byId = Map.groupBy(serving, ({ env }) => env['ALBRIDGE_CLUSTER_ID']?.trim() ?? '');
  const doubled = [...byId].filter(([, same]) => overlaps(same));
  if (serving.length === 0) return [];
  if (doubled.length === 0)
    return [{ name, verdict: 'ok', message: 'no two operators work on the same objects' }];
  return doubled.map(([id, same]) => {
    const names = same.map((one) => `${one.namespace}/${one.name}`).join(' and ');
    const what = id === '' ? 'the UID of kube-system' : id;
    const message = `${names} have the same id, ${what}, and serve the same namespaces`;
    const next = 'remove one of them, or give them different ALBRIDGE_NAMESPACES';
    return { name, verdict: 'failed', message, next };
  });
}

function servesMyIngress(env: Environment): boolean {
  const kinds = env['ALBRIDGE_KINDS']?.trim();
  return !kinds || kinds.split(',').some((kind) => kind.trim() === 'myingress');
}

/** One without a list of namespaces serves them all. */
function overlaps(operators: readonly InstalledOperator[]): boolean {
  const lists = operators.map(({ env }) => env['ALBRIDGE_NAMESPACES']?.trim() ?? '');
  if (operators.length > 1 && lists.includes('')) return true;
  const names = lists.flatMap((list) => list.split(',').map((one) => one.trim()));
  return new Set(names).size < names.length;
}
