// Lives here: listeners: desired, diff, steps; pure.
// May import it: my-ingress/graph.
// Start with: this file, then diff.ts; rules/ has what a listener evaluates.

import { namesIn } from '../graph/actions.ts';
import type { DesiredListener, ObservedGraph, ObservedListener } from '../graph/graph.ts';
import { isServed, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import { planRules, type RuleSteps } from '../rules/diff.ts';
import { claimListeners } from './claims.ts';
import { createListener, updateListener } from './diff.ts';
import { orderTransition } from './transition.ts';

/** The steps of all listeners and their rules, by the phase of the plan that they belong to. */
export interface RoutingSteps {
  readonly listeners: readonly ListenerPlan[];
  readonly removals: readonly Step[];
  readonly problems: readonly Problem[];
}

/** The steps of one listener that stays. */
export interface ListenerPlan {
  /** The listener itself, its protocol and port, further certificates, and which transforms are ours. */
  readonly before: readonly Step[];
  /** All that changes where requests go, deletions of rules among it, in the order of `orderTransition`. */
  readonly transition: readonly Step[];
  /** And attributes. */
  readonly tags: readonly Step[];
}

interface PlannedListener extends ListenerPlan, Pick<RoutingSteps, 'removals' | 'problems'> {
  /** After all removals. */
  readonly last: readonly Step[];
}

/** One listener after the other; a port that another one holds is left out with its rules. */
export function planListeners(
  desired: readonly DesiredListener[],
  observed: ObservedGraph,
  context: PlanContext,
): RoutingSteps {
  const { kept, obsolete, conflicts } = claimListeners(desired, observed, context);
  const free = desired.filter(({ id }) => conflicts.every((problem) => problem.id !== id));
  const plans = putRedirectsLast(free).map((one) => {
    const plan = planListener(one, kept.get(one.id), context);
    const target = findRedirected(one, desired);
    const isHeld = kept.has(one.id) && target !== undefined && !kept.has(target);
    return isHeld ? holdFor(target, plan) : plan;
  });
  const held = obsolete.filter(({ observed: one }) => hasForeignRule(one, context));
  const deleted = obsolete.filter((one) => !held.includes(one));
  return {
    listeners: plans,
    removals: [
      ...plans.flatMap(({ removals }) => removals),
      ...deleted.map(({ id, observed: one }) => deleteListener(id, one)),
      ...plans.flatMap(({ last }) => last),
    ],
    problems: [
      ...conflicts,
      ...plans.flatMap(({ problems }) => problems),
      ...held.map(({ id, observed: one }) => refuseDeletion(id, one)),
    ],
  };
}

/** A request finds its rule of before, or its rule of after. */
function planListener(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
  context: PlanContext,
): PlannedListener {
  const rules = planRules(desired, observed?.rules ?? [], context);
  if (observed !== undefined) return changeListener(desired, observed, { rules, context });
  if (!isServed(namesIn(desired.action), context)) {
    const problems = [waitForBackend(desired.id)];
    return { before: [], transition: [], tags: [], removals: [], last: [], problems };
  }
  const { before, attributes } = createListener(desired, context);
  const { additions, problems } = rules;
  return { before, transition: additions, tags: attributes, removals: [], last: [], problems };
}

function changeListener(
  desired: DesiredListener,
  observed: ObservedListener,
  { rules, context }: { readonly rules: RuleSteps; readonly context: PlanContext },
): PlannedListener {
  const listener = updateListener(desired, observed, context);
  const steps = [...rules.additions, ...listener.after, ...rules.changes, ...rules.removals];
  const { namesByArn } = context;
  return {
    before: [...listener.before, ...rules.marks],
    transition: [...orderTransition({ observed, namesByArn, steps }), ...rules.unmarks],
    tags: [...listener.attributes, ...listener.tags, ...rules.tags],
    removals: listener.removals,
    last: listener.last,
    problems: [...listener.problems, ...rules.problems],
  };
}

/** So that no client is sent to a port before somebody listens there. */
function putRedirectsLast(listeners: readonly DesiredListener[]): readonly DesiredListener[] {
  const rank = (one: DesiredListener): number =>
    Number(findRedirected(one, listeners) !== undefined);
  return listeners.toSorted((a, b) => rank(a) - rank(b));
}

/** The listener to which the default action of this one sends clients. */
function findRedirected(
  { action }: DesiredListener,
  listeners: readonly DesiredListener[],
): ResourceId | undefined {
  if (action.kind !== 'redirect' || action.protocol !== 'HTTPS') return undefined;
  if (action.host !== '#{host}') return undefined;
  return listeners.find(({ port, protocol }) => {
    return protocol === 'HTTPS' && String(port) === action.port;
  })?.id;
}

/** Where AWS refuses that listener, this one stays as it is, with its rules. */
function holdFor(id: ResourceId, plan: PlannedListener): PlannedListener {
  const hold = (steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => ({ ...step, needs: [...step.needs, id] }));
  const { before, transition, tags, removals, last, problems } = plan;
  return {
    ...{ before: hold(before), transition: hold(transition), tags: hold(tags) },
    ...{ removals: hold(removals), last: hold(last), problems },
  };
}

/** A listener takes its rules with it. */
function hasForeignRule({ rules }: ObservedListener, { identity }: PlanContext): boolean {
  return rules.some(({ rule, tags }) => {
    return rule.priority !== 'default' && identifyResource(tags, identity) === undefined;
  });
}

function deleteListener(id: ResourceId, { listener: { arn } }: ObservedListener): Step {
  return { id, operation: 'DeleteListener', why: 'not in the spec', needs: [], input: { arn } };
}

function refuseDeletion(id: ResourceId, { listener: { arn } }: ObservedListener): Problem {
  const message = `${arn} is not in the spec, but has rules that are not this object's`;
  return { id, reason: 'ResourceInUse', message };
}

function waitForBackend(id: ResourceId): Problem {
  const message = 'a backend of its default action has no target group';
  return { id, reason: 'BackendUnavailable', message };
}
