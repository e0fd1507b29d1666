import pRetry from 'p-retry';
import { omitUndefined } from '../../core/objects/fields.ts';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import { assertMayWrite, type Leadership } from '../../core/ports/leadership.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import type { Budget, Refusal, Requester, Reservation } from '../budget/budget.ts';
import type { AwsApi } from './aws-api.ts';
import {
  ErrorTranslator,
  isAboutOneResource,
  isAnswer,
  readRetryAfterMs,
  translateAwsError,
} from './aws-errors.ts';
import { CallMeter } from './aws-metrics.ts';
import type { AwsReasonTexts } from './aws-reasons.ts';
import { type AwsOperation, type AwsOperations, getTraits, isWrite } from './operations.ts';
import { readPages } from './pages.ts';
import { type AccountLimit, findQuota, Quotas } from './quotas.ts';

/** The payer of a call. */
export interface Payer extends Pick<Requester, 'namespace' | 'isScan'> {
  /** As `Requester.isUnderWay`, for its reads. */
  readonly isUnderWay?: boolean;
  /** Pays for the first attempt, as far as it goes. */
  readonly reservation?: Pick<Reservation, 'spend'>;
  /** Called right before each write is sent, which is not sent if this throws. */
  readonly beforeWrite?: () => void;
  /** Gets one line for each write that is sent; default the process's. */
  readonly log?: Logger;
}

interface AwsCallOptions extends Payer {
  /** As `Requester.subject`. */
  readonly subject: string;
  /** Ends a read at any time, a write only as long as it has not been sent. */
  readonly signal?: AbortSignal;
}

/**
 * One call to AWS: budget, leadership, request, metrics, translation, repeated where that can help.
 * Throws OperatorError, or the reason of the caller's own signal.
 */
export type AwsCall = <Operation extends AwsOperation>(
  operation: Operation,
  input: AwsOperations[Operation][0],
  options: AwsCallOptions,
) => Promise<AwsOperations[Operation][1]>;

export interface AwsCallPorts {
  readonly api: AwsApi;
  readonly budget: Budget;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly texts?: AwsReasonTexts;
}

/** A refusal because a quota is full names the quota. */
export function createAwsCall(ports: AwsCallPorts): AwsCall {
  const { clock, texts = {} } = ports;
  const call = createCall(ports);
  const quotas = new Quotas(clock);
  return async (operation, input, options) => {
    try {
      return await call(operation, input, options);
    } catch (error) {
      const code = findQuota(error);
      const quota = code && (await quotas.describe(code, () => readLimits(call, options)));
      if (quota === undefined || !(error instanceof Error)) throw error;
      throw translateAwsError(error.cause, { ...options, operation }, { texts, quota });
    }
  };
}

function readLimits(
  call: AwsCall,
  { namespace, signal }: AwsCallOptions,
): Promise<readonly AccountLimit[]> {
  const how = { subject: 'the account', ...omitUndefined({ namespace, signal }) };
  return readPages(async (Marker) => {
    const answer = await call('DescribeAccountLimits', Marker ? { Marker } : {}, how);
    return { items: answer.Limits ?? [], next: answer.NextMarker };
  });
}

function createCall(ports: AwsCallPorts): AwsCall {
  const { clock, budget, metrics } = ports;
  const errors = new ErrorTranslator(clock, ports.texts);
  return (operation, input, options) => {
    const {
      signal = new AbortController().signal,
      log = ports.log,
      reservation,
      beforeWrite,
      ...rest
    } = options;
    const requester = { ...rest, isUnderWay: rest.isUnderWay === true && !isWrite(operation) };
    const meter = new CallMeter(metrics, clock, operation);
    const send = request({ ...ports, log, errors, meter });
    const attempt = async (): Promise<AwsOperations[typeof operation][1]> => {
      const isPaid = reservation?.spend(operation) ?? false;
      if (!isPaid) {
        await budget.take(operation, requester, signal);
      }
      signal.throwIfAborted();
      if (isWrite(operation)) beforeWrite?.();
      return send(operation, input, { subject: requester.subject, signal });
    };
    const { isIdempotent } = getTraits(operation);
    return retry(attempt, { clock, signal, isIdempotent }).finally(() => meter.finish());
  };
}

interface RetryOptions {
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

/**
 * Repeats `attempt`, which throws OperatorErrors, where a repetition within the pass can help. This is the one retry
 * layer for AWS: the SDK is set to a single attempt. p-retry counts the attempts; its own delay is zero and no signal
 * is handed to it. The wait happens in `shouldRetry`, after classification and through the Clock, because p-retry 9
 * awaits `onFailedAttempt` also for errors that are not repeated and for the last attempt, and because it drops a
 * successful result if its signal aborted meanwhile - which must not happen to a write that AWS has carried out.
 */
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
  if (isAboutOneResource(error.cause)) return false; // it lasts longer, and the next poll or pass asks again
  return REFUSED.has(error.reason) || (isIdempotent && AMBIGUOUS.has(error.reason));
}

/** The same calls, paid for by somebody, and their writes logged by the payer's log. */
export function chargeTo(payer: Payer, call: AwsCall): AwsCall {
  return (operation, input, options) => call(operation, input, { ...options, ...payer });
}

/** Without the lease no write starts; the API asks for it once more where it sends one. */
function request(parts: RequestParts): RequestOnce {
  const { api, budget, leadership, log, meter, errors } = parts;
  // From then on the SDK goes by AWS's time: a second refusal has another cause.
  let hadSkew = false;
  return async (operation, input, { subject, signal }) => {
    if (isWrite(operation)) assertMayWrite(leadership, 'other');
    const onWrite = (): void => log.info('write to AWS', { operation, subject, input });
    const sent = meter.begin();
    try {
      const options = isWrite(operation) ? { onWrite } : { signal };
      const output = await api.send(operation, input, options);
      sent.succeed();
      budget.recordAnswer(operation);
      errors.recordSuccess();
      return output;
    } catch (thrown) {
      const error = errors.translate(thrown, { operation, subject, hadSkew });
      hadSkew ||= error.reason === 'ClockSkew';
      sent.fail(error);
      if (signal.aborted && !isWrite(operation)) throw signal.reason;
      if (isAboutOneResource(thrown)) throw error;
      if (isRefusal(error.reason)) {
        budget.recordRefusal(operation, error.reason, readRetryAfterMs(thrown));
      } else if (isAnswer(thrown, error)) {
        budget.recordAnswer(operation);
      }
      throw error;
    }
  };
}

interface RequestParts extends AwsCallPorts {
  readonly meter: CallMeter;
  readonly errors: ErrorTranslator;
}

type RequestOnce = <Operation extends AwsOperation>(
  operation: Operation,
  input: AwsOperations[Operation][0],
  options: Required<Pick<AwsCallOptions, 'subject' | 'signal'>>,
) => Promise<AwsOperations[Operation][1]>;

function isRefusal(reason: string): reason is Refusal {
  return ['Throttled', 'AwsUnavailable', 'AwsUnreachable'].includes(reason);
}
