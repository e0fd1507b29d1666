import type { Clock } from '../core/clock.ts';
import { type AwsCall, callFor } from './aws-call.ts';
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
    load: (arns, signal, namespace) => readTags(callFor(namespace, call), arns, signal),
  });
}

function readTags(call: AwsCall, arns: readonly string[], signal: AbortSignal): Promise<TagsByArn> {
  return arns.length === 1 ? oneByOne(arns) : together();

  async function together(): Promise<TagsByArn> {
    // One ARN that is missing or wrong fails the whole call and AWS does not say which.
    const found = (await orUnread(describe(arns))) ?? new Map<string, Tags>();
    const missing = arns.filter((arn) => !found.has(arn));
    return new Map([...found, ...(await oneByOne(missing))]);
  }

  function oneByOne(asked: readonly string[]): Promise<TagsByArn> {
    return eachAlone(asked, (arn) => orAbsent(tagsOfOne(arn)));
  }

  async function tagsOfOne(arn: string): Promise<Tags> {
    const tags = (await describe([arn])).get(arn);
    if (tags) return tags;
    const step = { operation: 'DescribeTags', subject: subjectOf([arn]) } as const;
    throw unreadable(step, 'the answer lacks the load balancer');
  }

  async function describe(asked: readonly string[]): Promise<Map<string, Tags>> {
    const input = { ResourceArns: [...asked] };
    const answer = await call('DescribeTags', input, { subject: subjectOf(asked), signal });
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
