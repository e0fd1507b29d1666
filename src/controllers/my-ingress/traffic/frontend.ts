import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { AwsOperation } from '../../../aws/elbv2/load-balancers.ts';
import { getRevision } from '../attaching/joined.ts';
import { findCertificates } from '../discovery/discover-certificates.ts';
import { findSubnets } from '../discovery/discover-subnets.ts';
import { applyCertificates } from '../discovery/found-certificates.ts';
import { createFailure, createProblemFailure } from '../failure.ts';
import { desireGraph } from '../graph/desired-graph.ts';
import type { DesiredGraph, ObservedGraph, ObservedSecurityGroup } from '../graph/graph.ts';
import { type Plan, planTraffic } from '../graph/plan.ts';
import { reportProblems } from '../graph/problem.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { ownsSecurityGroup } from '../record.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { hasLeftovers, isBlank, readRecordedArn } from '../status.ts';
import { beginRun, executeSteps } from './execution/execute-plan.ts';
import { beginMemory } from './memory.ts';
import { findSecurityGroups, findTargetGroups } from './observation/observe.ts';
import { describeOwned, listServices } from './owned.ts';
import { isManaged } from './planned.ts';
import { readReferences, resolveAttachment } from './references.ts';

/** The plan for a balancer that does not exist yet. */
export interface FrontendPlan {
  /** All calls beside the balancer's own, to be paid for together with it. */
  readonly operations: readonly AwsOperation[];
  /** Undefined: they were not asked for. */
  readonly subnets?: readonly string[];
  /** Undefined: the balancer gets no security group of its own. */
  readonly managed: ManagedFrontend | undefined;
}

interface ManagedFrontend {
  readonly desired: DesiredGraph;
  readonly plan: Plan;
}

/** Plans everything beside a balancer that is about to be created; reads its VPC, nothing else. */
export async function planFrontend(scope: Scope): Promise<FrontendPlan> {
  const { object, pass } = scope;
  const routes = readRoutes(object.spec);
  if (!isManaged(scope, routes)) return { operations: [], managed: undefined };
  const subnets = scope.desired.subnets ?? (await findSubnets(scope));
  const vpcId = await scope.traffic().securityGroups.findVpc(subnets, pass.signal);
  // AWS refuses the whole call, whichever of them it is.
  if (vpcId === undefined)
    throw createFailure('SubnetNotFound', `AWS does not know each of ${subnets.join(', ')}`);
  const desired = desire(scope, await completeRoutes(scope, routes), vpcId);
  const plan = planFrom(scope, desired, observe([]));
  const operations = plan.steps.map(({ operation }) => operation);
  return { operations, subnets, managed: { desired, plan } };
}

/** Begins to plan while AWS is asked for a balancer; undefined where one is on record. */
export function beginFrontend(scope: Scope): Promise<FrontendPlan> | undefined {
  const { object } = scope;
  if (readRecordedArn(object) !== undefined || object.spec.adopt !== undefined) return undefined;
  const planning = planFrontend(scope);
  // A pass that finds a balancer has no use for it.
  planning.catch(() => undefined);
  return planning;
}

async function completeRoutes(scope: Scope, routes: Routes): Promise<Routes> {
  return applyCertificates(routes, await findCertificates(scope, routes, false));
}

/**
 * Plans everything beside a balancer that is not there, in the order in which it would be made; what an earlier one
 * has left is used again.
 */
export async function previewFrontend(scope: Scope): Promise<Plan> {
  const { managed } = await planFrontend(scope);
  const { object } = scope;
  if (managed !== undefined && !hasLeftovers(object)) return managed.plan;
  const observed = await observeLeft(scope, listNames(object, managed?.desired));
  if (managed !== undefined) return planFrom(scope, managed.desired, observed);
  // Without a balancer its VPC is not known here; it is only part of names and inputs, which no plan shows.
  const vpcId = observed.targetGroups[0]?.targetGroup.vpcId ?? '';
  const routes = await completeRoutes(scope, readRoutes(object.spec));
  return planFrom(scope, desire(scope, routes, vpcId), observed);
}

async function observeLeft(scope: Scope, names: readonly string[]): Promise<ObservedGraph> {
  const { identity, pass } = scope;
  const clients = scope.traffic();
  const [targetGroups, securityGroups] = await Promise.all([
    findTargetGroups(clients, names, pass.signal),
    ownsSecurityGroup(scope) ? findSecurityGroups(clients, identity, pass.signal) : [],
  ]);
  return { ...observe(securityGroups), targetGroups };
}

/** Names of the target groups that are on record or desired. */
function listNames({ status }: MyIngress, desired: DesiredGraph | undefined): readonly string[] {
  const names = desired?.targetGroups.map(({ name }) => name) ?? [];
  return [...new Set([...names, ...(status?.owned?.targetGroups ?? [])])];
}

/** The groups that the balancer is created with, and what is known of the managed one. */
export interface Frontend {
  readonly attached: readonly string[];
  readonly securityGroups: readonly ObservedSecurityGroup[];
  /** For `recordChanged`: the create of the balancer does not wait for an event. */
  readonly done: readonly Step[];
}

/**
 * Makes the managed security group, or finds the one that an earlier pass has made. What it admits is
 * allowed once the balancer is there, which nobody reaches before.
 */
export async function prepareFrontend(
  scope: Scope,
  { desired, plan }: ManagedFrontend,
): Promise<Frontend> {
  const { object, pass } = scope;
  const names = listNames(object, desired);
  const securityGroup = desired.securityGroup?.name;
  const services = listServices(object, { desired, routes: readRoutes(object.spec) }, names);
  pass.report({ owned: describeOwned({ targetGroups: names, securityGroup, services }) });
  if (!isFirstPass(object)) await pass.recordNow(undefined, ['owned']);
  const isKnown = object.status?.owned?.securityGroup !== undefined;
  const made = isKnown ? undefined : await executeGroupPlan(scope, { desired, plan, found: [] });
  return made ?? takeOverGroup(scope, desired);
}

/**
 * The finalizer that this very pass has stored is the record of a security group, for `isCutShort`; its write has proved
 * that no status is there yet. Tags of the user are on record before anything carries them.
 */
function isFirstPass(object: MyIngress): boolean {
  const { finalizers = [] } = object.metadata;
  return isBlank(object) && finalizers.length === 0 && isEmpty(object.spec.tags);
}

function isEmpty(tags: MyIngress['spec']['tags'] = {}): boolean {
  return Object.keys(tags).length === 0;
}

/**
 * One of this name is there, or on record: its tags say whose. Makes one where there is none. What is wrong with
 * listeners and rules is said once the balancer is there, which serves the others.
 */
async function takeOverGroup(scope: Scope, desired: DesiredGraph): Promise<Frontend> {
  const { pass } = scope;
  const { name = '', vpcId = '' } = desired.securityGroup ?? {};
  const found = await scope.traffic().securityGroups.find({ vpcId, name }, pass.signal);
  const again = planFrom(scope, desired, observe(found));
  const report = reportProblems(again.problems.filter(({ id }) => id === SECURITY_GROUP_ID));
  if (report !== undefined) throw createProblemFailure(report);
  const frontend = await executeGroupPlan(scope, { desired, plan: again, found });
  if (frontend !== undefined)
    return found.length === 0 ? frontend : { ...frontend, securityGroups: found };
  throw createFailure('OwnershipUnconfirmed', `security group ${name} is not visible yet`);
}

/** The one step that the create call of the balancer needs. */
export function isBeforeBalancer({ operation }: Step): boolean {
  return operation === 'CreateSecurityGroup';
}

interface GroupPlan extends ManagedFrontend {
  readonly found: readonly ObservedSecurityGroup[];
}

/** undefined: a group of this name exists. */
async function executeGroupPlan(
  scope: Scope,
  { desired, plan, found }: GroupPlan,
): Promise<Frontend | undefined> {
  const { clock, memory, object } = scope;
  memory.traffic = beginMemory(memory.traffic, getRevision(object), clock.monotonicMs());
  const steps = plan.steps.filter(isBeforeBalancer);
  const run = beginRun(readReferences(observe(found), scope.identity, ''));
  await executeSteps(scope, steps, run);
  const { done, problems, references } = run.progress;
  if (problems.some(({ reason }) => reason === 'DuplicateSecurityGroup')) return undefined;
  const report = reportProblems(problems);
  if (report !== undefined) throw createProblemFailure(report);
  const attached = resolveAttachment(desired.attachment ?? [], references) ?? [];
  return { attached, done, securityGroups: describeMade(desired, references.securityGroup) };
}

function describeMade(
  { securityGroup }: DesiredGraph,
  id: string | undefined,
): readonly ObservedSecurityGroup[] {
  if (securityGroup === undefined || id === undefined) return [];
  const { name, vpcId, tags } = securityGroup;
  return [{ securityGroup: { id, name, vpcId, ingress: [] }, tags }];
}

function desire(scope: Scope, routes: Routes, vpcId: string): DesiredGraph {
  const { desired, identity, object } = scope;
  return desireGraph(
    routes,
    {
      ...{ scheme: desired.scheme, ipAddressType: desired.ipAddressType ?? 'ipv4' },
      securityGroups: object.spec.securityGroups,
      isAdopted: object.spec.adopt !== undefined,
      servedPorts: [],
      backendGroups: scope.backendSecurityGroups,
      defaultGroup: undefined,
      previousGroups: [],
      isManagedAttached: false,
    },
    { identity, userTags: desired.userTags, vpcId },
  );
}

function planFrom(
  { clock, identity, memory, object }: Scope,
  desired: DesiredGraph,
  observed: ObservedGraph,
): Plan {
  const nowMs = clock.monotonicMs();
  const { facts } = beginMemory(memory.traffic, getRevision(object), nowMs);
  const appliedTags = object.status?.applied?.tags ?? [];
  return planTraffic(desired, observed, { identity, appliedTags, facts, nowMs });
}

function observe(securityGroups: readonly ObservedSecurityGroup[]): ObservedGraph {
  return { loadBalancer: undefined, securityGroups, targetGroups: [], listeners: [] };
}
