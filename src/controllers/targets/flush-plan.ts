import type { Target } from '../../aws/elbv2/traffic.ts';
import { type DesiredTargets, nameTarget } from './desired-targets.ts';
import type { Check } from './group-health.ts';
import type { Registrations } from './registrations.ts';

/** One group's desired targets, and its state as far as this process knows. */
export interface FlushFacts {
  readonly desired: DesiredTargets;
  readonly registrations: Pick<Registrations, 'has' | 'listMissing' | 'listSurplus'>;
  /** AWS's last answer about the target of this name. */
  readonly readCheck: (name: string) => Check;
  /** When a target that AWS has refused is tried again (monotonic ms); long past for others. */
  readonly refusedUntilMs: (target: Target) => number;
  /** Since when nothing is desired (monotonic ms). */
  readonly emptySinceMs: number | undefined;
  /** Until when a slice may come that has it, or a selector that does not, if none has it now (monotonic ms). */
  readonly absentUntilMs: (target: Target) => number;
  /** Since when a pod that served is not selected any more (monotonic ms); long past for others. */
  readonly formerSinceMs: (target: Target) => number;
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
 * For so long targets that AWS shows healthy stay while it checks those in their place. No longer: their pods may be
 * gone by now, and for this time the VPC CNI gives the address of a pod that is gone to no other one
 * (IP_COOLDOWN_PERIOD in https://github.com/aws/amazon-vpc-cni-k8s#readme).
 */
export const CHECKING_GRACE_MS = 30_000;

/**
 * Register what is missing. Deregister what is not desired, but none of a pod that serves before one of the desired
 * targets is registered, or all of them are checked where the pods were exchanged: a group without targets that are
 * checked answers 503. Nothing goes while the pods are not known.
 */
export function planFlush(facts: FlushFacts, nowMs: number): FlushPlan {
  const { desired, registrations, refusedUntilMs } = facts;
  const missing = registrations.listMissing(desired.targets);
  const register = missing.filter((target) => refusedUntilMs(target) <= nowMs);
  const refused = missing.map(refusedUntilMs).filter((untilMs) => untilMs > nowMs);
  const known = desired.isUnknown ? [] : registrations.listSurplus(desired.targets);
  const successors = judgeSuccessors(facts, nowMs);
  const kept = known.map((target) => keepUntilMs(target, { facts, successors, nowMs }));
  const deregister = known.filter((_, index) => (kept[index] ?? nowMs) <= nowMs);
  const later = kept.filter((untilMs) => untilMs > nowMs);
  return { register, deregister, nextMs: Math.min(...refused, ...later, Number.POSITIVE_INFINITY) };
}

/** `checked`: AWS has checked all that it takes, and some are healthy. */
type Successors = 'none' | 'registered' | 'checked';

function judgeSuccessors(facts: FlushFacts, nowMs: number): Successors {
  const { desired, registrations, readCheck, refusedUntilMs } = facts;
  const taken = [...desired.targets].filter(([, target]) => refusedUntilMs(target) <= nowMs);
  if (!taken.some(([name]) => registrations.has(name))) return 'none';
  const checks = taken.map(([name]) => (registrations.has(name) ? readCheck(name) : 'awaited'));
  return checks.includes('healthy') && !checks.includes('awaited') ? 'checked' : 'registered';
}

interface Keeping {
  readonly facts: FlushFacts;
  readonly successors: Successors;
  readonly nowMs: number;
}

function keepUntilMs(target: Target, keeping: Keeping): number {
  const { facts, nowMs } = keeping;
  const { live, unready } = facts.desired;
  if (live.has(target.id)) return keepLiveUntilMs(target, keeping);
  if (unready?.has(target.id)) return nowMs;
  const formerMs = Math.min(facts.formerSinceMs(target), facts.surplusSinceMs(target));
  const checkedMs = keepCheckedUntilMs(target, formerMs, keeping);
  return Math.max(nowMs, checkedMs, facts.absentUntilMs(target));
}

/** Its pod serves, maybe on another port. */
function keepLiveUntilMs(target: Target, keeping: Keeping): number {
  const { facts, successors, nowMs } = keeping;
  const { targets, late, ready } = facts.desired;
  const { emptySinceMs = nowMs, surplusSinceMs } = facts;
  const emptiedMs =
    targets.size === 0 ? emptySinceMs + EMPTYING_GRACE_MS : Number.POSITIVE_INFINITY;
  const sinceMs = surplusSinceMs(target);
  return Math.max(
    successors === 'none' ? emptiedMs : nowMs,
    late.has(target.id) ? sinceMs + EMPTYING_GRACE_MS : nowMs,
    ready?.has(target.id) ? keepCheckedUntilMs(target, sinceMs, keeping) : nowMs,
  );
}

/** Until when a target waits for those in its place, if it is to go since then. */
function keepCheckedUntilMs(
  target: Target,
  sinceMs: number,
  { facts, successors, nowMs }: Keeping,
): number {
  if (successors === 'checked') return nowMs;
  const isExchanged = facts.desired.targets.size > 0;
  if (isExchanged && facts.readCheck(nameTarget(target)) === 'healthy')
    return sinceMs + CHECKING_GRACE_MS;
  return successors === 'none' ? sinceMs + EMPTYING_GRACE_MS : nowMs;
}
