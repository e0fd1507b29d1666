// Lives here: rules of a listener: desired, diff, order; pure.
// May import it: src/controllers/my-ingress/listeners; src/controllers/my-ingress/traffic takes diff.ts; src/controllers/my-ingress/attaching takes desired.ts; src/cli/ui takes conditions.ts and desired.ts.
// Start with: this file, then priorities.ts.

import { isDeepStrictEqual } from 'node:util';
import { rewriteTagKey } from '../../../apis/my-ingress.ts';
import type { Condition, Rule, Tags } from '../../../aws/elbv2/traffic.ts';
import { diffAction, listNames, normaliseActions } from '../graph/actions.ts';
import type { DesiredListener, DesiredRule, ObservedRule } from '../graph/graph.ts';
import { isServed, mapNamesToIds, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { diffTags } from '../graph/tags.ts';
import { claimRules, type OwnRule, type RuleClaims } from './claims.ts';
import { describeConditions, normaliseEcho } from './conditions.ts';
import { orderByHandover } from './handover.ts';
import { assignPriorities } from './priorities.ts';
import { diffTransforms, markTransforms, readMarks } from './transforms.ts';

/** The steps of the rules of one listener, by the phase of the plan that they belong to. */
export interface RuleSteps {
  /** Before all others: which transforms are ours. */
  readonly marks: readonly Step[];
  /** Moves, then creates, in the order of evaluation: none catches a request meant for a later one. */
  readonly additions: readonly Step[];
  readonly changes: readonly Step[];
  /** After the changes: which transforms are still ours. */
  readonly unmarks: readonly Step[];
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
  const unserved = listener.rules.filter(({ action }) => !isServed(listNames(action), context));
  const desired = listener.rules.filter((rule) => isKept(rule) || !unserved.includes(rule));
  const priorities = assignPriorities({
    order: desired.map(({ id }) => id),
    placed: [...claims.kept.values(), ...claims.obsolete],
    foreign: claims.foreign,
  });
  const created = desired.filter((rule) => !isKept(rule));
  const changes = orderByHandover(desired, claims.kept).map((rule) => {
    return changeRule(rule, claims.kept.get(rule.id), context);
  });
  const unknown = listUnknown(listener, claims);
  return {
    marks: changes.flatMap((one) => one.marks),
    additions: [
      ...moveRules(listener, claims, priorities),
      ...created.map((rule): Step => {
        const priority = priorities.get(rule.id) ?? 0;
        return createRule(rule, { listener: listener.id, priority }, context);
      }),
    ],
    changes: changes.flatMap((one) => one.changes),
    unmarks: changes.flatMap((one) => one.unmarks),
    tags: changes.flatMap((one) => one.tags),
    removals: claims.obsolete
      .filter((one) => !unknown.includes(one))
      .toReversed()
      .map(deleteRule),
    problems: [...unserved.map(({ id }) => waitsForBackend(id)), ...unknown.map(refuseUnknown)],
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
  { id, conditions, action, transforms, tags }: DesiredRule,
  place: { readonly listener: string; readonly priority: number },
  context: PlanContext,
): Step {
  return {
    ...{ id, operation: 'CreateRule', why: `not there, priority ${place.priority}` },
    needs: [place.listener, ...mapNamesToIds(listNames(action), context)],
    input: { ...place, conditions, action, transforms, tags },
  };
}

type RuleChange = Pick<RuleSteps, 'marks' | 'changes' | 'unmarks' | 'tags'>;

/**
 * At most one ModifyRule, and tags. A rule that AWS has in a form that we do not write stays as it is. Which
 * transforms are ours is noted before they are written, and until they are gone.
 */
function changeRule(
  desired: DesiredRule,
  own: OwnRule | undefined,
  context: PlanContext,
): RuleChange {
  if (own === undefined) return { marks: [], changes: [], unmarks: [], tags: [] };
  const { rule, tags: observed } = own.observed;
  const modify = modifyRule(desired, own, context);
  const isRewriting = modify.some(({ input }) => input.transforms !== undefined);
  const kinds = desired.transforms.map(({ kind }) => kind);
  const isLeft = (kind: string): boolean => rule.transforms.some((one) => one.kind === kind);
  const before = readMarks(observed).filter((kind) => isRewriting || isLeft(kind));
  const mark = markTransforms([...before, ...kinds]);
  const marked = isRewriting ? { ...observed, ...mark } : observed;
  const tagged = { ...desired.tags, ...mark };
  const unmarked = { ...desired.tags, ...markTransforms(kinds) };
  const { id } = desired;
  const tag = (from: Tags, to: Tags, needs: readonly ResourceId[] = []): readonly Step[] => {
    const appliedTags = [...context.appliedTags, rewriteTagKey];
    const calls = diffTags(to, from, { resource: rule.arn, appliedTags });
    return calls.map((call) => ({ id, needs, ...call }));
  };
  return {
    marks: tag(observed, marked),
    changes: modify,
    unmarks: isRewriting ? tag(tagged, unmarked, [id]) : [],
    tags: tag(marked, tagged),
  };
}

function modifyRule(
  { id, conditions, action, transforms }: DesiredRule,
  own: OwnRule,
  context: PlanContext,
): readonly Step<'ModifyRule'>[] {
  const { rule } = own.observed;
  const observedAction = isKnown(own, { transforms })
    ? normaliseActions(rule.actions, context.namesByArn)
    : undefined;
  if (observedAction === undefined || !isServed(listNames(action), context)) return [];
  const actionChange = diffAction(action, observedAction);
  const conditionsChange = diffConditions(conditions, rule.conditions);
  const transformsChange = diffTransforms(transforms, rule.transforms);
  const changes = [actionChange, conditionsChange, transformsChange];
  const why = changes.filter((change) => change !== undefined);
  if (why.length === 0) return [];
  return [
    {
      ...{ id, operation: 'ModifyRule', why: why.join('; ') },
      needs: actionChange === undefined ? [] : mapNamesToIds(listNames(action), context),
      ...(conditionsChange === undefined && { concerns: rule.conditions }),
      input: {
        arn: rule.arn,
        ...(conditionsChange !== undefined && { conditions }),
        ...(actionChange !== undefined && { action }),
        ...(transformsChange !== undefined && { transforms }),
      },
    },
  ];
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

function listUnknown(
  { rules }: DesiredListener,
  { kept, obsolete }: RuleClaims,
): readonly OwnRule[] {
  const desired = new Map(rules.map((rule) => [rule.id, rule]));
  return [
    ...[...kept.values()].filter((one) => !isKnown(one, desired.get(one.id))),
    ...obsolete.filter((one) => !isKnown(one, undefined)),
  ];
}

/** Transforms that the spec has, or that were written for it before, are ours. */
function isKnown(
  { observed: { rule, tags } }: OwnRule,
  desired: Pick<DesiredRule, 'transforms'> | undefined,
): boolean {
  const kinds = (desired?.transforms ?? []).map(({ kind }) => kind);
  return isReplaceable(rule, [...readMarks(tags), ...kinds]);
}

/** Whether the rule does nothing but what albridge writes, with transforms of these kinds at most. */
export function isReplaceable({ actions, transforms }: Rule, kinds: readonly string[]): boolean {
  const isOwn = transforms.every(({ kind }) => kind !== 'unknown' && kinds.includes(kind));
  return isOwn && normaliseActions(actions, new Map()) !== undefined;
}

/** It may be what protects an application, so nobody drops it. */
function refuseUnknown({ id, observed: { rule } }: OwnRule): Problem {
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
