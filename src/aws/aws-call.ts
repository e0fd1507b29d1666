import type { Clock } from '../core/clock.ts';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { Metrics } from '../core/metrics.ts';
import type { AwsApi, AwsOperation, AwsOperations } from './aws-api.ts';
import { translateAwsError } from './aws-errors.ts';
import { createMeter, type Meter } from './aws-meter.ts';
import { awsOperations, isWrite } from './aws-operations.ts';
import type { Budget } from './budget.ts';
import { retry } from './retry.ts';

export interface AwsCallOptions {
  /** `load balancer <name or ARN>`, or fixed words for a call that many share. */
  readonly subject: string;
  /** Whose turns in the budget it takes; without one, those of calls that many share. */
  readonly namespace?: string;
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
}

export function createAwsCall(ports: AwsCallPorts): AwsCall {
  return (operation, input, options) => {
    const { signal = new AbortController().signal, ...claim } = options;
    const { clock, budget, metrics } = ports;
    const meter = createMeter(metrics, clock, operation);
    const send = request(ports, meter);
    const attempt = async (): Promise<AwsOperations[typeof operation][1]> => {
      await budget.take({ operation, ...claim }, signal);
      signal.throwIfAborted();
      return send(operation, input, { subject: claim.subject, signal });
    };
    const { isIdempotent } = awsOperations[operation];
    return retry(attempt, { clock, signal, isIdempotent }).finally(() => meter.done());
  };
}

/** The same calls, paid for with the turns of one namespace. */
export function callFor(namespace: string | undefined, call: AwsCall): AwsCall {
  if (namespace === undefined) return call;
  return (operation, input, options) => call(operation, input, { ...options, namespace });
}

/** From the check of the lease to the dispatch nothing is awaited: no write starts without it. */
function request(ports: AwsCallPorts, meter: Meter): RequestOnce {
  const { api, budget, leadership } = ports;
  return async (operation, input, { subject, signal }) => {
    if (isWrite(operation)) assertLeader(leadership);
    const sent = meter.sending();
    try {
      const output = await api.send(operation, input, isWrite(operation) ? undefined : signal);
      sent.answered();
      budget.recover(operation);
      return output;
    } catch (thrown) {
      const error = translateAwsError(thrown, { operation, subject });
      sent.refused(error);
      if (error.reason === 'Throttled') budget.slowDown(operation);
      throw signal.aborted && !isWrite(operation) ? signal.reason : error;
    }
  };
}

type RequestOnce = <Operation extends AwsOperation>(
  operation: Operation,
  input: AwsOperations[Operation][0],
  options: Required<Omit<AwsCallOptions, 'namespace'>>,
) => Promise<AwsOperations[Operation][1]>;
