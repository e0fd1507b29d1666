import { ownershipTagKeys } from '../../../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../../../aws/elbv2/load-balancers.ts';
import type { Listener, Rule, Tags, TargetGroup } from '../../../../aws/elbv2/traffic.ts';
import { hasReason } from '../../../../core/reconcile/operator-error.ts';
import type {
  ObservedGraph,
  ObservedListener,
  ObservedRule,
  ObservedSecurityGroup,
  ObservedTargetGroup,
} from '../../graph/graph.ts';
import { pickSecurityGroups } from '../../graph/tags.ts';
import type { Identity } from '../../identity.ts';
import type { TrafficClients } from '../../scope.ts';

interface ObserveRequest {
  readonly loadBalancer: LoadBalancer;
  readonly identity: Identity;
  /** Names of target groups, next to those that the balancer uses. */
  readonly groupNames: readonly string[];
  /** Whether there is, or is to be, a managed security group. */
  readonly hasSecurityGroup: boolean;
  /** Whether the attributes of listeners count. */
  readonly hasAttributes?: boolean;
  /** By ARN: attributes that are known well enough, and not read again. */
  readonly known?: ReadonlyMap<string, Tags>;
}

/** Everything of one balancer. */
interface Of extends Required<Pick<ObserveRequest, 'known'>> {
  readonly arn: string;
}

type ListenersOf = Pick<Of, 'arn'> & Pick<ObserveRequest, 'hasAttributes' | 'known'>;

/** Reads everything beside the balancer. What vanishes meanwhile is left out. */
export async function observeTraffic(
  clients: TrafficClients,
  request: ObserveRequest,
  signal: AbortSignal,
): Promise<ObservedGraph> {
  const { loadBalancer, identity, groupNames, hasSecurityGroup, hasAttributes = false } = request;
  const { known = new Map() } = request;
  const { arn, securityGroups, vpcId } = loadBalancer;
  const [listeners, targetGroups, ownGroups] = await Promise.all([
    observeListeners(clients, { arn, hasAttributes, known }, signal),
    observeTargetGroups(clients, { arn, groupNames, known }, signal),
    hasSecurityGroup ? findSecurityGroups(clients, identity, signal) : [],
  ]);
  return {
    loadBalancer: { arn, securityGroups, vpcId },
    securityGroups: ownGroups,
    targetGroups,
    listeners,
  };
}

/** The object's own, by their tags; without the tag for the resource by their name as well. */
export async function findSecurityGroups(
  { securityGroups }: Pick<TrafficClients, 'securityGroups'>,
  identity: Identity,
  signal: AbortSignal,
): Promise<readonly ObservedSecurityGroup[]> {
  const { cluster, namespace, name } = identity;
  const tags = {
    [ownershipTagKeys.cluster]: cluster,
    [ownershipTagKeys.namespace]: namespace,
    [ownershipTagKeys.name]: name,
  };
  return pickSecurityGroups(await securityGroups.find({ tags }, signal), identity);
}

/** As `findSecurityGroups`; none where the operator has no right on EC2, for then it has made none. */
export async function findAllowedGroups(
  clients: Pick<TrafficClients, 'securityGroups'>,
  identity: Identity,
  signal: AbortSignal,
): Promise<readonly ObservedSecurityGroup[]> {
  try {
    return await findSecurityGroups(clients, identity, signal);
  } catch (error) {
    if (!hasReason(error, 'AccessDenied')) throw error;
    return [];
  }
}

/** Target groups of these names, with tags, whoever owns them. */
export async function findTargetGroups(
  clients: TrafficClients,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly ObservedTargetGroup[]> {
  const found = await clients.targetGroups.find(names, signal);
  return withEach(found, (targetGroup) => tagTargetGroup(clients, targetGroup, signal));
}

async function observeTargetGroups(
  clients: TrafficClients,
  { arn, groupNames, known }: Of & Pick<ObserveRequest, 'groupNames'>,
  signal: AbortSignal,
): Promise<readonly ObservedTargetGroup[]> {
  const used = await clients.targetGroups.listForBalancer(arn, signal);
  const names = new Set(used.map(({ name }) => name));
  const unused = await clients.targetGroups.find(
    groupNames.filter((name) => !names.has(name)),
    signal,
  );
  return withEach([...used, ...unused], async (targetGroup) => {
    const [tagged, attributes] = await Promise.all([
      tagTargetGroup(clients, targetGroup, signal),
      known.get(targetGroup.arn) ?? clients.targetGroups.readAttributes(targetGroup.arn, signal),
    ]);
    return tagged && { ...tagged, ...(attributes && { attributes }) };
  });
}

async function tagTargetGroup(
  { tags }: TrafficClients,
  targetGroup: TargetGroup,
  signal: AbortSignal,
): Promise<ObservedTargetGroup | undefined> {
  const read = await tags.read(targetGroup.arn, signal);
  return read && { targetGroup, tags: read };
}

/** With their tags and rules, whoever owns them. */
export async function observeListeners(
  clients: TrafficClients,
  { arn, hasAttributes = false, known = new Map() }: ListenersOf,
  signal: AbortSignal,
): Promise<readonly ObservedListener[]> {
  const listeners = (await clients.listeners.list(arn, signal)) ?? [];
  return withEach(listeners, async (listener) => {
    const readAttributes = (): Promise<Tags | undefined> =>
      clients.listeners.readAttributes(listener.arn, signal);
    const [observed, attributes] = await Promise.all([
      observeListener(clients, listener, signal),
      hasAttributes ? (known.get(listener.arn) ?? readAttributes()) : undefined,
    ]);
    return observed && { ...observed, ...(attributes && { attributes }) };
  });
}

async function observeListener(
  clients: TrafficClients,
  listener: Listener,
  signal: AbortSignal,
): Promise<ObservedListener | undefined> {
  const isSecure = listener.protocol === 'HTTPS';
  const [tags, rules, certificates] = await Promise.all([
    clients.tags.read(listener.arn, signal),
    observeRules(clients, listener.arn, signal),
    isSecure ? clients.listeners.listCertificates(listener.arn, signal) : undefined,
  ]);
  return tags && { listener, tags, rules, ...(certificates && { certificates }) };
}

async function observeRules(
  clients: TrafficClients,
  listenerArn: string,
  signal: AbortSignal,
): Promise<readonly ObservedRule[]> {
  const rules = (await clients.rules.list(listenerArn, signal)) ?? [];
  return withEach(rules, async (rule: Rule) => {
    // The default one is part of its listener.
    const tags = rule.priority === 'default' ? {} : await clients.tags.read(rule.arn, signal);
    return tags && { rule, tags };
  });
}

/** All at once; undefined ones are left out. */
async function withEach<T, Result>(
  items: readonly T[],
  read: (item: T) => Promise<Result | undefined>,
): Promise<readonly Result[]> {
  const results = await Promise.all(items.map(read));
  return results.filter((result) => result !== undefined);
}
