import type { Clock } from '../../core/ports/clock.ts';
import { type DesiredTargets, nameTarget } from './desired-targets.ts';
import { EMPTYING_GRACE_MS, type FlushFacts } from './flush-plan.ts';

type Live = DesiredTargets['live'];
type GraceFacts = 'desired' | 'emptySinceMs' | 'knownSinceMs' | 'wasShown' | 'formerUntilMs';

/** For so long slices follow the first one of a Service that is back, however late it is. */
const FOLLOWING_MS = 2_000;

/**
 * Of one group: since when it should be empty, and the pods that served before. A Service that is deleted, or that
 * the backend does not name any more, may be back a moment later, or another one in its place; its pods still serve.
 */
export class Graces {
  readonly #clock: Clock;
  /** As its slices last showed it: they are deleted with the Service, one after the other. */
  #live: Live = new Set();
  /** Until when pods of the Services that the group had before stay (monotonic ms), by their addresses. */
  readonly #formerUntilMs = new Map<string, number>();
  #emptySinceMs: number | undefined;
  #missingSinceMs: number | undefined;
  #knownSinceMs = Number.NEGATIVE_INFINITY;
  /** Names of the targets that were desired since then, as long as it matters. */
  readonly #shown = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The group gets another Service. */
  rename(): void {
    const sinceMs = this.#emptySinceMs ?? this.#clock.monotonicMs();
    for (const address of this.#live) this.#formerUntilMs.set(address, sinceMs + EMPTYING_GRACE_MS);
    this.#live = new Set();
    this.#knownSinceMs = Number.NEGATIVE_INFINITY;
    this.#shown.clear();
  }

  record(before: DesiredTargets, desired: DesiredTargets): void {
    const nowMs = this.#clock.monotonicMs();
    this.#forgetFormer(nowMs);
    const isReturn = before.isUnknown && this.#formerUntilMs.size === 0;
    if (desired.targets.size > 0) {
      if (isReturn) this.#beginReturn(nowMs);
      this.#show(desired, nowMs);
      this.#emptySinceMs = undefined;
    } else this.#emptySinceMs ??= nowMs;
    if (isMissing(desired)) {
      this.#missingSinceMs ??= nowMs;
      // A slice that stays does not have these any more.
      const lost = subtract(before.live, desired.live);
      if (desired.slices === before.slices) this.#live = subtract(this.#live, lost);
    } else if (!desired.isUnknown) {
      this.#live = desired.live;
      this.#missingSinceMs = undefined;
      for (const address of desired.live) this.#formerUntilMs.delete(address);
    }
  }

  #forgetFormer(nowMs: number): void {
    for (const [address, untilMs] of this.#formerUntilMs) {
      if (untilMs <= nowMs) this.#formerUntilMs.delete(address);
    }
  }

  /** Pods that went while the Service was missing are not kept for longer because it is back. */
  #beginReturn(nowMs: number): void {
    const latestMs = nowMs + FOLLOWING_MS - EMPTYING_GRACE_MS;
    this.#knownSinceMs = Math.max(this.#missingSinceMs ?? nowMs, latestMs);
    this.#shown.clear();
  }

  #show({ targets }: DesiredTargets, nowMs: number): void {
    if (nowMs >= this.#knownSinceMs + EMPTYING_GRACE_MS) return this.#shown.clear();
    for (const name of targets.keys()) this.#shown.add(name);
  }

  /** For the flush of these targets. */
  describe(desired: DesiredTargets): Pick<FlushFacts, GraceFacts> {
    const own = isMissing(desired) ? this.#live : [];
    return {
      desired: { ...desired, live: new Set([...desired.live, ...own]) },
      emptySinceMs: this.#emptySinceMs,
      knownSinceMs: this.#knownSinceMs,
      wasShown: (target) => this.#shown.has(nameTarget(target)),
      formerUntilMs: ({ id }) => this.#formerUntilMs.get(id) ?? Number.NEGATIVE_INFINITY,
    };
  }
}

function isMissing({ problem }: DesiredTargets): boolean {
  return problem?.reason === 'ServiceNotFound';
}

function subtract(from: Live, others: Live): Live {
  return new Set([...from].filter((address) => !others.has(address)));
}
