import type { DesiredListener, ObservedGraph, ObservedListener } from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import { getListenerId, type ResourceId } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';
import { canAdopt, composeConsent, type Identity } from '../identity.ts';

export interface OwnListener {
  readonly id: ResourceId;
  readonly observed: ObservedListener;
}

export interface ListenerClaims {
  /** Ours, and those that their owner hands over. */
  readonly kept: ReadonlyMap<ResourceId, ObservedListener>;
  /** Ours and not desired any more. */
  readonly obsolete: readonly OwnListener[];
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
    const id = identifyListener(observed, identity);
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
    return holder === undefined ? [] : [describeConflict(id, holder, identity)];
  });
  const obsolete = own.filter(({ id, observed }) => {
    return kept.get(id) !== observed && isOurs(observed, identity);
  });
  return { kept, obsolete, conflicts };
}

/**
 * Which listener of this object it is. With the consent of its owner, given as for a balancer by tags
 * albridge.io/cluster and albridge.io/adopt, it becomes the one of its port.
 */
function identifyListener(
  { listener: { port }, tags }: Pick<ObservedListener, 'listener' | 'tags'>,
  identity: Identity,
): ResourceId | undefined {
  const consented = canAdopt(tags, identity) ? getListenerId(port) : undefined;
  return identifyResource(tags, identity) ?? consented;
}

/** False for one that its owner hands over, until its tags say so. */
export function isOurs({ tags }: Pick<ObservedListener, 'tags'>, identity: Identity): boolean {
  return identifyResource(tags, identity) !== undefined;
}

function describeConflict(id: ResourceId, holder: ObservedListener, identity: Identity): Problem {
  const { arn, port } = holder.listener;
  const problem: Problem = {
    id,
    reason: 'PortConflict',
    message: `port ${port} is held by ${arn}`,
  };
  if (isOurs(holder, identity)) return problem;
  const consent = `albridge.io/cluster=<id of this cluster> and albridge.io/adopt=${composeConsent(identity)}`;
  const next = `remove that listener, choose another port in spec.listeners, or have its owner hand it over by the tags ${consent}, and no others of albridge`;
  return { ...problem, next };
}
