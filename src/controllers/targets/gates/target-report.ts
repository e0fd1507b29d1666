import type { DesiredTargets } from '../desired-targets.ts';
import type { TargetsProblem } from '../problems.ts';
import type { GatedPod } from './gated-pod.ts';

/** AWS's answer about a pod in one group that sends it requests. */
export interface TargetReport {
  /** `unused`: no action of the balancer sends requests to the target. */
  readonly health: 'healthy' | 'unused' | 'waiting';
  /** AWS's last answer about the group, where the pod is to be a target of it (monotonic ms). */
  readonly answeredMs?: number;
  /** Why it waits, where that does not pass by itself. */
  readonly why?: string;
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
  readonly targets: Pick<DesiredTargets, 'targets' | 'waiting'>;
  /** Of a target by its name; undefined: it is not registered. */
  readonly judge: (name: string) => TargetReport | undefined;
  readonly problem: TargetsProblem | undefined;
  /** When the read of the last answer began (monotonic ms). */
  readonly askedMs: number;
}

/** As long as a MyIngress waits for what may heal by itself. */
const PROBLEM_GRACE_MS = 60_000;

/** Reads AWS's word on a pod, or why the group does not have it; pure. */
export function reportPod(pod: TargetPod, group: GroupFacts, nowMs: number): TargetReport {
  const { targets, judge, problem, askedMs } = group;
  const isOld = problem !== undefined && nowMs - problem.sinceMs >= PROBLEM_GRACE_MS;
  const absent = { health: 'waiting', ...(isOld && { why: problem.message }) } as const;
  const reports = listOfPod(targets, pod).map((name) => judge(name) ?? absent);
  const [first] = reports;
  if (first === undefined) return absent;
  return { ...(reports.find(({ health }) => health === 'waiting') ?? first), answeredMs: askedMs };
}
