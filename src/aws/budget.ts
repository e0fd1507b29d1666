import { myIngressReasons } from '../apis/my-ingress-reasons.ts';
import { type Clock, jitter, sleep } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import { OperatorError } from '../core/operator-error.ts';
import type { AwsOperation } from './aws-api.ts';
import { awsMetrics } from './aws-metrics.ts';
import { awsOperations } from './aws-operations.ts';
import type { BudgetLimits, LaneName } from './budget-limits.ts';
import { type BucketClaim, TokenBucket } from './token-bucket.ts';

/** Who wants a token: the same claim keeps its turn from one pass to the next. */
export interface Claim extends Claimant {
  readonly operation: AwsOperation;
}

export interface Claimant {
  /** `load balancer <name or ARN>`, or fixed words for a call that many share. */
  readonly subject: string;
  /** Whose turn it takes; calls that objects of several namespaces share have turns of their own. */
  readonly namespace?: string;
  /** As `BucketClaim.isScan`. */
  readonly isScan?: boolean;
}

/** The tokens of a plan, until they are spent. */
export interface Reservation {
  /** Pays for one call; false: nothing is left for it, or AWS refuses its class since. */
  spend(operation: AwsOperation): boolean;
  covers(operations: readonly AwsOperation[]): boolean;
  /** Gives back what is left; call it whatever became of the plan. */
  release(): void;
}

/** Why AWS does not serve a class of calls now. */
export type Refusal = 'Throttled' | 'AwsUnavailable' | 'AwsUnreachable';

/** The process's share of the account's API budget; one for the whole process. */
export interface Budget {
  /**
   * Takes a token, waiting up to a second for it. Where it would take longer, throws
   * BudgetExhausted, or the refusal while AWS itself keeps the calls waiting; `retryAfterMs` is the
   * time until the claim's own turn.
   */
  take(claim: Claim, signal: AbortSignal): Promise<void>;
  /** As `take`, the tokens of all these calls at once. */
  reserve(
    operations: readonly AwsOperation[],
    claimant: Claimant,
    signal: AbortSignal,
  ): Promise<Reservation>;
  /** AWS refused a request for its rate, or several in a row did not get through: the class is held. */
  refused(operation: AwsOperation, refusal: Refusal, retryAfterMs?: number): void;
  /** AWS answered a request: the next refusal starts from a short hold again. */
  recover(operation: AwsOperation): void;
}

export interface BudgetOptions {
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** No worker sleeps longer than this on tokens. */
const LONGEST_SLEEP_MS = 1000;
const FIRST_HOLD_MS = 500;
/** What AWS asks for in Retry-After counts up to here. */
const LONGEST_ASKED_MS = 60_000;

/**
 * A throttle speaks for the whole class. One call that fails may be about its own balancer; a second
 * one with no answer between is an outage, after which everybody wants to go on soon.
 */
const REFUSALS = {
  Throttled: { holdsFrom: 1, longestMs: 20_000, said: 'AWS refuses calls for their rate' },
  AwsUnavailable: { holdsFrom: 2, longestMs: 8_000, said: 'AWS answers with internal errors' },
  AwsUnreachable: { holdsFrom: 2, longestMs: 8_000, said: 'AWS is not reached' },
} as const satisfies Record<Refusal, object>;

/** In this order tokens are asked for: nothing is kept where there is plenty for who waits for the rare. */
const LANES = ['intensive', 'writes', 'reads', 'account'] as const satisfies readonly LaneName[];

interface Lane {
  readonly name: LaneName;
  readonly bucket: TokenBucket;
  /** The most that one claim can take together. */
  readonly most: number;
  refusals: number;
  heldUntilMs: number;
  heldFor: Refusal;
}

export function createBudget(options: BudgetOptions): Budget {
  const { clock, limits } = options;
  const lane = (name: LaneName): Lane => ({
    name,
    bucket: new TokenBucket(clock, limits[name]),
    most: Math.floor(limits[name].burst),
    refusals: 0,
    heldUntilMs: Number.NEGATIVE_INFINITY,
    heldFor: 'Throttled',
  });
  const lanes = LANES.map(lane);
  const laneOf = (operation: AwsOperation): Lane =>
    lanes.find(({ name }) => name === awsOperations[operation].bucket) as Lane;
  const isHeld = ({ heldUntilMs }: Lane): boolean => clock.monotonicMs() < heldUntilMs;

  return {
    async take({ operation, ...claimant }, signal) {
      const key = `${operation} ${claimant.subject}`;
      const shares = sharesOf([operation], lanes, { ...claimant, key });
      await waitForTokens({ shares, operation, claimant, signal }, options);
      for (const { lane: taken } of shares) taken.bucket.spend();
    },
    async reserve(operations, claimant, signal) {
      const [operation] = operations;
      if (operation === undefined) return reservation([], isHeld);
      const shares = sharesOf(operations, lanes, { ...claimant, key: `plan ${claimant.subject}` });
      await waitForTokens({ shares, operation, claimant, signal }, options);
      return reservation(shares, isHeld);
    },
    refused(operation, refusal, retryAfterMs = 0) {
      const lane = laneOf(operation);
      // Requests that were under way when the hold began say nothing new.
      if (!isHeld(lane)) count({ lane, refusal, retryAfterMs }, options);
    },
    recover(operation) {
      const answered = laneOf(operation);
      if (!isHeld(answered)) answered.refusals = 0;
    },
  };
}

/** What a claim takes from one lane. */
interface Share {
  readonly lane: Lane;
  readonly claim: BucketClaim;
}

function sharesOf(
  operations: readonly AwsOperation[],
  lanes: readonly Lane[],
  claim: BucketClaim,
): readonly Share[] {
  return lanes.flatMap((lane) => {
    const wanted = operations.filter((operation) => isPaidIn(lane, operation)).length;
    return wanted === 0 ? [] : [{ lane, claim: { ...claim, count: Math.min(wanted, lane.most) } }];
  });
}

function isPaidIn({ name }: Lane, operation: AwsOperation): boolean {
  return name === 'account' || name === awsOperations[operation].bucket;
}

function reservation(shares: readonly Share[], isHeld: (lane: Lane) => boolean): Reservation {
  const left = new Map(shares.map(({ lane, claim }) => [lane, claim.count ?? 1]));
  const lanesOf = (operation: AwsOperation): Lane[] =>
    [...left.keys()].filter((lane) => isPaidIn(lane, operation));
  return {
    spend(operation) {
      const lanes = lanesOf(operation);
      const canPay = lanes.every((lane) => (left.get(lane) ?? 0) > 0 && !isHeld(lane));
      if (lanes.length < 2 || !canPay) return false;
      for (const lane of lanes) {
        left.set(lane, (left.get(lane) ?? 0) - 1);
        lane.bucket.spend();
      }
      return true;
    },
    covers: (operations) =>
      operations.every((operation) => lanesOf(operation).length === 2) &&
      [...left].every(([lane, count]) => {
        const wanted = operations.filter((operation) => isPaidIn(lane, operation)).length;
        return Math.min(wanted, lane.most) <= count;
      }),
    release() {
      for (const [lane, count] of left) lane.bucket.giveBack(count);
      left.clear();
    },
  };
}

interface Taking {
  readonly shares: readonly Share[];
  readonly operation: AwsOperation;
  readonly claimant: Claimant;
  readonly signal: AbortSignal;
}

/** Takes the tokens from all lanes or from none. */
async function waitForTokens(taking: Taking, options: BudgetOptions): Promise<void> {
  const { shares, signal } = taking;
  const { clock, metrics } = options;
  signal.throwIfAborted();
  const startedMs = clock.monotonicMs();
  for (;;) {
    const short = firstShort(shares);
    const sleptMs = clock.monotonicMs() - startedMs;
    for (const { lane } of shares) {
      metrics.gauge(awsMetrics.budgetTurns, { bucket: lane.name }, lane.bucket.waiting);
    }
    if (short === undefined) {
      for (const { lane, claim } of shares) {
        lane.bucket.take(claim);
        metrics.observe(awsMetrics.budgetWaitSeconds, { bucket: lane.name }, sleptMs / 1000);
      }
      return;
    }
    if (sleptMs + short.turnInMs > LONGEST_SLEEP_MS) throw sentAway(taking, short, options);
    await sleep(clock, short.turnInMs, signal).catch((reason: unknown) => {
      for (const { lane, claim } of shares) lane.bucket.abandon(claim);
      throw reason;
    });
  }
}

interface Short {
  readonly lane: Lane;
  readonly turnInMs: number;
}

/** The first lane in which it is not yet the claim's turn. */
function firstShort(shares: readonly Share[]): Short | undefined {
  for (const [index, { lane, claim }] of shares.entries()) {
    const turnInMs = lane.bucket.turnInMs(claim);
    if (turnInMs === 0) continue;
    for (const before of shares.slice(0, index)) before.lane.bucket.postpone(claim, turnInMs);
    return { lane, turnInMs };
  }
  return undefined;
}

function sentAway(
  { operation, claimant }: Taking,
  { lane, turnInMs }: Short,
  { clock, metrics }: BudgetOptions,
): OperatorError {
  metrics.count(awsMetrics.budgetExhausted, { bucket: lane.name });
  const holdMs = lane.heldUntilMs - clock.monotonicMs();
  // But for the hold it would have been granted within this pass.
  const isHeldByAws = holdMs > 0 && turnInMs <= holdMs + LONGEST_SLEEP_MS;
  const reason = isHeldByAws ? lane.heldFor : 'BudgetExhausted';
  const why = isHeldByAws ? `${REFUSALS[lane.heldFor].said}, so it ` : '';
  const { healedBy, next } = myIngressReasons[reason];
  const { step } = awsOperations[operation];
  const seconds = Math.ceil(turnInMs / 1000);
  return new OperatorError({
    reason,
    message: `${step} ${claimant.subject}: ${why}waits about ${seconds} s for its turn in the API budget; ${next}`,
    healedBy,
    retryAfterMs: turnInMs,
  });
}

function count(
  { lane, refusal, retryAfterMs }: { lane: Lane; refusal: Refusal; retryAfterMs: number },
  options: BudgetOptions,
): void {
  lane.refusals++;
  if (lane.refusals < REFUSALS[refusal].holdsFrom && retryAfterMs === 0) return;
  lane.heldFor = refusal;
  hold(lane, Math.min(retryAfterMs, LONGEST_ASKED_MS), options);
}

function hold(lane: Lane, askedMs: number, { clock, metrics, log }: BudgetOptions): void {
  const { longestMs, said, holdsFrom } = REFUSALS[lane.heldFor];
  const inARow = Math.max(0, lane.refusals - holdsFrom);
  const leastMs = Math.max(askedMs, Math.min(longestMs, FIRST_HOLD_MS * 2 ** inARow));
  const holdMs = jitter(clock, leastMs, 0.5);
  lane.heldUntilMs = clock.monotonicMs() + holdMs;
  lane.bucket.drain(holdMs);
  metrics.count(awsMetrics.budgetHolds, { bucket: lane.name });
  log.info(`${said}, holding them`, { bucket: lane.name, holdMs: Math.round(holdMs) });
}
