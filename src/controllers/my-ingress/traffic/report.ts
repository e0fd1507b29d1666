import type { MyIngress } from '../../../apis/my-ingress.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import type { Outcome } from '../../../core/reconcile/outcome.ts';
import type { Pass } from '../../../core/reconcile/reconciler.ts';
import { hasUnapplied, mapAttachedIds, reportAttached } from '../attaching/report.ts';
import { stateCertificates } from '../discovery/certificate-status.ts';
import { wasReadyForThisSpec } from '../events.ts';
import type { Identity } from '../identity.ts';
import { readRoutes } from '../routes/read-routes.ts';
import { isOwnBackend } from '../routes/routes.ts';
import {
  createObjectScope,
  type MyIngressContext,
  type ObjectScope,
  type Scope,
} from '../scope.ts';
import { hasTraffic } from '../status.ts';
import type { TargetsState } from '../targets.ts';
import type { TrafficState } from './ensure.ts';
import { isReadDue } from './memory.ts';
import { hasLeftSettings } from './owned.ts';
import { isManaged } from './planned.ts';
import { desireGroups } from './snapshot.ts';
import {
  awaitFirstTargets,
  concludeTraffic,
  countTargets,
  describeBackends,
  describeListeners,
  describeUrl,
  findGraceMs,
  refreshBackends,
  requeueBy,
  stateConditions,
} from './status.ts';
import { chooseEventType } from './target-conditions.ts';

/** True where everything beside the balancer is to be read again, also of an object that is Ready. */
export function isTrafficDue({
  clock,
  identity,
  memory,
  object,
  objectCount,
}: Pick<Scope, 'clock' | 'identity' | 'memory' | 'object' | 'objectCount'>): boolean {
  if (!hasTraffic(object)) return false;
  const { knownSinceMs, spread } = memory.facts;
  const given = { memory: memory.traffic, objectCount, knownSinceMs, spread };
  // What an earlier process has left to do, or to try again, does not wait for half an hour more.
  const isUnfinished =
    memory.foundGroups !== undefined ||
    (memory.traffic?.readMs === undefined &&
      (hasObsolete(object, identity) || hasUnapplied(object)));
  return isUnfinished || isReadDue(given, clock.monotonicMs());
}

/** True where status records something that the spec does not want. */
function hasObsolete(object: MyIngress, identity: Identity): boolean {
  const { owned = {} } = object.status ?? {};
  if (owned.removals === true) return true;
  const { targetGroups = [], securityGroup } = owned;
  const routes = readRoutes(object.spec);
  const desiredNames = new Set(desireGroups(object, identity).map(({ name }) => name));
  return (
    targetGroups.some((name) => !desiredNames.has(name)) ||
    (!!securityGroup && !isManaged({ object }, routes)) ||
    hasLeftSettings(object, routes)
  );
}

/** Reports the state after a pass over everything, and the outcome of the pass. */
export function reportTraffic(
  scope: Scope,
  state: TrafficState,
  concludeBalancer: () => Outcome,
): Outcome {
  const { clock, memory, object, pass } = scope;
  const states = reportTargets(scope);
  reportAttached(object, pass, state);
  const { certificates } = memory.traffic ?? {};
  const listeners = omitIfEmpty(describeListeners(state, certificates, object.status?.listeners));
  pass.report({ listeners, url: describeUrl(state) });
  reportCounts(scope, states, describeBackends(object, state, states));
  const wasReady = wasReadyForThisSpec(scope);
  const nowMs = clock.monotonicMs();
  const own = listOwnState(object, state);
  return concludeTraffic(concludeBalancer(), own, { states, nowMs, wasReady });
}

/** Ready is about what the object itself has in its spec: what others attach disturbs it as little as each other. */
function listOwnState(object: MyIngress, state: TrafficState): TrafficState {
  const ids = mapAttachedIds(object);
  return {
    ...state,
    problems: state.problems.filter(({ id }) => !ids.has(id)),
    awaited: state.awaited.filter(({ backend }) => isOwnBackend(backend)),
  };
}

/** Newer counts of targets, where nothing else was looked at. */
export function refreshTraffic(scope: Scope, outcome: Outcome): Outcome {
  const { clock, memory, object } = scope;
  if (!hasTraffic(object)) return outcome;
  const states = refreshTargets(scope);
  const nowMs = clock.monotonicMs();
  const { dueMs } = memory.traffic ?? {};
  const restMs = dueMs === undefined ? undefined : Math.max(0, dueMs - nowMs);
  const wasReady = wasReadyForThisSpec(scope);
  const awaited = awaitFirstTargets(outcome, { states, nowMs, wasReady });
  return requeueBy(awaited, restMs, findGraceMs(states, nowMs));
}

/** Of an object that is paused or only planned: its targets follow the pods all the same. */
export function refreshHeld(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass<MyIngress>,
): void {
  if (object.spec === undefined || !hasTraffic(object)) return;
  const names = context.targets.read(pass.key).map(({ backend }) => backend);
  // Of one that an edit has added meanwhile nothing is known.
  if (!(object.spec.backends ?? []).every(({ name }) => names.includes(name))) return;
  const stored = object.status?.owned;
  const scope = createObjectScope(context, { object, stored, pass });
  // Nothing comes back here when a grace is over.
  refreshTargets(scope, Number.POSITIVE_INFINITY);
}

function refreshTargets(
  scope: ObjectScope,
  nowMs = scope.clock.monotonicMs(),
): readonly TargetsState[] {
  const states = reportTargets(scope, nowMs);
  reportCounts(scope, states, refreshBackends(scope.object, states));
  return states;
}

function reportTargets(
  scope: ObjectScope,
  nowMs = scope.clock.monotonicMs(),
): readonly TargetsState[] {
  const { backendSecurityGroups, clock, memory, object, pass, targets } = scope;
  const found = memory.traffic?.certificates;
  for (const condition of found ? stateCertificates(object, found, clock.now()) : [])
    pass.setCondition(condition);
  const states = targets.readForStatus(pass.key).filter(({ backend }) => isOwnBackend(backend));
  if (!areCounted(object, states)) return states;
  const surroundings = {
    nowMs,
    isManagedAlone: backendSecurityGroups.length === 0 && isManaged(scope, readRoutes(object.spec)),
  };
  const recorded = { ...object, status: pass.recorded.status };
  const wasReady = wasReadyForThisSpec({ ...scope, object: recorded });
  for (const condition of stateConditions(object, states, surroundings)) {
    pass.setCondition(condition, chooseEventType(recorded, condition, wasReady));
  }
  return states;
}

function reportCounts(
  { memory, object, pass }: ObjectScope,
  states: readonly TargetsState[],
  backends: ReturnType<typeof describeBackends>,
): void {
  const targets = areCounted(object, states) ? countTargets(states) : object.status?.targets;
  const counts = { targets, backends: omitIfEmpty(backends) };
  pass.report(counts);
  memory.counts = omitUndefined(counts);
}

/** False while nodes that are its targets are about to be read. */
function areCounted({ spec }: MyIngress, states: readonly TargetsState[]): boolean {
  const isPublished = states.length > 0 || (spec.backends ?? []).length === 0;
  return isPublished && states.every(isDesired);
}

function isDesired({ isKnown, desired, problem }: TargetsState): boolean {
  return isKnown && (desired > 0 || problem !== undefined);
}

function omitIfEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}
