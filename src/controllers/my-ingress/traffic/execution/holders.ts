import type { LoadBalancer } from '../../../../aws/elbv2/load-balancers.ts';
import { abridge } from '../../../../core/objects/abridge.ts';
import type { ObservedGraph } from '../../graph/graph.ts';
import type { Problem } from '../../graph/problem.ts';
import type { ResourceId } from '../../graph/resource-id.ts';
import { identifySecurityGroup, identifyTargetGroup } from '../../graph/tags.ts';
import type { Identity } from '../../identity.ts';
import type { ObjectScope } from '../../scope.ts';

/** A deletion that AWS has refused a part of, and those that may use it. */
export interface Used {
  readonly observed: ObservedGraph;
  /** The balancers in the place of the object's own that are not ours. */
  readonly leftAlone: readonly LoadBalancer[];
  /** Nothing of it is so new, or was released so late, that AWS may count wrongly. */
  readonly isSettled: boolean;
}

/** AWS's answers while it still tidies up behind the balancer. */
export const TIDYING: ReadonlySet<Problem['reason']> = new Set<Problem['reason']>([
  'DependencyViolation',
  'StillInUse',
]);

/** A refusal to delete with who holds the resource, which no time heals; any other one as it is. */
export async function nameHolder(
  scope: ObjectScope,
  used: Used,
  problem: Problem,
): Promise<Problem> {
  if (!TIDYING.has(problem.reason)) return problem;
  return (
    nameReleased(used, scope.identity, problem) ??
    nameStranger(scope, used, problem) ??
    (await nameReferrers(scope, used.observed, problem)) ??
    problem
  );
}

/**
 * A balancer that is not ours goes on using what is: somebody has released it, or has taken off the tag for the UID
 * before it was on record.
 */
function nameReleased(
  { observed, leftAlone }: Used,
  identity: Identity,
  { id }: Problem,
): Problem | undefined {
  const holder = leftAlone.find((one) => listUsed(one, observed, identity).includes(id));
  if (holder === undefined) return undefined;
  return {
    ...block(id, holder.arn),
    next: "delete that load balancer, or tag it as this object's again with all of albridge.io/cluster, albridge.io/namespace, albridge.io/name and albridge.io/uid",
  };
}

/** The listeners of any balancer in the account may forward to a target group. */
function nameStranger(
  { identity, memory, object }: ObjectScope,
  { observed, isSettled }: Used,
  { id }: Problem,
): Problem | undefined {
  // Anybody may write status, also the ARN of the holder.
  const own = memory.facts.release?.arn ?? object.status?.alb?.arn;
  const group = observed.targetGroups.find((one) => identifyTargetGroup(one, identity) === id);
  const holder = group?.targetGroup.loadBalancerArns.find((arn) => arn !== own);
  if (holder === undefined || !isSettled) return undefined;
  return { ...block(id, holder), next: 'take it out of the listeners and rules of that one' };
}

function block(id: ResourceId, arn: string): Problem {
  const message = `load balancer ${arn} uses it, and its tags do not name this object`;
  return { id, reason: 'DeletionBlocked', message };
}

function listUsed(
  { arn, securityGroups: attached }: LoadBalancer,
  { targetGroups, securityGroups }: ObservedGraph,
  identity: Identity,
): readonly (ResourceId | undefined)[] {
  const used = targetGroups.filter(({ targetGroup }) => targetGroup.loadBalancerArns.includes(arn));
  const groups = securityGroups.filter(({ securityGroup: { id } }) => attached.includes(id));
  return [
    ...used.map((one) => identifyTargetGroup(one, identity)),
    ...groups.map((one) => identifySecurityGroup(one, identity)),
  ];
}

const MOST_REFERRERS = 5;

/** The security group may be held by the rules of others. */
async function nameReferrers(
  scope: ObjectScope,
  { securityGroups }: ObservedGraph,
  problem: Problem,
): Promise<Problem | undefined> {
  if (problem.reason !== 'DependencyViolation') return undefined;
  const own = securityGroups.map(({ securityGroup: { id } }) => id);
  const clients = scope.traffic();
  const { signal } = scope.pass;
  const found = await Promise.all(
    own.map((id) => clients.securityGroups.find({ referringTo: id }, signal)),
  );
  const ids = found.flat().map(({ securityGroup: { id } }) => id);
  const others = [...new Set(ids)].filter((id) => !own.includes(id));
  if (others.length === 0) return undefined;
  const shown = abridge(others, MOST_REFERRERS).join(', ');
  const message = `rules of security group ${shown} refer to it`;
  return { ...problem, message, next: 'remove these rules' };
}
