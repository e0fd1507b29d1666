import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { STALENESS_BOUND_MS } from '../../../../src/aws/elbv2/load-balancers.ts';
import { AccountInventory } from '../../../../src/aws/inventory/inventory.ts';
import { WriteLedger } from '../../../../src/aws/inventory/write-ledger.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  accountOf,
  arnOf,
  awsError,
  type Bench,
  bench,
  described,
  type Handlers,
  never,
  raise,
} from '../client/scripted-aws-api.ts';

type ReadTags = NonNullable<Handlers['DescribeTags']>;

const CALL_MS = 1000;

function named(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `lb-${i}`);
}

/** An account of these balancers; each read of tags takes `CALL_MS`, or `refuse` throws at once. */
function slowAccount(names: readonly string[], refuse?: ReadTags): Bench {
  const clock = new ManualClock();
  const handlers = accountOf(new Set(names));
  return bench(
    {
      ...handlers,
      async DescribeTags(input, signal) {
        refuse?.(input, signal);
        await sleep(clock, CALL_MS, never);
        return handlers.DescribeTags?.(input, signal);
      },
    },
    NO_LIMITS,
    { clock },
  );
}

function refresh({ inventory, clock }: Bench, names: readonly string[]): Promise<void> {
  return clock.finish(inventory.refresh(new Set(names), never));
}

describe('the tags of many balancers', () => {
  it('are read by four calls at once', async () => {
    const world = slowAccount(named(160));
    await refresh(world, named(160));
    expect(world.api.countOf('DescribeTags')).toBe(8);
    expect(world.clock.monotonicMs()).toBe(2 * CALL_MS);
  });

  it('are given up once AWS has refused two and answered none', async () => {
    const world = slowAccount(named(160), () => raise(awsError('SomethingNew')));
    await expect(refresh(world, named(160))).rejects.toMatchObject({ reason: 'AwsError' });
    const asked = world.api.sent.map(({ input }) => JSON.stringify(input));
    expect(asked.some((input) => input.includes(arnOf('lb-79')))).toBe(true);
    expect(asked.some((input) => input.includes(arnOf('lb-80')))).toBe(false);
  });

  it('are read although AWS answers for a refused one first', async () => {
    const world = slowAccount(named(21), ({ ResourceArns }) => {
      if (ResourceArns?.includes(arnOf('lb-20'))) raise(awsError('SomethingNew'));
    });
    await refresh(world, named(21));
    expect(world.inventory.listSelected()).toHaveLength(20);
  });

  it('are read by ten calls where AWS refuses twenty for the sake of one that is gone', async () => {
    const world = slowAccount(named(20), ({ ResourceArns }) => {
      if (ResourceArns?.includes(arnOf('lb-7'))) raise(awsError('LoadBalancerNotFound'));
    });
    await refresh(world, named(20));
    expect(world.inventory.listSelected()).toHaveLength(19);
    expect(world.api.countOf('DescribeTags')).toBeLessThanOrEqual(10);
  });

  it('are read no further after a failure that is not about one of them', async () => {
    const world = slowAccount(named(160), ({ ResourceArns }) => {
      if (ResourceArns?.includes(arnOf('lb-0'))) raise(awsError('AccessDenied'));
    });
    await expect(refresh(world, named(160))).rejects.toMatchObject({ reason: 'AccessDenied' });
    await world.clock.advance(10 * CALL_MS);
    expect(world.api.countOf('DescribeTags')).toBe(4);
  });

  it('are read at once although one of them is being deleted', async () => {
    const handlers = accountOf(new Set(named(10)));
    const world = bench({
      ...handlers,
      DeleteLoadBalancer: () => ({}),
      DescribeTags: (input, signal) =>
        input.ResourceArns?.includes(arnOf('lb-3'))
          ? raise(awsError('LoadBalancerNotFoundException'))
          : handlers.DescribeTags?.(input, signal),
    });
    await world.loadBalancers.delete(arnOf('lb-3'));
    await refresh(world, named(10));
    expect(world.api.countOf('DescribeTags')).toBe(1);
    expect(world.inventory.listSelected()).toHaveLength(9);
  });
});

it('lists no Network Load Balancer among the other load balancers', async () => {
  const world = bench({
    ...accountOf(new Set()),
    DescribeLoadBalancers: () => ({
      LoadBalancers: [described('web'), { ...described('nlb'), Type: 'network' }],
    }),
  });
  await refresh(world, []);
  expect(world.inventory.listOthers()).toEqual([arnOf('web')]);
});

it('forgets with a refresh the writes that its snapshot includes', async () => {
  const clock = new ManualClock();
  const ledger = new WriteLedger(clock);
  const call = async (): Promise<never> => ({}) as never;
  const inventory = new AccountInventory({ call, clock, ledger });
  ledger.touch('a');
  await clock.advance(1);
  ledger.touch('b');
  await clock.advance(STALENESS_BOUND_MS - 1);
  await inventory.refresh(new Set(), never);
  expect(['a', 'b'].map((id) => ledger.isSettled(id, 0))).toEqual([true, false]);
});
