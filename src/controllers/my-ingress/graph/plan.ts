import type { Identity } from '../identity.ts';
import { planListeners } from '../listeners/plan.ts';
import { isFull, postpone, type ScheduleGiven, scheduleRoom } from '../listeners/schedule.ts';
import { planSecurityGroup } from '../security-group/diff.ts';
import {
  findForeignGroups,
  findSecureGroups,
  planTargetGroups,
  retireTargetGroup,
} from '../target-groups/plan.ts';
import { listUnsettled, type TrafficFacts } from './facts.ts';
import type { DesiredGraph, ObservedGraph } from './graph.ts';
import type { PlanContext } from './plan-context.ts';
import type { Problem } from './problem.ts';
import { SECURITY_GROUP_ID } from './resource-id.ts';
import type { Postponed, Step } from './steps.ts';
import { identifyTargetGroup } from './tags.ts';

/** Nothing to do and nothing to wait for: the graph is as desired, but for the problems. */
export interface Plan {
  /** In an order in which they can be executed. */
  readonly steps: readonly Step[];
  readonly postponed: readonly Postponed[];
  readonly problems: readonly Problem[];
}

export interface PlanGiven extends ScheduleGiven {
  readonly identity: Identity;
  /** As in `status.applied`. */
  readonly appliedTags: readonly string[];
}

/**
 * Plans the steps from observed to desired; pure. Security group, target groups, listeners, rules, then
 * removals: never before what replaces them has been there for 15 s, unless a quota is full to which they give room.
 */
export function planTraffic(
  desired: DesiredGraph,
  observed: ObservedGraph,
  given: PlanGiven,
): Plan {
  const context = gatherContext(desired, observed, given);
  const isGroupFull = given.facts.refused.some(({ step: { id }, reason }) => {
    return id === SECURITY_GROUP_ID && reason === 'QuotaExceeded';
  });
  const security = planSecurityGroup(desired, observed, { ...context, isFull: isGroupFull });
  const groups = planTargetGroups(desired.targetGroups, observed, context);
  const routing = planListeners(desired.listeners, observed, context);
  const schedule = scheduleRoom(routing, observed, given);
  const { early, changes, waitMs } = schedule;
  const removals = [
    ...schedule.late,
    ...schedule.removals,
    ...groups.obsolete.flatMap(({ id, observed: group }) => {
      return retireTargetGroup(id, group, given) ?? [];
    }),
  ];
  const due = removals.filter(({ inMs }) => inMs === 0).map(({ step }) => step);
  const first = listFirst(due, routing.removals, schedule.facts);
  const isLast = schedule.late.length + schedule.removals.length > 0;
  const last = postpone(groups.afterRules, isLast ? waitMs : 0);
  return {
    steps: [
      ...[...schedule.first, ...first],
      ...[...security.before, ...groups.before, ...early, ...changes],
      ...security.tags,
      ...due.filter((step) => !first.includes(step)),
      ...last.filter(({ inMs }) => inMs === 0).map(({ step }) => step),
      ...security.removals,
    ],
    postponed: [...removals, ...last].filter(({ inMs }) => inMs > 0),
    problems: [...security.problems, ...groups.problems, ...routing.problems],
  };
}

function gatherContext(
  desired: DesiredGraph,
  observed: ObservedGraph,
  { identity, appliedTags, facts }: PlanGiven,
): PlanContext {
  const foreign = findForeignGroups(desired.targetGroups, observed, { identity });
  const available = desired.targetGroups.filter((group) => !foreign.includes(group));
  // A predecessor is in an action until its successor takes over.
  const own = observed.targetGroups.flatMap((group) => {
    const id = identifyTargetGroup(group, identity);
    return id === undefined ? [] : [[group.targetGroup.name, id] as const];
  });
  return {
    ...{ identity, appliedTags },
    secureArns: findSecureGroups(observed),
    unsettled: listUnsettled(facts),
    namesByArn: new Map(observed.targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name])),
    availableNames: new Map([...own, ...available.map(({ id, name }) => [name, id] as const)]),
  };
}

function listFirst(
  due: readonly Step[],
  ofListeners: readonly Step[],
  facts: TrafficFacts,
): readonly Step[] {
  if (isFull('rules', facts)) return due;
  return isFull('listeners', facts) ? due.filter((step) => ofListeners.includes(step)) : [];
}
