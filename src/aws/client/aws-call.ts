import { omitUndefined } from '../../core/objects/fields.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { assertMayWrite, type Leadership } from '../../core/ports/leadership.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { Budget, Refusal, Requester, Reservation } from '../budget/budget.ts';
import { readPages } from '../elbv2/pages.ts';
import type { AwsApi } from './aws-api.ts';
import { ErrorTranslator, isAnswer, readRetryAfterMs, translateAwsError } from './aws-errors.ts';
import { CallMeter } from './aws-metrics.ts';
import type { AwsReasonTexts } from './aws-reasons.ts';
import { type AwsOperation, type AwsOperations, getTraits, isWrite } from './operations.ts';
import { type AccountLimit, findQuota, Quotas } from './quotas.ts';
import { retry } from './retry.ts';

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

export interface AwsCallOptions extends Payer {
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

/** The same calls, paid for by somebody, and their writes logged by the payer's log. */
export function chargeTo(payer: Payer, call: AwsCall): AwsCall {
  return (operation, input, options) => call(operation, input, { ...options, ...payer });
}

/** From the check of the lease to the dispatch nothing is awaited: no write starts without it. */
function request(parts: RequestParts): RequestOnce {
  const { api, budget, leadership, log, meter, errors } = parts;
  // From then on the SDK goes by AWS's time: a second refusal has another cause.
  let hadSkew = false;
  return async (operation, input, { subject, signal }) => {
    if (isWrite(operation)) {
      assertMayWrite(leadership, 'other');
      log.info('write to AWS', { operation, subject, input });
    }
    const sent = meter.begin();
    try {
      const output = await api.send(operation, input, isWrite(operation) ? undefined : signal);
      sent.succeed();
      budget.recordAnswer(operation);
      errors.recordSuccess();
      return output;
    } catch (thrown) {
      const error = errors.translate(thrown, { operation, subject, hadSkew });
      hadSkew ||= error.reason === 'ClockSkew';
      sent.fail(error);
      if (signal.aborted && !isWrite(operation)) throw signal.reason;
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
