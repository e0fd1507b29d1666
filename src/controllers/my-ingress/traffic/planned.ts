import { isDeepStrictEqual } from 'node:util';
import { resourceTagKey } from '../../../apis/my-ingress.ts';
import { type LoadBalancer, STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import { disownAttached } from '../attaching/disown.ts';
import { findDecision } from '../attaching/joined.ts';
import { applyCertificates } from '../discovery/found-certificates.ts';
import { desireGraph } from '../graph/desired-graph.ts';
import { keepRefusals, recordJoined, recordUnused, type TrafficFacts } from '../graph/facts.ts';
import type { DesiredGraph, ObservedGraph, ObservedTargetGroup } from '../graph/graph.ts';
import { type Plan, planTraffic } from '../graph/plan.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource, isOwn, isOwnTargetGroup } from '../graph/tags.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { chooseAttachment, claimGroups, isAttached } from '../security-group/attachment.ts';
import { findPrevious } from '../security-group/previous.ts';
import { desireTargetGroup, pairGroups } from '../target-groups/desired.ts';
import { diffHealthCheck } from '../target-groups/diff.ts';
import { explainEqualName, findEqualNames } from '../target-groups/equal-names.ts';
import {
  isEmptier,
  isHealthy,
  LONGEST_WAIT_MS,
  listJoined,
  listWeights,
  type Readiness,
  type Succession,
  stageSuccessors,
} from '../target-groups/succession.ts';
import type { TrafficMemory } from './memory.ts';

/** A plan, and from what it was made. */
export interface Planned {
  readonly plan: Plan;
  readonly observed: ObservedGraph;
  readonly desired: DesiredGraph;
  readonly routes: Routes;
  readonly loadBalancer: LoadBalancer;
  /** `desired` is as it is to be until the successors of target groups take over. */
  readonly succession: Succession;
  /** It was read so early that it may be older than what was made last: it is read again. */
  readonly isEarly?: boolean;
  /** `observed` with the tags that it leaves out; only while it is not known what attaches. */
  readonly disowned?: ObservedGraph;
}

/** False where `observed` may be old, or shows what is attached as foreign: no later pass may start from it. */
export function isCertain({ disowned, isEarly = false }: Planned): boolean {
  return disowned === undefined && !isEarly;
}

/** Plans from what is observed or remembered; notes which target groups no action names. */
export function planBy(
  scope: Scope,
  given: Pick<Planned, 'loadBalancer' | 'observed'>,
  defaultGroup: string | undefined,
): Planned {
  const { clock, identity, memory, object } = scope;
  const { loadBalancer } = given;
  const isKnown = findDecision(object)?.isKnown ?? true;
  const observed = isKnown ? given.observed : disownAttached(given.observed);
  const nowMs = clock.monotonicMs();
  if (memory.traffic === undefined) throw new Error('traffic is planned without its memory');
  const unused = recordUnused(memory.traffic.facts, observed, nowMs);
  const weights = listWeights(observed, identity);
  const read = applyCertificates(readRoutes(object.spec), memory.traffic.certificates);
  const { routes, problems } = leaveOutEqualNames(scope, { routes: read, loadBalancer, observed });
  const whole = desireTraffic(scope, { routes, loadBalancer, observed }, defaultGroup);
  const edited = listEdited(memory.traffic, { observed, routes, desired: whole });
  const empty = listEmpty(scope, mapArns(observed));
  const facts = recordJoined(unused, { names: listJoined(weights), edited, empty }, nowMs);
  memory.traffic = { ...memory.traffic, facts };
  const judge = judgeSuccessors(scope, { observed, facts, nowMs });
  const facing = { identity, weights, judge, refused: facts.refused };
  const succession = stageSuccessors(whole, observed, facing);
  const { desired } = succession;
  const appliedTags = object.status?.applied?.tags ?? [];
  const planned = planTraffic(desired, observed, { identity, appliedTags, facts, nowMs });
  const plan = { ...planned, problems: [...problems, ...planned.problems] };
  const steps = [...plan.steps, ...plan.postponed.map(({ step }) => step)];
  memory.traffic = { ...memory.traffic, facts: keepRefusals(facts, steps) };
  const disowned = isKnown ? {} : { disowned: given.observed };
  return { plan, observed, desired, routes, loadBalancer, succession, ...disowned };
}

/** The routes without the backends that would share a target group with another one: their rules wait for it. */
function leaveOutEqualNames(
  { desired, identity, object }: Scope,
  { routes, loadBalancer: { vpcId }, observed }: Found,
): { readonly routes: Routes; readonly problems: readonly Problem[] } {
  const place = { identity, userTags: desired.userTags, vpcId };
  const find = (name: string): ObservedTargetGroup | undefined =>
    observed.targetGroups.find(({ targetGroup }) => targetGroup.name === name);
  const pairs = pairGroups(routes.backends, place);
  const late = findEqualNames(pairs, { object, identity, find });
  const kept = pairs.filter((pair) => !late.has(pair));
  return {
    routes: { ...routes, backends: kept.map(({ backend }) => backend) },
    problems: [...late].map(explainEqualName),
  };
}

/** Names of the groups that have the Service or the health check from before an edit, unless AWS refuses that check. */
function listEdited(
  { facts, served = [] }: TrafficMemory,
  { observed, routes, desired }: Pick<Planned, 'observed' | 'routes' | 'desired'>,
): ReadonlySet<string> {
  const known = new Map(observed.targetGroups.map((one) => [one.targetGroup.name, one]));
  const edited = desired.targetGroups.filter((group, index) => {
    const { targetGroup } = known.get(group.name) ?? {};
    if (targetGroup === undefined) return false;
    const isRefused = facts.refused.some(({ step: { id, operation } }) => {
      return id === group.id && operation === 'ModifyTargetGroup';
    });
    if (!isRefused && diffHealthCheck(group, targetGroup).length > 0) return true;
    const before = served.find(({ arn }) => arn === targetGroup.arn);
    return before && !isDeepStrictEqual(before.service, routes.backends[index]?.service);
  });
  return new Set(edited.map(({ name }) => name));
}

function mapArns({ targetGroups }: ObservedGraph): ReadonlyMap<string, string> {
  return new Map(targetGroups.map(({ targetGroup: { arn, name } }) => [name, arn]));
}

/** Names of the groups, given with their ARNs, that can have no target where those that they replace have some. */
export function listEmpty(
  { memory, pass, targets }: Scope,
  arns: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const empty = targets.read(pass.key).filter(isEmptier);
  const served = memory.traffic?.served?.filter(({ backend, isReplaced }) => {
    return isReplaced !== true && empty.some((one) => one.backend === backend);
  });
  const names = [...arns].filter(([, arn]) => served?.some((one) => one.arn === arn));
  return new Set(names.map(([name]) => name));
}

interface Judged {
  readonly observed: ObservedGraph;
  readonly facts: TrafficFacts;
  readonly nowMs: number;
}

/** By the health of the targets of a group of this name, once it is published. */
function judgeSuccessors(
  { memory, pass, targets }: Scope,
  { observed, facts, nowMs }: Judged,
): (name: string) => Readiness {
  const served = memory.traffic?.served ?? [];
  return (name) => {
    const group = observed.targetGroups.find(({ targetGroup }) => targetGroup.name === name);
    const own = served.find(({ arn, isReplaced }) => arn === group?.targetGroup.arn && !isReplaced);
    const state = targets.read(pass.key).find(({ backend }) => backend === own?.backend);
    const checkedMs = facts.checkedSinceMs.get(name);
    if (checkedMs === undefined) return 'awaited';
    if (state !== undefined && isHealthy(state)) return 'healthy';
    return nowMs - checkedMs >= LONGEST_WAIT_MS ? 'late' : 'awaited';
  };
}

/** Names of the target groups that the routes want in this VPC. */
export function listGroupNames(
  { desired, identity }: Pick<Scope, 'desired' | 'identity'>,
  routes: Routes,
  vpcId: string,
): readonly string[] {
  const place = { identity, userTags: desired.userTags, vpcId };
  return routes.backends.map((backend) => desireTargetGroup(backend, place).name);
}

/** True where the balancer is to carry a security group of its own. */
export function isManaged({ object }: Pick<Scope, 'object'>, routes: Routes): boolean {
  const { adopt, securityGroups } = object.spec ?? {};
  return (
    chooseAttachment({
      securityGroups,
      isAdopted: adopt !== undefined,
      hasListeners: routes.listeners.length > 0,
      hasInbound: routes.inbound !== undefined,
    }) === 'managed'
  );
}

export interface Found {
  readonly routes: Routes;
  readonly loadBalancer: Pick<LoadBalancer, 'scheme' | 'ipAddressType' | 'vpcId'>;
  readonly observed: ObservedGraph;
}

/** Pure; `defaultGroup` as `findDefaultGroup` gives it. */
function desireTraffic(
  scope: Scope,
  { routes, loadBalancer, observed }: Found,
  defaultGroup: string | undefined,
): DesiredGraph {
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
      listenerSettings: object.status?.owned?.listenerSettings ?? [],
      backendGroups: scope.backendSecurityGroups,
      defaultGroup,
      previousGroups: listPrevious(scope, observed),
      isManagedAttached: hasManagedAttached(scope, observed),
    },
    { identity, userTags: desired.userTags, vpcId },
  );
  // Given groups are attached with the balancer's own settings.
  const isGiven = object.spec.securityGroups !== undefined;
  return isGiven ? { ...graph, attachment: undefined } : graph;
}

export function listPrevious(
  { identity, object }: Scope,
  observed: ObservedGraph,
): readonly string[] {
  return findPrevious(observed, { identity, isAdopted: object.spec.adopt !== undefined });
}

/** The VPC's default group, read only where it takes the place of the managed one. */
export async function findDefaultGroup(
  scope: Scope,
  { routes, loadBalancer: { vpcId }, observed }: Found,
): Promise<string | undefined> {
  if (!hasManagedAttached(scope, observed) || isManaged(scope, routes)) return undefined;
  if (scope.object.spec.securityGroups !== undefined) return undefined;
  if (listPrevious(scope, observed).length > 0) return undefined;
  const filter = { vpcId, name: 'default' };
  const [found] = await scope.traffic().securityGroups.find(filter, scope.pass.signal);
  return found?.securityGroup.id;
}

function hasManagedAttached({ identity }: Scope, observed: ObservedGraph): boolean {
  return claimGroups(observed, identity).some((group) => isAttached(group, observed));
}

/** Ids of what the steps change: SetRulePriorities moves rules. */
export function listChanged(
  { observed }: Pick<Planned, 'observed'>,
  steps: readonly Step[],
): readonly ResourceId[] {
  const rules = observed.listeners.flatMap((listener) => listener.rules);
  return steps.flatMap(({ id, operation, input }) => {
    if (operation !== 'SetRulePriorities') return [id];
    const moved = new Set(input.priorities.map(({ arn }) => arn));
    const own = rules.filter(({ rule: { arn } }) => moved.has(arn));
    return own.flatMap(({ tags }) => tags[resourceTagKey] ?? []);
  });
}

/** A target group is left, and something has changed just now: it may be in use no more. */
export function mayRelease(
  { clock, identity, memory }: Scope,
  { desired, observed }: Planned,
  done: readonly Step[],
): boolean {
  const changedAtMs = memory.traffic?.facts.changes.at(-1)?.atMs ?? 0;
  const isChanged = clock.monotonicMs() - changedAtMs < STALENESS_BOUND_MS;
  if (!isChanged && done.length === 0) return false;
  const names = new Set(desired.targetGroups.map(({ name }) => name));
  return observed.targetGroups.some((one) => {
    return !names.has(one.targetGroup.name) && isOwnTargetGroup(one, identity);
  });
}

/** The managed security group is left, and not by the spec's own words. */
export function isToDetach({ identity, object }: Scope, { desired, observed }: Planned): boolean {
  const given = object.spec.securityGroups ?? [];
  const own = observed.securityGroups.filter(({ securityGroup: { id }, tags }) => {
    return isOwn(tags, identity) && !given.includes(id);
  });
  return own.length > 0 && desired.securityGroup === undefined;
}
