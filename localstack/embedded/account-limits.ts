import type { ReadableWorld } from './aws-world.ts';
import type { Input } from './input-fields.ts';
import { pageOf } from './paging.ts';

/** Defaults of https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const LIMITS: Readonly<Record<string, string>> = {
  'target-groups': '3000',
  'targets-per-application-load-balancer': '1000',
  'listeners-per-application-load-balancer': '50',
  'rules-per-application-load-balancer': '100',
  'target-groups-per-action-on-application-load-balancer': '5',
  'target-groups-per-application-load-balancer': '100',
  'certificates-per-application-load-balancer': '25',
  'condition-values-per-alb-rule': '5',
};

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeAccountLimits.html */
export function describeAccountLimits(world: ReadableWorld, input: Input): unknown {
  const limits = { 'application-load-balancers': String(world.settings.quota), ...LIMITS };
  const numbered = Object.entries(limits).map(([name, max], position) => ({ name, max, position }));
  const page = pageOf(input, numbered, (limit) => limit.position);
  return {
    Limits: page.items.map(({ name, max }) => ({ Name: name, Max: max })),
    NextMarker: page.nextMarker,
  };
}
