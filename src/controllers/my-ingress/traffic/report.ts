import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { Outcome } from '../../../core/reconcile/outcome.ts';
import { wasReadyForThisSpec } from '../events.ts';
import type { Identity } from '../identity.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { ObjectScope, Scope } from '../scope.ts';
import type { TargetsState } from '../targets.ts';
import { hasTraffic } from './concern.ts';
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
  findGraceMs,
  refreshBackends,
  requeueBy,
  stateConditions,
} from './status.ts';

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
  // What an earlier process has left to delete is not left for half an hour more.
  const isUnfinished =
    memory.foundGroups !== undefined ||
    (memory.traffic === undefined && hasObsolete(object, identity));
  return isUnfinished || isReadDue(given, clock.monotonicMs());
}

/** True where status records a listener, a target group or a security group that the spec does not want. */
function hasObsolete(object: MyIngress, identity: Identity): boolean {
  const { owned = {}, listeners = [] } = object.status ?? {};
  const { targetGroups = [], securityGroup } = owned;
  const routes = readRoutes(object.spec);
  const wanted = new Set(desireGroups(object, identity).map(({ name }) => name));
  const ports = new Set(routes.listeners.map(({ port }) => port));
  return (
    targetGroups.some((name) => !wanted.has(name)) ||
    listeners.some(({ port }) => !ports.has(port)) ||
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
  const { clock, object, pass } = scope;
  const states = reportTargets(scope);
  pass.report({
    listeners: emptyToNone(describeListeners(state)),
    backends: emptyToNone(describeBackends(object, state, states)),
  });
  const wasReady = wasReadyForThisSpec(scope);
  const nowMs = clock.monotonicMs();
  return concludeTraffic(concludeBalancer(), state, { states, nowMs, wasReady });
}

/** Newer counts of targets, where nothing else was looked at. */
export function refreshTraffic(scope: Scope, outcome: Outcome): Outcome {
  const { clock, memory, object, pass } = scope;
  if (!hasTraffic(object)) return outcome;
  const states = reportTargets(scope);
  if (states.length > 0) pass.report({ backends: refreshBackends(object, states) });
  const nowMs = clock.monotonicMs();
  const { dueMs } = memory.traffic ?? {};
  const restMs = dueMs === undefined ? undefined : Math.max(0, dueMs - nowMs);
  const wasReady = wasReadyForThisSpec(scope);
  const awaited = awaitFirstTargets(outcome, { states, nowMs, wasReady });
  return requeueBy(awaited, restMs, findGraceMs(states, nowMs));
}

function reportTargets(scope: ObjectScope): readonly TargetsState[] {
  const { backendSecurityGroups, clock, object, pass, targets } = scope;
  const states = targets.read(pass.key);
  const isPublished = states.length > 0 || (object.spec.backends ?? []).length === 0;
  if (!isPublished || states.some(({ isKnown }) => !isKnown)) return states;
  pass.report({ targets: countTargets(states) });
  const surroundings = {
    nowMs: clock.monotonicMs(),
    isManagedAlone: backendSecurityGroups.length === 0 && isManaged(scope, readRoutes(object.spec)),
  };
  for (const condition of stateConditions(object, states, surroundings))
    pass.setCondition(condition);
  return states;
}

function emptyToNone<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}
