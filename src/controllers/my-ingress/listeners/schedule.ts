import type { QuotaCode } from '../../../aws/elbv2/traffic.ts';
import {
  isRepetition,
  isRouting,
  isSame,
  listConcerned,
  type RoutingChange,
  type TrafficFacts,
  WINDOW_MS,
} from '../graph/facts.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { findObstacle, type Postponed, type Step } from '../graph/steps.ts';
import { areApart } from '../rules/overlap.ts';
import { delayDeletions } from './deletions.ts';
import type { ListenerPlan, RoutingSteps } from './plan.ts';
import { listLeaving, makeRoom, placeRoom } from './room.ts';

export interface ScheduleGiven {
  readonly facts: TrafficFacts;
  readonly nowMs: number;
}

interface Schedule {
  /** Deletions of rules that have to come, or may as well come, before what changes. */
  readonly early: readonly Step[];
  readonly changes: readonly Step[];
  /** From the first deletion on that follows a change. */
  readonly late: readonly Postponed[];
}

/**
 * Where AWS takes no more rules, no more are deleted before the others are made than have to give room, and what is
 * then made counts as accepted: the rest waits as it always does.
 */
export function scheduleRoom(
  routing: RoutingSteps,
  observed: ObservedGraph,
  given: ScheduleGiven,
): Scheduled {
  const { listeners } = routing;
  const transition = listeners.flatMap((one) => one.transition);
  const isTaken = given.facts.refused.some(({ quota }) => quota === 'TooManyRules');
  const going = isTaken ? [...transition, ...routing.removals] : [];
  const leaving = listLeaving(going, observed);
  const facts = leaving.length > 0 ? forgetFullRules(given.facts) : given.facts;
  const open = { ...given, facts };
  const { waitMs, refused, ...steps } = scheduleRouting(listeners, observed, open);
  const isRefused = (step: Step): boolean =>
    refused.includes(step) || given.facts.refused.some((one) => isSame(one.step, step));
  const earlier = [...postpone([...steps.early, ...steps.changes], 0), ...steps.late];
  const removals = isFull('listeners', facts)
    ? postpone(routing.removals, 0)
    : delayDeletions(postpone(routing.removals, waitMs), earlier, isRefused);
  const tried = [...steps.early, ...steps.changes].filter((step) => {
    return isRefusedRule(step, given.facts) && !refused.includes(step);
  });
  const isHeld = leaving.length === 0 || waitSince(open) > 0;
  const room = makeRoom(isHeld ? [] : tried, leaving, transition);
  return { ...placeRoom({ ...steps, removals }, room), waitMs, facts };
}

interface Scheduled extends ReturnType<typeof placeRoom> {
  readonly waitMs: number;
  readonly facts: TrafficFacts;
}

function forgetFullRules(facts: TrafficFacts): TrafficFacts {
  return { ...facts, refused: facts.refused.filter(({ quota }) => quota !== 'TooManyRules') };
}

function isRefusedRule(step: Step, { refused }: TrafficFacts): boolean {
  return refused.some((one) => one.quota === 'TooManyRules' && isRepetition(one.step, step));
}

/** Any other full quota is given room by all deletions of rules before anything is made. */
function scheduleRouting(
  listeners: readonly ListenerPlan[],
  observed: ObservedGraph,
  given: ScheduleGiven,
): Schedule & { readonly waitMs: number } & Pick<Waits, 'refused'> {
  const changes = listeners.flatMap(listChanges);
  const refused = listRefused(changes, given.facts);
  const accepted = changes.filter((step) => !refused.includes(step));
  const waits = { ...judgeDeletions(changes, observed, { ...given, accepted }), refused };
  const areRulesFull = isFull('rules', given.facts);
  const plans = listeners.map((one) => {
    return areRulesFull ? scheduleFull(one) : scheduleListener(one, waits);
  });
  return {
    waitMs: !areRulesFull && accepted.some(isRouting) ? WINDOW_MS : waitSince(given),
    refused,
    early: plans.flatMap(({ early }) => early),
    changes: plans.flatMap(({ changes }) => changes),
    late: plans.flatMap(({ late }) => late),
  };
}

interface Waits {
  /** For a deletion before these changes of this plan, and after all others. */
  readonly waitMs: (step: Step<'DeleteRule'>, later: readonly Step[]) => number;
  /** For one before all of them. */
  readonly sinceMs: (step: Step<'DeleteRule'>) => number;
  /** None of them may concern its requests, whether AWS takes it or not. */
  readonly isFree: (step: Step<'DeleteRule'>) => boolean;
  /** Nothing waits for what AWS has refused, neither a deletion nor the changes behind it. */
  readonly refused: readonly Step[];
}

/** Each rule that is deleted is compared with all changes once. */
function judgeDeletions(
  changes: readonly Step[],
  observed: ObservedGraph,
  { accepted, ...given }: ScheduleGiven & { readonly accepted: readonly Step[] },
): Omit<Waits, 'refused'> {
  const rules = observed.listeners.flatMap((listener) => listener.rules);
  const conditions = new Map(rules.map(({ rule }) => [rule.arn, rule.conditions]));
  const known = new Map<string, Near>();
  const judge = ({ input: { arn } }: Step<'DeleteRule'>): Near => {
    const own = conditions.get(arn);
    const near = known.get(arn) ?? {
      changes: new Set(
        changes.filter((step) => isRouting(step) && mayConcern(listConcerned(step), own)),
      ),
      sinceMs: waitSince(given, own),
    };
    known.set(arn, near);
    return near;
  };
  return {
    waitMs: (step, later) => {
      const near = judge(step);
      const behind = new Set(later);
      const isNear = accepted.some((one) => near.changes.has(one) && !behind.has(one));
      return isNear ? WINDOW_MS : near.sinceMs;
    },
    sinceMs: (step) => judge(step).sinceMs,
    isFree: (step) => judge(step).changes.size === 0 && judge(step).sinceMs === 0,
  };
}

/** The changes that may concern the requests of a rule that is deleted. */
interface Near {
  readonly changes: ReadonlySet<Step>;
  /** As `sinceMs` of `Waits`. */
  readonly sinceMs: number;
}

function mayConcern(
  some: RoutingChange['conditions'],
  conditions: RoutingChange['conditions'],
): boolean {
  return some === undefined || conditions === undefined || !areApart(some, conditions);
}

/** A quota is full to which deletions of rules give room. */
function scheduleFull({ claim, before, transition, tags }: ListenerPlan): Schedule {
  const changes = transition.filter((step) => !isDeletion(step));
  const late = postpone(transition.filter(isDeletion), 0);
  return { early: [], changes: [...claim, ...before, ...changes, ...tags], late };
}

function scheduleListener(listener: ListenerPlan, waits: Waits): Schedule {
  const { claim, before, transition, tags } = listener;
  const { refused } = waits;
  const first = transition.findIndex((step) => !isDeletion(step) && !refused.includes(step));
  const leading = transition.slice(0, Math.max(0, first));
  const held = delay(leading, waits.sinceMs).findIndex(({ inMs }) => inMs > 0);
  const isHeld = held >= 0;
  // What is due now comes before the changes of all listeners, which may concern it as well.
  const due = isHeld ? leading.slice(0, held) : leading;
  const early = due.some(isDeletion) ? due : [];
  const rest = transition.slice(early.length);
  const end = isHeld ? 0 : rest.findIndex(isDeletion);
  const now = end < 0 ? rest : rest.slice(0, end);
  const delayed = delay(rest.slice(now.length), isHeld ? waits.sinceMs : waits.waitMs);
  const free = countFree(delayed, waits);
  const late = delayed.slice(free);
  // A certificate is added right before it takes the place of another one.
  const next = late.find(({ step: { operation, input } }) => {
    return operation === 'ModifyListener' && input.certificate !== undefined;
  });
  return {
    early: [...early, ...delayed.slice(0, free).map(({ step }) => step)],
    changes: [...claim, ...(next ? [] : before), ...now, ...tags],
    late: [...postpone(next ? before : [], next?.inMs ?? 0), ...late],
  };
}

/** Deletions that may as well come first, and give room to what changes. */
function countFree(delayed: readonly Postponed[], { isFree }: Waits): number {
  const first = delayed.findIndex(({ step, inMs }) => {
    return inMs > 0 || step.operation !== 'DeleteRule' || !isFree(step);
  });
  return first < 0 ? delayed.length : first;
}

/** A step behind a deletion waits as long as that. */
function delay(steps: readonly Step[], waitMs: Waits['waitMs']): readonly Postponed[] {
  let inMs = 0;
  return steps.map((step, at) => {
    if (step.operation === 'DeleteRule') inMs = Math.max(inMs, waitMs(step, steps.slice(at)));
    return { step, inMs };
  });
}

function listChanges({ claim, before, transition, tags }: ListenerPlan): readonly Step[] {
  return [...claim, ...before, ...transition, ...tags].filter((step) => !isDeletion(step));
}

function isDeletion({ operation }: Step): boolean {
  return operation === 'DeleteRule';
}

/**
 * For a deletion by what has changed before. With the conditions of a rule that is deleted only changes that may
 * concern its requests count, or others would keep it for ever.
 */
function waitSince(
  { facts, nowMs }: ScheduleGiven,
  conditions?: RoutingChange['conditions'],
): number {
  if (isFull('rules', facts)) return 0;
  const last = facts.changes.findLast((one) => mayConcern(one.conditions, conditions));
  return last === undefined ? 0 : Math.max(0, last.atMs + WINDOW_MS - nowMs);
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

export function postpone(steps: readonly Step[], inMs: number): readonly Postponed[] {
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
export function isFull(room: Room, { refused }: TrafficFacts): boolean {
  return refused.some(({ quota }) => quota !== undefined && FREED[room].has(quota));
}
