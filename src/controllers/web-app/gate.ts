import type { Key } from '../../core/objects/kube-object.ts';
import { GATE_LABELS, READINESS_GATE } from '../../pods/pod.ts';
import { findApp, type Hook, type PodSpec } from './deployment.ts';

/** The Services that load balancers send requests to. */
export interface BalancedServices {
  /** Undefined: not known yet. */
  has(service: Key): boolean | undefined;
}

/** Parts of the labels of a pod template, of its spec, and of the WebApp's container. */
export interface GateFields {
  readonly labels: object;
  readonly pod: object;
  readonly container: object;
}

/**
 * As in the manifest of docs/zero-downtime.md, which has why. Kubernetes has had this hook since 1.30:
 * https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/#PodLifecycleSleepAction
 */
export const SLEEP_SECONDS = 20;
export const GRACE_SECONDS = 60;
/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The readiness gate, and an end of the pods that outlasts their requests. Where it is not known yet
 * whether a load balancer sends requests there, a gate stays as it is: each change replaces every pod.
 */
export function desireGate(observed: PodSpec, isBalanced: boolean | undefined): GateFields {
  const gates = (observed.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const hasGate = gates.includes(READINESS_GATE);
  // The list has one owner. With ours in the list of others, pods wait for it and need the rest.
  const isOfOthers = gates.some((gate) => gate !== READINESS_GATE);
  const isGated = (isBalanced ?? hasGate) || (isOfOthers && hasGate);
  if (!isGated) return { labels: {}, pod: keepGrace(observed), container: {} };
  const readinessGates = [{ conditionType: READINESS_GATE }];
  return {
    labels: GATE_LABELS,
    pod: { ...(isOfOthers ? {} : { readinessGates }), ...desireGrace(observed) },
    container: desireHook(observed),
  };
}

/** The choice of others stays. */
function desireGrace(observed: PodSpec): object {
  const isChosen = ![DEFAULT_GRACE_SECONDS, GRACE_SECONDS].includes(getGrace(observed));
  return isChosen ? {} : { terminationGracePeriodSeconds: GRACE_SECONDS };
}

/** A hook has one way, and the API server refuses a sleep that is longer than the grace period. */
function desireHook(observed: PodSpec): object {
  const hook = findHook(observed);
  const hasTime = 'terminationGracePeriodSeconds' in desireGrace(observed);
  const isRefused = !hasTime && getGrace(observed) <= SLEEP_SECONDS;
  if (isRefused || (hook !== undefined && !isOwn(hook))) return {};
  return { lifecycle: { preStop: { sleep: { seconds: SLEEP_SECONDS } } } };
}

/** The sleep of others may have come to need the grace period that was set for the gate. */
function keepGrace(observed: PodSpec): object {
  const sleepSeconds = findHook(observed)?.sleep?.seconds ?? 0;
  return sleepSeconds > DEFAULT_GRACE_SECONDS ? desireGrace(observed) : {};
}

function isOwn(hook: Hook): boolean {
  return Object.keys(hook).length === 1 && hook.sleep?.seconds === SLEEP_SECONDS;
}

function findHook(observed: PodSpec): Hook | undefined {
  return findApp(observed)?.lifecycle?.preStop;
}

function getGrace({ terminationGracePeriodSeconds = DEFAULT_GRACE_SECONDS }: PodSpec): number {
  return terminationGracePeriodSeconds;
}
