import { type AwsOperation, type AwsOperations, isWrite } from './operations.ts';

export type { AwsOperation, AwsOperations } from './operations.ts';

/**
 * The one way to AWS, just above the SDK client and below budget, retry, error translation and
 * inventory. One call is one HTTP request: an implementation never retries. It rejects with what
 * the SDK throws (`name` is AWS's code, e.g. LoadBalancerNotFoundException), with the reason of the
 * signal, or with DeadlineExceeded.
 */
export interface AwsApi {
  send<Operation extends AwsOperation>(
    operation: Operation,
    input: AwsOperations[Operation][0],
    options?: ApiSendOptions,
  ): Promise<AwsOperations[Operation][1]>;
}

export interface ApiSendOptions {
  /** Given for reads only: a write, once sent, is seen through, and an implementation bounds its time itself. */
  readonly signal?: AbortSignal | undefined;
  /** Called for a write in the moment in which it is sent, after the last check of the lease. */
  readonly onWrite?: (() => void) | undefined;
}

/**
 * Sends reads, and of the writes the listed ones alone: the operation table decides, whatever the caller
 * does. Rejects with an Error for any other, before anything is sent.
 */
export function restrictWrites(api: AwsApi, allowed: readonly AwsOperation[]): AwsApi {
  return {
    async send(operation, input, options) {
      if (isWrite(operation) && !allowed.includes(operation)) {
        throw new Error(`${operation} is a write that this process may not send`);
      }
      return api.send(operation, input, options);
    },
  };
}
