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
  /** Ends a read at any time, a write only as long as it has not been sent. */
  readonly signal?: AbortSignal;
  /**
   * Nothing leaves before this resolves; if it rejects, nothing leaves at all, and the call throws
   * the same. Budget and request are seen to meanwhile.
   */
  readonly cleared?: Promise<void>;
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
  return (operation, input, { subject, cleared, signal = new AbortController().signal }) => {
    const { api, clock, budget, metrics } = ports;
    const meter = createMeter(metrics, clock, operation);
    const request = measured(ports, meter);
    const attempt = async (): Promise<AwsOperations[typeof operation][1]> => {
      await budget.take({ operation, subject }, signal);
      signal.throwIfAborted();
      if (!cleared) {
        const limit = isWrite(operation) ? undefined : signal;
        return request(() => api.send(operation, input, limit), { operation, subject, signal });
      }
      const send = api.prepare(operation, input);
      await cleared;
      return request(send, { operation, subject, signal });
    };
    const { isIdempotent } = awsOperations[operation];
    return retry(attempt, { clock, signal, isIdempotent }).finally(() => meter.done());
  };
}

/** From the check of the lease to the dispatch nothing is awaited: no write starts without it. */
function measured(ports: AwsCallPorts, meter: Meter): RequestOnce {
  const { budget, leadership } = ports;
  return async (send, { operation, subject, signal }) => {
    if (isWrite(operation)) assertLeader(leadership);
    const sent = meter.sending();
    try {
      const output = await send();
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

type RequestOnce = <Output>(
  send: () => Promise<Output>,
  call: {
    readonly operation: AwsOperation;
    readonly subject: string;
    readonly signal: AbortSignal;
  },
) => Promise<Output>;
