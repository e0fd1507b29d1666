import type { Clock } from '../../core/ports/clock.ts';
import {
  countAhead,
  countWaiters,
  createQueue,
  delay,
  END,
  enqueue,
  findPlace,
  findWaiter,
  isAhead,
  listWaiters,
  type Place,
  type Queue,
  removeWaiter,
  type Waiter,
} from './token-queue.ts';

export interface BucketLimits {
  /** Tokens that a full bucket holds. */
  readonly burst: number;
  /** Tokens that come back each second. */
  readonly perSecond: number;
}

export interface TokenRequest {
  /** The same key keeps its place from one question to the next. */
  readonly key: string;
  /** Whose queue it stands in; default that of calls that many share. */
  readonly namespace?: string;
  /** Tokens that it takes together; default 1. */
  readonly count?: number;
  /** The drift scan takes every other token, whatever waits: it never queues behind the passes. */
  readonly isScan?: boolean;
  /** Of a pass that has begun: it goes before those of its namespace that have not. */
  readonly isUnderWay?: boolean;
}

/**
 * How long at most a token is kept for a request that is due and has not come back: long enough for a
 * busy worker, short enough that a deleted object does not hold up the others.
 */
const LONGEST_KEPT_MS = 15_000;

/** Abandoned waiters are looked for no more often than this. */
const FORGET_EVERY_MS = 100;

/** Puts the order of what is under way before that of everything else. */
const HEAD_START = 2 ** 50;

/** Forgives the rounding of a division, so that who comes at its due time finds its token. */
const EPSILON = 1e-6;

/**
 * A bucket of `burst` tokens that fills at `perSecond`, with a queue for each namespace: a request that
 * finds no token gets a turn of its own, one token apart from the next, so that ninety waiting requests
 * do not all wake at the same moment. From its due time on a turn's token is kept from every request
 * behind it. The namespaces are served in rounds, one request of each, so that the number of requests of
 * one does not delay another; a request that another namespace has overtaken gets a later turn when it
 * comes back. The scan has a queue beside theirs and takes turns with all of them together.
 *
 * Invariant: no span of t seconds sees more than burst + perSecond * t tokens spent.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  readonly #queues = new Map<string, Queue>();
  readonly #scan: Queue = createQueue();
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

  /** Milliseconds until this request's own turn, which it keeps; 0: it may take its tokens now. */
  turnInMs(request: TokenRequest): number {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#forgetAbandoned(nowMs);
    const queue = this.#getQueue(request);
    const turn = findWaiter(queue, request.key);
    const { count = 1 } = request;
    const order = turn?.order ?? this.#drawOrder(request);
    const place = findPlace(queue, order, turn);
    if (this.#level + EPSILON >= this.#countTokensAhead(request, place, nowMs + 1) + count) {
      const dueMs = Math.min(turn?.dueMs ?? nowMs, nowMs);
      enqueue(queue, request.key, { order, count, keptFromMs: dueMs, dueMs });
      return 0;
    }
    if (turn && turn.dueMs > nowMs) return Math.ceil(turn.dueMs - nowMs);
    const ahead = this.#countTokensAhead(request, place);
    const dueMs = this.#computeTokensAtMs(ahead + count);
    const keptFromMs = this.#computeTokensAtMs(ahead + 1);
    enqueue(queue, request.key, { order, count, keptFromMs, dueMs });
    return Math.max(1, Math.ceil(dueMs - nowMs));
  }

  #drawOrder({ isUnderWay = false }: TokenRequest): number {
    return this.#nextOrder++ - (isUnderWay ? HEAD_START : 0);
  }

  /** Takes the tokens of a request whose turn it is; they count until they are spent or given back. */
  take(request: TokenRequest): void {
    const { count = 1, isScan = false } = request;
    const queue = this.#getQueue(request);
    this.#level = Math.max(0, this.#level - count);
    this.#reserved += count;
    removeWaiter(queue, request.key);
    queue.lastGrant = ++this.#grants;
    this.#wasScan = isScan;
  }

  /** A token that was taken is used now; until now it was in the bucket, which gained no other in its place. */
  spend(): void {
    this.#fill(this.#clock.monotonicMs());
    this.#reserved--;
  }

  /** Tokens that were taken and are not needed; while the bucket is held they are lost. */
  giveBack(count: number): void {
    this.#reserved -= count;
    if (this.#clock.monotonicMs() >= this.#filledAtMs) this.#level += count;
  }

  /** The request waits that much longer for something else; meanwhile nothing is kept for it. */
  postpone(request: TokenRequest, byMs: number): void {
    const turn = findWaiter(this.#getQueue(request), request.key);
    if (turn) delay(turn, this.#clock.monotonicMs() + byMs);
  }

  /** Gives the request's turn back, for one that will not come again. */
  abandon(request: TokenRequest): void {
    removeWaiter(this.#getQueue(request), request.key);
  }

  /** Tokens that are left now. */
  get level(): number {
    this.#fill(this.#clock.monotonicMs());
    return this.#level;
  }

  /** Requests in queue, abandoned ones included until they are noticed. */
  get waiting(): number {
    let waiting = countWaiters(this.#scan);
    for (const queue of this.#queues.values()) waiting += countWaiters(queue);
    return waiting;
  }

  /** Empties the bucket; it fills again only after `holdMs`. Every turn waits that much longer. */
  drain(holdMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#fill(nowMs);
    this.#level = 0;
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs + holdMs);
    let tokens = 0;
    for (const turn of [...listWaiters(this.#scan), ...this.#listInOrder()]) {
      delay(
        turn,
        this.#computeTokensAtMs(tokens + 1),
        this.#computeTokensAtMs(tokens + turn.count),
      );
      tokens += turn.count;
    }
  }

  #getQueue({ namespace = '', isScan = false }: TokenRequest): Queue {
    if (isScan) return this.#scan;
    const known = this.#queues.get(namespace);
    if (known) return known;
    const queue = createQueue();
    this.#queues.set(namespace, queue);
    return queue;
  }

  /** The time at which the bucket would hold `count` tokens if nobody took one. */
  #computeTokensAtMs(count: number): number {
    const missing = Math.max(0, count - this.#level);
    return this.#filledAtMs + (missing / this.#limits.perSecond) * 1000;
  }

  /**
   * Tokens for the waiters ahead of this one, as far as they are kept before `keptBeforeMs`, as exactly
   * as requests come back: to the ms. The scan and the passes alternate, whatever one request takes.
   * What is under way waits for none that takes more than the bucket can hold beside what is reserved:
   * that may be reserved for the same pass, and neither would come.
   */
  #countTokensAhead(
    { isScan = false, isUnderWay = false }: TokenRequest,
    place: Place,
    keptBeforeMs = Number.POSITIVE_INFINITY,
  ): number {
    const most = isUnderWay ? this.#limits.burst - this.#reserved : Number.POSITIVE_INFINITY;
    const counted = { keptBeforeMs, most };
    const scans = countAhead([this.#scan], isScan ? place : END, counted);
    const passes = countAhead(this.#queues.values(), isScan ? END : place, counted);
    const [own, others] = isScan ? [scans, passes] : [passes, scans];
    const theirTurn = this.#wasScan === isScan ? others.most : 0;
    return own.tokens + Math.min(others.tokens, own.tokens + theirTurn);
  }

  /** The waiters of all namespaces, the next to be served first. */
  #listInOrder(): readonly Waiter[] {
    return [...this.#queues.values()]
      .flatMap((queue) =>
        listWaiters(queue).map((turn, round) => ({
          turn,
          place: { round, lastGrant: queue.lastGrant, order: turn.order },
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
    for (const [namespace, queue] of this.#queues) {
      this.#forgetIn(queue, nowMs);
      // With a full bucket it no longer matters who was served last.
      if (countWaiters(queue) === 0 && this.#level === this.#limits.burst)
        this.#queues.delete(namespace);
    }
  }

  #forgetIn({ lanes }: Queue, nowMs: number): void {
    for (const waiters of lanes) {
      for (const [request, turn] of waiters) {
        if (turn.dueMs + this.#keptMs < nowMs) waiters.delete(request);
      }
    }
  }
}
