import type { Clock } from '../core/clock.ts';

export interface BucketLimits {
  /** Tokens that a full bucket holds. */
  readonly burst: number;
  /** Tokens that come back each second. */
  readonly perSecond: number;
}

/** A place in the line of those who were told to come back. */
interface Turn {
  readonly order: number;
  dueMs: number;
}

/**
 * How long at most a token is kept for a claim that is due and has not come back: long enough for a
 * busy worker, short enough that a deleted object does not hold up the others.
 */
const LONGEST_KEPT_MS = 15_000;

/** Forgives the rounding of a division, so that who comes at its due time finds its token. */
const EPSILON = 1e-6;

/**
 * A bucket of `burst` tokens that fills at `perSecond`, with a line: a claim that finds none gets a
 * turn of its own, one token apart from the next, so that ninety waiting claims do not all wake at
 * the same moment. From its due time on a turn's token is kept from everybody behind it.
 *
 * Invariant: no span of t seconds sees more than burst + perSecond * t grants.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #turns = new Map<string, Turn>();
  readonly #keptMs: number;
  #level: number;
  #filledAtMs: number;
  #nextOrder = 0;

  constructor(clock: Clock, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#level = limits.burst;
    // Of a full bucket at least half is there for those who do come.
    this.#keptMs = Math.min(LONGEST_KEPT_MS, (limits.burst / limits.perSecond) * 500);
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Takes a token and answers 0, or answers the milliseconds until this claim's own turn. */
  take(claim: string): number {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#forgetAbandoned(nowMs);
    const turn = this.#turns.get(claim);
    if (this.#level + EPSILON >= this.#dueBefore(nowMs, turn?.order) + 1) {
      this.#level = Math.max(0, this.#level - 1);
      this.#turns.delete(claim);
      return 0;
    }
    if (turn && turn.dueMs > nowMs) return Math.ceil(turn.dueMs - nowMs);
    return this.#lineUp(claim, turn, nowMs);
  }

  /** Gives the claim's turn back, for one that will not come again. */
  abandon(claim: string): void {
    this.#turns.delete(claim);
  }

  /** Claims in line, abandoned ones included until they are noticed. */
  get waiting(): number {
    return this.#turns.size;
  }

  /** Empties the bucket; it fills again only after `holdMs`. Every turn waits that much longer. */
  drain(holdMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#level = 0;
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs + holdMs);
    const inLine = [...this.#turns.values()].toSorted((a, b) => a.order - b.order);
    inLine.forEach((turn, ahead) => {
      turn.dueMs = Math.max(turn.dueMs, this.#tokenAtMs(ahead + 1));
    });
  }

  #lineUp(claim: string, held: Turn | undefined, nowMs: number): number {
    const order = held?.order ?? this.#nextOrder++;
    const dueMs = this.#tokenAtMs(this.#ahead(order) + 1);
    this.#turns.set(claim, { order, dueMs });
    return Math.max(1, Math.ceil(dueMs - nowMs));
  }

  /** When the bucket would hold `count` tokens if nobody took one. */
  #tokenAtMs(count: number): number {
    const missing = Math.max(0, count - this.#level);
    return this.#filledAtMs + (missing / this.#limits.perSecond) * 1000;
  }

  #ahead(order: number): number {
    let ahead = 0;
    for (const turn of this.#turns.values()) if (turn.order < order) ahead++;
    return ahead;
  }

  #dueBefore(nowMs: number, order = Number.POSITIVE_INFINITY): number {
    let due = 0;
    for (const turn of this.#turns.values()) if (turn.order < order && turn.dueMs <= nowMs) due++;
    return due;
  }

  #fill(nowMs: number): void {
    if (nowMs <= this.#filledAtMs) return;
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#limits.perSecond;
    this.#level = Math.min(this.#limits.burst, this.#level + gained);
    this.#filledAtMs = nowMs;
  }

  #forgetAbandoned(nowMs: number): void {
    for (const [claim, turn] of this.#turns) {
      if (turn.dueMs + this.#keptMs < nowMs) this.#turns.delete(claim);
    }
  }
}
