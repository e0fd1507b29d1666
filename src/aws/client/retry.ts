/**
 * The one retry layer for AWS: the SDK is set to a single attempt. p-retry counts the attempts; its
 * own delay is zero and no signal is handed to it. The wait happens in `shouldRetry`, after
 * classification and through the Clock, because p-retry 9 awaits `onFailedAttempt` also for errors
 * that are not repeated and for the last attempt, and because it drops a successful result if its
 * signal aborted meanwhile - which must not happen to a write that AWS has carried out.
 */
import pRetry from 'p-retry';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Ends the wait between two attempts; an attempt under way is the attempt's own business. */
  readonly signal: AbortSignal;
  /** False: only what AWS refused outright is repeated, never what may have been carried out. */
  readonly isIdempotent: boolean;
}

const MOST_ATTEMPTS = 3;
/** Within one pass; what lasts longer is the business of the key's backoff. */
const LONGEST_RETRYING_MS = 2000;
const FIRST_DELAY_MS = 100;

/** Refused before anything was done. */
const REFUSED: ReadonlySet<string> = new Set(['Throttled', 'ClockSkew']);
/** The request may have been carried out although no readable answer came. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'AwsUnavailable',
  'AwsUnreachable',
  'AwsUnreadable',
]);

/** Repeats `attempt`, which throws OperatorErrors, where a repetition within the pass can help. */
export function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const startedMs = options.clock.monotonicMs();
  return pRetry(attempt, {
    retries: MOST_ATTEMPTS - 1,
    minTimeout: 0,
    maxTimeout: 0,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (!canHelp(error, options.isIdempotent)) return false;
      const delayMs = addJitter(options.clock, FIRST_DELAY_MS * 2 ** (attemptNumber - 1), 1);
      const elapsedMs = options.clock.monotonicMs() - startedMs;
      if (elapsedMs + delayMs > LONGEST_RETRYING_MS) return false;
      await sleep(options.clock, delayMs, options.signal);
      return true;
    },
  });
}

function canHelp(error: Error, isIdempotent: boolean): boolean {
  if (!(error instanceof OperatorError)) return false;
  if (error.retryAfterMs !== undefined) return false; // its time comes after this pass
  return REFUSED.has(error.reason) || (isIdempotent && AMBIGUOUS.has(error.reason));
}
