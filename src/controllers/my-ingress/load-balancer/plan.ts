// Lives here: the balancer itself: desired, observe, diff, plan, execute.
// May import it: src/controllers/my-ingress; src/cli takes desired.ts.
// Start with: this file, then observe.ts and execute.ts, which alone call AWS.

import type { AppliedSettings } from '../../../apis/my-ingress.ts';
import type { AwsOperation, LoadBalancerSettings } from '../../../aws/elbv2/load-balancers.ts';
import type { Step } from '../graph/planned-step.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import { type DesiredLoadBalancer, findAttributeDefault } from './desired.ts';
import { type Drift, describeDrift, diffLoadBalancer, type ObservedLoadBalancer } from './diff.ts';

type Attributes = Readonly<Record<string, string>>;

/** AWS's bound; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyLoadBalancerAttributes.html */
const MOST_ATTRIBUTES = 20;

export type LoadBalancerStep = CreateStep | RepairStep;

export interface CreateStep extends Step {
  readonly kind: 'create';
  readonly settings: LoadBalancerSettings;
}

export interface RepairStep extends Step {
  readonly kind: 'repair';
  /** A difference that one call repairs. */
  readonly drift: Drift;
}

/**
 * Plans the writes that make the balancer as desired, in an order that AWS allows; pure. Where nothing
 * is observed the plan is a create alone: its answer may be a balancer that existed before, so the
 * pass observes it and plans again.
 */
export function planLoadBalancer(
  desired: DesiredLoadBalancer,
  observed: ObservedLoadBalancer | undefined,
  applied: AppliedSettings,
): readonly LoadBalancerStep[] {
  if (observed === undefined) return [planCreate(desired)];
  if (observed.isStateOnly) return [];
  return diffLoadBalancer(desired, observed, applied).flatMap(splitIntoCalls).map(planRepair);
}

/** Plans what a create call cannot carry, as far as AWS's defaults are known to differ from it; pure. */
export function planAfterCreate(desired: DesiredLoadBalancer): readonly LoadBalancerStep[] {
  const { attributes, scheme, ipAddressType = 'ipv4' } = desired;
  const defaultOf = (key: string): string | undefined =>
    findAttributeDefault(key, { scheme, ipAddressType });
  const differing = Object.entries(attributes).filter(([key, value]) => defaultOf(key) !== value);
  if (differing.length === 0) return [];
  const observed = differing.flatMap(([key]) => {
    const value = defaultOf(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const drift: Drift = {
    field: 'attributes',
    set: Object.fromEntries(differing),
    observed: Object.fromEntries(observed),
  };
  return splitIntoCalls(drift).map(planRepair);
}

function planCreate(desired: DesiredLoadBalancer): CreateStep {
  const { name, scheme, subnets = [], securityGroups, ipAddressType = 'ipv4', tags } = desired;
  const groups = securityGroups === undefined ? {} : { securityGroups };
  return {
    ...{ id: LOAD_BALANCER_ID, operation: 'CreateLoadBalancer', why: 'not there', needs: [] },
    kind: 'create',
    settings: { name, scheme, subnets, ipAddressType, tags, ...groups },
  };
}

function planRepair(drift: Drift): RepairStep {
  const [operation, why] = [chooseOperation(drift), describeDrift(drift)];
  return { id: LOAD_BALANCER_ID, operation, why, needs: [], kind: 'repair', drift };
}

function chooseOperation(drift: Drift): AwsOperation {
  switch (drift.field) {
    case 'tags':
      return drift.remove.length > 0 ? 'RemoveTags' : 'AddTags';
    case 'securityGroups':
      return 'SetSecurityGroups';
    case 'subnets':
      return 'SetSubnets';
    case 'ipAddressType':
      return 'SetIpAddressType';
    case 'attributes':
      return 'ModifyLoadBalancerAttributes';
    default:
      return drift satisfies never;
  }
}

function splitIntoCalls(drift: Drift): readonly Drift[] {
  switch (drift.field) {
    case 'tags': {
      // In this order, for AWS counts what is there: fifty tags at most at any time.
      const steps = [
        { ...drift, set: {} },
        { ...drift, remove: [] },
      ];
      return steps.filter(({ set, remove }) => remove.length + Object.keys(set).length > 0);
    }
    case 'attributes':
      return chunkAttributes(drift.set).map((set) => ({ ...drift, set }));
    default:
      return [drift];
  }
}

/** Sorted, so that keys that AWS judges together, as those of a log, are in one call. */
function chunkAttributes(attributes: Attributes): readonly Attributes[] {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const count = Math.ceil(entries.length / MOST_ATTRIBUTES);
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(entries.slice(i * MOST_ATTRIBUTES, (i + 1) * MOST_ATTRIBUTES)),
  );
}
