import type { Clock } from '../../core/ports/clock.ts';
import { type DesiredTargets, nameTarget } from './desired-targets.ts';
import type { FlushFacts } from './flush-plan.ts';

type Live = DesiredTargets['live'];

/**
 * Of one group: since when it should be empty, and the pods that served before. A Service that is deleted, or that
 * the backend does not name any more, may be back a moment later, or another one in its place; its pods still serve.
 */
export class Graces {
  readonly #clock: Clock;
  /** As its slices last showed it: they are deleted with the Service. */
  #live: Live = new Set();
  /** The same of the Services that the group had before, since it had targets. */
  #formerLive: Live = new Set();
  #emptySinceMs: number | undefined;
  #missingSinceMs: number | undefined;
  #knownSinceMs = Number.NEGATIVE_INFINITY;
  /** Names of the targets that were desired since then. */
  #shown: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The group gets another Service. */
  rename(): void {
    this.#formerLive = new Set([...this.#formerLive, ...this.#live]);
    this.#live = new Set();
  }

  record(before: DesiredTargets, desired: DesiredTargets): void {
    const nowMs = this.#clock.monotonicMs();
    const isReturn = before.isUnknown && this.#formerLive.size === 0;
    if (desired.targets.size > 0) {
      // Pods that went while the Service was missing are not kept for longer because it is back.
      if (isReturn) this.#knownSinceMs = this.#missingSinceMs ?? nowMs;
      this.#shown = new Set([...(isReturn ? [] : this.#shown), ...desired.targets.keys()]);
      this.#formerLive = new Set();
      this.#emptySinceMs = undefined;
    } else this.#emptySinceMs ??= nowMs;
    if (isMissing(desired)) this.#missingSinceMs ??= nowMs;
    else if (!desired.isUnknown) {
      this.#live = desired.live;
      this.#missingSinceMs = undefined;
    }
  }

  /** For the flush of these targets. */
  describe(
    desired: DesiredTargets,
  ): Pick<FlushFacts, 'desired' | 'emptySinceMs' | 'knownSinceMs' | 'wasShown'> {
    const own = isMissing(desired) ? this.#live : [];
    return {
      desired: { ...desired, live: new Set([...desired.live, ...this.#formerLive, ...own]) },
      emptySinceMs: this.#emptySinceMs,
      knownSinceMs: this.#knownSinceMs,
      wasShown: (target) => this.#shown.has(nameTarget(target)),
    };
  }
}

function isMissing({ problem }: DesiredTargets): boolean {
  return problem?.reason === 'ServiceNotFound';
}
