// Lives here: listeners: desired, diff, steps; pure.
// May import it: src/controllers/my-ingress/graph; src/controllers/my-ingress/traffic takes settings.ts; src/cli takes attribute-defaults.ts.
// Start with: this file, then diff.ts; rules/ has what a listener evaluates.

import { listNames, normaliseActions } from '../graph/actions.ts';
import type { DesiredListener, ObservedGraph, ObservedListener } from '../graph/graph.ts';
import { isServed, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import { findRule, type ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { planRules, type RuleSteps } from '../rules/diff.ts';
import { Effort, MOST_EFFORT } from '../rules/effort.ts';
import { describeUnresolved, keepCertificates, lacksCertificate } from './certificate-list.ts';
import { claimListeners, type ListenerClaims } from './claims.ts';
import { type Deletions, deleteListeners, type StayingListener } from './deletions.ts';
import { createListener, updateListener } from './diff.ts';
import {
  explainWithheld,
  findWait,
  isAwaited,
  isLeaving,
  listMissing,
  putRedirectsLast,
  reroutes,
  type Wait,
} from './redirects.ts';
import { orderTransition } from './transition.ts';

/** The steps of all listeners and their rules, by the phase of the plan that they belong to. */
export interface RoutingSteps {
  readonly listeners: readonly ListenerPlan[];
  readonly removals: readonly Step[];
  readonly problems: readonly Problem[];
}

/** The steps of one listener that stays. */
export interface ListenerPlan {
  /** Makes the listener ours; never waits. */
  readonly claim: readonly Step[];
  /** The listener itself, its protocol and port, further certificates, and which transforms are ours. */
  readonly before: readonly Step[];
  /** All that changes where requests go, deletions of rules among it, in the order of `orderTransition`. */
  readonly transition: readonly Step[];
  /** And attributes. */
  readonly tags: readonly Step[];
}

interface PlannedListener extends ListenerPlan, Pick<RoutingSteps, 'removals' | 'problems'> {
  readonly id: ResourceId;
  /** After all removals. */
  readonly last: readonly Step[];
  /** Listeners that are not there, to which it is to redirect. */
  readonly waits?: Wait;
  /** Stays as it is until they are, as this plan does not make them. */
  readonly withheld: readonly ResourceId[];
}

type Planned = Omit<PlannedListener, 'id'>;

const NOTHING: Planned = {
  ...{ claim: [], before: [], transition: [], tags: [], removals: [], last: [] },
  ...{ problems: [], withheld: [] },
};

/** One listener after the other; a port that another one holds is left out with its rules. */
export function planListeners(
  desired: readonly DesiredListener[],
  observed: ObservedGraph,
  context: PlanContext,
): RoutingSteps {
  const claims = claimListeners(desired, observed, context);
  const { kept, conflicts } = claims;
  const free = desired.filter(({ id }) => conflicts.every((problem) => problem.id !== id));
  const awaited = desired.filter((one) => isAwaited(one, kept.get(one.id)));
  const missing = listMissing(awaited, (one, targets) => {
    return free.includes(one) && canServe(one, kept.get(one.id), { targets, context });
  });
  const made = awaited.filter((one) => !missing.includes(one));
  const rules = desired.flatMap((one) => one.rules.map(({ id }) => findRule(id)?.rule ?? id));
  const waits = { missing, made, served: new Set(rules) };
  const plans = putRedirectsLast(free).map((one) => {
    const effort = new Effort(MOST_EFFORT / free.length);
    return planListener(one, kept.get(one.id), { ...context, ...waits, effort });
  });
  const deletions = planDeletions(claims, { desired, plans }, context);
  const problems = [...conflicts, ...plans.flatMap((one) => one.problems)];
  return {
    listeners: plans,
    removals: [
      ...plans.flatMap(({ removals }) => removals),
      ...deletions.steps,
      ...plans.flatMap(({ last }) => last),
    ],
    problems: [...problems, ...explainWithheld(plans, problems, missing), ...deletions.problems],
  };
}

/** As a plan of its whole, with the effort that one listener may take. */
interface ListenerContext extends PlanContext {
  readonly effort: Effort;
  /** HTTPS listeners of the spec that are not there, and that this plan does not make. */
  readonly missing: readonly DesiredListener[];
  /** Those that it makes, unless AWS refuses. */
  readonly made: readonly DesiredListener[];
  /** Sources and names of all rules, whatever their listeners. */
  readonly served: ReadonlySet<string>;
}

/** Whether a plan makes the listener, or makes it HTTPS. */
function canServe(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
  given: Parameters<typeof findWait>[2],
): boolean {
  if (lacksCertificate(keepCertificates(desired, observed))) return false;
  if (findWait(desired, observed, given)?.isWhole) return false;
  return observed !== undefined || isServed(listNames(desired.action), given.context);
}

/** A request finds its rule of before, or its rule of after. */
function planListener(
  given: DesiredListener,
  observed: ObservedListener | undefined,
  context: ListenerContext,
): PlannedListener {
  const desired = keepCertificates(given, observed);
  const { id } = desired;
  const unresolved = describeUnresolved(desired);
  if (lacksCertificate(desired)) return { ...NOTHING, id, problems: unresolved };
  const wait = findWait(desired, observed, { targets: context.missing, context });
  const plan = wait
    ? withhold(wait, desired, { observed, context })
    : planServed(desired, observed, context);
  const needed = findWait(desired, observed, { targets: context.made, context });
  const problems = [...unresolved, ...plan.problems];
  return { ...(needed ? holdFor(needed, plan, context) : plan), id, problems };
}

/** The plan without what would send clients where nobody listens. */
function withhold(
  wait: Wait,
  desired: DesiredListener,
  {
    observed,
    context,
  }: { readonly observed?: ObservedListener | undefined; readonly context: ListenerContext },
): Planned {
  if (!wait.isWhole) {
    const rules = desired.rules.filter((rule) => !wait.rules.includes(rule));
    const withheld = wait.rules.map(({ id }) => id);
    return { ...planServed({ ...desired, rules }, observed, context), withheld, waits: wait };
  }
  const { transition } = planServed(desired, observed, context);
  const leaving = transition.filter((step) => isLeaving(step, context));
  const waiting = transition.filter((step) => !leaving.includes(step)).map(({ id }) => id);
  const kept = observed ? keepRouting(desired, observed, context) : NOTHING;
  return {
    ...{ ...kept, transition: [...leaving, ...kept.transition] },
    ...{ withheld: [...new Set([desired.id, ...waiting])], waits: wait },
  };
}

/** Settings and certificates alone: where its requests go stays as it is. */
function keepRouting(
  desired: DesiredListener,
  observed: ObservedListener,
  context: ListenerContext,
): Planned {
  const { port, protocol, defaultActions } = observed.listener;
  const action = normaliseActions(defaultActions, context.namesByArn) ?? desired.action;
  const listener = updateListener({ ...desired, action }, observed, context);
  const { claim, guard, before, after, settings, attributes, tags, removals, problems } = listener;
  if (desired.port !== port || desired.protocol !== protocol)
    return { ...NOTHING, claim, tags, problems };
  return {
    ...{ ...NOTHING, claim: [...claim, ...guard], before, transition: [...after, ...settings] },
    ...{ tags: [...attributes, ...tags], removals, problems },
  };
}

function planServed(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
  context: ListenerContext,
): Planned {
  const rules = planRules(desired, observed?.rules ?? [], context);
  if (observed !== undefined) return changeListener(desired, observed, { rules, context });
  if (!isServed(listNames(desired.action), context)) {
    const problems = [waitForBackend(desired.id)];
    return { ...NOTHING, problems };
  }
  const { before, attributes } = createListener(desired, context);
  const { additions, problems } = rules;
  return { ...NOTHING, before, transition: additions, tags: attributes, problems };
}

function changeListener(
  desired: DesiredListener,
  observed: ObservedListener,
  { rules, context }: { readonly rules: RuleSteps; readonly context: ListenerContext },
): Planned {
  const listener = updateListener(desired, observed, context);
  const steps = [...rules.additions, ...listener.after, ...rules.changes, ...rules.removals];
  const { namesByArn, effort } = context;
  const plan = {
    ...NOTHING,
    claim: [...listener.claim, ...listener.guard, ...rules.marks],
    before: listener.before,
    transition: [
      ...orderTransition({ observed, namesByArn, steps, effort }),
      ...listener.settings,
      ...rules.unmarks,
    ],
    tags: [...listener.attributes, ...listener.tags, ...rules.tags],
    removals: listener.removals,
    last: listener.last,
    problems: [...listener.problems, ...rules.problems],
  };
  const isGuarded = (step: Step): boolean => reroutes(step) && !isLeaving(step, context);
  return listener.guard.length > 0 ? hold(plan, [desired.id], isGuarded) : plan;
}

/** Where AWS refuses one of the listeners to which it redirects, its requests go where they went before. */
function holdFor(wait: Wait, plan: Planned, context: ListenerContext): Planned {
  const { targets, isWhole, rules } = wait;
  const isHeld = (step: Step): boolean =>
    isWhole ? reroutes(step) && !isLeaving(step, context) : rules.some(({ id }) => id === step.id);
  return { ...hold(plan, targets, isHeld), waits: plan.waits ?? wait };
}

function hold(
  plan: Planned,
  needs: readonly ResourceId[],
  isHeld: (step: Step) => boolean,
): Planned {
  const add = (steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => (isHeld(step) ? { ...step, needs: [...step.needs, ...needs] } : step));
  const { before, transition, last } = plan;
  return { ...plan, before: add(before), transition: add(transition), last: add(last) };
}

function planDeletions(
  { kept, obsolete }: ListenerClaims,
  given: {
    readonly desired: readonly DesiredListener[];
    readonly plans: readonly PlannedListener[];
  },
  context: PlanContext,
): Deletions {
  if (obsolete.length === 0) return { steps: [], problems: [] };
  const staying = given.desired.flatMap((desired): readonly StayingListener[] => {
    const { id } = desired;
    const observed = kept.get(id);
    const { before, transition, last, withheld } =
      given.plans.find((one) => one.id === id) ?? NOTHING;
    const steps = [...before, ...transition, ...last];
    return observed ? [{ id, observed, desired, steps, isWaiting: withheld.length > 0 }] : [];
  });
  return deleteListeners(obsolete, staying, context);
}

function waitForBackend(id: ResourceId): Problem {
  const message = 'a backend of its default action has no target group';
  return { id, reason: 'BackendUnavailable', message };
}
