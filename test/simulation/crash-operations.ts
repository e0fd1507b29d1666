import { type AwsOperation, operations } from '../../src/aws/client/operations.ts';

/** Operations of the table that none of these crash points is of: no process is killed at them. */
export function listUnreachedOperations(points: Iterable<string>): readonly AwsOperation[] {
  const reached = new Set(Array.from(points, (point) => /^aws (\w+)/.exec(point)?.[1]));
  return (Object.keys(operations) as AwsOperation[]).filter((one) => !reached.has(one));
}
