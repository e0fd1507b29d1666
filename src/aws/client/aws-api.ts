import type { AwsOperation, AwsOperations } from './operations.ts';

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
