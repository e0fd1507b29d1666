import type { Group } from '../group.ts';
import type { GatedPod } from './gated-pod.ts';
import type { TargetReport } from './target-report.ts';

export const NEVER_MS = Number.NEGATIVE_INFINITY;

/** A pod whose gate is closed. */
export interface Waiting {
  readonly uid: string | undefined;
  readonly ips: readonly string[];
  upSinceMs: number | undefined;
  groups: readonly Group[];
  /** By backend: AWS's last answer that the pod is not healthy, until it is, whatever became of that group (monotonic ms). */
  readonly answeredMs: Map<string, number>;
  /** Since when each Service, or its port, that may be back is missing (monotonic ms). */
  missing: ReadonlyMap<string, number>;
  /** The resourceVersion since which the gate is open. */
  openSince: string | undefined;
  /** After a write that failed (monotonic ms). */
  retryMs: number;
  /** The last event that says why it is closed (monotonic ms). */
  told: { readonly why?: string; readonly atMs: number };
  /** Since when there is a reason why it is closed (monotonic ms). */
  closedSinceMs: number | undefined;
}

/** Nothing is known of it yet. */
export function startWaiting({ metadata: { uid }, ips }: GatedPod): Waiting {
  return {
    ...{ uid, ips, upSinceMs: undefined, groups: [], openSince: undefined },
    ...{ missing: new Map(), answeredMs: new Map(), retryMs: NEVER_MS },
    ...{ told: { atMs: NEVER_MS }, closedSinceMs: undefined },
  };
}

/** A backend may have two groups, of which one is being replaced. */
export function noteAnswers(
  waiting: Waiting,
  reports: ReadonlyMap<Group | undefined, TargetReport>,
): void {
  const known = [...reports].flatMap(([group, report]) =>
    group === undefined ? [] : [{ name: `${group.owner} ${group.served.backend}`, ...report }],
  );
  for (const { name, health } of known) if (health !== 'waiting') waiting.answeredMs.delete(name);
  for (const { name, health, answeredMs } of known) {
    if (health !== 'waiting' || answeredMs === undefined) continue;
    waiting.answeredMs.set(name, Math.max(answeredMs, waiting.answeredMs.get(name) ?? NEVER_MS));
  }
}
