// Lives here: rules of a listener: desired, diff, order; pure.
// May import it: my-ingress/listeners.
// Start with: this file, then priorities.ts.

import { isDeepStrictEqual } from 'node:util';
import type { Condition, Rule } from '../../../aws/elbv2/traffic.ts';
import { diffAction, namesIn, normaliseActions } from '../graph/actions.ts';
import type { DesiredListener, DesiredRule, ObservedRule } from '../graph/graph.ts';
import { idsByName, isServed, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { Step } from '../graph/steps.ts';
import { diffTags } from '../graph/tags.ts';
import { claimRules, type OwnRule, type RuleClaims } from './claims.ts';
import { describeConditions, normaliseEcho } from './conditions.ts';
import { orderByHandover } from './handover.ts';
import { assignPriorities } from './priorities.ts';

/** The steps of the rules of one listener, by the phase of the plan that they belong to. */
export interface RuleSteps {
  /** Moves, then creates, in the order of evaluation: none catches a request meant for a later one. */
  readonly additions: readonly Step[];
  readonly changes: readonly Step[];
  readonly tags: readonly Step[];
  /** Last rule first: none catches a request that a deleted one has caught. */
  readonly removals: readonly Step[];
  readonly problems: readonly Problem[];
}

/** `observed` has all rules of the listener; it is empty for one that is not there yet. */
export function planRules(
  listener: DesiredListener,
  observed: readonly ObservedRule[],
  context: PlanContext,
): RuleSteps {
  const claims = claimRules(listener, observed, context);
  const isKept = ({ id }: DesiredRule): boolean => claims.kept.has(id);
  const unserved = listener.rules.filter(({ action }) => !isServed(namesIn(action), context));
  const desired = listener.rules.filter((rule) => isKept(rule) || !unserved.includes(rule));
  const priorities = assignPriorities({
    order: desired.map(({ id }) => id),
    placed: [...claims.kept.values(), ...claims.obsolete],
    foreign: claims.foreign,
  });
  const created = desired.filter((rule) => !isKept(rule));
  const changes = orderByHandover(desired, claims.kept).flatMap((rule) => {
    return changeRule(rule, claims.kept.get(rule.id), context);
  });
  return {
    additions: [
      ...moveRules(listener, claims, priorities),
      ...created.map((rule): Step => {
        const priority = priorities.get(rule.id) ?? 0;
        return createRule(rule, { listener: listener.id, priority }, context);
      }),
    ],
    changes: changes.filter(({ operation }) => operation === 'ModifyRule'),
    tags: changes.filter(({ operation }) => operation !== 'ModifyRule'),
    removals: claims.obsolete.filter(isKnown).toReversed().map(deleteRule),
    problems: [
      ...unserved.map(({ id }) => waitsForBackend(id)),
      ...[...claims.kept.values(), ...claims.obsolete].filter((one) => !isKnown(one)).map(unknown),
    ],
  };
}

/** One call, whatever the permutation. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetRulePriorities.html */
function moveRules(
  { id }: DesiredListener,
  { kept, obsolete }: RuleClaims,
  assigned: ReadonlyMap<string, number>,
): readonly Step[] {
  const priorities = [...kept.values(), ...obsolete].flatMap(({ key, observed, priority }) => {
    const desired = assigned.get(key) ?? priority;
    return desired === priority ? [] : [{ arn: observed.rule.arn, priority: desired }];
  });
  if (priorities.length === 0) return [];
  const why = `order differs or a gap is used up, ${priorities.length} rules move`;
  return [{ id, operation: 'SetRulePriorities', why, needs: [id], input: { priorities } }];
}

function createRule(
  { id, conditions, action, tags }: DesiredRule,
  place: { readonly listener: string; readonly priority: number },
  context: PlanContext,
): Step {
  return {
    ...{ id, operation: 'CreateRule', why: `not there, priority ${place.priority}` },
    needs: [place.listener, ...idsByName(namesIn(action), context)],
    input: { ...place, conditions, action, tags },
  };
}

/** At most one ModifyRule, and tags. A rule that AWS has in a form that we do not write stays as it is. */
function changeRule(
  { id, conditions, action, tags }: DesiredRule,
  own: OwnRule | undefined,
  context: PlanContext,
): readonly Step[] {
  if (own === undefined) return [];
  const { rule, tags: observedTags } = own.observed;
  const { appliedTags } = context;
  const marks = diffTags(tags, observedTags, { resource: rule.arn, appliedTags });
  const tagSteps = marks.map((call): Step => ({ id, needs: [], ...call }));
  const observedAction = isKnown(own)
    ? normaliseActions(rule.actions, context.namesByArn)
    : undefined;
  if (observedAction === undefined || !isServed(namesIn(action), context)) return tagSteps;
  const actionChange = diffAction(action, observedAction);
  const conditionsChange = diffConditions(conditions, rule.conditions);
  const why = [actionChange, conditionsChange].filter((change) => change !== undefined);
  if (why.length === 0) return tagSteps;
  const modify: Step = {
    ...{ id, operation: 'ModifyRule', why: why.join('; ') },
    needs: actionChange === undefined ? [] : idsByName(namesIn(action), context),
    input: {
      arn: rule.arn,
      ...(conditionsChange !== undefined && { conditions }),
      ...(actionChange !== undefined && { action }),
    },
  };
  return [modify, ...tagSteps];
}

function diffConditions(
  desired: DesiredRule['conditions'],
  echoed: readonly Condition[],
): string | undefined {
  const observed = normaliseEcho(echoed);
  if (isDeepStrictEqual(desired, observed)) return undefined;
  return `conditions: observed ${describeConditions(observed)}, desired ${describeConditions(desired)}`;
}

function deleteRule({ id, observed: { rule } }: OwnRule): Step {
  return {
    id,
    operation: 'DeleteRule',
    why: 'not in the spec',
    needs: [],
    input: { arn: rule.arn },
  };
}

function isKnown({ observed: { rule } }: OwnRule): boolean {
  return isReplaceable(rule);
}

/** Whether the rule does nothing but what albridge writes. */
export function isReplaceable({ actions, hasTransforms }: Rule): boolean {
  return !hasTransforms && normaliseActions(actions, new Map()) !== undefined;
}

/** It may be what protects an application, so nobody drops it. */
function unknown({ id, observed: { rule } }: OwnRule): Problem {
  const message = `${rule.arn} has an action or a transform that albridge does not write, and stays as it is`;
  return { id, reason: 'UnknownSetting', message };
}

function waitsForBackend(id: string): Problem {
  return {
    id,
    reason: 'BackendUnavailable',
    message: 'a backend that it names has no target group',
  };
}
