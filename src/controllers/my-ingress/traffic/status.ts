import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { StatedCondition } from '../../../core/objects/conditions.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { formatTime } from '../../../core/objects/kube-object.ts';
import { type Outcome, waiting } from '../../../core/reconcile/outcome.ts';
import { describeCertificates } from '../discovery/certificate-status.ts';
import type { FoundCertificates } from '../discovery/found-certificates.ts';
import { createProblemFailure } from '../failure.ts';
import { WINDOW_MS } from '../graph/facts.ts';
import { type Problem, reportProblems } from '../graph/problem.ts';
import { findListenerPort, getListenerId, getTargetGroupId } from '../graph/resource-id.ts';
import { OWN_SOURCE, type RouteListener } from '../routes/routes.ts';
import { chooseListener, findExactHost, formatOrigin } from '../routes/urls.ts';
import type { TargetsState } from '../targets.ts';
import type { TrafficState } from './ensure.ts';
import { awaitSuccessors } from './successors.ts';
import { SHUTDOWN, stateHealthy, stateShutdown } from './target-conditions.ts';

/** Status of everything beside the balancer; pure. */

type Status = MyIngress['status'];
type ListenerStatus = NonNullable<Status['listeners']>[number];
type BackendStatus = NonNullable<Status['backends']>[number];

const OF_BACKENDS: readonly string[] = ['BackendsResolved', 'TargetsHealthy', SHUTDOWN];

/** A Service may be applied a moment after the object that names it. */
const GRACE_MS = 60_000;

/** As the CRD has it: a longer list would be refused, and the whole status with it. */
export const MOST_LISTENERS = 50;

/**
 * `status.listeners`: the desired ones, and those of ours that are still there, as far as there is room. Those of
 * `before` stay while the read may be older than they are: nothing else says that they have to be deleted.
 */
export function describeListeners(
  { desired, references, problems, tagKeys }: TrafficState,
  found: FoundCertificates = new Map(),
  before: readonly ListenerStatus[] = [],
): readonly ListenerStatus[] {
  const all = new Map(desired.listeners.map(({ id, port }) => [id, port]));
  for (const id of references.listeners.keys()) {
    const port = findListenerPort(id);
    if (port !== undefined) all.set(id, port);
  }
  const listed = [...all].map(([id, port]) => {
    const message = findMessage(problems, id);
    const certificates = describeCertificates(found, port, before);
    const arn = references.listeners.get(id);
    return { port, ...omitUndefined({ arn, certificates, message }) };
  });
  const ports = new Set(all.values());
  const unseen = tagKeys === undefined ? before.filter(({ port }) => !ports.has(port)) : [];
  return [...listed, ...unseen].slice(0, MOST_LISTENERS);
}

/** `status.url`: of what the object itself serves; undefined: nothing listens. */
export function describeUrl({
  dns,
  references: { listeners: made },
  routes: { listeners, rules },
}: TrafficState): string | undefined {
  const served = listeners.filter((one) => made.has(getListenerId(one.port)) && !isDoor(one));
  const listener = chooseListener(served);
  if (listener === undefined || dns === undefined) return undefined;
  const own = rules.filter(({ source }) => source === OWN_SOURCE);
  const taking = own.filter((rule) => rule.listeners.includes(listener.port));
  return formatOrigin(listener, findExactHost(taking) ?? dns);
}

/** Nothing but the way to another listener. */
function isDoor({ defaultAction }: RouteListener): boolean {
  return defaultAction.kind === 'redirect' && defaultAction.protocol === 'HTTPS';
}

/** `status.backends`, in the order of the spec, after a pass over all of it. */
export function describeBackends(
  object: MyIngress,
  { desired, references, problems }: TrafficState,
  states: readonly TargetsState[],
): readonly BackendStatus[] {
  const { backends = [] } = object.spec;
  const known = object.status?.backends ?? [];
  return backends.map(({ name }) => {
    const id = getTargetGroupId({ source: OWN_SOURCE, name });
    const group = desired.targetGroups.find((one) => one.id === id);
    const targetGroupARN = group && references.targetGroups.get(group.name);
    const state = states.find(({ backend }) => backend === name);
    const message = findMessage(problems, id);
    const before = known.find((one) => one.name === name);
    // An earlier process's count is truer than that nothing is known yet.
    const isAsked = state?.isKnown ?? before === undefined;
    const counts = isAsked ? describeTargets(state, message) : { ...before };
    return keepTime({ ...counts, name, ...omitUndefined({ targetGroupARN }) }, before);
  });
}

/** The same with newer counts, where nothing else was looked at. */
export function refreshBackends(
  { status }: MyIngress,
  states: readonly TargetsState[],
): readonly BackendStatus[] {
  return (status?.backends ?? []).map((before) => {
    const state = states.find(({ backend }) => backend === before.name);
    if (state === undefined || !state.isKnown) return before;
    const { name, targetGroupARN } = before;
    const now = {
      name,
      ...omitUndefined({ targetGroupARN }),
      ...describeTargets(state, undefined),
    };
    return keepTime(now, before);
  });
}

/** AWS is asked again and again: only an answer that says something new has its time. */
function keepTime(now: BackendStatus, before: BackendStatus | undefined): BackendStatus {
  const { healthAsOf = now.healthAsOf } = before ?? {};
  const same = { ...now, ...omitUndefined({ healthAsOf }) };
  return isDeepStrictEqual(same, before) ? same : now;
}

function describeTargets(
  state: TargetsState | undefined,
  message: string | undefined,
): Omit<BackendStatus, 'name' | 'targetGroupARN'> {
  const { desired, registered, healthy, healthAsOfMs, problem, note } = state ?? {};
  const healthAsOf = healthAsOfMs === undefined ? undefined : formatTime(healthAsOfMs);
  const said = message ?? problem?.message ?? note;
  return omitUndefined({ desired, registered, healthy, healthAsOf, message: said });
}

function findMessage(problems: readonly Problem[], id: string): string | undefined {
  return problems.find((problem) => problem.id === id)?.message;
}

/** `status.targets`: registered and desired targets of all backends; undefined without backends. */
export function countTargets(states: readonly TargetsState[]): string | undefined {
  if (states.length === 0) return undefined;
  const sum = (count: (state: TargetsState) => number): number =>
    states.reduce((total, state) => total + count(state), 0);
  return `${sum(({ registered }) => registered)}/${sum(({ desired }) => desired)}`;
}

interface Surroundings {
  readonly nowMs: number;
  /** The balancer has the managed security group alone, which no pod may admit. */
  readonly isManagedAlone: boolean;
}

/** BackendsResolved, TargetsHealthy, and a warning about pods that end early; of an object that has lost its backends they say so. */
export function stateConditions(
  { status }: MyIngress,
  states: readonly TargetsState[],
  { nowMs, isManagedAlone }: Surroundings,
): readonly StatedCondition[] {
  if (states.length === 0) {
    const stated = (status?.conditions ?? []).filter(({ type }) => OF_BACKENDS.includes(type));
    const message = 'the spec has no backends';
    return stated.map(({ type }) => ({ type, status: 'True', reason: 'NoBackends', message }));
  }
  const hasWarned = (status?.conditions ?? []).some(({ type }) => type === SHUTDOWN);
  return [
    ...[stateResolved(states, { status, nowMs }), stateHealthy(states, { status, isManagedAlone })],
    ...stateShutdown(states, hasWarned),
  ];
}

/** False stays until all is resolved: another process does not know since when. */
function stateResolved(
  states: readonly TargetsState[],
  { status, nowMs }: Pick<MyIngress, 'status'> & { readonly nowMs: number },
): StatedCondition {
  const type = 'BackendsResolved';
  const [worst] = listUnresolved(states, nowMs);
  if (worst?.problem === undefined) {
    const message = `every backend has targets: ${countTargets(states)}`;
    return { type, status: 'True', reason: 'Resolved', message };
  }
  const wasFalse = status?.conditions?.some((one) => one.type === type && one.status === 'False');
  const isEarly = !wasFalse && countGraceMs(worst.problem, nowMs) > 0;
  return {
    type,
    status: isEarly ? 'Unknown' : 'False',
    reason: worst.problem.reason,
    message: describeUnresolved(states, nowMs),
  };
}

/** Worst first: one that may still be resolved by itself hides no other. */
function listUnresolved(states: readonly TargetsState[], nowMs: number): readonly TargetsState[] {
  const unresolved = states.filter(({ problem }) => problem !== undefined);
  const isEarly = ({ problem }: TargetsState): boolean =>
    !!problem && countGraceMs(problem, nowMs) > 0;
  return [...unresolved.filter((one) => !isEarly(one)), ...unresolved.filter(isEarly)];
}

function describeUnresolved(states: readonly TargetsState[], nowMs: number): string {
  return listUnresolved(states, nowMs)
    .map(({ backend, problem }) => `backend ${backend}: ${problem?.message ?? ''}`)
    .join('. ');
}

/**
 * The outcome of a pass over the balancer and everything beside it.
 *
 * @param outcome the balancer's own
 * @throws OperatorError where something does not match the spec
 */
export function concludeTraffic(
  outcome: Outcome,
  state: Pick<TrafficState, 'problems' | 'againMs' | 'isEarly' | 'held' | 'awaited'>,
  targets: TargetsFacts,
): Outcome {
  const { problems, againMs, isEarly, held, awaited } = state;
  const report = reportProblems(problems);
  const successors = awaitSuccessors(awaited, targets);
  if (report !== undefined) {
    const dueMs = Math.min(
      againMs ?? Number.POSITIVE_INFINITY,
      getRequeueMs(outcome),
      getRequeueMs(successors ?? outcome),
    );
    // What time heals goes by the backoff, which may be long by now, but for what is over within seconds.
    const goesByDue = report.healedBy === 'person' || isEarly;
    throw createProblemFailure(report, goesByDue ? retryAfter(dueMs) : {});
  }
  const { states, nowMs } = targets;
  const handover =
    held === undefined ? successors : waiting('HandingOver', held, againMs ?? WINDOW_MS);
  const applied = handover !== undefined && outcome.kind === 'settled' ? handover : outcome;
  return requeueBy(awaitFirstTargets(applied, targets), againMs, findGraceMs(states, nowMs));
}

function retryAfter(dueMs: number): { readonly retryAfterMs?: number } {
  return Number.isFinite(dueMs) ? { retryAfterMs: dueMs } : {};
}

/** The state of the targets of an object, as far as it is known. */
interface TargetsFacts {
  readonly states: readonly TargetsState[];
  readonly nowMs: number;
  /** The object is Ready for this spec already. */
  readonly wasReady: boolean;
}

function getRequeueMs({ requeueAfterMs = Number.POSITIVE_INFINITY }: Outcome): number {
  return requeueAfterMs;
}

/**
 * Ready waits for the first registrations, and for a moment for a Service that is not there yet; what becomes of
 * targets later is no matter of Ready.
 */
export function awaitFirstTargets(
  outcome: Outcome,
  { states, nowMs, wasReady }: TargetsFacts,
): Outcome {
  if (outcome.kind === 'waiting' || wasReady) return outcome;
  return awaitTargets(states, nowMs) ?? outcome;
}

function awaitTargets(states: readonly TargetsState[], nowMs: number): Outcome | undefined {
  const graceMs = findGraceMs(states, nowMs);
  const [unresolved] = listUnresolved(states, nowMs);
  if (graceMs !== undefined && unresolved?.problem !== undefined) {
    return waiting(unresolved.problem.reason, describeUnresolved(states, nowMs), graceMs);
  }
  const filling = states.find(({ isFilled, problem }) => !isFilled && problem === undefined);
  if (filling === undefined) return undefined;
  const { backend, desired, registered } = filling;
  const message = `registering the targets of backend ${backend}: ${registered} of ${desired}`;
  return waiting('Registering', message, 1_000);
}

/** The rest of the time in which a backend may still be resolved by itself. */
export function findGraceMs(states: readonly TargetsState[], nowMs: number): number | undefined {
  const left = listUnresolved(states, nowMs).flatMap(({ problem }) => {
    const restMs = problem === undefined ? 0 : countGraceMs(problem, nowMs);
    return restMs > 0 ? [restMs] : [];
  });
  return left.length === 0 ? undefined : Math.min(...left);
}

/** Counts the rest of the grace; an installation never comes to serve what it does not serve. */
function countGraceMs(
  { reason, sinceMs }: NonNullable<TargetsState['problem']>,
  nowMs: number,
): number {
  return reason === 'BackendUnsupported' ? 0 : sinceMs + GRACE_MS - nowMs;
}

export function requeueBy(outcome: Outcome, ...times: readonly (number | undefined)[]): Outcome {
  const known = [...times, outcome.requeueAfterMs].filter((time) => time !== undefined);
  return known.length === 0 ? outcome : { ...outcome, requeueAfterMs: Math.min(...known) };
}
