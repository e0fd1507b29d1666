import type { Clock } from '../core/clock.ts';
import type { AwsCall } from './aws-call.ts';
import { unreadable } from './aws-errors.ts';
import { type Answers, type Calls, MOST_ARNS, readEach, subjectOf } from './balancer-reader.ts';
import { type Ask, createBatch } from './batch.ts';
import { shapePairs } from './load-balancer-shape.ts';
import type { Tags } from './load-balancers.ts';

/** Reads tags by ARN, 20 balancers a call; undefined: AWS answered LoadBalancerNotFound. */
export function createTagsReader(call: AwsCall, clock: Clock): Ask<Tags | undefined> {
  return createBatch({
    clock,
    mostKeys: MOST_ARNS,
    load: (arns, signal, payerOf) => readTags({ call, payerOf }, arns, signal),
  });
}

/** Up to 20. */
export function readTags(
  { call, payerOf }: Calls,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<Answers<Tags>> {
  return readEach(arns, async (asked) => {
    const input = { ResourceArns: [...asked] };
    const subject = subjectOf(asked);
    const answer = await call('DescribeTags', input, { subject, signal, ...payerOf?.(asked) });
    const read = new Map(
      (answer.TagDescriptions ?? []).flatMap(({ ResourceArn, Tags: tags }) =>
        ResourceArn ? [[ResourceArn, shapePairs(tags ?? [])] as const] : [],
      ),
    );
    const [only = ''] = asked;
    if (asked.length > 1 || read.has(only)) return read;
    throw unreadable({ operation: 'DescribeTags', subject }, 'the answer lacks the load balancer');
  });
}
