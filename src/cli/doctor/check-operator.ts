import manifest from '../../../package.json' with { type: 'json' };
import type { Clock } from '../../core/ports/clock.ts';
import { leaseKind } from '../../kube/client/built-in-kinds.ts';
import type { Lease } from '../../kube/lease/lease.ts';
import { tryIfAllowed } from '../account/access.ts';
import {
  type FoundOperators,
  isObserver,
  listItems,
  type Operator,
  servesMyIngress,
} from '../account/operators.ts';
import type { ClusterAccess } from '../cluster.ts';
import { listAll } from '../objects/read.ts';
import type { Check } from './check.ts';

/** The operator in the cluster: its Deployment, its Lease, and whether there are two of them. */

/** Its Deployment has a ready pod, of this version; pure. */
export function judgeDeployments(found: FoundOperators | undefined): readonly Check[] {
  const name = 'operator';
  if (found === undefined) {
    const message = 'you may not list Deployments';
    const next = 'ask for the right to list deployments of the API group apps';
    return [{ name, verdict: 'not checked', message, next }];
  }
  const { operators } = found;
  const rest = [...judgeOthers(found), ...describeLeftOut(found)];
  if (operators.length + rest.length > 0) return [...operators.map(judgeDeployment), ...rest];
  const message = 'no Deployment has the label app.kubernetes.io/name=albridge';
  const next = 'install it: docs/install.md; or start it outside of the cluster';
  return [{ name, verdict: 'failed', message, next }];
}

/** One without its rights, or a Deployment of somebody who wants to pass for the operator. */
function judgeOthers({ operators, others }: FoundOperators): readonly Check[] {
  const verdict = operators.length === 0 ? 'failed' : 'warning';
  return others.map(({ namespace, name, user }) => {
    const message = `${namespace}/${name} has the label of the operator and not its rights: ${user} may not write the status of our objects`;
    const next = 'if it is yours, apply deploy/ of this version; else take the label off';
    return { name: 'operator', verdict, message, next };
  });
}

function describeLeftOut({ leftOut }: FoundOperators): readonly Check[] {
  if (leftOut === 0) return [];
  const message = `${leftOut} more Deployments have the label app.kubernetes.io/name=albridge`;
  const next =
    'remove the label from each Deployment that is not an operator: kubectl get deployments -A -l app.kubernetes.io/name=albridge';
  return [{ name: 'operator', verdict: 'not checked', message, next }];
}

function judgeDeployment(operator: Operator): Check {
  const name = 'operator';
  const message = describePods(operator);
  const steps = [...adviseOnPods(operator), ...adviseOnVersion(operator)];
  if (steps.length === 0) return { name, verdict: 'ok', message };
  const verdict = operator.readyReplicas === 0 ? 'failed' : 'warning';
  return { name, verdict, message, next: steps.join('; ') };
}

function adviseOnPods(operator: Operator): readonly string[] {
  const { namespace, name, replicas, readyReplicas, isRolledOut } = operator;
  if (readyReplicas === 0)
    return [
      `kubectl -n ${namespace} describe deployment ${name}, then kubectl -n ${namespace} logs deploy/${name}`,
    ];
  if (isRolledOut && readyReplicas >= replicas) return [];
  return [
    `kubectl -n ${namespace} rollout status deployment ${name} says what it waits for, and kubectl -n ${namespace} get pods -l app.kubernetes.io/name=albridge which pod is not ready`,
  ];
}

/** Nothing while a rollout is not complete: its version is not yet that of all pods. */
function adviseOnVersion({ isRolledOut, version }: Operator): readonly string[] {
  if (!isRolledOut || version === undefined || version === manifest.version) return [];
  return [`the command line is ${manifest.version}: use the same version as the operator`];
}

/** Until all pods are of the version of the Deployment, nothing says which one a ready pod runs. */
function describePods(operator: Operator): string {
  const { namespace, name, replicas, readyReplicas, updatedReplicas, isRolledOut } = operator;
  const version = operator.version ?? 'not known: its image has no tag';
  const ready = `${namespace}/${name}: ${readyReplicas} of ${replicas} pods ready`;
  if (isRolledOut) return `${ready}, version ${version}`;
  return `${ready}, ${updatedReplicas} updated to version ${version}: its rollout is not complete`;
}

/** Leases that are judged at most. */
const MOST_LEASES = 8;

/** Each Lease `albridge` where an operator is: somebody holds and renews it. */
export async function checkLeases(
  { client }: ClusterAccess,
  found: FoundOperators | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const name = 'leader';
  const operators = found?.operators ?? [];
  const electing = operators.filter(electsLeader);
  if (operators.length > 0 && electing.length === 0)
    return [{ name, verdict: 'ok', message: 'the operator runs without leader election' }];
  const listed = { kind: leaseKind, fieldSelector: 'metadata.name=albridge' };
  const leases = await tryIfAllowed(() => listAll<Lease>(client, listed, signal));
  if (leases === undefined) {
    const next = 'ask for the right to list leases of the API group coordination.k8s.io';
    return [{ name, verdict: 'not checked', message: 'you may not list Leases', next }];
  }
  const chosen = chooseLeases(leases, electing);
  if (chosen.length === 0) return [describeNoLease('albridge: no operator has led yet')];
  const judged = chosen.map((lease) => judgeLease(lease, clock.now()));
  return [...judged, ...describeLacking(leases, electing)];
}

/** Of operators that elect a leader, as far as is known, and whose namespace has none: that of another one says nothing about them. */
function describeLacking(
  leases: readonly Lease[],
  operators: readonly Operator[],
): readonly Check[] {
  const known = operators.filter(({ hiddenIn }) => hiddenIn === undefined);
  const places = new Set(known.map(({ namespace }) => namespace));
  for (const { metadata } of leases) places.delete(metadata.namespace ?? '');
  return [...places].map((place) =>
    describeNoLease(`${place}/albridge: its operator has not led yet`),
  );
}

function describeNoLease(what: string): Check {
  const next = "read the operator's log; one that runs with ALBRIDGE_LEADER_ELECTION=off has none";
  return { name: 'leader', verdict: 'warning', message: `there is no Lease ${what}`, next };
}

/** As `leaderElection` of an operator in a cluster is set. */
function electsLeader({ env }: Operator): boolean {
  const setting = env['ALBRIDGE_LEADER_ELECTION']?.trim() || (isObserver(env) ? 'off' : 'on');
  return setting !== 'off';
}

/** Whoever may create Leases can make one of this name; that of an operator outside of the cluster is anywhere. Pure. */
export function chooseLeases(
  leases: readonly Lease[],
  operators: readonly Operator[],
): readonly Lease[] {
  const places = operators.map(({ namespace }) => namespace);
  const own = leases.filter(({ metadata: { namespace = '' } }) => places.includes(namespace));
  return (own.length > 0 ? own : leases).slice(0, MOST_LEASES);
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

/**
 * Two operators that serve one namespace both reconcile its objects, whatever their cluster ids. `systemUid`: the id of
 * one without a setting, where it is known. Pure.
 */
export function judgeClusterIds(
  operators: readonly Operator[],
  systemUid?: string,
): readonly Check[] {
  const name = 'cluster id';
  const serving = operators.filter(({ env }) => servesMyIngress(env));
  if (serving.length === 0) return [];
  const doubled = serving.filter((one) =>
    serving.some((other) => other !== one && overlaps([one, other])),
  );
  if (doubled.length === 0)
    return [{ name, verdict: 'ok', message: 'no two operators work on the same objects' }];
  const names = doubled.map((one) => `${one.namespace}/${one.name}`).join(' and ');
  const message = `${names} serve the same namespaces${describeIds(doubled, systemUid)}`;
  const next = 'remove one of them, or give them different ALBRIDGE_NAMESPACES';
  return [{ name, verdict: 'failed', message, next }];
}

function describeIds(operators: readonly Operator[], systemUid = 'the UID of kube-system'): string {
  const ids = operators.map(({ env }) => env['ALBRIDGE_CLUSTER_ID']?.trim() || systemUid);
  const distinct = [...new Set(ids)];
  return distinct.length === 1
    ? ` and have the same id, ${distinct[0]}`
    : `, with the ids ${distinct.join(' and ')}`;
}

/** One without a list of namespaces serves them all. */
function overlaps(operators: readonly Operator[]): boolean {
  const lists = operators.map(({ env }) => listItems(env['ALBRIDGE_NAMESPACES']));
  if (lists.some((list) => list.length === 0)) return true;
  const names = lists.flat();
  return new Set(names).size < names.length;
}
