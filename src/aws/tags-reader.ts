import type { Clock } from '../core/clock.ts';
import type { AwsCall } from './aws-call.ts';
import { unreadable } from './aws-errors.ts';
import { eachAlone, MOST_ARNS, orAbsent, orUnread } from './balancer-reader.ts';
import { type Ask, createBatch } from './batch.ts';
import { shapePairs } from './load-balancer-shape.ts';
import type { Tags } from './load-balancers.ts';

type TagsByArn = ReadonlyMap<string, Tags | undefined | Promise<Tags | undefined>>;

/** Reads tags by ARN, 20 balancers a call; undefined: AWS answered LoadBalancerNotFound. */
export function createTagsReader(call: AwsCall, clock: Clock): Ask<Tags | undefined> {
  return createBatch({
    clock,
    mostKeys: MOST_ARNS,
    load: (arns, signal) => (arns.length === 1 ? oneByOne(arns, signal) : together(arns, signal)),
  });

  async function together(arns: readonly string[], signal: AbortSignal): Promise<TagsByArn> {
    // One ARN that is missing or wrong fails the whole call and AWS does not say which.
    const found = (await orUnread(describe(arns, signal))) ?? new Map<string, Tags>();
    const missing = arns.filter((arn) => !found.has(arn));
    return new Map([...found, ...(await oneByOne(missing, signal))]);
  }

  function oneByOne(arns: readonly string[], signal: AbortSignal): Promise<TagsByArn> {
    return eachAlone(arns, (arn) => orAbsent(tagsOfOne(arn, signal)));
  }

  async function tagsOfOne(arn: string, signal: AbortSignal): Promise<Tags> {
    const tags = (await describe([arn], signal)).get(arn);
    if (tags) return tags;
    const step = { operation: 'DescribeTags', subject: subjectOf([arn]) } as const;
    throw unreadable(step, 'the answer lacks the load balancer');
  }

  async function describe(
    arns: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Tags>> {
    const input = { ResourceArns: [...arns] };
    const answer = await call('DescribeTags', input, { subject: subjectOf(arns), signal });
    return new Map(
      (answer.TagDescriptions ?? []).flatMap(({ ResourceArn, Tags: tags }) =>
        ResourceArn ? [[ResourceArn, shapePairs(tags ?? [])] as const] : [],
      ),
    );
  }
}

function subjectOf(arns: readonly string[]): string {
  return arns.length === 1 ? `load balancer ${arns[0]}` : 'several load balancers';
}
