import type { AwsApi } from './aws-api.ts';
import { type AwsOperation, isWrite } from './operations.ts';

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
