import { isDeepStrictEqual } from 'node:util';
import { resourceTagKey } from '../../../apis/my-ingress.ts';
import type { Condition } from '../../../aws/elbv2/traffic.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { findRule } from '../graph/resource-id.ts';
import type { Postponed, Step } from '../graph/steps.ts';
import { normaliseEcho } from '../rules/conditions.ts';
import { areApart } from '../rules/overlap.ts';
import { leaveUnmoved } from './transition.ts';

/** A deletion that gives room to other rules. */
export interface Leaving {
  readonly step: Step;
  /** ARN of the listener. */
  readonly listener: string;
  /** Those that go with it; never empty. */
  readonly rules: readonly LeavingRule[];
  /** Of the first of them. */
  readonly priority: number;
  /** It needs a step other than a deletion of a listener: one that ends a redirect to it. */
  readonly isLed: boolean;
}

interface LeavingRule {
  /** Its source and name, whatever the listener; undefined: its tags do not say. */
  readonly name: string | undefined;
  readonly conditions: readonly Condition[];
}

/** The deletions that come early, because AWS takes no more rules. */
export interface Room {
  /** Before all changes. */
  readonly first: readonly Step[];
  /** By the create right before which it comes. */
  readonly before: ReadonlyMap<Step, Step>;
}

/** Of these steps, the last rule first: none catches a request that a deleted one has caught. */
export function listLeaving(steps: readonly Step[], observed: ObservedGraph): readonly Leaving[] {
  const going = steps.flatMap(({ id, operation }) => (operation === 'DeleteListener' ? [id] : []));
  const isLed = ({ needs }: Step): boolean => needs.some((id) => !going.includes(id));
  const leaving = observed.listeners.flatMap(({ listener: { arn: listener }, rules }) => {
    const own = rules.flatMap(({ rule: { arn, conditions, priority }, tags }) => {
      if (priority === 'default') return [];
      const name = findRule(tags[resourceTagKey] ?? '')?.rule;
      return [{ arn, priority, rule: { name, conditions: normaliseEcho(conditions) } }];
    });
    return steps.flatMap((step): readonly Leaving[] => {
      const gone = own.filter(({ arn }) => isDeleting(step, [arn, listener]));
      const priority = Math.min(...gone.map((one) => one.priority));
      return gone.length === 0
        ? []
        : [{ step, listener, rules: gone.map(({ rule }) => rule), priority, isLed: isLed(step) }];
    });
  });
  return leaving.toSorted((a, b) => b.priority - a.priority);
}

function isDeleting({ operation, input }: Step, arns: readonly string[]): boolean {
  const isDeletion = operation === 'DeleteRule' || operation === 'DeleteListener';
  return isDeletion && arns.includes(input.arn);
}

/**
 * Room for the creates that AWS has refused. As long as there are rules that none has to replace any more, these go,
 * and the others stay until their turn comes; else each goes right before the one that replaces it.
 *
 * @param refused those that this plan tries again
 * @param changes all of the plan
 */
export function makeRoom(
  refused: readonly Step[],
  leaving: readonly Leaving[],
  changes: readonly Step[],
): Room {
  const isHeld = (one: Leaving): boolean =>
    one.isLed || changes.some((change) => mayTakeOver(change, one));
  const held = leaving.filter(isHeld);
  const free = leaving.filter((one) => !held.includes(one));
  const safe = listSafe(free, held, changes);
  if (safe.length > 0) return { first: takeFirst(safe, refused.length), before: new Map() };
  return { first: [], before: pairSteps(refused, free) };
}

/** Whether a rule that changes its conditions may get requests of one that goes. */
function mayTakeOver({ operation, input }: Step, { rules }: Leaving): boolean {
  const { conditions } = operation === 'ModifyRule' ? input : {};
  if (conditions === undefined) return false;
  return rules.some((rule) => !areApart(conditions, rule.conditions));
}

/** Those whose requests have their rule elsewhere or none in the spec, and meet none that still waits to be replaced. */
function listSafe(
  leaving: readonly Leaving[],
  held: readonly Leaving[],
  changes: readonly Step[],
): readonly Leaving[] {
  const staying = [...held];
  return leaving.filter((one) => {
    const isReplaced = changes.some((change) => isSuccessor(change, one));
    const isSafe = !isReplaced && !staying.some((other) => takesFrom(other, one));
    if (!isSafe) staying.push(one);
    return isSafe;
  });
}

function takeFirst(leaving: readonly Leaving[], count: number): readonly Step[] {
  let room = 0;
  return leaving.flatMap(({ step, rules }) => {
    if (room >= count) return [];
    room += rules.length;
    return [step];
  });
}

function pairSteps(creates: readonly Step[], leaving: readonly Leaving[]): ReadonlyMap<Step, Step> {
  const before = new Map<Step, Step>();
  const left = new Set(leaving);
  let room = 0;
  for (const create of creates) {
    const next = room > 0 ? undefined : chooseNext(create, [...left]);
    if (next !== undefined) {
      left.delete(next);
      before.set(create, next.step);
      room += next.rules.length;
    }
    room -= 1;
  }
  return before;
}

/** The rule that the created one replaces, but for one behind it that would take its requests. */
function chooseNext(create: Step, left: readonly Leaving[]): Leaving | undefined {
  const own = left.find((one) => isSuccessor(create, one));
  return left.find((one) => own === undefined || one === own || takesFrom(one, own));
}

/** Whether the create makes a rule for the requests of one that goes. */
function isSuccessor({ id, operation, input }: Step, { rules }: Leaving): boolean {
  if (operation !== 'CreateRule') return false;
  const created = findRule(id)?.rule;
  return rules.some(({ name, conditions }) => {
    const isNamed = name !== undefined && name === created;
    return isNamed || isDeepStrictEqual(conditions, input.conditions);
  });
}

function takesFrom(one: Leaving, other: Leaving): boolean {
  if (one.listener !== other.listener) return false;
  return one.rules.some((a) => other.rules.some((b) => !areApart(a.conditions, b.conditions)));
}

interface Scheduled {
  readonly early: readonly Step[];
  readonly changes: readonly Step[];
  readonly late: readonly Postponed[];
  readonly removals: readonly Postponed[];
}

/** The same steps with the deletions that give room at their places. */
export function placeRoom(scheduled: Scheduled, { first, before }: Room): Scheduled & Room {
  const isPulled = (step: Step): boolean =>
    first.includes(step) || [...before.values()].includes(step);
  const gone = new Set<string>();
  const remove = (steps: readonly Step[]): readonly Step[] => {
    for (const { input } of steps) if ('arn' in input) gone.add(input.arn);
    return steps;
  };
  const leave = (step: Step): readonly Step[] =>
    step.operation === 'SetRulePriorities' ? leaveUnmoved(step, gone) : [step];
  const place = (step: Step): readonly Step[] => {
    const deletion = before.get(step);
    return [...remove(deletion === undefined ? [] : [deletion]), ...leave(step)];
  };
  remove(first);
  const { early, changes, late, removals } = scheduled;
  return {
    ...{ first, before, changes: changes.flatMap(place) },
    early: early.filter((step) => !isPulled(step)).flatMap(place),
    late: late
      .filter(({ step }) => !isPulled(step))
      .flatMap(({ step, inMs }) => leave(step).map((one) => ({ step: one, inMs }))),
    removals: removals.filter(({ step }) => !isPulled(step)),
  };
}
