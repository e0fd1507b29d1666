// Lives here: what is read of everything beside the balancer, and when it is read again.
// May import it: src/controllers/my-ingress.
// Start with: this file, then observe.ts and lanes.ts.

import { ownershipTagKeys } from '../../../../apis/my-ingress.ts';
import type { AwsOperation, LoadBalancer, Tags } from '../../../../aws/elbv2/load-balancers.ts';
import type {
  ObservedGraph,
  ObservedSecurityGroup,
  ObservedTargetGroup,
} from '../../graph/graph.ts';
import { nameSecurityGroup } from '../../graph/names.ts';
import { isOwnTargetGroup } from '../../graph/tags.ts';
import type { Identity } from '../../identity.ts';
import { requestsLiveRead } from '../../load-balancer/read-depth.ts';
import type { Routes } from '../../routes/routes.ts';
import type { Scope } from '../../scope.ts';
import type { TrafficMemory } from '../memory.ts';
import { hasListenerAttributes } from '../owned.ts';
import { isManaged, listGroupNames } from '../planned.ts';
import { areAttributesDue, countReads } from './lanes.ts';
import { findAllowedGroups, observeTraffic } from './observe.ts';

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html */
const TAGS_A_CALL = 20;

interface Given {
  readonly loadBalancer: LoadBalancer;
  /** The balancer is new: it has nothing but this. */
  readonly isNew?: { readonly securityGroups: readonly ObservedSecurityGroup[] } | undefined;
}

/** Everything beside the balancer, and what is to be remembered of the read. */
export async function readGraph(
  scope: Scope,
  routes: Routes,
  given: Given,
): Promise<
  { readonly observed: ObservedGraph } & Pick<TrafficMemory, 'attributesReadMs' | 'readCount'>
> {
  const known = recallAttributes(scope);
  const nowMs = scope.clock.monotonicMs();
  const observed = await observeGraph(scope, routes, { ...given, known });
  const attributes = known.size === 0 ? { attributesReadMs: nowMs } : {};
  return { observed, readCount: countReads(observed), ...attributes };
}

async function observeGraph(
  scope: Scope,
  routes: Routes,
  given: Given & { readonly known: ReadonlyMap<string, Tags> },
): Promise<ObservedGraph> {
  const { identity, object, pass } = scope;
  const { loadBalancer, known } = given;
  const { arn, securityGroups, vpcId } = loadBalancer;
  if (given.isNew !== undefined) {
    const nothing = { targetGroups: [], listeners: [] };
    const own = { arn, securityGroups, vpcId };
    return { ...nothing, loadBalancer: own, securityGroups: given.isNew.securityGroups };
  }
  const names = listGroupNames(scope, routes, vpcId);
  const owned = object.status?.owned ?? {};
  const groupNames = [...new Set([...names, ...(owned.targetGroups ?? [])])];
  const hasSecurityGroup = owned.securityGroup !== undefined || isManaged(scope, routes);
  const hasAttributes = hasListenerAttributes(object, routes);
  const request = { loadBalancer, identity, groupNames, hasSecurityGroup, hasAttributes, known };
  await scope.tokens.reserve(listReads(routes, { ...request, isAll: known.size === 0 }));
  const observed = await abortTogether(
    (signal) => observeTraffic(scope.traffic(), request, signal),
    pass.signal,
  );
  return { ...observed, securityGroups: await completeGroups(scope, routes, observed) };
}

/** With those that the tags which are asked for, or the record, do not lead to. */
async function completeGroups(
  scope: Scope,
  routes: Routes,
  { loadBalancer, securityGroups, targetGroups }: ObservedGraph,
): Promise<readonly ObservedSecurityGroup[]> {
  const { identity, object, pass } = scope;
  const clients = scope.traffic();
  if (isManaged(scope, routes)) {
    const { vpcId = '' } = loadBalancer ?? {};
    if (securityGroups.some((one) => one.securityGroup.vpcId === vpcId)) return securityGroups;
    const filter = { vpcId, name: nameSecurityGroup(identity) };
    return [...securityGroups, ...(await clients.securityGroups.find(filter, pass.signal))];
  }
  const isKnown = object.status?.owned?.securityGroup !== undefined;
  const isLeft = !isKnown && targetGroups.some((one) => isOfFormer(one, identity));
  return isLeft ? findAllowedGroups(clients, identity, pass.signal) : securityGroups;
}

/** An object of this name that was there before may have left a security group too, which nothing else leads to. */
function isOfFormer(group: ObservedTargetGroup, identity: Identity): boolean {
  const { [ownershipTagKeys.uid]: uid } = group.tags;
  return isOwnTargetGroup(group, identity) && uid !== undefined && uid !== identity.uid;
}

/** As far as the spec says: what others have added is read with tokens of its own. */
function listReads(
  { listeners, rules }: Routes,
  given: {
    readonly groupNames: readonly string[];
    readonly hasAttributes: boolean;
    readonly isAll: boolean;
  },
): readonly AwsOperation[] {
  const { groupNames, hasAttributes, isAll } = given;
  const secure = listeners.filter(({ protocol }) => protocol === 'HTTPS');
  const tagged = listeners.length * (1 + rules.length) + groupNames.length;
  const list = ['DescribeListeners', 'DescribeTargetGroups', 'DescribeTargetGroups'] as const;
  return [
    ...list,
    ...listeners.map(() => 'DescribeRules' as const),
    ...secure.map(() => 'DescribeListenerCertificates' as const),
    ...(isAll && hasAttributes ? listeners : []).map(() => 'DescribeListenerAttributes' as const),
    ...(isAll ? groupNames : []).map(() => 'DescribeTargetGroupAttributes' as const),
    ...Array.from({ length: Math.ceil(tagged / TAGS_A_CALL) }, () => 'DescribeTags' as const),
  ];
}

/** Ends all reads with the first that fails: they take no more tokens for nothing. */
async function abortTogether<T>(
  read: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const failed = new AbortController();
  try {
    return await read(AbortSignal.any([signal, failed.signal]));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

/** Those that this process has read or set, as long as their turn has not come and nobody asks for all of it. */
function recallAttributes(scope: Scope): ReadonlyMap<string, Tags> {
  const { clock, memory, object, objectCount } = scope;
  const { attributesReadMs, readCount, standing } = memory.traffic ?? {};
  const { knownSinceMs, spread } = memory.facts;
  const lane = { objectCount, readCount, knownSinceMs, spread };
  const isDue = areAttributesDue(attributesReadMs, lane, clock.monotonicMs());
  if (standing === undefined || isDue || requestsLiveRead(object)) return new Map();
  const { targetGroups, listeners } = standing.graph;
  const all = [
    ...targetGroups.map(({ targetGroup: { arn }, attributes }) => ({ arn, attributes })),
    ...listeners.map(({ listener: { arn }, attributes }) => ({ arn, attributes })),
  ];
  return new Map(all.flatMap(({ arn, attributes }) => (attributes ? [[arn, attributes]] : [])));
}
