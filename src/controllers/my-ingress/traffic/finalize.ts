import { type LoadBalancer, STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import { type Waiting, waiting } from '../../../core/reconcile/outcome.ts';
import { createProblemFailure } from '../failure.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { type Problem, reportProblems } from '../graph/problem.ts';
import { printPlan, type Step } from '../graph/steps.ts';
import { identifySecurityGroup, isOwnTargetGroup } from '../graph/tags.ts';
import { planRelease, planTeardown } from '../graph/teardown.ts';
import { type Held, listKnown, mayHaveTraffic, ownsSecurityGroup } from '../record.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { ObjectScope } from '../scope.ts';
import { desireTargetGroup } from '../target-groups/desired.ts';
import { beginRun, executePlan, listOperations } from './execution/execute-plan.ts';
import { nameHolder, TIDYING, type Used } from './execution/holders.ts';
import { mayHide } from './memory.ts';
import { findSecurityGroups, findTargetGroups, observeTraffic } from './observation/observe.ts';
import { describeOwned } from './owned.ts';
import { readReferences } from './references.ts';

/** Network interfaces hold the security group for some minutes after the balancer is gone. */
const INTERFACES_MS = 15_000;
const SOON_MS = 2_000;

/** The balancer of an object that is being deleted, as its pass has read it. */
export interface Balancers {
  /** The resources that it used before it was deleted. */
  readonly held: Held | undefined;
  /** Those in its place that are not ours. */
  readonly leftAlone: readonly LoadBalancer[];
}

type Unconfirmed = { readonly kind: 'unconfirmed'; readonly waiting: Waiting };

/**
 * Deletes what stood beside the balancer, once that is gone, and proves by a read that nothing of ours is
 * left; undefined: nothing is.
 */
export async function tearDownTraffic(
  scope: ObjectScope,
  { held, leftAlone }: Balancers,
): Promise<Waiting | undefined> {
  if (!mayHaveTraffic(scope)) return undefined;
  const readMs = held?.readMs ?? scope.clock.monotonicMs();
  const names = listNames(scope, undefined);
  const observed = await observeLeft(scope, names, held);
  const steps = planTeardown(observed, scope.identity);
  if (steps.length === 0) return doubtAbsence(scope, { names, observed, readMs });
  const waits = await deleteEach(scope, { observed, leftAlone, readMs }, steps);
  const gone = await proveDeleted(scope, { names, observed, readMs });
  if (waits !== undefined) return waits;
  const left = ownsSecurityGroup(scope) ? await findOwnGroups(scope) : [];
  if (gone && left.length === 0) return doubtAbsence(scope, { names, observed, readMs });
  return waiting('Deleting', 'the deletions were accepted and are not visible yet', SOON_MS);
}

interface PreviewGiven extends Pick<Balancers, 'held'> {
  /** undefined: it is not there any more. */
  readonly loadBalancer: LoadBalancer | undefined;
  readonly isRetained: boolean;
}

/** Plans what would be done beside the balancer. */
export async function previewTeardown(
  scope: ObjectScope,
  { loadBalancer, held, isRetained }: PreviewGiven,
): Promise<readonly Step[]> {
  if (!mayHaveTraffic(scope)) return [];
  if (isRetained) return planRelease(await observeReleased(scope, loadBalancer), scope.identity);
  const observed = await observeLeft(scope, listNames(scope, loadBalancer?.vpcId), held);
  return planTeardown(observed, scope.identity);
}

/**
 * A retained balancer is read with all that it has once more, as nothing looks at it again: a listener that this process
 * or the one before made a moment ago would keep our tags. undefined: none was made.
 */
export function doubtPresence(scope: ObjectScope): Unconfirmed | undefined {
  if (!mayHaveTraffic(scope) || !isEarly(scope, scope.clock.monotonicMs())) return undefined;
  const why = 'what was made a moment ago may not show yet; reading again before it is released';
  return { kind: 'unconfirmed', waiting: waiting('Deleting', why, SOON_MS) };
}

/** Takes our tags off everything beside the balancer, which stays as it is. */
export async function releaseTraffic(
  scope: ObjectScope,
  loadBalancer: LoadBalancer | undefined,
): Promise<void> {
  if (!mayHaveTraffic(scope)) return;
  const { identity, object, pass } = scope;
  const observed = await observeReleased(scope, loadBalancer);
  const problems = await executeAll(scope, observed, planRelease(observed, identity));
  const report = reportProblems(problems);
  if (report !== undefined) throw createProblemFailure(report);
  pass.log.debug('released the other resources of the load balancer', {
    name: object.metadata.name,
  });
}

function observeReleased(
  scope: ObjectScope,
  loadBalancer: LoadBalancer | undefined,
): Promise<ObservedGraph> {
  const { identity, pass } = scope;
  const groupNames = listNames(scope, loadBalancer?.vpcId);
  if (loadBalancer === undefined) return observeLeft(scope, groupNames);
  const hasSecurityGroup = ownsSecurityGroup(scope);
  const request = { loadBalancer, identity, groupNames, hasSecurityGroup };
  return observeTraffic(scope.traffic(), request, pass.signal);
}

/**
 * Each by a read of its own, for AWS answers about several names only if all of them exist. A name that no
 * read has shown is kept while it may belong to something that does not show yet.
 */
async function proveDeleted(scope: ObjectScope, before: Left): Promise<boolean> {
  const { identity, memory, pass } = scope;
  const { names } = before;
  const clients = scope.traffic();
  const found = await Promise.all(
    names.map((name) => findTargetGroups(clients, [name], pass.signal)),
  );
  const left = found
    .flat()
    .filter((one) => isOwnTargetGroup(one, identity))
    .map(({ targetGroup: { name } }) => name);
  const hidden = isEarly(scope, before.readMs)
    ? names.filter((name) => !hasSeen(before, name))
    : [];
  const kept = [...new Set([...left, ...hidden])];
  const gone = names.filter((name) => !kept.includes(name));
  memory.goneGroups = [...(memory.goneGroups ?? []), ...gone];
  const securityGroup = scope.object.status?.owned?.securityGroup;
  pass.report({ owned: describeOwned({ targetGroups: kept, securityGroup }) ?? {} });
  return left.length === 0;
}

async function findOwnGroups(scope: ObjectScope): Promise<readonly unknown[]> {
  const { identity, pass } = scope;
  const found = await findSecurityGroups(scope.traffic(), identity, pass.signal);
  return found.filter((one) => identifySecurityGroup(one, identity) !== undefined);
}

async function deleteEach(
  scope: ObjectScope,
  used: Omit<Used, 'isSettled'> & Pick<Left, 'readMs'>,
  steps: readonly Step[],
): Promise<Waiting | undefined> {
  const { observed, readMs } = used;
  const refused = await executeAll(scope, observed, steps);
  const isSettled = !isEarly(scope, readMs) && !isJustReleased(scope);
  const named = refused.map((one) => nameHolder(scope, { ...used, isSettled }, one));
  const problems = await Promise.all(named);
  const isNormal = problems.every(({ reason }) => TIDYING.has(reason));
  const report = reportProblems(problems);
  if (report === undefined) return undefined;
  if (!isNormal) throw createProblemFailure(report);
  const isHeld = problems.some(({ reason }) => reason === 'DependencyViolation');
  return waiting('Deleting', report.message, isHeld ? INTERFACES_MS : SOON_MS);
}

/** AWS may not know yet that the balancer uses nothing any more. */
function isJustReleased({ clock, memory }: ObjectScope): boolean {
  const { atMs = Number.NEGATIVE_INFINITY } = memory.facts.release ?? {};
  return clock.monotonicMs() - atMs < STALENESS_BOUND_MS;
}

/** The problems of what AWS has refused. */
export async function executeAll(
  scope: ObjectScope,
  observed: ObservedGraph,
  steps: readonly Step[],
): Promise<readonly Problem[]> {
  const { identity, pass, tokens } = scope;
  if (steps.length === 0) return [];
  pass.log.debug('plan', { plan: printPlan({ steps, postponed: [] }) });
  await tokens.reserve(listOperations(steps));
  const run = beginRun(readReferences(observed, identity, observed.loadBalancer?.arn ?? ''));
  await executePlan(scope, steps, run);
  return run.progress.problems;
}

/** The possible leftovers: by the names on record and those of the spec, and by tags; what is held was read. */
async function observeLeft(
  scope: ObjectScope,
  names: readonly string[],
  held?: Held,
): Promise<ObservedGraph> {
  const { identity, pass } = scope;
  const clients = scope.traffic();
  const known = held?.targetGroups ?? [];
  const read = new Set(known.map(({ targetGroup: { name } }) => name));
  const left = names.filter((name) => !read.has(name));
  const owns = held?.securityGroups === undefined && ownsSecurityGroup(scope);
  const [targetGroups, securityGroups] = await Promise.all([
    findTargetGroups(clients, left, pass.signal),
    owns ? findSecurityGroups(clients, identity, pass.signal) : (held?.securityGroups ?? []),
  ]);
  return {
    ...{ loadBalancer: undefined, listeners: [], securityGroups },
    targetGroups: [...known, ...targetGroups],
  };
}

/**
 * Those on record and those of the spec, in the VPC of the balancer that was deleted and in the one on
 * record: anybody who may write status can take a name off. What is proved absent is not read again.
 */
function listNames(
  { identity, memory, object }: ObjectScope,
  vpc: string | undefined,
): readonly string[] {
  const { goneGroups = [], facts } = memory;
  const { alb, owned } = object.status ?? {};
  const vpcs = new Set([vpc ?? facts.release?.vpcId, alb?.vpcId]);
  const { backends } = readRoutes(object.spec ?? {});
  const names = [...vpcs].flatMap((vpcId) => {
    const place = { identity, userTags: {}, vpcId: vpcId ?? '' };
    return vpcId === undefined ? [] : backends.map((one) => desireTargetGroup(one, place).name);
  });
  const known = listKnown(memory, identity);
  const all = new Set([...(owned?.targetGroups ?? []), ...names, ...known]);
  return [...all].filter((name) => !goneGroups.includes(name));
}

interface Left {
  readonly names: readonly string[];
  readonly observed: ObservedGraph;
  readonly readMs: number;
}

function doubtAbsence(scope: ObjectScope, left: Left): Waiting | undefined {
  const { names, observed } = left;
  const isAllSeen =
    names.every((name) => hasSeen(left, name)) &&
    observed.securityGroups.some((one) => identifySecurityGroup(one, scope.identity));
  if (isAllSeen || !isEarly(scope, left.readMs)) return undefined;
  return waiting('Deleting', 'AWS shows nothing more of ours; verifying again', SOON_MS);
}

function hasSeen({ observed }: Left, name: string): boolean {
  return observed.targetGroups.some(({ targetGroup }) => targetGroup.name === name);
}

/** A read that began then may be older than what this process or the one before has made. */
function isEarly({ memory }: ObjectScope, readMs: number): boolean {
  return (
    readMs - memory.facts.knownSinceMs < STALENESS_BOUND_MS ||
    (memory.traffic !== undefined && mayHide(memory.traffic, readMs))
  );
}
