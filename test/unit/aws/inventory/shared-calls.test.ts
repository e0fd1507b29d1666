import { describe, expect, it } from 'vitest';
import {
  accountOf,
  arnOf,
  awsError,
  type Bench,
  bench,
  never,
  raise,
} from '../client/scripted-aws-api.ts';

describe('an ARN that AWS refuses', () => {
  it('fails the pass that asked for it and no other of the same moment', async () => {
    const handlers = accountOf(new Set(['a']));
    const refusing: typeof handlers = Object.fromEntries(
      Object.entries(handlers).map(([operation, handle]) => [
        operation,
        (input: object, signal: AbortSignal) =>
          JSON.stringify(input).includes('forged')
            ? raise(awsError('ValidationError', "'forged' is not a valid ARN", 400))
            : handle?.(input as never, signal),
      ]),
    );
    const { inventory, loadBalancers, clock } = bench(refusing);
    const answers = Promise.allSettled([
      inventory.observe(arnOf('a'), never),
      inventory.observe('forged', never),
      loadBalancers.readTags(arnOf('a'), never),
      loadBalancers.readTags('forged', never),
    ]);
    const [look, forgedLook, tags, forgedTags] = await clock.finish(answers);
    expect([look?.status, tags?.status]).toEqual(['fulfilled', 'fulfilled']);
    for (const answer of [forgedLook, forgedTags]) {
      expect(answer).toMatchObject({ reason: { reason: 'ValidationError' } });
    }
  });
});

describe('a call that two tenants share', () => {
  const ARNS = [arnOf('mine'), arnOf('theirs')] as const;
  type Read = (world: Bench, arn: string) => Promise<unknown>;
  const reads: Readonly<Record<string, Read>> = {
    DescribeLoadBalancers: ({ inventory }, arn) => inventory.observe(arn, never),
    DescribeTags: ({ loadBalancers }, arn) => loadBalancers.readTags(arn, never),
  };
  const both = (world: Bench, read: Read): Promise<readonly PromiseSettledResult<unknown>[]> =>
    world.clock.finish(Promise.allSettled(ARNS.map((arn) => read(world, arn))));

  it.each(Object.entries(reads))(
    'fails each with its own ARN alone: %s',
    async (operation, read) => {
      const world = bench({ [operation]: () => raise(awsError('InternalFailure', 'oops', 500)) });
      const answers = await both(world, read);
      for (const [index, answer] of answers.entries()) {
        const { message } = answer.status === 'rejected' ? answer.reason : { message: '' };
        expect(message).toContain(`load balancer ${ARNS[index]}: `);
        expect(message).not.toContain(ARNS[1 - index]);
      }
    },
  );

  it.each(Object.entries(reads))(
    'and that is asked in parts fails only whose part fails: %s',
    async (operation, read) => {
      const account = accountOf(new Set(['mine', 'theirs']));
      const world = bench({
        [operation]: (input: { LoadBalancerArns?: string[]; ResourceArns?: string[] }) => {
          const [arn, ...others] = input.LoadBalancerArns ?? input.ResourceArns ?? [];
          if (others.length > 0) raise(awsError('ValidationError'));
          if (arn === ARNS[0]) raise(awsError('AccessDenied'));
          return account[operation as 'DescribeTags']?.(input as never, never);
        },
      });
      const [mine, theirs] = await both(world, read);
      expect(mine).toMatchObject({ reason: { reason: 'AccessDenied' } });
      expect(theirs?.status).toBe('fulfilled');
    },
  );
});
