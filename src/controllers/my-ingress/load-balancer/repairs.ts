import type { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { describePlan } from '../graph/planned-step.ts';
import { rememberDrift, rememberFoundDrift } from '../memory.ts';
import { recall } from '../record.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Scope } from '../scope.ts';
import { hasTraffic, readStillApplied } from '../status.ts';
import { detectOwnershipFlapping, executeRepairs, listOperations } from './execute.ts';
import { type ObservedLoadBalancer, planLoadBalancer, type RepairStep } from './plan.ts';

export function planRepairs(
  { desired, memory, object }: Scope,
  observed: ObservedLoadBalancer,
): readonly RepairStep[] {
  return planLoadBalancer(desired, observed, readStillApplied(object, observed, memory.facts));
}

/** As `planRepairs`, for what was just read: that is remembered. Without traffic a scan can have found nothing else. */
export function findRepairs(scope: Scope, observed: ObservedLoadBalancer): readonly RepairStep[] {
  if (observed.isStateOnly) return [];
  const { memory, object } = scope;
  const plan = planRepairs(scope, observed);
  const facts = rememberDrift(memory.facts, plan.length > 0);
  memory.facts = hasTraffic(object) ? facts : rememberFoundDrift(facts, false);
  return plan;
}

export interface Repaired {
  /** As `keepIpv6` returns it. */
  readonly scope: Scope;
  /** As `executeRepairs` returns it. */
  readonly refusal: OperatorError | undefined;
}

/** Repairs what may be repaired now. */
export async function repair(given: Scope, observed: ObservedLoadBalancer): Promise<Repaired> {
  const scope = await keepIpv6(given, observed);
  const plan = planRepairs(scope, observed);
  if (plan.length === 0) return { scope, refusal: undefined };
  scope.pass.log.debug('plan', { plan: describePlan(plan) });
  detectOwnershipFlapping(scope, observed);
  // Write-ahead: what was found may not be found again once the balancer does without it.
  if (scope.memory.foundGroups !== undefined) await scope.pass.recordNow(undefined, ['owned']);
  await scope.tokens.reserve(listOperations(plan, scope.object));
  return { scope, refusal: await executeRepairs(scope, plan, observed) };
}

/**
 * The scope in which the balancer keeps IPv6, and the subnets that have it, while it uses an IPv6 target group of ours
 * that leaves the spec: AWS takes no such group behind a balancer without IPv6.
 * https://github.com/zalando-incubator/kube-ingress-aws-controller/pull/752
 * Unverified: that AWS refuses to take IPv6 from a balancer that uses one.
 */
export async function keepIpv6(
  scope: Scope,
  { loadBalancer }: Pick<ObservedLoadBalancer, 'loadBalancer'>,
): Promise<Scope> {
  const { desired, pass } = scope;
  const isLost = desired.ipAddressType === 'ipv4' && loadBalancer.ipAddressType !== 'ipv4';
  if (!isLost) return scope;
  const { object } = recall(scope);
  if (!hasTraffic(object)) return scope;
  // Where a backend keeps IPv6, AWS refuses the spec, and its answer is the one to report.
  const { backends } = readRoutes(object.spec);
  if (backends.some(({ ipAddressType }) => ipAddressType === 'ipv6')) return scope;
  const used = await scope.traffic().targetGroups.listForBalancer(loadBalancer.arn, pass.signal);
  const own = object.status?.owned?.targetGroups ?? [];
  const isUsed = used.some(({ ipAddressType, name }) => {
    return ipAddressType === 'ipv6' && own.includes(name);
  });
  if (!isUsed) return scope;
  return { ...scope, desired: { ...desired, ipAddressType: undefined, subnets: undefined } };
}
