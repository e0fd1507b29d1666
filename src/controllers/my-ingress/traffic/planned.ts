import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { recordUnused } from '../graph/facts.ts';
import type { DesiredGraph, ObservedGraph } from '../graph/graph.ts';
import { type Plan, planTraffic } from '../graph/plan.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { desireTraffic } from './desire.ts';

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
