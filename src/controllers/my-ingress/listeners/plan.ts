// Lives here: listeners: desired, diff, steps; pure.
// May import it: src/controllers/my-ingress/graph; src/controllers/my-ingress/traffic takes settings.ts; src/cli takes attribute-defaults.ts.
// Start with: this file, then diff.ts; rules/ has what a listener evaluates.

import { listNames } from '../graph/actions.ts';
import type {
  DesiredAction,
  DesiredListener,
  DesiredRule,
  ObservedGraph,
  ObservedListener,
} from '../graph/graph.ts';
import { isServed, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import { planRules, type RuleSteps } from '../rules/diff.ts';
import { Effort, MOST_EFFORT } from '../rules/effort.ts';
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
  /** After all removals. */
  readonly last: readonly Step[];
}

const NOTHING: PlannedListener = {
  ...{ claim: [], before: [], transition: [], tags: [], removals: [], last: [], problems: [] },
};

/** One listener after the other; a port that another one holds is left out with its rules. */
export function planListeners(
  desired: readonly DesiredListener[],
  observed: ObservedGraph,
  context: PlanContext,
): RoutingSteps {
  const { kept, obsolete, conflicts } = claimListeners(desired, observed, context);
  const free = desired.filter(({ id }) => conflicts.every((problem) => problem.id !== id));
  const plans = putRedirectsLast(free).map((one) => {
    const effort = new Effort(MOST_EFFORT / free.length);
    const plan = planListener(one, kept.get(one.id), { ...context, effort });
    const isNew = ({ id }: DesiredListener): boolean => !kept.has(id);
    return isNew(one) ? plan : holdRedirects(one, desired.filter(isNew), plan);
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

/** As a plan of its whole, with the effort that one listener may take. */
type ListenerContext = PlanContext & { readonly effort: Effort };

/** A request finds its rule of before, or its rule of after. */
function planListener(
  given: DesiredListener,
  observed: ObservedListener | undefined,
  context: ListenerContext,
): PlannedListener {
  const desired = keepCertificates(given, observed);
  const unresolved = describeUnresolved(desired);
  if (lacksCertificate(desired)) return { ...NOTHING, problems: unresolved };
  const plan = planServed(desired, observed, context);
  return { ...plan, problems: [...unresolved, ...plan.problems] };
}

function planServed(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
  context: ListenerContext,
): PlannedListener {
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
): PlannedListener {
  const listener = updateListener(desired, observed, context);
  const steps = [...rules.additions, ...listener.after, ...rules.changes, ...rules.removals];
  const { namesByArn, effort } = context;
  return {
    claim: listener.claim,
    before: [...listener.before, ...rules.marks],
    transition: [...orderTransition({ observed, namesByArn, steps, effort }), ...rules.unmarks],
    tags: [...listener.attributes, ...listener.tags, ...rules.tags],
    removals: listener.removals,
    last: listener.last,
    problems: [...listener.problems, ...rules.problems],
  };
}

/** So that no client is sent to a port before somebody listens there; what redirects all of them comes last. */
function putRedirectsLast(listeners: readonly DesiredListener[]): readonly DesiredListener[] {
  const rank = ({ action, rules }: DesiredListener): number => {
    if (findRedirected(action, listeners) !== undefined) return 2;
    return Number(rules.some((rule) => findRedirected(rule.action, listeners) !== undefined));
  };
  return listeners.toSorted((a, b) => rank(a) - rank(b));
}

/** The listener to which the action sends clients. */
function findRedirected(
  action: DesiredAction,
  listeners: readonly DesiredListener[],
): ResourceId | undefined {
  if (action.kind !== 'redirect' || action.protocol !== 'HTTPS') return undefined;
  if (action.host !== '#{host}') return undefined;
  return listeners.find(({ port, protocol }) => {
    return protocol === 'HTTPS' && String(port) === action.port;
  })?.id;
}

/** Where AWS refuses one of the listeners that are made, nothing that redirects to it is changed. */
function holdRedirects(
  { action }: DesiredListener,
  made: readonly DesiredListener[],
  plan: PlannedListener,
): PlannedListener {
  const byDefault = findRedirected(action, made);
  if (byDefault !== undefined) return holdFor(byDefault, plan);
  const transition = plan.transition.map((step): Step => {
    const isRule = step.operation === 'CreateRule' || step.operation === 'ModifyRule';
    const target = isRule && step.input.action && findRedirected(step.input.action, made);
    return target ? { ...step, needs: [...step.needs, target] } : step;
  });
  return { ...plan, transition };
}

/** Where AWS refuses that listener, this one stays as it is, with its rules. */
function holdFor(id: ResourceId, plan: PlannedListener): PlannedListener {
  const hold = (steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => ({ ...step, needs: [...step.needs, id] }));
  const { claim, before, transition, tags, removals, last, problems } = plan;
  return {
    claim,
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

/** While a host has no valid certificate, those that the listener has stay but for `spare`: one of them may cover it. */
function keepCertificates(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
): DesiredListener {
  const { listener, certificates } = observed ?? {};
  const isWhole = desired.unresolved === undefined && desired.uncovered === undefined;
  if (isWhole || listener?.protocol !== 'HTTPS') return desired;
  return {
    ...desired,
    certificates: mergeCertificates(desired, certificates ?? listener.certificates),
  };
}

function mergeCertificates(
  { certificates, spare }: DesiredListener,
  observed: readonly string[],
): readonly string[] {
  const kept = observed.filter((one) => spare?.arns.includes(one) !== true);
  return [...new Set(spare?.isDefault ? [...certificates, ...kept] : [...kept, ...certificates])];
}

/** AWS takes no HTTPS listener without a certificate. */
function lacksCertificate({ protocol, certificates }: DesiredListener): boolean {
  return protocol === 'HTTPS' && certificates.length === 0;
}

/** Of the listener, and of each attached rule by itself: one without a certificate is no matter of the others. */
function describeUnresolved(desired: DesiredListener): readonly Problem[] {
  const { id, uncovered = [], unresolved } = desired;
  const ofRules = desired.rules.flatMap((rule): readonly Problem[] => {
    const hosts = listHosts(rule).filter((host) => uncovered.includes(host.toLowerCase()));
    if (hosts.length === 0) return [];
    const message = `none in AWS Certificate Manager is valid for ${hosts.join(', ')}`;
    return [{ id: rule.id, reason: 'NoCertificate', message }];
  });
  return [...(unresolved === undefined ? [] : [{ id, ...unresolved }]), ...ofRules];
}

function listHosts({ conditions }: DesiredRule): readonly string[] {
  return conditions.flatMap(({ field, values }) => (field === 'host-header' ? values : []));
}
