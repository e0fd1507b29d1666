// Lives here: everything beside the balancer in AWS, from observe to status; graph/ has the plan.
// May import it: controllers/my-ingress.
// Start with: this file, then observe.ts and carry-out.ts, which alone call AWS.

import {
  type LoadBalancer,
  STALENESS_BOUND_MS,
  type TaggedLoadBalancer,
} from '../../../aws/elbv2/load-balancers.ts';
import { startDeadline } from '../../../core/ports/clock.ts';
import { desireGraph } from '../graph/desired-graph.ts';
import { recordUnused } from '../graph/facts.ts';
import type { DesiredGraph, ObservedGraph, ObservedSecurityGroup } from '../graph/graph.ts';
import { type Plan, planTraffic } from '../graph/plan.ts';
import type { Problem } from '../graph/problem.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import { printPlan, type Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { chooseAttachment } from '../security-group/attachment.ts';
import { desireTargetGroup } from '../target-groups/desired.ts';
import type { ServedGroup } from '../targets.ts';
import { beginRun, carryOut, type Progress } from './carry-out.ts';
import { recordChanged } from './events.ts';
import { beginMemory, mayHide, type TrafficMemory } from './memory.ts';
import { observeTraffic } from './observe.ts';
import { recordOwned } from './owned.ts';
import { type References, readReferences, resolveAttachment } from './references.ts';

/** What stands beside the balancer at the end of a pass. */
export interface TrafficState {
  readonly desired: DesiredGraph;
  readonly references: References;
  /** Of what does not match the spec. */
  readonly problems: readonly Problem[];
  /** The object has to be looked at again after this time; undefined: only when something changes. */
  readonly againMs: number | undefined;
}

/** The balancer, and what is known of it without a read. */
interface Given {
  readonly observed: TaggedLoadBalancer;
  /** The balancer is new: it has nothing but this. */
  readonly isNew?: { readonly securityGroups: readonly ObservedSecurityGroup[] } | undefined;
}

/** Observes, plans, reserves, carries out, and publishes the target groups that are proved ours. */
export async function ensureTraffic(scope: Scope, given: Given): Promise<TrafficState> {
  const { clock, memory, object } = scope;
  const { loadBalancer } = given.observed;
  const routes = readRoutes(object.spec);
  const nowMs = clock.monotonicMs();
  let remembered = beginMemory(memory.traffic, object.metadata.generation, nowMs);
  const observed = await observeGraph(scope, routes, given);
  const facts = recordUnused(remembered.facts, observed, nowMs);
  remembered = { ...remembered, facts, readMs: nowMs };
  memory.traffic = remembered;
  const desired = await desire(scope, { routes, loadBalancer, observed });
  const { identity } = scope;
  const appliedTags = object.status?.applied?.tags ?? [];
  const plan = planTraffic(desired, observed, { identity, appliedTags, facts, nowMs });
  await recordOwned(scope, { desired, observed, remembered });
  const progress = await execute(scope, { plan, observed, desired, routes });
  const againMs = findNext({ plan, desired, observed, progress });
  const endMs = clock.monotonicMs();
  const after = memory.traffic;
  const due = againMs === undefined ? {} : { dueMs: endMs + againMs };
  const { dueMs: _past, ...lasting } = after;
  const { attachment } = desired;
  const attached = attachment && resolveAttachment(attachment, progress.references);
  const found = [...plan.problems, ...progress.problems];
  memory.traffic = { ...lasting, ...due, attached, isOpen: found.length > 0 };
  return {
    ...{ desired, againMs, references: progress.references },
    problems: judgeEarly(found, memory.traffic, endMs),
  };
}

function observeGraph(scope: Scope, routes: Routes, given: Given): Promise<ObservedGraph> {
  const { identity, object, pass } = scope;
  const { loadBalancer } = given.observed;
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
  const wanted = { loadBalancer, identity, groupNames, hasSecurityGroup };
  return observeTraffic(scope.traffic(), wanted, pass.signal);
}

/** Names of the target groups that the routes want in this VPC. */
function listGroupNames(
  { desired, identity }: Pick<Scope, 'desired' | 'identity'>,
  routes: Routes,
  vpcId: string,
): readonly string[] {
  const place = { identity, userTags: desired.userTags, vpcId };
  return routes.backends.map((backend) => desireTargetGroup(backend, place).name);
}

/** True where the balancer is to carry a security group of its own. */
export function isManaged({ object }: Pick<Scope, 'object'>, routes: Routes): boolean {
  return (
    chooseAttachment({
      securityGroups: object.spec.securityGroups,
      isAdopted: object.spec.adopt !== undefined,
      hasListeners: routes.listeners.length > 0,
      hasInbound: routes.inbound !== undefined,
    }) === 'managed'
  );
}

interface Found {
  readonly routes: Routes;
  readonly loadBalancer: LoadBalancer;
  readonly observed: ObservedGraph;
}

async function desire(
  scope: Scope,
  { routes, loadBalancer, observed }: Found,
): Promise<DesiredGraph> {
  const { desired, identity, object } = scope;
  const { scheme, ipAddressType, vpcId } = loadBalancer;
  const own = observed.listeners.filter(({ tags }) => identifyResource(tags, identity));
  const graph = desireGraph(
    routes,
    {
      ...{ scheme, ipAddressType: desired.ipAddressType ?? ipAddressType },
      securityGroups: object.spec.securityGroups,
      isAdopted: object.spec.adopt !== undefined,
      servedPorts: own.map(({ listener: { port } }) => port),
      backendGroups: scope.backendSecurityGroups,
      defaultGroup: await findDefaultGroup(scope, { routes, loadBalancer, observed }),
      isManagedAttached: hasManagedAttached(scope, observed),
    },
    { identity, userTags: desired.userTags, vpcId },
  );
  // Given groups are attached with the balancer's own settings.
  const isGiven = object.spec.securityGroups !== undefined;
  return isGiven ? { ...graph, attachment: undefined } : graph;
}

/** The VPC's default group, read only where it takes the place of the managed one. */
async function findDefaultGroup(
  scope: Scope,
  { routes, loadBalancer: { vpcId }, observed }: Found,
): Promise<string | undefined> {
  if (!hasManagedAttached(scope, observed) || isManaged(scope, routes)) return undefined;
  if (scope.object.spec.securityGroups !== undefined) return undefined;
  const filter = { vpcId, name: 'default' };
  const [found] = await scope.traffic().securityGroups.find(filter, scope.pass.signal);
  return found?.securityGroup.id;
}

function hasManagedAttached(
  { identity }: Scope,
  { loadBalancer, securityGroups }: ObservedGraph,
): boolean {
  return securityGroups.some(({ securityGroup: { id }, tags }) => {
    const isOurs = identifyResource(tags, identity) === SECURITY_GROUP_ID;
    return isOurs && (loadBalancer?.securityGroups.includes(id) ?? false);
  });
}

interface Planned {
  readonly plan: Plan;
  readonly observed: ObservedGraph;
  readonly desired: DesiredGraph;
  readonly routes: Routes;
}

async function execute(scope: Scope, planned: Planned): Promise<Progress> {
  const { identity, pass, tokens } = scope;
  const { plan, observed } = planned;
  const references = readReferences(observed, identity, observed.loadBalancer?.arn ?? '');
  const run = beginRun(references, async () => {
    publish(scope, planned, run.progress);
    await waitForTargets(scope);
  });
  if (plan.steps.length > 0) {
    pass.log.debug('plan', { plan: printPlan(plan) });
    pass.disproveReady();
    await pass.ensureFinalizer();
    await tokens.reserve(plan.steps.map(({ operation }) => operation));
    try {
      await carryOut(scope, plan.steps, run);
    } finally {
      recordChanged(scope, run.progress.done);
    }
  }
  publish(scope, planned, run.progress);
  return run.progress;
}

/** The groups that are there and proved ours, by the tags that were read or by those of their create call. */
function publish(scope: Scope, { observed, desired, routes }: Planned, progress: Progress): void {
  const { references, done, failed } = progress;
  const proved = new Set([
    ...observed.targetGroups
      .filter(({ tags }) => identifyResource(tags, scope.identity) !== undefined)
      .map(({ targetGroup: { name } }) => name),
    ...listCreated(done.filter((step) => !failed.includes(step))),
  ]);
  const created = new Set(listCreated(done));
  const served = routes.backends.flatMap((backend, index): readonly ServedGroup[] => {
    const { name = '' } = desired.targetGroups[index] ?? {};
    const arn = references.targetGroups.get(name);
    if (arn === undefined || !proved.has(name)) return [];
    const { service, targetType } = backend;
    return [{ backend: backend.name, arn, service, targetType, isNew: created.has(name) }];
  });
  scope.targets.publish(scope.pass.key, served);
}

function listCreated(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ operation, input }) =>
    operation === 'CreateTargetGroup' ? [input.name] : [],
  );
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

/** When something postponed is due, what is left can go, or a deletion is to be proved by a read. */
function findNext({ plan, desired, observed, progress }: Outcomes): number | undefined {
  const due = plan.postponed.map(({ inMs }) => inMs);
  const names = new Set(desired.targetGroups.map(({ name }) => name));
  const left = observed.targetGroups.filter(({ targetGroup: { name } }) => !names.has(name));
  const isGroupLeft = observed.securityGroups.length > 0 && desired.securityGroup === undefined;
  const isDeleted = progress.done.some(({ operation }) => DELETED.has(operation));
  const isOpen = (left.length > 0 && due.length === 0) || isGroupLeft || isDeleted;
  const next = Math.min(...due, ...(isOpen ? [STALENESS_BOUND_MS] : []));
  return Number.isFinite(next) ? next : undefined;
}

interface Outcomes {
  readonly plan: Plan;
  readonly desired: DesiredGraph;
  readonly observed: ObservedGraph;
  readonly progress: Progress;
}

const DELETED: ReadonlySet<Step['operation']> = new Set<Step['operation']>([
  'DeleteTargetGroup',
  'DeleteSecurityGroup',
]);
