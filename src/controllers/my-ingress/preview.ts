import { createHash } from 'node:crypto';
import type { MyIngress } from '../../apis/my-ingress.ts';
import { findLeadingCondition } from '../../core/objects/conditions.ts';
import { CoreReason } from '../../core/reconcile/operator-error.ts';
import type { Planned, Waiting } from '../../core/reconcile/outcome.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import { hasNewRoutes } from './attaching/joined.ts';
import { findSubnets } from './discovery/discover-subnets.ts';
import { previewFinalize } from './finalize.ts';
import { describePlan, type Step as PlannedStep, printStep } from './graph/planned-step.ts';
import { type Problem, reportProblems } from './graph/problem.ts';
import { type Postponed, printPlan, type Step } from './graph/steps.ts';
import { planRetirement } from './graph/teardown.ts';
import { findRecreationProblem } from './load-balancer/correction.ts';
import { observeLive } from './load-balancer/observe.ts';
import { type ObservedLoadBalancer, planAfterCreate, planCreate } from './load-balancer/plan.ts';
import { chooseReadDepth, requestsLiveRead } from './load-balancer/read-depth.ts';
import { findRepairs, keepIpv6, planRepairs } from './load-balancer/repairs.ts';
import { checkSnapshot } from './load-balancer/snapshot.ts';
import { rememberFoundDrift } from './memory.ts';
import { recall } from './record.ts';
import type { ObjectScope, Scope } from './scope.ts';
import { hasTraffic } from './status.ts';
import { observeAndPlan } from './traffic/ensure.ts';
import { isBeforeBalancer, previewFrontend } from './traffic/frontend.ts';
import { planBy } from './traffic/planned.ts';
import { isTrafficDue } from './traffic/report.ts';

/** The lines of a plan in the order of their execution, and what it leaves out. */
interface Preview {
  readonly lines: readonly string[];
  /** The lines without their times. */
  readonly steps: readonly string[];
  readonly problems: readonly Problem[];
}

const NOTHING: Preview = { lines: [], steps: [], problems: [] };

/** Observes and plans as a pass toward the spec does, and reports the plan. */
export async function previewSpec(scope: Scope): Promise<Planned | Waiting> {
  if (isInPlace(scope.object) && !isTrafficDue(scope)) {
    const checked = await checkSnapshot(scope, scope.pass.signal);
    if (checked.kind !== 'differs') return reportPlan(scope, NOTHING);
  }
  const observation = await observeLive(scope, scope.pass.signal);
  if (observation.kind === 'unconfirmed') return observation.waiting;
  if (observation.kind === 'absent') return reportPlan(scope, await previewCreate(scope));
  const { observed } = observation;
  const { identity, memory } = scope;
  const kept = await keepIpv6(scope, observed);
  const own = findRepairs(kept, observed);
  // The balancer may have shown traffic that no record names.
  const found = recall(kept);
  if (!hasTraffic(found.object)) {
    return reportPlan(scope, joinPlans(describePlan(own), undefined));
  }
  const traffic = await observeAndPlan(found, { observed });
  memory.facts = rememberFoundDrift(memory.facts, false);
  const retirement = planRetirement(traffic.desired, traffic.observed, identity);
  const now = [...own, ...traffic.plan.steps];
  const withoutIpv6 =
    kept === scope ? [] : planWithoutIpv6({ ...found, desired: scope.desired }, observed, traffic);
  const later = withoutIpv6.filter((step) => !describePlan(now).includes(printStep(step)));
  const last = [...traffic.succession.switches, ...later, ...retirement];
  return reportPlan(scope, joinPlans(describePlan(own), { ...traffic.plan, last }));
}

/** Plans as if the balancer need not keep IPv6. */
function planWithoutIpv6(
  scope: Scope,
  observed: ObservedLoadBalancer,
  traffic: Parameters<typeof planBy>[1],
): readonly PlannedStep[] {
  return [...planRepairs(scope, observed), ...planBy(scope, traffic, undefined).plan.steps];
}

/** As `previewSpec`, of the deletion. */
export async function previewDeletion(scope: ObjectScope): Promise<Planned | Waiting> {
  const preview = await previewFinalize(scope);
  if (preview.kind === 'waiting') return preview;
  return reportPlan(scope, joinPlans(describePlan(preview.steps), undefined));
}

/** A pass that can report, and do nothing else: a preview that comes to a write has a bug. */
export function restrictPass(pass: Pass<MyIngress>): Pass<MyIngress> {
  const refuse = (): Promise<never> => Promise.reject(new Error('a preview came to a write'));
  return {
    ...{ key: pass.key, reconcileId: pass.reconcileId, signal: pass.signal, log: pass.log },
    recorded: pass.recorded,
    report: (status) => pass.report(status),
    setCondition: () => undefined,
    recordEvent: () => undefined,
    pickNewest: (held) => pass.pickNewest(held),
    disproveReady: () => undefined,
    isReadyDisproved: false,
    throwIfEdited: () => undefined,
    throwIfGone: () => undefined,
    throwIfPaused: () => undefined,
    recordNow: refuse,
    ensureFinalizer: refuse,
  };
}

/**
 * True where the spec is applied, as far as is known: the last drift scan is the evidence, as for an object
 * that is Ready.
 */
export function isInPlace(object: MyIngress): boolean {
  if (chooseReadDepth(object) === 'snapshot') return true;
  if (requestsLiveRead(object)) return false;
  const { plan, conditions = [] } = object.status;
  const leading = findLeadingCondition(conditions);
  const isPlanned = leading?.type === 'Ready' && OF_A_PLAN.includes(leading.reason);
  const isEmpty = plan?.generation === object.metadata.generation && plan.steps.length === 0;
  return isPlanned && isEmpty && !hasNewRoutes(object);
}

const OF_A_PLAN: readonly string[] = [CoreReason.Planned, CoreReason.ObserveMode];

async function previewCreate(scope: Scope): Promise<Preview> {
  const { desired, object } = scope;
  const problem = findRecreationProblem(object);
  if (problem !== undefined) return { ...NOTHING, problems: [problem] };
  if (desired.subnets === undefined) await findSubnets(scope);
  const own = describePlan([planCreate(desired), ...planAfterCreate(desired)]);
  if (!hasTraffic(object)) return joinPlans(own, undefined);
  const { steps, postponed, problems } = await previewFrontend(scope);
  const before = describePlan(steps.filter(isBeforeBalancer));
  const after = steps.filter((step) => !isBeforeBalancer(step));
  return joinPlans([...before, ...own], { steps: after, postponed, problems });
}

interface TrafficPlan {
  readonly steps: readonly Step[];
  readonly postponed: readonly Postponed[];
  /** Switches to new target groups, and removals of a later plan. */
  readonly last?: readonly PlannedStep[];
  readonly problems: readonly Problem[];
}

function joinPlans(own: readonly string[], traffic: TrafficPlan | undefined): Preview {
  if (traffic === undefined) return { lines: own, steps: own, problems: [] };
  const { steps, postponed, last = [], problems } = traffic;
  const all = [...steps, ...postponed.map(({ step }) => step), ...last];
  return {
    lines: [...own, ...printPlan({ steps, postponed, last })],
    steps: [...own, ...describePlan(all)],
    problems,
  };
}

export const MOST_STEPS = 50;
export const LONGEST_STEP = 512;

function reportPlan({ object, pass }: ObjectScope, { lines, steps, problems }: Preview): Planned {
  const digest = createHash('sha256').update(steps.toSorted().join('\n')).digest('hex');
  pass.report({
    plan: {
      generation: object.metadata.generation ?? 0,
      digest: `sha256:${digest}`,
      steps: lines.slice(0, MOST_STEPS).map(cutStep),
      omitted: Math.max(0, lines.length - MOST_STEPS),
    },
  });
  const problem = reportProblems(problems)?.message;
  const message = describePreview(object, lines.length, problem);
  return { kind: 'planned', message, ...(problem !== undefined && { problem }) };
}

function cutStep(line: string): string {
  return line.length <= LONGEST_STEP ? line : `${line.slice(0, LONGEST_STEP - 4)}...)`;
}

function describePreview({ metadata }: MyIngress, count: number, problem?: string): string {
  const waits = metadata.deletionTimestamp === undefined ? '' : 'the deletion waits, ';
  const steps = count === 1 ? 'status.plan has 1 step' : `status.plan has ${count} steps`;
  const planned = waits + (count === 0 ? 'nothing is to be done in AWS' : steps);
  return problem === undefined ? planned : `${problem}. Besides, ${planned}`;
}
