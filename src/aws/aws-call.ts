import type { Clock } from '../core/clock.ts';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { OperatorError } from '../core/operator-error.ts';
import type { AwsApi, AwsOperation, AwsOperations } from './aws-api.ts';
import { type AwsStep, outcomeOf, retryAfterMsOf, translateAwsError } from './aws-errors.ts';
import { createMeter, type Meter } from './aws-meter.ts';
import { awsOperations, isWrite } from './aws-operations.ts';
import type { Budget, Claimant, Refusal, Reservation } from './budget.ts';
import { retry } from './retry.ts';

/** Who pays for a call. */
export interface Payer extends Pick<Claimant, 'namespace' | 'isScan'> {
  /** Pays for the first attempt, as far as it goes. */
  readonly reservation?: Pick<Reservation, 'spend'>;
  /** Gets one line for each write that is sent; default the process's. */
  readonly log?: Logger;
}

export interface AwsCallOptions extends Payer {
  /** As `Claimant.subject`. */
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
}

/** What hands credentials out may restart, or start after the operator: only then is a person asked. */
const CREDENTIALS_GRACE_MS = 300_000;

export function createAwsCall(ports: AwsCallPorts): AwsCall {
  const { clock, budget, metrics } = ports;
  const translate = createTranslation(clock);
  return (operation, input, options) => {
    const {
      signal = new AbortController().signal,
      log = ports.log,
      reservation,
      ...claim
    } = options;
    const meter = createMeter(metrics, clock, operation);
    const send = request({ ...ports, log, translate, meter });
    const attempt = async (): Promise<AwsOperations[typeof operation][1]> => {
      const isPaid = reservation?.spend(operation) ?? false;
      if (!isPaid) {
        await budget.take({ operation, ...claim }, signal);
      }
      signal.throwIfAborted();
      return send(operation, input, { subject: claim.subject, signal });
    };
    const { isIdempotent } = awsOperations[operation];
    return retry(attempt, { clock, signal, isIdempotent }).finally(() => meter.done());
  };
}

/** The same calls, paid for by somebody, and their writes logged by the payer's log. */
export function callFor(payer: Payer, call: AwsCall): AwsCall {
  return (operation, input, options) => call(operation, input, { ...options, ...payer });
}

/** From the check of the lease to the dispatch nothing is awaited: no write starts without it. */
function request(parts: RequestParts): RequestOnce {
  const { api, budget, leadership, log, meter, translate } = parts;
  // From then on the SDK goes by AWS's time: a second refusal has another cause.
  let hadSkew = false;
  return async (operation, input, { subject, signal }) => {
    if (isWrite(operation)) {
      assertLeader(leadership);
      log.info('write to AWS', { operation, subject, input });
    }
    const sent = meter.sending();
    try {
      const output = await api.send(operation, input, isWrite(operation) ? undefined : signal);
      sent.answered();
      budget.recover(operation);
      translate.accepted();
      return output;
    } catch (thrown) {
      const error = translate.refused(thrown, { operation, subject, hadSkew });
      hadSkew ||= error.reason === 'ClockSkew';
      sent.refused(error);
      if (signal.aborted && !isWrite(operation)) throw signal.reason;
      if (isRefusal(error.reason)) {
        budget.refused(operation, error.reason, retryAfterMsOf(thrown));
      } else if (isAnswer(thrown, error)) {
        budget.recover(operation);
      }
      throw error;
    }
  };
}

interface RequestParts extends AwsCallPorts {
  readonly meter: Meter;
  readonly translate: ReturnType<typeof createTranslation>;
}

type RequestOnce = <Operation extends AwsOperation>(
  operation: Operation,
  input: AwsOperations[Operation][0],
  options: Required<Pick<AwsCallOptions, 'subject' | 'signal'>>,
) => Promise<AwsOperations[Operation][1]>;

/** Remembers since when there are no credentials: for how long decides who heals that. */
function createTranslation(clock: Clock): {
  accepted(): void;
  refused(thrown: unknown, step: AwsStep & { readonly hadSkew: boolean }): OperatorError;
} {
  let unavailableSinceMs: number | undefined;
  return {
    accepted() {
      unavailableSinceMs = undefined;
    },
    refused(thrown, step) {
      const error = translateAwsError(thrown, step);
      // Whatever else AWS refused, it took the credentials.
      if (isAnswer(thrown, error) && !isRefusal(error.reason) && !isOfSignature(error.reason)) {
        unavailableSinceMs = undefined;
      }
      const isForPerson =
        error.reason === 'CredentialsUnavailable'
          ? haveLasted()
          : step.hadSkew && error.reason === 'ClockSkew';
      return isForPerson ? translateAwsError(thrown, step, 'CredentialsRefused') : error;
    },
  };

  function haveLasted(): boolean {
    const nowMs = clock.monotonicMs();
    unavailableSinceMs ??= nowMs;
    return nowMs - unavailableSinceMs >= CREDENTIALS_GRACE_MS;
  }
}

/** Not of what hands out the credentials, nor of this process. */
function isAnswer(thrown: unknown, { reason }: OperatorError): boolean {
  return outcomeOf(thrown).statusCode > 0 && reason !== 'CredentialsUnavailable';
}

function isOfSignature(reason: string): boolean {
  return reason === 'CredentialsRefused' || reason === 'ClockSkew';
}

function isRefusal(reason: string): reason is Refusal {
  return ['Throttled', 'AwsUnavailable', 'AwsUnreachable'].includes(reason);
}
