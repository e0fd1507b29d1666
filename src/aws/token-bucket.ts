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

/** The turns of one namespace, oldest first. */
interface Line {
  readonly turns: Map<string, Turn>;
  /** Number of its last grant, 0 before the first: on a tie the line that waits longer goes first. */
  lastGrant: number;
}

/** Claims of one number of rounds are compared by `lastGrant`, then by `order`. */
interface Place {
  /** Turns of the same namespace that go first. */
  readonly round: number;
  readonly lastGrant: number;
  readonly order: number;
}

/**
 * How long at most a token is kept for a claim that is due and has not come back: long enough for a
 * busy worker, short enough that a deleted object does not hold up the others.
 */
const LONGEST_KEPT_MS = 15_000;

/** Forgives the rounding of a division, so that who comes at its due time finds its token. */
const EPSILON = 1e-6;

/**
 * A bucket of `burst` tokens that fills at `perSecond`, with a line for each namespace: a claim that
 * finds no token gets a turn of its own, one token apart from the next, so that ninety waiting claims
 * do not all wake at the same moment. From its due time on a turn's token is kept from every claim
 * behind it. The namespaces are served in rounds, one claim of each, so that the number of claims of
 * one does not delay another; a claim that another namespace has overtaken gets a later turn when it
 * comes back.
 *
 * Invariant: no span of t seconds sees more than burst + perSecond * t grants.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #lines = new Map<string, Line>();
  readonly #keptMs: number;
  #level: number;
  #filledAtMs: number;
  #nextOrder = 0;
  #grants = 0;

  constructor(clock: Clock, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#level = limits.burst;
    // Of a full bucket at least half is there for those who do come.
    this.#keptMs = Math.min(LONGEST_KEPT_MS, (limits.burst / limits.perSecond) * 500);
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Takes a token and answers 0, or answers the milliseconds until this claim's own turn. */
  take(claim: string, namespace = ''): number {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#forgetAbandoned(nowMs);
    const line = this.#lineOf(namespace);
    const turn = line.turns.get(claim);
    const place = placeOf(line, claim);
    if (this.#level + EPSILON >= this.#ahead(place, nowMs) + 1) {
      this.#level = Math.max(0, this.#level - 1);
      line.turns.delete(claim);
      line.lastGrant = ++this.#grants;
      return 0;
    }
    if (turn && turn.dueMs > nowMs) return Math.ceil(turn.dueMs - nowMs);
    const dueMs = this.#tokenAtMs(this.#ahead(place) + 1);
    line.turns.set(claim, { order: turn?.order ?? this.#nextOrder++, dueMs });
    return Math.max(1, Math.ceil(dueMs - nowMs));
  }

  /** Gives the claim's turn back, for one that will not come again. */
  abandon(claim: string, namespace = ''): void {
    this.#lines.get(namespace)?.turns.delete(claim);
  }

  /** Claims in line, abandoned ones included until they are noticed. */
  get waiting(): number {
    return this.#inLine().length;
  }

  /** Empties the bucket; it fills again only after `holdMs`. Every turn waits that much longer. */
  drain(holdMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#level = 0;
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs + holdMs);
    const inLine = this.#inLine().toSorted((a, b) => (isAhead(a.place, b.place) ? -1 : 1));
    inLine.forEach(({ turn }, ahead) => {
      turn.dueMs = Math.max(turn.dueMs, this.#tokenAtMs(ahead + 1));
    });
  }

  #lineOf(namespace: string): Line {
    const known = this.#lines.get(namespace);
    if (known) return known;
    const line: Line = { turns: new Map(), lastGrant: 0 };
    this.#lines.set(namespace, line);
    return line;
  }

  /** When the bucket would hold `count` tokens if nobody took one. */
  #tokenAtMs(count: number): number {
    const missing = Math.max(0, count - this.#level);
    return this.#filledAtMs + (missing / this.#limits.perSecond) * 1000;
  }

  /** Turns ahead of `place` that are due by `dueByMs`, as exactly as claims come back: to the ms. */
  #ahead(place: Place, dueByMs = Number.POSITIVE_INFINITY): number {
    return this.#inLine().filter(
      ({ turn, place: other }) => turn.dueMs < dueByMs + 1 && isAhead(other, place),
    ).length;
  }

  #inLine(): readonly { readonly turn: Turn; readonly place: Place }[] {
    return [...this.#lines.values()].flatMap(({ turns, lastGrant }) =>
      [...turns.values()].map((turn, round) => ({
        turn,
        place: { round, lastGrant, order: turn.order },
      })),
    );
  }

  #fill(nowMs: number): void {
    if (nowMs <= this.#filledAtMs) return;
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#limits.perSecond;
    this.#level = Math.min(this.#limits.burst, this.#level + gained);
    this.#filledAtMs = nowMs;
  }

  #forgetAbandoned(nowMs: number): void {
    for (const [namespace, { turns }] of this.#lines) {
      for (const [claim, turn] of turns) {
        if (turn.dueMs + this.#keptMs < nowMs) turns.delete(claim);
      }
      // With a full bucket it no longer matters who was served last.
      if (turns.size === 0 && this.#level === this.#limits.burst) this.#lines.delete(namespace);
    }
  }
}

function placeOf({ turns, lastGrant }: Line, claim: string): Place {
  let round = 0;
  for (const [other, { order }] of turns) {
    if (other === claim) return { round, lastGrant, order };
    round++;
  }
  return { round, lastGrant, order: Number.POSITIVE_INFINITY };
}

function isAhead(a: Place, b: Place): boolean {
  if (a.round !== b.round) return a.round < b.round;
  return a.lastGrant === b.lastGrant ? a.order < b.order : a.lastGrant < b.lastGrant;
}
