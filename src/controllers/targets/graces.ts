import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../aws/elbv2/traffic.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type DesiredTargets, nameTarget } from './desired-targets.ts';
import { CHECKING_GRACE_MS, EMPTYING_GRACE_MS, type FlushFacts } from './flush-plan.ts';

type Live = DesiredTargets['live'];
type GraceFacts = 'desired' | 'emptySinceMs' | 'absentUntilMs' | 'formerSinceMs';

/** For so long a Service may be behind its slices. */
const UNCLEAR_MS = 1_000;
/** For so long slices follow the first one of a Service that is back, however late it is. */
const FOLLOWING_MS = 2_000;

/**
 * Of one group: since when it should be empty, and the pods that served before. A Service that is deleted, or that
 * the backend does not name any more, may be back a moment later, or another one in its place; its pods still serve.
 */
export class Graces {
  readonly #clock: Clock;
  /** As its slices last showed them: they are deleted with the Service, one after the other. */
  #live: Live = new Set();
  #ready: Live = new Set();
  #selector: DesiredTargets['selector'];
  /** When the Service got another selector (monotonic ms). */
  #switchedMs = Number.NEGATIVE_INFINITY;
  /** Ready pods in whose place others came, for which a selector may be the cause that is yet to come (monotonic ms). */
  #unclear: { readonly ready: Live; readonly sinceMs: number } = NONE;
  /** Since when pods that served are not selected any more (monotonic ms), by their addresses. */
  readonly #formerSinceMs = new Map<string, number>();
  /** Until then the slices of another Service come, which no pod of before waits for. */
  #renamedUntilMs = Number.NEGATIVE_INFINITY;
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
    this.#keepFormer(this.#ready, sinceMs);
    if (this.#live.size > 0) this.#renamedUntilMs = sinceMs + EMPTYING_GRACE_MS;
    this.#live = new Set();
    this.#ready = new Set();
    this.#selector = undefined;
    this.#knownSinceMs = Number.NEGATIVE_INFINITY;
    this.#shown.clear();
  }

  /** Of a group of an earlier process: what it has is all that is known of a Service that is missing now. */
  recordShown(desired: DesiredTargets, shown: readonly Target[]): void {
    if (!isMissing(desired) || desired.slices !== 0) return;
    this.#live = new Set(shown.map(({ id }) => id));
    this.#ready = this.#live;
  }

  record(before: DesiredTargets, desired: DesiredTargets): void {
    const nowMs = this.#clock.monotonicMs();
    this.#forgetFormer(nowMs);
    this.#noteSwitch(desired, nowMs);
    if (isBack(before, desired) && nowMs >= this.#renamedUntilMs) {
      this.#beginReturn(desired, nowMs);
    }
    if (desired.targets.size > 0) {
      this.#show(desired, nowMs);
      this.#emptySinceMs = undefined;
    } else this.#emptySinceMs ??= nowMs;
    this.#follow(before, desired, nowMs);
  }

  #follow(before: DesiredTargets, desired: DesiredTargets, nowMs: number): void {
    if (isMissing(desired)) {
      this.#missingSinceMs ??= nowMs;
      // A slice that stays does not have these any more.
      const lost = subtract(before.live, desired.live);
      if (desired.slices !== before.slices) return;
      this.#live = subtract(this.#live, lost);
      this.#ready = subtract(this.#ready, lost);
    } else if (!desired.isUnknown) {
      this.#live = desired.live;
      this.#ready = desired.ready ?? new Set();
      this.#missingSinceMs = undefined;
      for (const address of desired.live) this.#formerSinceMs.delete(address);
    }
  }

  /**
   * The selector gives the Service other pods, slice by slice, and those of before still serve. Without another selector
   * a pod that goes has ended. The watches of Services and of slices lag each for itself.
   */
  #noteSwitch({ selector, live, unready, targets }: DesiredTargets, nowMs: number): void {
    if (selector !== undefined) {
      if (!isDeepStrictEqual(selector, this.#selector ?? selector)) this.#beginSwitch(nowMs);
      this.#selector = selector;
    }
    const lost = subtract(subtract(this.#ready, live), unready ?? new Set());
    if (lost.size === 0 || targets.size === 0) return;
    if (nowMs < this.#switchedMs + EMPTYING_GRACE_MS) this.#keepFormer(lost, nowMs);
    else if (lost.size === this.#ready.size) this.#unclear = { ready: lost, sinceMs: nowMs };
  }

  #beginSwitch(nowMs: number): void {
    const { ready, sinceMs } = this.#unclear;
    if (nowMs < sinceMs + UNCLEAR_MS) this.#keepFormer(ready, sinceMs);
    this.#switchedMs = nowMs;
    this.#unclear = NONE;
  }

  #keepFormer(ready: Live, sinceMs: number): void {
    for (const address of ready) this.#formerSinceMs.set(address, sinceMs);
  }

  #forgetFormer(nowMs: number): void {
    for (const [address, sinceMs] of this.#formerSinceMs) {
      if (sinceMs + CHECKING_GRACE_MS <= nowMs) this.#formerSinceMs.delete(address);
    }
  }

  /**
   * Pods that went while the Service was missing are not kept for longer because it is back, nor where it is back
   * without a target, as where all of its pods are new.
   */
  #beginReturn({ targets }: DesiredTargets, nowMs: number): void {
    const latestMs = nowMs + FOLLOWING_MS - EMPTYING_GRACE_MS;
    const sinceMs = targets.size > 0 ? (this.#missingSinceMs ?? nowMs) : latestMs;
    this.#knownSinceMs = Math.max(sinceMs, latestMs);
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
      absentUntilMs: (target) => this.#getAbsentUntilMs(target),
      formerSinceMs: ({ id }) => this.#formerSinceMs.get(id) ?? Number.NEGATIVE_INFINITY,
    };
  }

  #getAbsentUntilMs(target: Target): number {
    const { ready, sinceMs } = this.#unclear;
    const isShown = this.#shown.has(nameTarget(target));
    return Math.max(
      isShown ? Number.NEGATIVE_INFINITY : this.#knownSinceMs + EMPTYING_GRACE_MS,
      ready.has(target.id) ? sinceMs + UNCLEAR_MS : Number.NEGATIVE_INFINITY,
    );
  }
}

const NONE = { ready: new Set<string>(), sinceMs: Number.NEGATIVE_INFINITY };

function isMissing({ problem }: DesiredTargets): boolean {
  return problem?.reason === 'ServiceNotFound';
}

/** The Service or its slices are not there: nothing is known of the pods. */
function isOut(desired: DesiredTargets): boolean {
  return desired.isUnknown === true || isMissing(desired);
}

function isBack(before: DesiredTargets, desired: DesiredTargets): boolean {
  return isOut(before) && !isOut(desired);
}

function subtract(from: Live, others: Live): Live {
  return new Set([...from].filter((address) => !others.has(address)));
}
