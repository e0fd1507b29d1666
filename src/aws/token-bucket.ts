import type { Clock } from '../core/clock.ts';

export interface BucketLimits {
  /** Tokens that a full bucket holds. */
  readonly burst: number;
  /** Tokens that come back each second. */
  readonly perSecond: number;
}

export interface BucketClaim {
  /** The same key keeps its place from one question to the next. */
  readonly key: string;
  /** Whose line it stands in; default that of calls that many share. */
  readonly namespace?: string;
  /** Tokens that it takes together; default 1. */
  readonly count?: number;
  /** The drift scan takes every other token, whatever waits: it never queues behind the passes. */
  readonly isScan?: boolean;
}

/** A place in the line of those who were told to come back. */
interface Turn {
  readonly order: number;
  readonly count: number;
  /** From here on its tokens are kept for it as they come, */
  keptFromMs: number;
  /** and here it has all of them. */
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

/** Abandoned turns are looked for no more often than this. */
const FORGET_EVERY_MS = 100;

/** Forgives the rounding of a division, so that who comes at its due time finds its token. */
const EPSILON = 1e-6;

/**
 * A bucket of `burst` tokens that fills at `perSecond`, with a line for each namespace: a claim that
 * finds no token gets a turn of its own, one token apart from the next, so that ninety waiting claims
 * do not all wake at the same moment. From its due time on a turn's token is kept from every claim
 * behind it. The namespaces are served in rounds, one claim of each, so that the number of claims of
 * one does not delay another; a claim that another namespace has overtaken gets a later turn when it
 * comes back. The scan has a line beside theirs and takes turns with all of them together.
 *
 * Invariant: no span of t seconds sees more than burst + perSecond * t tokens spent.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #lines = new Map<string, Line>();
  readonly #scan: Line = { turns: new Map(), lastGrant: 0 };
  readonly #keptMs: number;
  #level: number;
  /** Taken and not spent yet: they count as tokens in the bucket when it fills. */
  #reserved = 0;
  #filledAtMs: number;
  #nextOrder = 0;
  #grants = 0;
  #wasScan = false;
  #forgotAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#level = limits.burst;
    // Of a full bucket at least half is there for those who do come.
    this.#keptMs = Math.min(LONGEST_KEPT_MS, (limits.burst / limits.perSecond) * 500);
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Milliseconds until this claim's own turn, which it keeps; 0: it may take its tokens now. */
  turnInMs(claim: BucketClaim): number {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#forgetAbandoned(nowMs);
    const line = this.#lineOf(claim);
    const turn = line.turns.get(claim.key);
    const place = placeOf(line, claim.key);
    const { count = 1 } = claim;
    const order = turn?.order ?? this.#nextOrder++;
    if (this.#level + EPSILON >= this.#ahead(claim, place, nowMs + 1) + count) {
      const dueMs = Math.min(turn?.dueMs ?? nowMs, nowMs);
      line.turns.set(claim.key, { order, count, keptFromMs: dueMs, dueMs });
      return 0;
    }
    if (turn && turn.dueMs > nowMs) return Math.ceil(turn.dueMs - nowMs);
    const ahead = this.#ahead(claim, place);
    const dueMs = this.#tokensAtMs(ahead + count);
    line.turns.set(claim.key, { order, count, keptFromMs: this.#tokensAtMs(ahead + 1), dueMs });
    return Math.max(1, Math.ceil(dueMs - nowMs));
  }

  /** Takes the tokens of a claim whose turn it is; they count until they are spent or given back. */
  take(claim: BucketClaim): void {
    const { count = 1, isScan = false } = claim;
    const line = this.#lineOf(claim);
    this.#level = Math.max(0, this.#level - count);
    this.#reserved += count;
    line.turns.delete(claim.key);
    line.lastGrant = ++this.#grants;
    this.#wasScan = isScan;
  }

  /** A token that was taken is used now. */
  spend(): void {
    this.#reserved--;
  }

  /** Tokens that were taken and are not needed; while the bucket is held they are lost. */
  giveBack(count: number): void {
    this.#reserved -= count;
    if (this.#clock.monotonicMs() >= this.#filledAtMs) this.#level += count;
  }

  /** The claim waits that much longer for something else; meanwhile nothing is kept for it. */
  postpone(claim: BucketClaim, byMs: number): void {
    const turn = this.#lineOf(claim).turns.get(claim.key);
    if (turn) delay(turn, this.#clock.monotonicMs() + byMs);
  }

  /** Gives the claim's turn back, for one that will not come again. */
  abandon(claim: BucketClaim): void {
    this.#lineOf(claim).turns.delete(claim.key);
  }

  /** Claims in line, abandoned ones included until they are noticed. */
  get waiting(): number {
    let waiting = this.#scan.turns.size;
    for (const { turns } of this.#lines.values()) waiting += turns.size;
    return waiting;
  }

  /** Empties the bucket; it fills again only after `holdMs`. Every turn waits that much longer. */
  drain(holdMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#level = 0;
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs + holdMs);
    let tokens = 0;
    for (const turn of [...this.#scan.turns.values(), ...this.#inOrder()]) {
      delay(turn, this.#tokensAtMs(tokens + 1), this.#tokensAtMs(tokens + turn.count));
      tokens += turn.count;
    }
  }

  #lineOf({ namespace = '', isScan = false }: BucketClaim): Line {
    if (isScan) return this.#scan;
    const known = this.#lines.get(namespace);
    if (known) return known;
    const line: Line = { turns: new Map(), lastGrant: 0 };
    this.#lines.set(namespace, line);
    return line;
  }

  /** When the bucket would hold `count` tokens if nobody took one. */
  #tokensAtMs(count: number): number {
    const missing = Math.max(0, count - this.#level);
    return this.#filledAtMs + (missing / this.#limits.perSecond) * 1000;
  }

  /**
   * Tokens for the turns ahead of this one, as far as they are kept before `keptBeforeMs`, as exactly
   * as claims come back: to the ms. The scan and the passes alternate, whatever one claim takes.
   */
  #ahead(
    { isScan = false }: BucketClaim,
    place: Place,
    keptBeforeMs = Number.POSITIVE_INFINITY,
  ): number {
    const scans = aheadIn([this.#scan], isScan ? place : END, keptBeforeMs);
    const passes = aheadIn(this.#lines.values(), isScan ? END : place, keptBeforeMs);
    const [own, others] = isScan ? [scans, passes] : [passes, scans];
    const theirTurn = this.#wasScan === isScan ? others.most : 0;
    return own.tokens + Math.min(others.tokens, own.tokens + theirTurn);
  }

  /** The turns of all namespaces, the next to be served first. */
  #inOrder(): readonly Turn[] {
    return [...this.#lines.values()]
      .flatMap(({ turns, lastGrant }) =>
        [...turns.values()].map((turn, round) => ({
          turn,
          place: { round, lastGrant, order: turn.order },
        })),
      )
      .sort((a, b) => (isAhead(a.place, b.place) ? -1 : 1))
      .map(({ turn }) => turn);
  }

  #fill(nowMs: number): void {
    if (nowMs <= this.#filledAtMs) return;
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#limits.perSecond;
    const room = this.#limits.burst - this.#reserved;
    this.#level = Math.min(room, this.#level + gained);
    this.#filledAtMs = nowMs;
  }

  #forgetAbandoned(nowMs: number): void {
    if (nowMs < this.#forgotAtMs + FORGET_EVERY_MS) return;
    this.#forgotAtMs = nowMs;
    this.#forgetIn(this.#scan, nowMs);
    for (const [namespace, line] of this.#lines) {
      this.#forgetIn(line, nowMs);
      // With a full bucket it no longer matters who was served last.
      if (line.turns.size === 0 && this.#level === this.#limits.burst)
        this.#lines.delete(namespace);
    }
  }

  #forgetIn({ turns }: Line, nowMs: number): void {
    for (const [claim, turn] of turns) {
      if (turn.dueMs + this.#keptMs < nowMs) turns.delete(claim);
    }
  }
}

/** Behind every turn. */
const END: Place = { round: Number.POSITIVE_INFINITY, lastGrant: 0, order: 0 };

/** The tokens of all turns ahead of a place, and of the largest of them. */
function aheadIn(
  lines: Iterable<Line>,
  place: Place,
  keptBeforeMs: number,
): { readonly tokens: number; readonly most: number } {
  let tokens = 0;
  let most = 0;
  for (const { turns, lastGrant } of lines) {
    // One record for all turns of a line: thousands may wait in it.
    const at = { round: 0, lastGrant, order: 0 };
    for (const { order, count, keptFromMs } of turns.values()) {
      at.order = order;
      // Within a line the places come in order.
      if (!isAhead(at, place)) break;
      at.round++;
      if (keptFromMs >= keptBeforeMs) continue;
      tokens += count;
      most = Math.max(most, count);
    }
  }
  return { tokens, most };
}

function delay(turn: Turn, keptFromMs: number, dueMs = keptFromMs): void {
  turn.keptFromMs = Math.max(turn.keptFromMs, keptFromMs);
  turn.dueMs = Math.max(turn.dueMs, dueMs);
}

function placeOf({ turns, lastGrant }: Line, key: string): Place {
  if (!turns.has(key)) return { round: turns.size, lastGrant, order: Number.POSITIVE_INFINITY };
  let round = 0;
  for (const [other, { order }] of turns) {
    if (other === key) return { round, lastGrant, order };
    round++;
  }
  return { round, lastGrant, order: Number.POSITIVE_INFINITY };
}

function isAhead(a: Place, b: Place): boolean {
  if (a.round !== b.round) return a.round < b.round;
  return a.lastGrant === b.lastGrant ? a.order < b.order : a.lastGrant < b.lastGrant;
}
