// Lives here: everything beside the balancer in AWS, from observe to status; graph/ has the plan.
// May import it: src/controllers/my-ingress.
// Start with: this file, then observation/ and execution/, which alone call AWS.

import { STALENESS_BOUND_MS, type TaggedLoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { getRevision } from '../attaching/joined.ts';
import { listRetries, mapAttachedIds } from '../attaching/report.ts';
import { findCertificates } from '../discovery/discover-certificates.ts';
import { isRouting } from '../graph/facts.ts';
import type { DesiredGraph, ObservedSecurityGroup } from '../graph/graph.ts';
import type { Problem } from '../graph/problem.ts';
import { isStanding } from '../graph/projection.ts';
import { describeUse } from '../graph/quota-use.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { printPlan } from '../graph/steps.ts';
import { projectRecent } from '../memory.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { explainRefusedReturn } from '../security-group/previous.ts';
import { turnsStickinessOn } from '../target-groups/diff.ts';
import { beginRun, executePlan, listOperations, type Progress } from './execution/execute-plan.ts';
import {
  beginMemory,
  judgeEarly,
  mayBeOld,
  repeatEarly,
  type Standing,
  type TrafficMemory,
} from './memory.ts';
import { readGraph } from './observation/read-graph.ts';
import {
  hasLeftSettings,
  leavesPortOpen,
  listTagKeys,
  recordOwned,
  recordRemoved,
} from './owned.ts';
import {
  findDefaultGroup,
  isCertain,
  isToDetach,
  listChanged,
  listPrevious,
  mayRelease,
  type Planned,
  planBy,
} from './planned.ts';
import { publishGroups, waitForTargets } from './publish.ts';
import { type References, readReferences, resolveAttachment } from './references.ts';
import { replayWritten } from './replay.ts';
import {
  type AwaitedGroup,
  concludeSuccession,
  forgiveMixtures,
  repeatMixtures,
} from './successors.ts';
import { planWarm, type WarmStart } from './warm.ts';

/** The resources beside the balancer at the end of a pass. */
export interface TrafficState {
  readonly desired: DesiredGraph;
  readonly routes: Routes;
  /** DNS name of the balancer. */
  readonly dns: string | undefined;
  readonly references: References;
  /** Of what does not match the spec. */
  readonly problems: readonly Problem[];
  /** The object has to be looked at again after this time; undefined: only when something changes. */
  readonly againMs: number | undefined;
  /** AWS refuses a part of it for a moment. */
  readonly isEarly: boolean;
  /** Why a part of the spec is applied a moment later, although AWS refuses nothing of it. */
  readonly held: string | undefined;
  /** Keys of the tags of what stands there; undefined: that is not known. */
  readonly tagKeys: readonly string[] | undefined;
  /** Successors of target groups that wait for healthy targets. */
  readonly awaited: readonly AwaitedGroup[];
  /** Ids of what is not applied yet. */
  readonly postponed: readonly ResourceId[];
}

/** The balancer, and what is known of it without a read. */
interface Given {
  readonly observed: TaggedLoadBalancer;
  /** The balancer is new: it has nothing but this. */
  readonly isNew?: { readonly securityGroups: readonly ObservedSecurityGroup[] } | undefined;
  readonly warm?: WarmStart | undefined;
}

/** Observes, plans, reserves, executes, and publishes the target groups that are proved ours. */
export async function ensureTraffic(scope: Scope, given: Given): Promise<TrafficState> {
  const { clock, memory } = scope;
  const planned = await observeAndPlan(scope, given);
  const { desired, plan, remembered } = planned;
  await recordOwned(scope, planned);
  const progress = forgiveMixtures(scope, await execute(scope, planned), planned);
  if (progress.failed.length === 0) recordRemoved(scope, planned);
  const awaited = concludeSuccession(scope, planned, progress);
  const endMs = clock.monotonicMs();
  const balancerMs = given.warm?.balancer === undefined ? endMs : given.warm.standing.balancerMs;
  const againMs = findNext(scope, planned, progress);
  const before = memory.traffic ?? remembered;
  const refused = explainReturn(scope, planned, countUse(progress.problems, desired));
  const found = [...plan.problems, ...refused];
  const held = explainHold(scope, planned, progress);
  memory.traffic = {
    ...concludeMemory(before, { planned, progress, againMs, endMs, balancerMs }),
    ...{ isOpen: found.length > 0 || held !== undefined, isHandingOver: awaited.length > 0 },
    lacksCertificate: found.some(({ reason }) => reason === 'CertificateNotFound'),
  };
  return {
    ...{ desired, againMs, held, awaited, references: progress.references },
    isEarly: progress.early.length > 0,
    ...{ routes: planned.routes, dns: planned.loadBalancer.dns },
    tagKeys: planned.isEarly ? undefined : listTagKeys(planned, progress.done, scope.identity),
    problems: judgeEarly(found, memory.traffic, endMs),
    postponed: listChanged(planned, [
      ...plan.postponed.map(({ step }) => step),
      ...progress.failed,
    ]),
  };
}

function explainHold(
  scope: Scope,
  planned: Planned,
  { failed, problems }: Progress,
): string | undefined {
  if (repeatMixtures(scope, planned, failed).length > 0)
    return 'AWS refuses the old and the new target group in one action; the new one takes over at once';
  const known = new Set([...mapAttachedIds(scope.object).keys(), ...problems.map(({ id }) => id)]);
  if (listChanged(planned, failed).some((id) => !known.has(id)))
    return 'AWS does not take a change yet, and the changes behind it wait for that one';
  const isHeld = planned.plan.postponed.some(
    ({ step }) => isRouting(step) || turnsStickinessOn(step),
  );
  return isHeld ? 'a rule that left the spec is deleted before the rest changes' : undefined;
}

/** A quota that is full is named with what the spec takes of it. */
function countUse(problems: readonly Problem[], desired: DesiredGraph): readonly Problem[] {
  return problems.map((problem) => {
    const use = problem.quota && describeUse(problem.quota, desired);
    return use === undefined ? problem : { ...problem, message: `${problem.message}, ${use}` };
  });
}

function explainReturn(
  scope: Scope,
  { observed, desired }: Planned,
  problems: readonly Problem[],
): readonly Problem[] {
  if (desired.securityGroup !== undefined) return problems;
  const previous = listPrevious(scope, observed);
  return problems.map((problem) => explainRefusedReturn(problem, previous));
}

/** Reads what has to be read beside the balancer and plans; writes nothing. */
export async function observeAndPlan(
  scope: Scope,
  given: Given,
): Promise<Planned & { readonly remembered: TrafficMemory }> {
  const { clock, memory, object } = scope;
  const isListOld = memory.traffic?.lacksCertificate === true;
  const begun = beginMemory(memory.traffic, getRevision(object), clock.monotonicMs());
  const certificates = await findCertificates(scope, readRoutes(object.spec), isListOld);
  memory.traffic = { ...begun, certificates };
  const { observed, warm } = given;
  const planned =
    (warm && (await planWarm(scope, warm, observed.loadBalancer))) ??
    (await planCold(scope, given));
  return { ...planned, remembered: memory.traffic };
}

async function planCold(scope: Scope, given: Given): Promise<Planned> {
  const { clock, inventory, memory, pass } = scope;
  const { arn } = given.observed.loadBalancer;
  const readMs = clock.monotonicMs();
  const newer = given.warm?.balancer && (await inventory.observe(arn, pass.signal));
  const projected = newer && projectRecent(memory.facts, { loadBalancer: newer, tags: {} }, readMs);
  const { loadBalancer } = projected ?? given.observed;
  const routes = readRoutes(scope.object.spec);
  const { observed: shown, ...read } = await readGraph(scope, routes, { ...given, loadBalancer });
  const observed = replayWritten(shown, memory.traffic?.written, readMs);
  if (memory.traffic !== undefined) memory.traffic = { ...memory.traffic, readMs, ...read };
  const found = { routes, loadBalancer, observed };
  const planned = planBy(scope, found, await findDefaultGroup(scope, found));
  return { ...planned, isEarly: given.isNew === undefined && isEarlyRead(scope, given, readMs) };
}

/** By this process, or the one before: what a balancer of this process has, no earlier one has made. */
function isEarlyRead({ memory }: Scope, { observed }: Given, readMs: number): boolean {
  const { create, knownSinceMs } = memory.facts;
  const isOwnCreate = create?.arn === observed.loadBalancer.arn;
  const isByOther = !isOwnCreate && readMs - knownSinceMs < STALENESS_BOUND_MS;
  return isByOther || (memory.traffic !== undefined && mayBeOld(memory.traffic, readMs));
}

async function execute(scope: Scope, planned: Planned): Promise<Progress> {
  const { identity, memory, pass, tokens } = scope;
  const { plan, observed } = planned;
  const references = readReferences(observed, identity, observed.loadBalancer?.arn ?? '');
  let arePublished = false;
  const run = beginRun(references, {
    standing: isStanding(observed) ? observed : undefined,
    prepareRouting: async () => {
      arePublished = true;
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
    await tokens.reserve(listOperations(plan.steps));
    await executePlan(scope, plan.steps, run).catch((error: unknown) => {
      // Other groups may have the requests by now, and while the object is paused no pass comes to say so.
      if (arePublished) publishGroups(scope, planned, run.progress);
      throw error;
    });
  }
  publishGroups(scope, planned, run.progress);
  return run.progress;
}

/** When something postponed is due, what is left can go, or a read is to be repeated. */
function findNext(scope: Scope, planned: Planned, progress: Progress): number | undefined {
  const { done, failed, early } = progress;
  const due = [
    ...planned.plan.postponed.map(({ inMs }) => inMs),
    ...repeatMixtures(scope, planned, failed),
    ...repeatEarly(scope.memory.traffic, early, scope.clock.monotonicMs()),
  ];
  const mayGo = due.length === 0 && mayRelease(scope, planned, done);
  const isRefused = failed.some(({ operation }) => operation === 'SetSecurityGroups');
  const isLeft = mayGo || (isToDetach(scope, planned) && !isRefused);
  // A setting that a listener has lost is on record until a pass finds it gone.
  const isOnRecord = failed.length === 0 && hasLeftSettings(scope.object, planned.routes);
  const isOpen = isLeft || leavesPortOpen(done) || isOnRecord || planned.isEarly === true;
  const retries = listRetries(scope.object, [...planned.plan.problems, ...progress.problems]);
  const next = Math.min(...due, ...retries, ...(isOpen ? [STALENESS_BOUND_MS] : []));
  return Number.isFinite(next) ? next : undefined;
}

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
  return {
    ...before,
    dueMs: againMs === undefined ? undefined : endMs + againMs,
    earlySinceMs: progress.early.length === 0 ? undefined : (before.earlySinceMs ?? endMs),
    attached: attachment && resolveAttachment(attachment, progress.references),
    standing: leaveStanding(planned, progress, balancerMs),
  };
}

/** Undefined where a read alone shows it. */
function leaveStanding(
  planned: Planned,
  { standing, isToBeRead, failed }: Progress,
  balancerMs: number,
): Standing | undefined {
  const isKnown = !isToBeRead && failed.length === 0 && isCertain(planned);
  if (standing === undefined || !isKnown) return undefined;
  const { securityGroups } = standing.loadBalancer;
  return { graph: standing, loadBalancer: { ...planned.loadBalancer, securityGroups }, balancerMs };
}
