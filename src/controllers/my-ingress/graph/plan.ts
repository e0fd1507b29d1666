import type { QuotaCode } from '../../../aws/elbv2/traffic.ts';
import type { Identity } from '../identity.ts';
import { type ListenerPlan, planListeners } from '../listeners/plan.ts';
import { planSecurityGroup } from '../security-group/diff.ts';
import {
  findForeignGroups,
  findSecureGroups,
  planTargetGroups,
  retireTargetGroup,
} from '../target-groups/plan.ts';
import { isRepetition, isRouting, isSame, type TrafficFacts, WINDOW_MS } from './facts.ts';
import type { DesiredGraph, ObservedGraph } from './graph.ts';
import type { PlanContext } from './plan-context.ts';
import type { Problem } from './problem.ts';
import { SECURITY_GROUP_ID } from './resource-id.ts';
import { findObstacle, type Postponed, type Step } from './steps.ts';
import { identifyResource } from './tags.ts';

/** Nothing to do and nothing to wait for: the graph is as desired, but for the problems. */
export interface Plan {
  /** In an order in which they can be executed. */
  readonly steps: readonly Step[];
  readonly postponed: readonly Postponed[];
  readonly problems: readonly Problem[];
}

export interface PlanGiven {
  readonly identity: Identity;
  /** As in `status.applied`. */
  readonly appliedTags: readonly string[];
  readonly facts: TrafficFacts;
  readonly nowMs: number;
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
  const { early, changes, late, waitMs } = scheduleRouting(routing.listeners, given);
  const removals = [
    ...late,
    ...postpone(routing.removals, isFull('listeners', given.facts) ? 0 : waitMs),
    ...groups.obsolete.flatMap(({ id, observed: group }) => {
      return retireTargetGroup(id, group, given) ?? [];
    }),
  ];
  const due = removals.filter(({ inMs }) => inMs === 0).map(({ step }) => step);
  const first = listFirst(due, routing.removals, given.facts);
  const isLast = late.length + routing.removals.length > 0;
  const last = postpone(groups.afterRules, isLast ? waitMs : 0);
  return {
    steps: [
      ...first,
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

interface Schedule {
  /** Deletions of rules that have to come before what changes. */
  readonly early: readonly Step[];
  readonly changes: readonly Step[];
  /** From the first deletion on that follows a change. */
  readonly late: readonly Postponed[];
}

/** A full quota is given room by all deletions of rules before anything is made. */
function scheduleRouting(
  listeners: readonly ListenerPlan[],
  given: PlanGiven,
): Schedule & { readonly waitMs: number } {
  const changes = listeners.flatMap(listChanges);
  const refused = listRefused(changes, given.facts);
  const accepted = changes.filter((step) => !refused.includes(step));
  const waitMs = waitFor(accepted, given);
  const sinceMs = waitFor([], given);
  const waits = { waitMs, sinceMs, areRulesFull: isFull('rules', given.facts), refused };
  const plans = listeners.map((one) => scheduleListener(one, waits));
  return {
    waitMs,
    early: plans.flatMap(({ early }) => early),
    changes: plans.flatMap(({ changes }) => changes),
    late: plans.flatMap(({ late }) => late),
  };
}

interface Waits {
  /** For a deletion after the changes of this plan. */
  readonly waitMs: number;
  /** For one before them. */
  readonly sinceMs: number;
  /** A quota is full to which deletions of rules give room. */
  readonly areRulesFull: boolean;
  /** Nothing waits for what AWS has refused, neither a deletion nor the changes behind it. */
  readonly refused: readonly Step[];
}

function scheduleListener(listener: ListenerPlan, waits: Waits): Schedule {
  const { claim, before, transition, tags } = listener;
  const { waitMs, sinceMs, areRulesFull, refused } = waits;
  const changes = transition.filter((step) => !isDeletion(step));
  if (areRulesFull) {
    const late = postpone(transition.filter(isDeletion), 0);
    return { early: [], changes: [...claim, ...before, ...changes, ...tags], late };
  }
  const first = transition.findIndex((step) => !isDeletion(step) && !refused.includes(step));
  const leading = transition.slice(0, Math.max(0, first));
  const hasDeletion = leading.some(isDeletion);
  const isHeld = hasDeletion && sinceMs > 0;
  const early = isHeld || !hasDeletion ? [] : leading;
  const rest = transition.slice(early.length);
  const end = isHeld ? 0 : rest.findIndex(isDeletion);
  const now = end < 0 ? rest : rest.slice(0, end);
  const late = rest.slice(now.length);
  // A certificate is added right before it takes the place of another one.
  const isLate = late.some(({ operation }) => operation === 'ModifyListener');
  return {
    early,
    changes: [...claim, ...(isLate ? [] : before), ...now, ...tags],
    late: postpone([...(isLate ? before : []), ...late], isHeld ? sinceMs : waitMs),
  };
}

function listChanges({ claim, before, transition, tags }: ListenerPlan): readonly Step[] {
  return [...claim, ...before, ...transition, ...tags].filter((step) => !isDeletion(step));
}

function isDeletion({ operation }: Step): boolean {
  return operation === 'DeleteRule';
}

function gatherContext(
  desired: DesiredGraph,
  observed: ObservedGraph,
  { identity, appliedTags }: PlanGiven,
): PlanContext {
  const foreign = findForeignGroups(desired.targetGroups, observed, { identity });
  const available = desired.targetGroups.filter((group) => !foreign.includes(group));
  // A predecessor is in an action until its successor takes over.
  const own = observed.targetGroups.flatMap(({ tags, targetGroup: { name } }) => {
    const id = identifyResource(tags, identity);
    return id === undefined ? [] : [[name, id] as const];
  });
  return {
    ...{ identity, appliedTags },
    secureArns: findSecureGroups(observed),
    namesByArn: new Map(observed.targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name])),
    availableNames: new Map([...own, ...available.map(({ id, name }) => [name, id] as const)]),
  };
}

/** `changes`: without those that AWS has refused, or these would keep everything from being deleted. */
function waitFor(changes: readonly Step[], { facts, nowMs }: PlanGiven): number {
  if (isFull('rules', facts)) return 0;
  const isChanging = changes.some(isRouting);
  return isChanging ? WINDOW_MS : Math.max(0, facts.changedAtMs + WINDOW_MS - nowMs);
}

/** With what needs it and so is not executed either. Another change of the same resource may well be accepted. */
function listRefused(changes: readonly Step[], facts: TrafficFacts): readonly Step[] {
  const isReplaced = (one: Step): boolean =>
    changes.some((step) => isRepetition(one, step)) && !changes.some((step) => isSame(one, step));
  const before = facts.refused.map(({ step }) => step).filter((one) => !isReplaced(one));
  const refused: Step[] = [];
  for (const step of changes) {
    const isRefused = before.some((one) => isSame(one, step));
    if (isRefused || findObstacle(step, [...before, ...refused])) refused.push(step);
  }
  return refused;
}

function postpone(steps: readonly Step[], inMs: number): readonly Postponed[] {
  return steps.map((step) => ({ step, inMs }));
}

type Room = 'rules' | 'listeners';

/**
 * The quotas to which each kind of deletion gives room; a listener takes its rules with it. None gives room to an
 * action of its own or to the security group.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const OF_RULES: readonly QuotaCode[] = [
  'TooManyRules',
  'TooManyTargetGroups',
  'TooManyUniqueTargetGroupsPerLoadBalancer',
];
const FREED: Readonly<Record<Room, ReadonlySet<QuotaCode>>> = {
  rules: new Set(OF_RULES),
  listeners: new Set([...OF_RULES, 'TooManyCertificates', 'TooManyListeners']),
};

/** A full quota must never keep anything from being deleted that gives room to it: then it comes first. */
function isFull(room: Room, { refused }: TrafficFacts): boolean {
  return refused.some(({ quota }) => quota !== undefined && FREED[room].has(quota));
}

function listFirst(
  due: readonly Step[],
  ofListeners: readonly Step[],
  facts: TrafficFacts,
): readonly Step[] {
  if (isFull('rules', facts)) return due;
  return isFull('listeners', facts) ? due.filter((step) => ofListeners.includes(step)) : [];
}
