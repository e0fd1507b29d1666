import { WINDOW_MS } from '../graph/facts.ts';
import type { DesiredListener, ObservedListener } from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import { describeId, type Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { endsRedirect, type Postponed, type Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import type { OwnListener } from './claims.ts';
import { leadsTo, listRedirects, type Redirect } from './redirects.ts';

/** A listener that stays, with what the plan does to it and its rules. */
export interface StayingListener extends OwnListener {
  readonly desired: DesiredListener;
  readonly steps: readonly Step[];
  /** Something of it waits, and says so itself. */
  readonly isWaiting: boolean;
}

export interface Deletions {
  readonly steps: readonly Step[];
  /** Of those that stay. */
  readonly problems: readonly Problem[];
}

/**
 * Deletes those that left the spec, but for one with a rule that is not ours, which AWS would delete with it, and one to
 * which another listener redirects that the plan leaves so. Of two, the redirecting one goes first.
 */
export function deleteListeners(
  obsolete: readonly OwnListener[],
  staying: readonly StayingListener[],
  context: PlanContext,
): Deletions {
  const all = [...obsolete, ...staying];
  const leading = findLeading(new Map(all.map((one) => [one, listRedirects(one, context)])));
  const held = obsolete.filter((one) => hasForeignRule(one.observed, context));
  const problems = held.map((one) => explain(one, "has rules that are not this object's"));
  let going = obsolete.filter((one) => !held.includes(one));
  for (;;) {
    const kept = going.flatMap((one) => keepLed(one, { held, staying, leading }) ?? []);
    if (kept.length === 0) break;
    held.push(...kept.map(({ one }) => one));
    problems.push(...kept.flatMap(({ problem }) => problem ?? []));
    going = going.filter((one) => !held.includes(one));
  }
  return { steps: orderDeletions(going, staying, leading), problems };
}

/** The ids by which the first sends clients to the second. */
type Leading = (from: OwnListener, to: OwnListener) => readonly ResourceId[];

function findLeading(redirects: ReadonlyMap<OwnListener, readonly Redirect[]>): Leading {
  return (from, to) => {
    const all = from === to ? [] : (redirects.get(from) ?? []);
    return all.filter(({ action }) => leadsTo(action, to)).map(({ id }) => id);
  };
}

interface Others {
  /** Those that left the spec, and are not deleted. */
  readonly held: readonly OwnListener[];
  readonly staying: readonly StayingListener[];
  readonly leading: Leading;
}

interface Kept {
  readonly one: OwnListener;
  /** undefined: what redirects to it waits, and says so. */
  readonly problem?: Problem;
}

/** undefined: it can go. */
function keepLed(one: OwnListener, { held, staying, leading }: Others): Kept | undefined {
  const [byHeld] = held.flatMap((other) => leading(other, one));
  const isLasting = (id: ResourceId, { steps }: StayingListener): boolean =>
    !steps.some((step) => step.id === id && endsRedirect(step));
  const users = staying.flatMap((user) => {
    const id = listUnwanted(user, one, leading).find((each) => isLasting(each, user));
    return id === undefined ? [] : [{ id, user }];
  });
  const by = byHeld ?? users[0]?.id;
  if (by === undefined) return undefined;
  if (byHeld === undefined && users.every(({ user }) => user.isWaiting)) return { one };
  const problem = explain(one, `${describeId(by)} redirects to it`);
  const next = `correct what keeps ${describeId(by)} as it is`;
  return { one, problem: { ...problem, next, isUntried: true } };
}

/** But for those that the spec has redirect there. */
function listUnwanted(
  user: StayingListener,
  one: OwnListener,
  leading: Leading,
): readonly ResourceId[] {
  const { id: own, action: byDefault, rules } = user.desired;
  return leading(user, one).filter((id) => {
    const action = id === own ? byDefault : rules.find((rule) => rule.id === id)?.action;
    return action === undefined || !leadsTo(action, one);
  });
}

function orderDeletions(
  going: readonly OwnListener[],
  staying: readonly StayingListener[],
  leading: Leading,
): readonly Step[] {
  const deletions = going.map((one): Step<'DeleteListener'> => {
    const { id, observed } = one;
    const ended = staying.flatMap((user) => listUnwanted(user, one, leading));
    const before = going.filter((from) => leading(from, one).length > 0);
    const needs = [...ended, ...before.map((from) => from.id)];
    const { arn } = observed.listener;
    return { id, operation: 'DeleteListener', why: 'not in the spec', needs, input: { arn } };
  });
  return sortByNeeds(deletions);
}

/** Where they redirect to each other in a circle, in the order given. */
function sortByNeeds(steps: readonly Step[]): readonly Step[] {
  const isFree = ({ needs }: Step): boolean => !steps.some(({ id }) => needs.includes(id));
  const next = steps.find(isFree) ?? steps[0];
  return next ? [next, ...sortByNeeds(steps.filter((one) => one !== next))] : [];
}

function explain({ id, observed: { listener } }: OwnListener, why: string): Problem {
  const message = `${listener.arn} is not in the spec, but ${why}`;
  return { id, reason: 'ResourceInUse', message };
}

/** AWS may refuse again what it has refused, and each plan tries it. */
const REFUSED_MS = 120_000;

/** These, where a deletion waits for requests that a redirect sends there until a step of this plan ends it. */
export function delayDeletions(
  removals: readonly Postponed[],
  earlier: readonly Postponed[],
  isRefused: (step: Step) => boolean,
): readonly Postponed[] {
  const isEnd = ({ step }: Postponed): boolean =>
    step.operation !== 'DeleteListener' && endsRedirect(step);
  const deletions = removals.filter(({ step }) => step.operation === 'DeleteListener');
  const ends = deletions.length === 0 ? [] : [...earlier, ...removals].filter(isEnd);
  return removals.map((one) => {
    if (!deletions.includes(one)) return one;
    const waits = ends
      .filter(({ step: { id } }) => one.step.needs.includes(id))
      .map(({ step, inMs }) => inMs + (isRefused(step) ? REFUSED_MS : WINDOW_MS));
    return { ...one, inMs: Math.max(one.inMs, ...waits) };
  });
}

/** A listener takes its rules with it. */
function hasForeignRule({ rules }: ObservedListener, { identity }: PlanContext): boolean {
  return rules.some(({ rule, tags }) => {
    return rule.priority !== 'default' && identifyResource(tags, identity) === undefined;
  });
}
