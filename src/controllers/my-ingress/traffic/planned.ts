import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { desireGraph } from '../graph/desired-graph.ts';
import { recordUnused } from '../graph/facts.ts';
import type { DesiredGraph, ObservedGraph } from '../graph/graph.ts';
import { type Plan, planTraffic } from '../graph/plan.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { chooseAttachment } from '../security-group/attachment.ts';
import { desireTargetGroup } from '../target-groups/desired.ts';

/** A plan, and from what it was made. */
export interface Planned {
  readonly plan: Plan;
  readonly observed: ObservedGraph;
  readonly desired: DesiredGraph;
  readonly routes: Routes;
  readonly loadBalancer: LoadBalancer;
  /** It was read so early that it may be older than what was made last: it is read again. */
  readonly isEarly?: boolean;
}

/** Plans from what is observed or remembered; notes which target groups no action names. */
export function planBy(
  scope: Scope,
  { loadBalancer, observed }: Pick<Planned, 'loadBalancer' | 'observed'>,
  defaultGroup: string | undefined,
): Planned {
  const { clock, identity, memory, object } = scope;
  const nowMs = clock.monotonicMs();
  if (memory.traffic === undefined) throw new Error('traffic is planned without its memory');
  const facts = recordUnused(memory.traffic.facts, observed, nowMs);
  memory.traffic = { ...memory.traffic, facts };
  const routes = readRoutes(object.spec);
  const desired = desireTraffic(scope, { routes, loadBalancer, observed }, defaultGroup);
  const appliedTags = object.status?.applied?.tags ?? [];
  const plan = planTraffic(desired, observed, { identity, appliedTags, facts, nowMs });
  return { plan, observed, desired, routes, loadBalancer };
}

/** What the spec wants beside a balancer that is there. */

/** Names of the target groups that the routes want in this VPC. */
export function listGroupNames(
  { desired, identity }: Pick<Scope, 'desired' | 'identity'>,
  routes: Routes,
  vpcId: string,
): readonly string[] {
  const place = { identity, userTags: desired.userTags, vpcId };
  return routes.backends.map((backend) => desireTargetGroup(backend, place).name);
}

/** True where the balancer is to carry a security group of its own. */
export function isManaged({ object }: Pick<Scope, 'object'>, routes: Routes): boolean {
  return (
    chooseAttachment({
      securityGroups: object.spec.securityGroups,
      isAdopted: object.spec.adopt !== undefined,
      hasListeners: routes.listeners.length > 0,
      hasInbound: routes.inbound !== undefined,
    }) === 'managed'
  );
}

export interface Found {
  readonly routes: Routes;
  readonly loadBalancer: Pick<LoadBalancer, 'scheme' | 'ipAddressType' | 'vpcId'>;
  readonly observed: ObservedGraph;
}

/** Pure; `defaultGroup` as `findDefaultGroup` gives it. */
function desireTraffic(
  scope: Scope,
  { routes, loadBalancer, observed }: Found,
  defaultGroup: string | undefined,
): DesiredGraph {
  const { desired, identity, object } = scope;
  const { scheme, ipAddressType, vpcId } = loadBalancer;
  const own = observed.listeners.filter(({ tags }) => identifyResource(tags, identity));
  const graph = desireGraph(
    routes,
    {
      ...{ scheme, ipAddressType: desired.ipAddressType ?? ipAddressType },
      securityGroups: object.spec.securityGroups,
      isAdopted: object.spec.adopt !== undefined,
      servedPorts: own.map(({ listener: { port } }) => port),
      listenerSettings: object.status?.owned?.listenerSettings ?? [],
      backendGroups: scope.backendSecurityGroups,
      defaultGroup,
      isManagedAttached: hasManagedAttached(scope, observed),
    },
    { identity, userTags: desired.userTags, vpcId },
  );
  // Given groups are attached with the balancer's own settings.
  const isGiven = object.spec.securityGroups !== undefined;
  return isGiven ? { ...graph, attachment: undefined } : graph;
}

/** The VPC's default group, read only where it takes the place of the managed one. */
export async function findDefaultGroup(
  scope: Scope,
  { routes, loadBalancer: { vpcId }, observed }: Found,
): Promise<string | undefined> {
  if (!hasManagedAttached(scope, observed) || isManaged(scope, routes)) return undefined;
  if (scope.object.spec.securityGroups !== undefined) return undefined;
  const filter = { vpcId, name: 'default' };
  const [found] = await scope.traffic().securityGroups.find(filter, scope.pass.signal);
  return found?.securityGroup.id;
}

function hasManagedAttached(
  { identity }: Scope,
  { loadBalancer, securityGroups }: ObservedGraph,
): boolean {
  return securityGroups.some(({ securityGroup: { id }, tags }) => {
    const isOurs = identifyResource(tags, identity) === SECURITY_GROUP_ID;
    return isOurs && (loadBalancer?.securityGroups.includes(id) ?? false);
  });
}
