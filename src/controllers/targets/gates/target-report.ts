import { omitUndefined } from '../../../core/objects/fields.ts';
import type { DesiredTargets } from '../desired-targets.ts';
import type { Problems, TargetsProblem } from '../problems.ts';
import type { GatedPod } from './gated-pod.ts';

/** AWS's answer about a pod in one group that sends it requests. */
export interface TargetReport {
  /** `unused`: no action of the balancer sends requests to the target. */
  readonly health: 'healthy' | 'unused' | 'waiting';
  /** AWS's last answer about the group, where the pod is to be a target of it, or its gate is to stay closed (monotonic ms). */
  readonly answeredMs?: number;
  /** Why it waits, where a person may have to act. */
  readonly why?: string;
  /** Of the call that fails, where `why` has its words: they are for the owner of the load balancer. */
  readonly failedCall?: string;
}

export type TargetPod = Pick<GatedPod, 'metadata' | 'ips' | 'isOnHost'>;

/** Names of the pod's targets; by its addresses where a slice has it as ready, unless other pods have them too. */
function listOfPod(
  { targets, waiting }: Pick<DesiredTargets, 'targets' | 'waiting'>,
  { metadata: { name }, ips, isOnHost }: TargetPod,
): readonly string[] {
  const own = waiting?.get(name);
  if (own !== undefined || isOnHost) return own ?? [];
  return [...targets].flatMap(([one, { id }]) => (ips.includes(id) ? [one] : []));
}

interface GroupFacts {
  readonly desired: Pick<DesiredTargets, 'targets' | 'waiting' | 'stranded'>;
  readonly registrations: { has(name: string): boolean };
  readonly health: {
    readonly askedMs: number;
    judge(name: string, upSinceMs: number): TargetReport;
  };
  readonly problems: Pick<Problems, 'findFor' | 'ofService'>;
  readonly isUnused: boolean;
}

/** Monotonic ms. */
interface Times {
  readonly nowMs: number;
  readonly upSinceMs: number;
}

/** As long as a MyIngress waits for what may heal by itself. */
const GRACE_MS = 60_000;

/** Reads AWS's word on a pod, or why AWS does not have it; pure. */
export function reportPod(pod: TargetPod, group: GroupFacts, times: Times): TargetReport {
  const { desired, registrations, health, problems } = group;
  const reports = listOfPod(desired, pod).map((name): TargetReport => {
    return registrations.has(name)
      ? health.judge(name, times.upSinceMs)
      : { health: 'waiting', ...explainFailure(problems.findFor(name), times) };
  });
  const [first] = reports;
  if (first === undefined) return reportAbsent(pod, group, times);
  const waiting = reports.filter((one) => one.health === 'waiting');
  const [worst = first] = [...waiting.filter(({ why }) => why !== undefined), ...waiting];
  return { ...worst, answeredMs: health.askedMs };
}

function reportAbsent(
  { metadata: { name } }: TargetPod,
  { desired, health, problems, isUnused }: GroupFacts,
  times: Times,
): TargetReport {
  const { message: why, sinceMs = times.upSinceMs } = problems.ofService ?? {};
  const isStranded = desired.stranded?.has(name) === true;
  // Without other targets, or without requests, no pod that serves leaves before it.
  const isHeld = isStranded && !isUnused && desired.targets.size > 0;
  return {
    health: 'waiting',
    ...(isOld(sinceMs, times) && omitUndefined({ why: isStranded ? STRANDED : why })),
    ...(isHeld && { answeredMs: health.askedMs }),
  };
}

const STRANDED =
  'its Service has the pod without the target port, or without an address of the family of the target group';

function explainFailure(
  problem: TargetsProblem | undefined,
  times: Times,
): Pick<TargetReport, 'why' | 'failedCall'> {
  if (problem === undefined || !isOld(problem.sinceMs, times)) return {};
  return { why: problem.message, failedCall: problem.reason };
}

/** A problem that is over soon, or that is about the time before the pod was up, does not make it wait. */
function isOld(sinceMs: number, { nowMs, upSinceMs }: Times): boolean {
  return nowMs - Math.max(sinceMs, upSinceMs) >= GRACE_MS;
}
