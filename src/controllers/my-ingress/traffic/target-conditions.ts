import type { MyIngress } from '../../../apis/my-ingress.ts';
import { describeTargetHealth, isUnderCheck } from '../../../aws/elbv2/target-health.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import {
  type Condition,
  findLeadingCondition,
  type StatedCondition,
} from '../../../core/objects/conditions.ts';
import type { EventDraft } from '../../../core/ports/events.ts';
import { areHealthy, type TargetsState } from '../targets.ts';

/** Computes the conditions of targets from what AWS and the pods show; pure. */

type Unhealthy = NonNullable<TargetsState['unhealthy']>;

/**
 * The type of the event for a condition of targets that is stored with another status; undefined: another event
 * reports it. Of a backend without targets that is the one about BackendsResolved, which is not repeated when its
 * grace is over; of an object that is not Ready yet the one about Reconciling or Ready.
 */
export function chooseEventType(
  { status }: Pick<MyIngress, 'status'>,
  condition: StatedCondition,
  wasReady: boolean,
): EventDraft['type'] | undefined {
  if (condition.type === SHUTDOWN || SILENT.includes(condition.reason)) return undefined;
  const known = status?.conditions ?? [];
  if (condition.status !== 'True') {
    return isReported(known, condition, wasReady) ? undefined : 'Warning';
  }
  return isNews(known, condition.type, wasReady) ? 'Normal' : undefined;
}

/** True where the condition was not True, and no other event has that it is now. */
function isNews(known: readonly Condition[], type: string, wasReady: boolean): boolean {
  const before = known.find((one) => one.type === type);
  if (before?.status === 'Unknown') return wasReady;
  return before?.status === 'False' && !SILENT.includes(before.reason);
}

/** True where an earlier event or the one about Reconciling has what is wrong. */
function isReported(
  known: readonly Condition[],
  { type, status, reason }: StatedCondition,
  wasReady: boolean,
): boolean {
  if (!wasReady && status === 'Unknown') return true;
  const isSame = known.some((one) => one.type === type && one.reason === reason);
  return isSame && (wasReady || findLeadingCondition(known)?.reason === reason);
}

/** The condition that warns of pods that end too early. */
export const SHUTDOWN = 'PodsOutlastRequests';
const MOST_BACKENDS = 5;
const SILENT = ['NoBackends', 'NoTargets', 'HealthUnknown', 'TargetsInitial'];

/** Unhealthy ones stay so until all are healthy, so that the end of a warning is an event too. */
export function stateHealthy(
  states: readonly TargetsState[],
  { status, isManagedAlone }: Pick<MyIngress, 'status'> & { readonly isManagedAlone: boolean },
): StatedCondition {
  const type = 'TargetsHealthy';
  const message = describeHealth(states, isManagedAlone);
  if (states.some(({ desired }) => desired === 0)) {
    return { type, status: 'False', reason: 'NoTargets', message };
  }
  if (states.some(({ healthy }) => healthy === undefined)) {
    return { type, status: 'Unknown', reason: 'HealthUnknown', message };
  }
  if (states.every(areHealthy)) return { type, status: 'True', reason: 'Healthy', message };
  const wasUnhealthy = status?.conditions?.some((one) => {
    return one.type === type && one.reason === 'TargetsUnhealthy';
  });
  const isInitial = !wasUnhealthy && states.every((one) => areHealthy(one) || isUnderCheck(one));
  const reason = isInitial ? 'TargetsInitial' : 'TargetsUnhealthy';
  return { type, status: 'False', reason, message };
}

const TIMED_OUT = 'Target.Timeout';
/** Before all else: the most frequent cause, and the one that no pod shows. */
const EXPLAIN_TIMEOUT =
  'targets time out and ALBRIDGE_BACKEND_SECURITY_GROUPS is not set: check first that the security group of the pods, or of the nodes for targetType instance, admits the load balancer';

/** The counts, and for each of the first backends one target that AWS does not report healthy. */
function describeHealth(states: readonly TargetsState[], isManagedAlone: boolean): string {
  const counts = states.map(({ backend, desired, healthy }) => {
    return `${backend} ${healthy ?? '?'}/${desired}`;
  });
  const sentences = states.flatMap(({ backend, unhealthy }) => {
    return unhealthy === undefined ? [] : [`backend ${backend}: ${describeUnhealthy(unhealthy)}`];
  });
  const isTimedOut = states.some(({ unhealthy }) => unhealthy?.reason === TIMED_OUT);
  return [
    ...(isTimedOut && isManagedAlone ? [EXPLAIN_TIMEOUT] : []),
    `healthy targets by backend: ${counts.join(', ')}`,
    ...abridge(sentences, MOST_BACKENDS),
  ].join('. ');
}

function describeUnhealthy(unhealthy: Unhealthy): string {
  const all = [describeTargetHealth(unhealthy), adviseOn(unhealthy)];
  return all.filter((part) => part !== undefined).join('. ');
}

/** AWS gives the code in the description alone. */
const REDIRECT_CODE = /\[3\d\d\]/;
const EXPLAIN_REDIRECT =
  'AWS checks over the protocol of the backend and with the address of the pod as host: an application that redirects to HTTPS or to another host needs a healthCheck.path that it answers itself, or a matcher with 3xx';

/** The next action, where the reason names one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html#target-health-reason-codes */
function adviseOn({ id, reason, description = '', zone }: Unhealthy): string | undefined {
  if (reason === 'Target.ResponseCodeMismatch' && REDIRECT_CODE.test(description)) {
    return EXPLAIN_REDIRECT;
  }
  if (reason !== 'Target.NotInUse') return undefined;
  const where = zone === undefined || zone === 'all' ? `the zone of ${id}` : `zone ${zone}`;
  return `no action of the load balancer names its target group, or none of its subnets is in ${where}`;
}

const SHUTDOWNS = {
  NoPreStop:
    'has no preStop hook and may end while AWS still sends it requests: add a preStop sleep',
  GracePeriodTooShort:
    'has no time left after its preStop sleep: raise terminationGracePeriodSeconds',
} as const;

/** Only an object that was warned about once hears that all is well. */
export function stateShutdown(
  states: readonly TargetsState[],
  hasWarned: boolean,
): readonly StatedCondition[] {
  const type = SHUTDOWN;
  const [first] = states.flatMap(({ earlyPod }) => earlyPod ?? []);
  if (first !== undefined) {
    const warnings = states.flatMap(({ backend, earlyPod }) => {
      const { pod, reason } = earlyPod ?? {};
      return reason === undefined ? [] : [`backend ${backend}: pod ${pod} ${SHUTDOWNS[reason]}`];
    });
    const message = warnings.slice(0, MOST_BACKENDS).join('. ');
    return [{ type, status: 'False', reason: first.reason, message }];
  }
  if (!hasWarned) return [];
  if (!states.every(({ arePodsKnown }) => arePodsKnown)) {
    const unknown = 'readiness gates are off, or a backend has no Service with its port';
    return [{ type, status: 'Unknown', reason: 'PodsUnknown', message: unknown }];
  }
  const message = 'no pod that is known ends before AWS has stopped sending it requests';
  return [{ type, status: 'True', reason: 'PreStopSet', message }];
}
