import { myIngressReasons } from '../apis/my-ingress-reasons.ts';
import { type Clock, jitter, sleep } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import { OperatorError } from '../core/operator-error.ts';
import type { AwsOperation } from './aws-api.ts';
import { awsMetrics } from './aws-metrics.ts';
import { awsOperations, type BucketName } from './aws-operations.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { TokenBucket } from './token-bucket.ts';

/** Who wants a token: the same claim keeps its turn from one pass to the next. */
export interface Claim {
  readonly operation: AwsOperation;
  /** `load balancer <name or ARN>`, or fixed words for a call that many share. */
  readonly subject: string;
  /** Whose turn it takes; calls that objects of several namespaces share have turns of their own. */
  readonly namespace?: string;
}

/** The process's share of the account's API budget; one for the whole process. */
export interface Budget {
  /**
   * Takes a token, waiting up to a second for it. Where it would take longer, throws
   * BudgetExhausted, or Throttled while AWS itself keeps the calls waiting; `retryAfterMs` is the
   * time until the claim's own turn.
   */
  take(claim: Claim, signal: AbortSignal): Promise<void>;
  /** AWS refused a request for its rate: the whole class of calls is held for a while. */
  slowDown(operation: AwsOperation): void;
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
const LONGEST_HOLD_MS = 20_000;

interface Lane {
  readonly name: BucketName;
  readonly bucket: TokenBucket;
  refusals: number;
  heldUntilMs: number;
}

export function createBudget(options: BudgetOptions): Budget {
  const { clock, limits } = options;
  const lane = (name: BucketName): Lane => ({
    name,
    bucket: new TokenBucket(clock, limits[name]),
    refusals: 0,
    heldUntilMs: Number.NEGATIVE_INFINITY,
  });
  const lanes = { reads: lane('reads'), writes: lane('writes'), intensive: lane('intensive') };
  const laneOf = (operation: AwsOperation): Lane => lanes[awsOperations[operation].bucket];

  return {
    take: (claim, signal) => take({ claim, lane: laneOf(claim.operation), signal }, options),
    slowDown(operation) {
      const refused = laneOf(operation);
      // Requests that were under way when the hold began say nothing new.
      if (clock.monotonicMs() >= refused.heldUntilMs) hold(refused, options);
    },
    recover(operation) {
      const answered = laneOf(operation);
      if (clock.monotonicMs() >= answered.heldUntilMs) answered.refusals = 0;
    },
  };
}

interface Taking {
  readonly claim: Claim;
  readonly lane: Lane;
  readonly signal: AbortSignal;
}

async function take({ claim, lane, signal }: Taking, options: BudgetOptions): Promise<void> {
  signal.throwIfAborted();
  const { clock, metrics } = options;
  const label = { bucket: lane.name };
  const turn = await waitForToken({ bucket: lane.bucket, claim, clock, signal });
  metrics.gauge(awsMetrics.budgetTurns, label, lane.bucket.waiting);
  if (turn.kind === 'later') {
    metrics.count(awsMetrics.budgetExhausted, label);
    const holdMs = lane.heldUntilMs - clock.monotonicMs();
    // But for the hold it would have been granted within this pass.
    const isHeldByAws = holdMs > 0 && turn.turnInMs <= holdMs + LONGEST_SLEEP_MS;
    throw notYet(isHeldByAws ? 'Throttled' : 'BudgetExhausted', claim, turn.turnInMs);
  }
  metrics.observe(awsMetrics.budgetWaitSeconds, label, turn.sleptMs / 1000);
}

function hold(lane: Lane, { clock, metrics, log }: BudgetOptions): void {
  const leastMs = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** lane.refusals++);
  const holdMs = jitter(clock, leastMs, 0.5);
  lane.heldUntilMs = clock.monotonicMs() + holdMs;
  lane.bucket.drain(holdMs);
  metrics.count(awsMetrics.budgetHolds, { bucket: lane.name });
  log.info('AWS refuses calls for their rate, holding them', {
    bucket: lane.name,
    holdMs: Math.round(holdMs),
  });
}

type Turn =
  | { readonly kind: 'granted'; readonly sleptMs: number }
  | { readonly kind: 'later'; readonly turnInMs: number };

async function waitForToken(line: {
  readonly bucket: TokenBucket;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<Turn> {
  const { bucket, claim, clock, signal } = line;
  const key = `${claim.operation} ${claim.subject}`;
  const startedMs = clock.monotonicMs();
  for (;;) {
    const turnInMs = bucket.take(key, claim.namespace);
    const sleptMs = clock.monotonicMs() - startedMs;
    if (turnInMs === 0) return { kind: 'granted', sleptMs };
    if (sleptMs + turnInMs > LONGEST_SLEEP_MS) return { kind: 'later', turnInMs };
    await sleep(clock, turnInMs, signal).catch((reason: unknown) => {
      bucket.abandon(key, claim.namespace);
      throw reason;
    });
  }
}

function notYet(
  reason: 'BudgetExhausted' | 'Throttled',
  claim: Claim,
  turnInMs: number,
): OperatorError {
  const { step } = awsOperations[claim.operation];
  const { healedBy, next } = myIngressReasons[reason];
  const why = reason === 'Throttled' ? 'AWS refuses calls for their rate, so it ' : '';
  const seconds = Math.ceil(turnInMs / 1000);
  return new OperatorError({
    reason,
    message: `${step} ${claim.subject}: ${why}waits about ${seconds} s for its turn in the API budget; ${next}`,
    healedBy,
    retryAfterMs: turnInMs,
  });
}
