import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { StatedCondition } from '../../../core/objects/conditions.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { formatTime } from '../../../core/objects/kube-object.ts';
import { type Outcome, waiting } from '../../../core/reconcile/outcome.ts';
import { failureOf } from '../failure.ts';
import { WINDOW_MS } from '../graph/facts.ts';
import { type Problem, reportProblems } from '../graph/problem.ts';
import { portOfListener, targetGroupId } from '../graph/resource-id.ts';
import type { TargetsState } from '../targets.ts';
import type { TrafficState } from './ensure.ts';

/** Status of everything beside the balancer; pure. */

type Status = MyIngress['status'];
type ListenerStatus = NonNullable<Status['listeners']>[number];
type BackendStatus = NonNullable<Status['backends']>[number];
type Unhealthy = NonNullable<TargetsState['unhealthy']>;

const OF_BACKENDS: readonly string[] = ['BackendsResolved', 'TargetsHealthy'];

/** A Service may be applied a moment after the object that names it. */
const GRACE_MS = 60_000;

/** `status.listeners`: the desired ones, and those of ours that are still there. */
export function describeListeners({
  desired,
  references,
  problems,
}: TrafficState): readonly ListenerStatus[] {
  const ports = new Map(desired.listeners.map(({ id, port }) => [id, port]));
  const left = [...references.listeners.keys()].filter((id) => !ports.has(id));
  const all = [...ports, ...left.map((id) => [id, portOfListener(id)] as const)];
  return all.map(([id, port]) => {
    const message = findMessage(problems, id);
    return { port, ...omitUndefined({ arn: references.listeners.get(id), message }) };
  });
}

/** `status.backends`, in the order of the spec, after a pass over all of it. */
export function describeBackends(
  object: MyIngress,
  { desired, references, problems }: TrafficState,
  states: readonly TargetsState[],
): readonly BackendStatus[] {
  const { backends = [] } = object.spec;
  const known = object.status?.backends ?? [];
  return backends.map(({ name }, index) => {
    const group = desired.targetGroups[index];
    const targetGroupARN = group && references.targetGroups.get(group.name);
    const state = states.find(({ backend }) => backend === name);
    const message = findMessage(problems, targetGroupId({ source: 'spec', name }));
    const before = known.find((one) => one.name === name);
    // What an earlier process has counted is truer than that nothing is known yet.
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
  const { desired, registered, healthy, healthAsOfMs, problem } = state ?? {};
  const healthAsOf = healthAsOfMs === undefined ? undefined : formatTime(healthAsOfMs);
  const said = message ?? problem?.message;
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

/** BackendsResolved and TargetsHealthy; of an object that has lost its backends they say so. */
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
  return [stateResolved(states, nowMs), stateHealthy(states, isManagedAlone)];
}

function stateResolved(states: readonly TargetsState[], nowMs: number): StatedCondition {
  const type = 'BackendsResolved';
  const [worst] = listUnresolved(states);
  if (worst?.problem === undefined) {
    const message = `every backend has targets: ${countTargets(states)}`;
    return { type, status: 'True', reason: 'Resolved', message };
  }
  const { reason, sinceMs } = worst.problem;
  const isEarly = nowMs - sinceMs < GRACE_MS;
  return {
    type,
    status: isEarly ? 'Unknown' : 'False',
    reason,
    message: describeUnresolved(states),
  };
}

function listUnresolved(states: readonly TargetsState[]): readonly TargetsState[] {
  return states.filter(({ problem }) => problem !== undefined);
}

function describeUnresolved(states: readonly TargetsState[]): string {
  return listUnresolved(states)
    .map(({ backend, problem }) => `backend ${backend}: ${problem?.message ?? ''}`)
    .join('. ');
}

function stateHealthy(states: readonly TargetsState[], isManagedAlone: boolean): StatedCondition {
  const type = 'TargetsHealthy';
  const message = describeHealth(states, isManagedAlone);
  if (states.some(({ desired }) => desired === 0)) {
    return { type, status: 'False', reason: 'NoTargets', message };
  }
  if (states.some(({ healthy }) => healthy === undefined)) {
    return { type, status: 'Unknown', reason: 'HealthUnknown', message };
  }
  const isHealthy = states.every(({ desired, healthy }) => healthy === desired);
  return isHealthy
    ? { type, status: 'True', reason: 'Healthy', message }
    : { type, status: 'False', reason: 'TargetsUnhealthy', message };
}

const TIMED_OUT = 'Target.Timeout';
/** Before all else: the most frequent cause, and the one that no pod shows. */
const EXPLAIN_TIMEOUT =
  'targets time out and ALBRIDGE_BACKEND_SECURITY_GROUPS is not set: check first that the security group of the pods admits the load balancer';
const MOST_BACKENDS = 5;

/** The counts, and for each of the first backends one target that AWS does not report healthy. */
function describeHealth(states: readonly TargetsState[], isManagedAlone: boolean): string {
  const counts = states.map(({ backend, desired, healthy }) => {
    return `${backend} ${healthy ?? '?'}/${desired}`;
  });
  const sentences = states.flatMap(({ backend, unhealthy }) => {
    return unhealthy === undefined ? [] : [`backend ${backend}: ${describeUnhealthy(unhealthy)}`];
  });
  const rest = sentences.length - MOST_BACKENDS;
  const isTimedOut = states.some(({ unhealthy }) => unhealthy?.reason === TIMED_OUT);
  return [
    ...(isTimedOut && isManagedAlone ? [EXPLAIN_TIMEOUT] : []),
    `healthy targets by backend: ${counts.join(', ')}`,
    ...sentences.slice(0, MOST_BACKENDS),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('. ');
}

/** In AWS's words: `10.0.0.7:8080 is unhealthy, Target.ResponseCodeMismatch: ...`. */
function describeUnhealthy({ id, port, state, reason, description }: Unhealthy): string {
  const why = [reason, description].filter((part) => part !== undefined).join(': ');
  return `${id}:${port} is ${state}${why === '' ? '' : `, ${why}`}`;
}

/**
 * The outcome of a pass over the balancer and everything beside it.
 *
 * @param outcome the balancer's own
 * @throws OperatorError where something does not match the spec
 */
export function concludeTraffic(
  outcome: Outcome,
  { problems, againMs, isHeld }: Pick<TrafficState, 'problems' | 'againMs' | 'isHeld'>,
  targets: TargetsFacts,
): Outcome {
  const report = reportProblems(problems);
  if (report !== undefined) {
    const dueMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, requeueOf(outcome));
    const retry =
      Number.isFinite(dueMs) && report.healedBy === 'person' ? { retryAfterMs: dueMs } : {};
    throw failureOf(report, retry);
  }
  const { states, nowMs } = targets;
  const applied = isHeld && outcome.kind === 'settled' ? awaitHandover(againMs) : outcome;
  return requeueBy(awaitFirstTargets(applied, targets), againMs, findGraceMs(states, nowMs));
}

function awaitHandover(againMs = WINDOW_MS): Outcome {
  const message = 'a rule that left the spec is deleted before other rules change';
  return waiting('HandingOver', message, againMs);
}

/** What is known of the targets of an object. */
interface TargetsFacts {
  readonly states: readonly TargetsState[];
  readonly nowMs: number;
  /** The object is Ready for this spec already. */
  readonly wasReady: boolean;
}

function requeueOf({ requeueAfterMs = Number.POSITIVE_INFINITY }: Outcome): number {
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
  const [unresolved] = listUnresolved(states);
  if (graceMs !== undefined && unresolved?.problem !== undefined) {
    return waiting(unresolved.problem.reason, describeUnresolved(states), graceMs);
  }
  const filling = states.find(({ isFilled, problem }) => !isFilled && problem === undefined);
  if (filling === undefined) return undefined;
  const { backend, desired, registered } = filling;
  const message = `registering the targets of backend ${backend}: ${registered} of ${desired}`;
  return waiting('Registering', message, 1_000);
}

/** What is left of the time in which a backend may still be resolved by itself. */
export function findGraceMs(states: readonly TargetsState[], nowMs: number): number | undefined {
  const left = listUnresolved(states).flatMap(({ problem }) => {
    const restMs = (problem?.sinceMs ?? nowMs) + GRACE_MS - nowMs;
    return restMs > 0 ? [restMs] : [];
  });
  return left.length === 0 ? undefined : Math.min(...left);
}

export function requeueBy(outcome: Outcome, ...times: readonly (number | undefined)[]): Outcome {
  const known = [...times, outcome.requeueAfterMs].filter((time) => time !== undefined);
  return known.length === 0 ? outcome : { ...outcome, requeueAfterMs: Math.min(...known) };
}
