// Lives here: AWS's documented request limits, kept for the whole process as token buckets.
// May import it: src/aws; src/config and src/cli take budget-limits.ts.
// Start with: this file; token-bucket.ts is one limit.

import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { awsMetrics, showBucket } from '../client/aws-metrics.ts';
import { awsReasons } from '../client/aws-reasons.ts';
import type { BucketName } from '../client/operation-traits.ts';
import { type AwsOperation, getBuckets, getTraits } from '../client/operations.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { TokenBucket, type TokenRequest } from './token-bucket.ts';

/** A requester of tokens; it keeps its place from one pass to the next. */
export interface Requester {
  /** `load balancer <name or ARN>`, or fixed words for a call that many share. */
  readonly subject: string;
  /** Whose queue it waits in; calls that objects of several namespaces share have one of their own. */
  readonly namespace?: string;
  /** As `TokenRequest.isScan`. */
  readonly isScan?: boolean;
  /** Part of what has begun: it waits for as long as it takes, unless AWS itself holds the calls. */
  readonly isUnderWay?: boolean;
}

/** The tokens of a plan, until they are spent. */
export interface Reservation {
  /** Pays for one call; false: nothing is left for it, or AWS refuses its class since. */
  spend(operation: AwsOperation): boolean;
  covers(operations: readonly AwsOperation[]): boolean;
  /** Gives back what is left; call it whatever became of the plan. */
  release(): void;
}

/** The reason why AWS does not serve a class of calls now. */
export type Refusal = 'Throttled' | 'AwsUnavailable' | 'AwsUnreachable';

export interface BudgetOptions {
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** No worker sleeps longer than this on tokens, but for what is under way. */
const LONGEST_SLEEP_MS = 1000;
const FIRST_HOLD_MS = 500;
/** The longest Retry-After that is honoured. */
const LONGEST_ASKED_MS = 60_000;

/**
 * A throttle speaks for the whole class. One call that fails may be about its own balancer; a second
 * one with no answer between is an outage, after which everybody wants to go on soon.
 */
const REFUSALS = {
  Throttled: { holdsFrom: 1, longestMs: 20_000, said: 'AWS throttles calls' },
  AwsUnavailable: { holdsFrom: 2, longestMs: 8_000, said: 'AWS answers with internal errors' },
  AwsUnreachable: { holdsFrom: 2, longestMs: 8_000, said: 'AWS cannot be reached' },
} as const satisfies Record<Refusal, object>;

/** In this order tokens are asked for: nothing is kept where there is plenty for who waits for the rare. */
const ORDER = [
  'intensive',
  'registrations',
  'writes',
  'reads',
  'ec2Writes',
  'ec2Reads',
  'acmReads',
  'account',
] as const satisfies readonly BucketName[];

interface Bucket {
  readonly name: BucketName;
  readonly tokens: TokenBucket;
  /** The most that one request can take together. */
  readonly most: number;
  refusals: number;
  heldUntilMs: number;
  heldFor: Refusal;
}

/** The process's share of the account's API budget; one for the whole process. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #buckets: readonly Bucket[];

  constructor(options: BudgetOptions) {
    this.#options = options;
    const { clock, limits } = options;
    this.#buckets = ORDER.map((name) => ({
      name,
      tokens: new TokenBucket(clock, limits[name]),
      most: Math.floor(limits[name].burst),
      refusals: 0,
      heldUntilMs: Number.NEGATIVE_INFINITY,
      heldFor: 'Throttled',
    }));
  }

  /**
   * Takes the tokens of one call, waiting up to a second for them. Where it would take longer, throws
   * BudgetExhausted, or the refusal while AWS itself keeps the calls waiting; `retryAfterMs` is the
   * time until the requester's own turn.
   */
  async take(operation: AwsOperation, requester: Requester, signal: AbortSignal): Promise<void> {
    const key = `${operation} ${requester.subject}`;
    const shares = this.#splitShares([operation], { ...requester, key });
    await this.#waitForTokens({ shares, operation, requester, signal });
    for (const { bucket } of shares) bucket.tokens.spend();
  }

  /** As `take`, the tokens of all these calls at once. */
  async reserve(
    operations: readonly AwsOperation[],
    requester: Requester,
    signal: AbortSignal,
  ): Promise<Reservation> {
    const [operation] = operations;
    if (operation === undefined) return this.#createReservation([]);
    const key = `plan ${requester.subject}`;
    const shares = this.#splitShares(operations, { ...requester, key });
    await this.#waitForTokens({ shares, operation, requester, signal });
    return this.#createReservation(shares);
  }

  /** AWS refused a request for its rate, or several in a row did not get through: the class is held. */
  recordRefusal(operation: AwsOperation, refusal: Refusal, retryAfterMs = 0): void {
    const bucket = this.#getClass(operation);
    const askedMs = Math.min(retryAfterMs, LONGEST_ASKED_MS);
    if (this.#isHeld(bucket)) this.#prolong(bucket, refusal, askedMs);
    else this.#count(bucket, refusal, askedMs);
  }

  /** AWS answered a request: the next refusal starts from a short hold again. */
  recordAnswer(operation: AwsOperation): void {
    const bucket = this.#getClass(operation);
    if (!this.#isHeld(bucket)) bucket.refusals = 0;
  }

  /** Call before each scrape. */
  refreshMetrics(): void {
    for (const { name, tokens } of this.#buckets) showBucket(this.#options.metrics, name, tokens);
  }

  #getClass(operation: AwsOperation): Bucket {
    return this.#find(getTraits(operation).bucket);
  }

  #find(name: BucketName): Bucket {
    return this.#buckets.find((bucket) => bucket.name === name) as Bucket;
  }

  #isHeld({ heldUntilMs }: Bucket): boolean {
    return this.#options.clock.monotonicMs() < heldUntilMs;
  }

  /** `account` pays for what the others let through, half of it for reads: all that is reserved can be spent. */
  #splitShares(operations: readonly AwsOperation[], request: TokenRequest): readonly Share[] {
    const { most } = this.#find('account');
    const forReads = Math.min(countTokens('reads', operations), Math.ceil(most / 2));
    let room = most - forReads;
    const shares = this.#buckets.map((bucket): Share => {
      const { name } = bucket;
      const asked = countTokens(name, operations);
      if (name === 'reads') room += forReads;
      const isPaidTwice = operations.some((one) => isPaidFrom(one, name, 'account'));
      const free = name === 'account' ? most - room : isPaidTwice ? room : asked;
      const count = Math.min(asked, bucket.most, free);
      if (isPaidTwice && name !== 'account') room -= count;
      return { bucket, isCut: count < asked, request: { ...request, count } };
    });
    return shares.filter(({ request: { count } }) => count > 0);
  }

  #createReservation(shares: readonly Share[]): Reservation {
    const left = new Map(shares.map(({ bucket, request }) => [bucket, request.count]));
    const cut = new Set(shares.flatMap(({ bucket, isCut }) => (isCut ? [bucket] : [])));
    const findBuckets = (operation: AwsOperation): Bucket[] =>
      [...left.keys()].filter(({ name }) => getBuckets(operation).includes(name));
    const isKnown = (operation: AwsOperation): boolean =>
      findBuckets(operation).length === getBuckets(operation).length;
    return {
      spend: (operation) => {
        const buckets = findBuckets(operation);
        const canPay = buckets.every((one) => (left.get(one) ?? 0) > 0 && !this.#isHeld(one));
        if (!isKnown(operation) || !canPay) return false;
        for (const bucket of buckets) {
          left.set(bucket, (left.get(bucket) ?? 0) - 1);
          bucket.tokens.spend();
        }
        return true;
      },
      covers: (operations) =>
        operations.every(isKnown) &&
        [...left].every(
          ([bucket, count]) => cut.has(bucket) || countTokens(bucket.name, operations) <= count,
        ),
      release() {
        for (const [bucket, count] of left) bucket.tokens.giveBack(count);
        left.clear();
      },
    };
  }

  /** Takes the tokens from all buckets or from none. */
  async #waitForTokens(taking: Taking): Promise<void> {
    const { shares, signal } = taking;
    const { clock, metrics } = this.#options;
    signal.throwIfAborted();
    const startedMs = clock.monotonicMs();
    for (;;) {
      const short = findShort(shares);
      const sleptMs = clock.monotonicMs() - startedMs;
      if (short === undefined) {
        for (const { bucket, request } of shares) {
          bucket.tokens.take(request);
          metrics.observe(awsMetrics.budgetWaitSeconds, { bucket: bucket.name }, sleptMs / 1000);
        }
        return;
      }
      const isPatient = taking.requester.isUnderWay === true && !this.#isHeld(short.bucket);
      if (!isPatient && sleptMs + short.turnInMs > LONGEST_SLEEP_MS) {
        throw this.#createExhaustion(taking, short);
      }
      await sleep(clock, short.turnInMs, signal).catch((reason: unknown) => {
        for (const { bucket, request } of shares) bucket.tokens.abandon(request);
        throw reason;
      });
    }
  }

  #createExhaustion({ operation, requester }: Taking, { bucket, turnInMs }: Short): OperatorError {
    const { clock, metrics } = this.#options;
    metrics.count(awsMetrics.budgetExhausted, { bucket: bucket.name });
    const holdMs = bucket.heldUntilMs - clock.monotonicMs();
    // But for the hold it would have been granted within this pass.
    const isHeldByAws = holdMs > 0 && turnInMs <= holdMs + LONGEST_SLEEP_MS;
    const reason = isHeldByAws ? bucket.heldFor : 'BudgetExhausted';
    const why = isHeldByAws ? REFUSALS[bucket.heldFor].said : 'client-side rate limit reached';
    const { healedBy, next } = awsReasons[reason];
    const seconds = Math.ceil(turnInMs / 1000);
    return new OperatorError({
      reason,
      message: `${getTraits(operation).step} ${requester.subject}: ${why}; retrying in about ${seconds} s; ${next}`,
      healedBy,
      retryAfterMs: turnInMs,
    });
  }

  #count(bucket: Bucket, refusal: Refusal, askedMs: number): void {
    const { clock, metrics, log } = this.#options;
    const { holdsFrom, longestMs, said } = REFUSALS[refusal];
    bucket.refusals++;
    if (bucket.refusals < holdsFrom && askedMs === 0) return;
    const inARow = Math.max(0, bucket.refusals - holdsFrom);
    const leastMs = Math.max(askedMs, Math.min(longestMs, FIRST_HOLD_MS * 2 ** inARow));
    const holdMs = addJitter(clock, leastMs, 0.5);
    this.#hold(bucket, refusal, holdMs);
    const { name } = bucket;
    metrics.count(awsMetrics.budgetHolds, { bucket: name });
    log.info('holding calls to AWS', { why: said, bucket: name, holdMs: Math.round(holdMs) });
  }

  /**
   * The request was under way when the hold began, so the next hold is no longer for it. A throttle still
   * shows that AWS refused a moment ago; a request that got no service may have begun long before.
   */
  #prolong(bucket: Bucket, refusal: Refusal, askedMs: number): void {
    const leastMs = Math.max(askedMs, refusal === 'Throttled' ? FIRST_HOLD_MS : 0);
    const leftMs = bucket.heldUntilMs - this.#options.clock.monotonicMs();
    if (leastMs > leftMs) this.#hold(bucket, refusal, leastMs);
  }

  #hold(bucket: Bucket, refusal: Refusal, holdMs: number): void {
    bucket.heldFor = refusal;
    bucket.heldUntilMs = this.#options.clock.monotonicMs() + holdMs;
    bucket.tokens.drain(holdMs);
  }
}

/** Tokens that a request takes from one bucket. */
interface Share {
  readonly bucket: Bucket;
  /** No more can be reserved, whatever is asked for. */
  readonly isCut: boolean;
  readonly request: TokenRequest & { readonly count: number };
}

interface Taking {
  readonly shares: readonly Share[];
  readonly operation: AwsOperation;
  readonly requester: Requester;
  readonly signal: AbortSignal;
}

interface Short {
  readonly bucket: Bucket;
  readonly turnInMs: number;
}

function countTokens(name: BucketName, operations: readonly AwsOperation[]): number {
  return operations.filter((operation) => isPaidFrom(operation, name)).length;
}

function isPaidFrom(operation: AwsOperation, ...names: readonly BucketName[]): boolean {
  const buckets = getBuckets(operation);
  return names.every((name) => buckets.includes(name));
}

/** The first bucket in which it is not yet the request's turn. */
function findShort(shares: readonly Share[]): Short | undefined {
  for (const [index, { bucket, request }] of shares.entries()) {
    const turnInMs = bucket.tokens.turnInMs(request);
    if (turnInMs === 0) continue;
    for (const before of shares.slice(0, index)) before.bucket.tokens.postpone(request, turnInMs);
    return { bucket, turnInMs };
  }
  return undefined;
}
