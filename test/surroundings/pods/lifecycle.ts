import { type Container, findPort, type Handler, type Pod, type Probe } from './pod.ts';

// The decisions of a kubelet about one pod: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/

export interface Readiness {
  readonly isReady: boolean;
  /** The newest result, and how many in a row were like it. */
  readonly hasSucceeded: boolean;
  readonly count: number;
}

/** Before the first result of a probe. */
export const NOT_PROBED: Readiness = { isReady: false, hasSucceeded: false, count: 0 };

/** https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes */
export function countResult(
  before: Readiness,
  hasSucceeded: boolean,
  { successThreshold, failureThreshold }: Probe,
): Readiness {
  const count = hasSucceeded === before.hasSucceeded ? before.count + 1 : 1;
  const isDecided = count >= (hasSucceeded ? successThreshold : failureThreshold);
  return { hasSucceeded, count, isReady: isDecided ? hasSucceeded : before.isReady };
}

export type Hook =
  | { readonly kind: 'none' }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'httpGet'; readonly port: number; readonly path: string };

export function planPreStop(container: Container, graceSeconds: number): Hook {
  const preStop = container.lifecycle?.preStop;
  if (preStop === undefined || graceSeconds === 0) return { kind: 'none' };
  const sleepSeconds = readSleep(preStop);
  if (sleepSeconds !== undefined) return { kind: 'sleep', ms: sleepSeconds * 1000 };
  if (preStop.httpGet === undefined) return { kind: 'none' };
  const { port, path = '/' } = preStop.httpGet;
  return { kind: 'httpGet', port: findPort(container, port), path };
}

/** There is no image, so of all commands only `sleep N` is carried out, also in a shell. */
function readSleep({ sleep, exec }: Handler): number | undefined {
  if (sleep !== undefined) return sleep.seconds;
  const [, seconds] = /^(?:\S*sh -c )?sleep (\d+)$/.exec(exec?.command.join(' ') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/**
 * The hook counts against the grace period, and 2 s are left in any case:
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow
 */
export function leaveAfterHookMs(graceSeconds: number, hookMs: number): number {
  return Math.max(graceSeconds * 1000 - hookMs, 2000);
}

export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly startedAt: string;
  readonly isReady: boolean;
  readonly exit?: { readonly exitCode: number; readonly finishedAt: string };
}

export interface PodStatus {
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  readonly startTime: string;
  readonly conditions: readonly Condition[];
  readonly containerStatuses: readonly object[];
}

/** null removes what a merge would leave. */
interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string | null;
  readonly message: string | null;
  readonly lastTransitionTime: string;
}

/**
 * The status to write. The conditions of readiness gates are left to those who write them:
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate
 */
export function describeStatus(
  pod: Pod,
  containers: readonly ContainerState[],
  { before, now }: { readonly before: PodStatus | undefined; readonly now: string },
): PodStatus {
  const unready = containers.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const containersReady = findFault(
    'ContainersNotReady',
    'containers with unready status',
    unready,
  );
  const gates = findFault('ReadinessGatesNotReady', 'closed readiness gates', listClosedGates(pod));
  const faults = {
    Initialized: undefined,
    ContainersReady: containersReady,
    Ready: containersReady ?? gates,
  };
  return {
    phase: choosePhase(pod, containers),
    startTime: before?.startTime ?? now,
    conditions: Object.entries(faults).map(([type, fault]) => {
      const status = fault === undefined ? 'True' : 'False';
      const last = before?.conditions.find((one) => one.type === type && one.status === status);
      const lastTransitionTime = last?.lastTransitionTime ?? now;
      return { type, status, reason: null, message: null, ...fault, lastTransitionTime };
    }),
    containerStatuses: containers.map(describeContainer),
  };
}

function findFault(
  reason: string,
  what: string,
  names: readonly string[],
): { readonly reason: string; readonly message: string } | undefined {
  return names.length === 0 ? undefined : { reason, message: `${what}: [${names.join(' ')}]` };
}

function listClosedGates({ spec, status }: Pod): readonly string[] {
  const open = (status?.conditions ?? []).filter((one) => one.status === 'True');
  return (spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((gate) => !open.some(({ type }) => type === gate));
}

/** A pod ends only when it is deleted: what exits by itself is not restarted here, and not replaced. */
function choosePhase({ metadata }: Pod, containers: readonly ContainerState[]): PodStatus['phase'] {
  const codes = containers.map(({ exit }) => exit?.exitCode);
  if (metadata.deletionTimestamp === undefined || codes.includes(undefined)) return 'Running';
  return codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function describeContainer({ name, image, startedAt, isReady, exit }: ContainerState): object {
  const reason = exit?.exitCode === 0 ? 'Completed' : 'Error';
  const state =
    exit === undefined
      ? { running: { startedAt } }
      : { terminated: { ...exit, reason, startedAt } };
  const isStarted = exit === undefined;
  return { name, image, imageID: '', ready: isReady, started: isStarted, restartCount: 0, state };
}
