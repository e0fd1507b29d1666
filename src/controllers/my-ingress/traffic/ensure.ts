// Lives here: everything beside the balancer in AWS, from observe to status; graph/ has the plan.
// May import it: controllers/my-ingress.
// Start with: this file, then observe.ts and carry-out.ts, which alone call AWS.

import {
  type LoadBalancer,
  STALENESS_BOUND_MS,
  type TaggedLoadBalancer,
} from '../../../aws/elbv2/load-balancers.ts';
import { startDeadline } from '../../../core/ports/clock.ts';
import { isRouting } from '../graph/facts.ts';
import type { DesiredGraph, ObservedGraph, ObservedSecurityGroup } from '../graph/graph.ts';
import type { Problem } from '../graph/problem.ts';
import { isStanding } from '../graph/projection.ts';
import { printPlan, type Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { revokeUnserved } from '../security-group/diff.ts';
import { beginRun, carryOut, type Progress } from './carry-out.ts';
import { beginMemory, mayHide, type TrafficMemory } from './memory.ts';
import { observeTraffic } from './observe.ts';
import { hasLeftSettings, hasListenerAttributes, recordOwned } from './owned.ts';
import { findDefaultGroup, isManaged, listGroupNames, type Planned, planBy } from './planned.ts';
import { publishGroups } from './publish.ts';
import { type References, readReferences, resolveAttachment } from './references.ts';
import { isProved, type WarmStart } from './warm.ts';

/** What stands beside the balancer at the end of a pass. */
export interface TrafficState {
  readonly desired: DesiredGraph;
  readonly references: References;
  /** Of what does not match the spec. */
  readonly problems: readonly Problem[];
  /** The object has to be looked at again after this time; undefined: only when something changes. */
  readonly againMs: number | undefined;
  /** A part of the spec is applied only once a rule has been gone for a while. */
  readonly isHeld: boolean;
}

/** The balancer, and what is known of it without a read. */
interface Given {
  readonly observed: TaggedLoadBalancer;
  /** The balancer is new: it has nothing but this. */
  readonly isNew?: { readonly securityGroups: readonly ObservedSecurityGroup[] } | undefined;
  readonly warm?: WarmStart | undefined;
}

/** Observes, plans, reserves, carries out, and publishes the target groups that are proved ours. */
export async function ensureTraffic(scope: Scope, given: Given): Promise<TrafficState> {
  const { clock, memory } = scope;
  const planned = await observeAndPlan(scope, given);
  const { desired, plan, remembered } = planned;
  await recordOwned(scope, planned);
  const progress = await execute(scope, planned);
  const endMs = clock.monotonicMs();
  const balancerMs = given.warm?.balancer === undefined ? endMs : given.warm.standing.balancerMs;
  const againMs = findNext(scope, planned, progress);
  const before = memory.traffic ?? remembered;
  const found = [...plan.problems, ...progress.problems];
  const isHeld = plan.postponed.some(({ step }) => isRouting(step));
  memory.traffic = {
    ...concludeMemory(before, { planned, progress, againMs, endMs, balancerMs }),
    isOpen: found.length > 0 || isHeld,
  };
  return {
    ...{ desired, againMs, isHeld, references: progress.references },
    problems: judgeEarly(found, memory.traffic, endMs),
  };
}

/** Reads what has to be read beside the balancer and plans; writes nothing. */
export async function observeAndPlan(
  scope: Scope,
  given: Given,
): Promise<Planned & { readonly remembered: TrafficMemory }> {
  const { clock, memory, object } = scope;
  const remembered = beginMemory(memory.traffic, object.metadata.generation, clock.monotonicMs());
  memory.traffic = remembered;
  const planned = (await planWarm(scope, given)) ?? (await planCold(scope, given));
  return { ...planned, remembered: memory.traffic };
}

/** By what this process has left behind; undefined where that is not known, or is not proved. */
async function planWarm(scope: Scope, { observed, warm }: Given): Promise<Planned | undefined> {
  if (warm === undefined) return undefined;
  const { loadBalancer } = observed;
  const { arn, securityGroups } = loadBalancer;
  const graph = { ...warm.standing.graph, loadBalancer: { arn, securityGroups } };
  const planned = planBy(scope, { loadBalancer, observed: graph }, undefined);
  const proofs = await warm.proofs;
  return isProved(planned, proofs, scope.identity) ? planned : undefined;
}

async function planCold(scope: Scope, given: Given): Promise<Planned> {
  const { clock, inventory, memory, pass } = scope;
  const { arn } = given.observed.loadBalancer;
  const readMs = clock.monotonicMs();
  const read = given.warm?.balancer && (await inventory.observe(arn, pass.signal));
  const loadBalancer = read ?? given.observed.loadBalancer;
  const routes = readRoutes(scope.object.spec);
  const observed = await observeGraph(scope, routes, { ...given, loadBalancer });
  if (memory.traffic !== undefined) memory.traffic = { ...memory.traffic, readMs };
  const found = { routes, loadBalancer, observed };
  const planned = planBy(scope, found, await findDefaultGroup(scope, found));
  return { ...planned, isEarly: given.isNew === undefined && isEarlyRead(scope, given, readMs) };
}

/** By this process, or the one before: what a balancer of this process has, no earlier one has made. */
function isEarlyRead({ memory }: Scope, { observed }: Given, readMs: number): boolean {
  const { create, knownSinceMs } = memory.facts;
  const isOwnCreate = create?.arn === observed.loadBalancer.arn;
  const isByOther = !isOwnCreate && readMs - knownSinceMs < STALENESS_BOUND_MS;
  return isByOther || (memory.traffic !== undefined && mayHide(memory.traffic, readMs));
}

function observeGraph(
  scope: Scope,
  routes: Routes,
  given: Pick<Given, 'isNew'> & { readonly loadBalancer: LoadBalancer },
): Promise<ObservedGraph> {
  const { identity, object, pass } = scope;
  const { loadBalancer } = given;
  const { arn, securityGroups, vpcId } = loadBalancer;
  if (given.isNew !== undefined) {
    const nothing = { targetGroups: [], listeners: [] };
    return Promise.resolve({
      ...nothing,
      loadBalancer: { arn, securityGroups },
      securityGroups: given.isNew.securityGroups,
    });
  }
  const names = listGroupNames(scope, routes, vpcId);
  const owned = object.status?.owned ?? {};
  const groupNames = [...new Set([...names, ...(owned.targetGroups ?? [])])];
  const hasSecurityGroup = owned.securityGroup !== undefined || isManaged(scope, routes);
  const hasAttributes = hasListenerAttributes(object, routes);
  const wanted = { loadBalancer, identity, groupNames, hasSecurityGroup, hasAttributes };
  return observeTraffic(scope.traffic(), wanted, pass.signal);
}

async function execute(scope: Scope, planned: Planned): Promise<Progress> {
  const { identity, memory, pass, tokens } = scope;
  const { plan, observed } = planned;
  const references = readReferences(observed, identity, observed.loadBalancer?.arn ?? '');
  const run = beginRun(references, {
    standing: isStanding(observed) ? observed : undefined,
    prepareRouting: async () => {
      publishGroups(scope, planned, run.progress);
      await waitForTargets(scope);
    },
  });
  // Until all of it is done nobody knows what AWS has.
  if (memory.traffic !== undefined) memory.traffic = { ...memory.traffic, standing: undefined };
  if (plan.steps.length > 0) {
    pass.log.debug('plan', { plan: printPlan(plan) });
    pass.disproveReady();
    await pass.ensureFinalizer();
    await tokens.reserve(plan.steps.map(({ operation }) => operation));
    await carryOut(scope, plan.steps, run);
  }
  publishGroups(scope, planned, run.progress);
  return run.progress;
}

/** No request is sent to a group that is still empty, unless its filling takes longer than this. */
const LONGEST_FILL_MS = 2_000;

async function waitForTargets({ clock, pass, targets }: Scope): Promise<void> {
  const limit = startDeadline(clock, LONGEST_FILL_MS, pass.signal);
  try {
    await targets.waitUntilFilled(pass.key, limit.signal);
  } catch (error) {
    if (pass.signal.aborted || !limit.signal.aborted) throw error;
  } finally {
    limit.release();
  }
}

/** What was made just now may be read without its tags. */
function judgeEarly(
  problems: readonly Problem[],
  memory: TrafficMemory,
  nowMs: number,
): readonly Problem[] {
  if (!mayHide(memory, nowMs)) return problems;
  return problems.map((problem) => {
    const isEarly = problem.reason === 'NameConflict';
    return isEarly ? { ...problem, reason: 'OwnershipUnconfirmed' } : problem;
  });
}

/** When something postponed is due, what is left can go, or a read or a deletion is to be proved by a read. */
function findNext(scope: Scope, planned: Planned, { done, failed }: Progress): number | undefined {
  const due = planned.plan.postponed.map(({ inMs }) => inMs);
  const isDeleted = done.some(({ operation }) => DELETED.has(operation));
  const mayGo = mayRelease(scope, planned, done) || revokeUnserved(planned.desired).length > 0;
  const isLeft = (due.length === 0 && mayGo) || isToDetach(scope, planned);
  // What a listener has lost is on record until a pass finds it gone.
  const isOnRecord = failed.length === 0 && hasLeftSettings(scope.object, planned.routes);
  const isOpen = isLeft || isDeleted || isOnRecord || planned.isEarly === true;
  const next = Math.min(...due, ...(isOpen ? [STALENESS_BOUND_MS] : []));
  return Number.isFinite(next) ? next : undefined;
}

/** A target group is left, and something has changed just now: it may be in use no more. */
function mayRelease(
  { clock, identity, memory }: Scope,
  { desired, observed }: Planned,
  done: readonly Step[],
): boolean {
  const { changedAtMs = 0 } = memory.traffic?.facts ?? {};
  const isChanged = clock.monotonicMs() - changedAtMs < STALENESS_BOUND_MS;
  if (!isChanged && done.length === 0) return false;
  const names = new Set(desired.targetGroups.map(({ name }) => name));
  return observed.targetGroups.some(({ targetGroup: { name }, tags }) => {
    return !names.has(name) && identifyResource(tags, identity) !== undefined;
  });
}

/** The managed security group is left, and not by the spec's own words. */
function isToDetach({ identity, object }: Scope, { desired, observed }: Planned): boolean {
  const given = object.spec.securityGroups ?? [];
  const own = observed.securityGroups.filter(({ securityGroup: { id }, tags }) => {
    return identifyResource(tags, identity) !== undefined && !given.includes(id);
  });
  return own.length > 0 && desired.securityGroup === undefined;
}

const DELETED: ReadonlySet<Step['operation']> = new Set<Step['operation']>([
  // Its port is closed once it is gone.
  'DeleteListener',
  'DeleteTargetGroup',
  'DeleteSecurityGroup',
]);

interface Outcomes {
  readonly planned: Planned;
  readonly progress: Progress;
  readonly againMs: number | undefined;
  readonly endMs: number;
  /** As in `Standing`. */
  readonly balancerMs: number;
}

function concludeMemory(
  before: TrafficMemory,
  { planned, progress, againMs, endMs, balancerMs }: Outcomes,
): TrafficMemory {
  const { attachment } = planned.desired;
  const { references, standing, failed } = progress;
  const { securityGroups } = standing?.loadBalancer ?? planned.loadBalancer;
  const loadBalancer = { ...planned.loadBalancer, securityGroups };
  const isWhole = standing !== undefined && failed.length === 0 && planned.isEarly !== true;
  return {
    ...before,
    dueMs: againMs === undefined ? undefined : endMs + againMs,
    attached: attachment && resolveAttachment(attachment, references),
    standing: isWhole ? { graph: standing, loadBalancer, balancerMs } : undefined,
  };
}
