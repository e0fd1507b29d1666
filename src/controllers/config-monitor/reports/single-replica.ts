import type { Rollout } from '../../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../../apis/config-monitor-reasons.ts';
import { type Waiting, waiting } from '../../../core/reconcile/outcome.ts';
import type { Workload } from '../../../pods/workloads.ts';
import type { Scope } from '../scope.ts';
import { nameOwner, type TrimmedPod } from '../transforms.ts';
import { catchRefusal, type WorkloadReader } from '../workload-groups.ts';

/** Names of one message. */
const MAX_NAMES = 5;

/**
 * Warns before the only pod of a workload is restarted, in an event and in what is returned for the conditions;
 * undefined where every workload has a pod left, or starts the new one first.
 */
export async function warnOfSingleReplicas(
  rollout: Rollout,
  outdated: readonly TrimmedPod[],
  { scope, workloads }: { readonly scope: Scope; readonly workloads: WorkloadReader },
): Promise<Waiting | undefined> {
  const serving = new Set(outdated.filter(({ state }) => state === 'ready').map(nameOwner));
  const owners = rollout.owners.filter(({ name, pods }) => pods === 1 && serving.has(name));
  const found = await Promise.all(owners.map(({ name }) => catchRefusal(workloads.named(name))));
  const read = owners.map(({ name }, index) => ({ name, workload: pickWorkload(found[index]) }));
  const lossy = read.filter(({ workload }) => !isReplacedFirst(workload, scope));
  if (lossy.length === 0) return undefined;
  const canSurge = !usesTemplate(scope) && lossy.every(({ workload }) => workload?.surges);
  const note = `${describeOwners(lossy.map(({ name }) => name))}; ${canSurge ? SURGE : REPLICAS}`;
  scope.pass.recordEvent({ type: 'Warning', reason: 'SingleReplica', action: 'Restart', note });
  const reason = 'RolloutStarted' satisfies ConfigMonitorReason;
  return { ...waiting(reason, note, 0), isReported: true };
}

const SURGE = 'use two replicas, or strategy Auto, which starts the new pod first';
const REPLICAS = 'use two replicas to avoid that';

function usesTemplate({ spec }: Scope): boolean {
  return spec.strategy !== 'Evict' && spec.strategy !== 'Delete';
}

/** With strategy Auto the pods of a paused Deployment are evicted. */
function isReplacedFirst(workload: Workload | undefined, scope: Scope): boolean {
  const isEvicted = workload?.isPaused && scope.spec.strategy === 'Auto';
  return usesTemplate(scope) && workload?.surges === true && !isEvicted;
}

function pickWorkload(found: Workload | Error | undefined): Workload | undefined {
  return found instanceof Error ? undefined : found;
}

/** `Rollout/shop of argoproj.io/v1alpha1` without its group. */
function describeOwners(names: readonly string[]): string {
  const short = names.slice(0, MAX_NAMES).map((name) => name.split(' ', 1)[0]);
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : '';
  return names.length === 1
    ? `${short[0]} has one replica: it is unavailable for the restart`
    : `${short.join(', ')}${rest} have one replica each: they are unavailable for the restart`;
}
