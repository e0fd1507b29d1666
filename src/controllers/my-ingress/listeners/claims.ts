import type { DesiredListener, ObservedGraph, ObservedListener } from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';

export interface ListenerClaims {
  readonly kept: ReadonlyMap<ResourceId, ObservedListener>;
  /** Ours and not desired any more. */
  readonly obsolete: readonly { readonly id: ResourceId; readonly observed: ObservedListener }[];
  /** Of desired listeners whose port another one holds. */
  readonly conflicts: readonly Problem[];
}

/** Whose the listeners of the balancer are. */
export function claimListeners(
  desired: readonly DesiredListener[],
  { listeners }: ObservedGraph,
  { identity }: PlanContext,
): ListenerClaims {
  const own = listeners.flatMap((observed) => {
    const id = identifyResource(observed.tags, identity);
    return id === undefined ? [] : [{ id, observed }];
  });
  const kept = new Map(
    desired.flatMap(({ id, port }) => {
      const claimed = own.filter((one) => one.id === id).map(({ observed }) => observed);
      const best = claimed.find(({ listener }) => listener.port === port) ?? claimed[0];
      return best === undefined ? [] : [[id, best] as const];
    }),
  );
  const conflicts = desired.flatMap(({ id, port }) => {
    const holder = listeners.find((observed) => {
      return observed.listener.port === port && observed !== kept.get(id);
    });
    return holder === undefined ? [] : [conflict(id, holder)];
  });
  return { kept, obsolete: own.filter(({ id, observed }) => kept.get(id) !== observed), conflicts };
}

function conflict(id: ResourceId, { listener: { arn, port } }: ObservedListener): Problem {
  return { id, reason: 'PortConflict', message: `port ${port} is held by ${arn}` };
}
