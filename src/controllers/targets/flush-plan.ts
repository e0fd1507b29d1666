import type { Target } from '../../aws/elbv2/traffic.ts';
import type { DesiredTargets } from './desired-targets.ts';
import type { Registrations } from './registrations.ts';

/** One group's desired targets, and its state as far as this process knows. */
export interface FlushFacts {
  readonly desired: DesiredTargets;
  readonly registrations: Pick<Registrations, 'has' | 'listMissing' | 'listSurplus'>;
  /** When a target that AWS has refused is tried again (monotonic ms); long past for others. */
  readonly refusedUntilMs: (target: Target) => number;
  /** Since when nothing is desired (monotonic ms). */
  readonly emptySinceMs: number | undefined;
  /** When the first targets were known after a time without slices (monotonic ms); long past for others. */
  readonly knownSinceMs: number;
  /** Whether it was desired since then: its slice is not one that is still to come. */
  readonly wasShown: (target: Target) => boolean;
  /** Until when a pod of a former Service waits for its successors (monotonic ms); long past for others. */
  readonly formerUntilMs: (target: Target) => number;
  /** Since when this target is to be deregistered (monotonic ms). */
  readonly surplusSinceMs: (target: Target) => number;
}

export interface FlushPlan {
  readonly register: readonly Target[];
  readonly deregister: readonly Target[];
  /** When something that is not in the plan may be due (monotonic ms). */
  readonly nextMs: number;
}

/**
 * Slices follow a changed Service within moments, one after the other: for so long no ready pod is
 * deregistered only because its slice does not have the port, and no group emptied of pods that serve. So they
 * do where there was none: for so long no pod goes only because its slice is not there.
 */
export const EMPTYING_GRACE_MS = 10_000;

/**
 * Register what is missing. Deregister what is not desired, but none of a pod that serves before one
 * of the desired targets is registered: a group without targets answers 503. Nothing goes while the pods are not known.
 */
export function planFlush(facts: FlushFacts, nowMs: number): FlushPlan {
  const { desired, registrations, refusedUntilMs, surplusSinceMs, wasShown, formerUntilMs } = facts;
  const { emptySinceMs = nowMs, knownSinceMs } = facts;
  const { targets, live, unready, late, isUnknown = false } = desired;
  const missing = registrations.listMissing(targets);
  const register = missing.filter((target) => refusedUntilMs(target) <= nowMs);
  const refused = missing.map(refusedUntilMs).filter((untilMs) => untilMs > nowMs);

  const surplus = registrations.listSurplus(targets);
  const graceEndsMs =
    targets.size === 0 ? emptySinceMs + EMPTYING_GRACE_MS : Number.POSITIVE_INFINITY;
  const hasSuccessor = [...targets.keys()].some((name) => registrations.has(name));
  const keptUntilMs = (target: Target): number => {
    if (!live.has(target.id)) {
      const isGone = unready?.has(target.id) === true || wasShown(target);
      if (isGone) return nowMs;
      const formerMs = hasSuccessor ? nowMs : formerUntilMs(target);
      return Math.max(nowMs, formerMs, knownSinceMs + EMPTYING_GRACE_MS);
    }
    const untilMs = hasSuccessor ? nowMs : graceEndsMs;
    if (!late.has(target.id)) return untilMs;
    return Math.max(untilMs, surplusSinceMs(target) + EMPTYING_GRACE_MS);
  };
  const known = isUnknown ? [] : surplus;
  const deregister = known.filter((target) => keptUntilMs(target) <= nowMs);
  const kept = known.map(keptUntilMs).filter((untilMs) => untilMs > nowMs);
  return { register, deregister, nextMs: Math.min(...refused, ...kept, Number.POSITIVE_INFINITY) };
}
