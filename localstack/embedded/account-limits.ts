import type { ReadableWorld } from './aws-world.ts';
import { DEFAULT_LIMITS, type LimitName } from './faults/default-limits.ts';
import type { Input } from './input-fields.ts';
import { pageOf } from './paging.ts';

/** The quota in force: the account's own, else AWS's default. */
export function limitOf({ settings }: ReadableWorld, name: LimitName): number {
  return settings.limits[name] ?? DEFAULT_LIMITS[name];
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeAccountLimits.html */
export function describeAccountLimits(world: ReadableWorld, input: Input): unknown {
  const names = Object.keys(DEFAULT_LIMITS) as readonly LimitName[];
  const limits = [
    { name: 'application-load-balancers', max: world.settings.quota },
    ...names.map((name) => ({ name, max: limitOf(world, name) })),
  ];
  const numbered = limits.map((limit, position) => ({ ...limit, position }));
  const page = pageOf(input, numbered, (limit) => limit.position);
  return {
    Limits: page.items.map(({ name, max }) => ({ Name: name, Max: String(max) })),
    NextMarker: page.nextMarker,
  };
}
