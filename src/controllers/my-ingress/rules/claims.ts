import type { DesiredListener, ObservedRule } from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';
import type { PlacedRule } from './priorities.ts';

/** A rule of ours that is there. Its key is its id, or its ARN where it will be deleted. */
export interface OwnRule extends PlacedRule {
  readonly id: ResourceId;
  readonly observed: ObservedRule;
}

export interface RuleClaims {
  readonly kept: ReadonlyMap<ResourceId, OwnRule>;
  /** Not desired any more, or there a second time; in the order of evaluation. */
  readonly obsolete: readonly OwnRule[];
  /** Priorities of rules of others. */
  readonly foreign: ReadonlySet<number>;
}

/** Whose the rules of a listener are. A create that was repeated leaves two of one id: the first is kept. */
export function claimRules(
  { rules }: DesiredListener,
  observed: readonly ObservedRule[],
  { identity }: PlanContext,
): RuleClaims {
  const desired = new Set(rules.map(({ id }) => id));
  const kept = new Map<ResourceId, OwnRule>();
  const obsolete: OwnRule[] = [];
  const foreign = new Set<number>();
  for (const { one, priority } of listByPriority(observed)) {
    const id = identifyResource(one.tags, identity);
    if (id === undefined) foreign.add(priority);
    else if (desired.has(id) && !kept.has(id))
      kept.set(id, { id, key: id, observed: one, priority });
    else obsolete.push({ id, key: one.rule.arn, observed: one, priority });
  }
  return { kept, obsolete, foreign };
}

/** In the order of evaluation, without the default rule, which is the listener's. */
function listByPriority(
  observed: readonly ObservedRule[],
): readonly { readonly one: ObservedRule; readonly priority: number }[] {
  return observed
    .flatMap((one) => {
      const { priority } = one.rule;
      return priority === 'default' ? [] : [{ one, priority }];
    })
    .toSorted((a, b) => a.priority - b.priority);
}
