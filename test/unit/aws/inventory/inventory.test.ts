import { describe, expect, it } from 'vitest';
import { AWS_LIMITS, COMMAND_LIMITS, NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { Patience } from '../../../../src/aws/client/patience.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  accountOf,
  arnOf,
  awsError,
  type Bench,
  bench,
  never,
  raise,
} from '../client/scripted-aws-api.ts';

function named(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `lb-${i}`);
}

function account(names: Iterable<string>, budget = NO_LIMITS): Bench & { names: Set<string> } {
  const own = new Set(names);
  const world = bench(
    { ...accountOf(own), AddTags: () => ({}), DeleteLoadBalancer: () => ({}) },
    budget,
  );
  return Object.assign(world, { names: own });
}

/** What the last refresh says of a balancer, its tags where it has seen it. */
function cached({ inventory }: Bench, name: string): unknown {
  const said = inventory.getCached(arnOf(name));
  return said.kind === 'observed' ? said.observed.tags : said.kind;
}

async function refresh({ inventory, clock }: Bench, wanted: Iterable<string>): Promise<void> {
  await clock.finish(inventory.refresh(new Set(wanted), never));
}

describe('refresh', () => {
  const costs: Readonly<Record<string, { balancers: number; wanted: number; calls: number }>> = {
    '400 of 400': { balancers: 400, wanted: 400, calls: 2 + 20 },
    '500 of 500': { balancers: 500, wanted: 500, calls: 3 + 25 },
    'one of 1000': { balancers: 1000, wanted: 1, calls: 5 + 1 },
    'none of 1000': { balancers: 1000, wanted: 0, calls: 5 },
    '1000 of 1000': { balancers: 1000, wanted: 1000, calls: 5 + 50 },
    '1001 of 1001': { balancers: 1001, wanted: 1001, calls: 11 + 51 },
  };
  for (const [name, { balancers, wanted, calls }] of Object.entries(costs)) {
    it(`takes ${calls} calls for ${name}`, async () => {
      const world = account(named(balancers));
      await refresh(world, named(wanted));
      expect(world.api.sent).toHaveLength(calls);
      const seen = named(balancers).filter((n) => typeof cached(world, n) === 'object');
      expect(seen).toHaveLength(wanted);
    });
  }

  it('stays within the budget of AWS for 1000 balancers, and waits for it', async () => {
    const world = account(named(1000), AWS_LIMITS);
    await refresh(world, named(1000));
    expect(world.api.sent).toHaveLength(5 + 50);
    expect(cached(world, 'lb-999')).toEqual({ name: 'lb-999' });
    expect(world.clock.monotonicMs()).toBeLessThan(10_000);
  });

  it('takes every other token, however many namespaces wait for one', async () => {
    const reads = { burst: 1, perSecond: 1 };
    const world = account(named(400), { ...NO_LIMITS, reads });
    const { clock, loadBalancers } = world;
    let isOver = false;
    const readOn = async (namespace: string): Promise<void> => {
      while (!isOver) {
        const reading = loadBalancers.chargeTo({ namespace }).find({ name: 'lb-0' }, never);
        const refusal = await reading.catch((error: OperatorError) => error);
        if (refusal instanceof OperatorError) await sleep(clock, refusal.retryAfterMs ?? 0, never);
      }
    };
    const others = Array.from({ length: 20 }, (_, i) => readOn(`team-${i}`));
    await clock.advance(5_000);
    const startedMs = clock.monotonicMs();
    await refresh(world, named(400));
    expect(clock.monotonicMs() - startedMs).toBeLessThan(2 * 22_000 + 5_000);
    isOver = true;
    await clock.finish(Promise.all(others));
  });

  it('remembers balancers selected by ARN as well as by name', async () => {
    const world = account(['a', 'b', 'c']);
    await refresh(world, [arnOf('a'), 'b']);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
    expect(cached(world, 'b')).toEqual({ name: 'b' });
    expect(cached(world, 'c')).toBe('unknown');
    expect(cached(world, 'd')).toBe('absent');
  });

  it('says nothing of a balancer that went between the listing and its tags', async () => {
    const names = new Set(['a', 'b']);
    const handlers = accountOf(names);
    const world = bench({
      ...handlers,
      DescribeTags(input, signal) {
        names.delete('b');
        return handlers.DescribeTags?.(input, signal);
      },
    });
    await refresh(world, ['a', 'b']);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
    expect(cached(world, 'b')).toBe('unknown');
  });

  it.each([1, 100])('fails where AWS refuses the tags of all of %d', async (count) => {
    const handlers = accountOf(new Set(named(count)));
    const world = bench({ ...handlers, DescribeTags: () => raise(awsError('SomethingNew')) });
    const refreshing = refresh(world, named(count));
    await expect(refreshing).rejects.toMatchObject({ reason: 'AwsError' });
  });

  it('outlasts a short outage, and reads nothing twice for it', async () => {
    const handlers = accountOf(new Set(named(1600)));
    const world = bench({
      ...handlers,
      DescribeTags(input, signal) {
        const atMs = world.clock.monotonicMs();
        if (atMs > 2_000 && atMs < 5_000) raise(awsError('InternalFailure', 'oops', 500));
        return handlers.DescribeTags?.(input, signal);
      },
    });
    await refresh(world, named(1600));
    expect(world.api.countOf('DescribeLoadBalancers')).toBe(16);
    expect(cached(world, 'lb-1599')).toEqual({ name: 'lb-1599' });
    const read = world.api.sent.filter(({ atMs }) => atMs <= 2_000 || atMs >= 5_000);
    expect(read).toHaveLength(16 + 80);
  });

  /** A bench whose tags AWS throttles for as long as it says. */
  function throttled(isThrottled: () => boolean): Bench {
    const handlers = accountOf(new Set(['a']));
    return bench({
      ...handlers,
      DescribeTags: (input, signal) =>
        isThrottled()
          ? raise(awsError('ThrottlingException', 'Rate exceeded'))
          : handlers.DescribeTags?.(input, signal),
    });
  }

  it('outlasts a throttle of AWS, which states no time', async () => {
    let left = 3;
    const world = throttled(() => left-- > 0);
    await refresh(world, ['a']);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
    expect(world.api.countOf('DescribeTags')).toBe(4);
  });

  it('outlasts minutes in which AWS throttles all, and reads nothing again after them', async () => {
    const clock = new ManualClock();
    const handlers = accountOf(new Set(['a']));
    const world = bench(
      {
        ...handlers,
        DescribeTags: (input, signal) =>
          clock.monotonicMs() < 300_000
            ? raise(awsError('ThrottlingException', 'Rate exceeded'))
            : handlers.DescribeTags?.(input, signal),
      },
      undefined,
      { clock },
    );
    await refresh(world, ['a']);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
    expect(world.api.countOf('DescribeLoadBalancers')).toBe(1);
  });

  it('gives up with the process whose budget it has alone, however much is left to read', async () => {
    const clock = new ManualClock();
    const patience = new Patience({ clock, longestOutageMs: 0, longestThrottleMs: 60_000 });
    const world = bench(
      { DescribeTags: () => raise(awsError('ThrottlingException', 'Rate exceeded')) },
      COMMAND_LIMITS,
      { clock, patience },
    );
    const arns = named(5_000).map(arnOf);
    const reading = clock.finish(world.inventory.readTags(arns, never));
    await expect(reading).rejects.toMatchObject({
      reason: expect.stringMatching(/^(Throttled|BudgetExhausted)$/),
    });
    expect(clock.monotonicMs()).toBeLessThan(120_000);
  });

  it('keeps the former snapshot if the listing fails', async () => {
    let isDown = false;
    const handlers = accountOf(new Set(['a']));
    const world = bench({
      ...handlers,
      DescribeLoadBalancers: (input, signal) =>
        isDown
          ? raise(awsError('InternalFailure', 'oops', 500))
          : handlers.DescribeLoadBalancers?.(input, signal),
    });
    await refresh(world, ['a']);
    isDown = true;
    await expect(refresh(world, ['a'])).rejects.toMatchObject({ reason: 'AwsUnavailable' });
    expect(cached(world, 'a')).toEqual({ name: 'a' });
  });
});

describe('recall', () => {
  it('says nothing before the first refresh', () => {
    expect(cached(account(['a']), 'a')).toBe('unknown');
  });

  it('says what it has seen, however long ago', async () => {
    const world = account(['a']);
    await refresh(world, ['a']);
    await world.clock.advance(3_600_000);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
  });

  it('says nothing of a balancer that we wrote to within ten seconds before the refresh', async () => {
    const world = account(['a', 'b', 'c']);
    const { tags } = world.traffic();
    await world.clock.finish(tags.add([arnOf('a'), arnOf('c')], { x: 'y' }));
    await world.clock.advance(9999);
    await refresh(world, ['a', 'b', 'c']);
    expect(['a', 'c'].map((name) => cached(world, name))).toEqual(['unknown', 'unknown']);
    expect(cached(world, 'b')).toEqual({ name: 'b' });
    await world.clock.advance(1);
    await refresh(world, ['a', 'b', 'c']);
    expect(cached(world, 'a')).toEqual({ name: 'a' });
  });

  it('says nothing of a balancer that we wrote to since the refresh, or are writing to', async () => {
    const world = account(['a']);
    await world.clock.advance(60_000);
    await refresh(world, ['a']);
    const deleting = world.loadBalancers.delete(arnOf('a'));
    expect(cached(world, 'a')).toBe('unknown');
    await world.clock.finish(deleting);
    expect(cached(world, 'a')).toBe('unknown');
  });

  it('counts a write that failed as a write, since it may have been carried out', async () => {
    const world = bench({
      ...accountOf(new Set(['a'])),
      SetSubnets: () => raise(awsError('InternalFailure', 'oops', 500)),
    });
    await world.clock.finish(world.loadBalancers.setSubnets(arnOf('a'), ['s'])).catch(() => {});
    await refresh(world, ['a']);
    expect(cached(world, 'a')).toBe('unknown');
  });

  it('says nothing of a balancer of which the answer to the create was lost', async () => {
    const world = bench({
      ...accountOf(new Set(['a'])),
      CreateLoadBalancer: () => raise(awsError('InternalFailure', 'oops', 500)),
    });
    const settings = {
      name: 'a',
      scheme: 'internal',
      subnets: ['s'],
      ipAddressType: 'ipv4',
      tags: {},
    };
    await world.clock.finish(world.loadBalancers.create(settings)).catch(() => {});
    await refresh(world, ['a']);
    expect(cached(world, 'a')).toBe('unknown');
  });
});

describe('observe', () => {
  const look = (world: Bench, names: readonly string[]): Promise<readonly (string | undefined)[]> =>
    world.clock.finish(
      Promise.all(
        names.map(async (name) => (await world.inventory.observe(arnOf(name), never))?.name),
      ),
    );

  it('is one call for twenty who ask within a moment', async () => {
    const world = account(named(20));
    expect(await look(world, named(20))).toEqual(named(20));
    expect(world.api.sent).toHaveLength(1);
  });

  it('lists the account where more than twenty ask', async () => {
    const world = account(named(300));
    await refresh(world, []);
    const before = world.api.sent.length;
    expect(await look(world, named(300))).toEqual(named(300));
    expect(world.api.sent.length - before).toBe(2);
  });

  it('lists a large account in smaller pages', async () => {
    const world = account(named(1001));
    await refresh(world, []);
    const before = world.api.sent.length;
    expect(await look(world, named(1001))).toEqual(named(1001));
    expect(world.api.sent.length - before).toBe(11);
  });

  it.each([
    ['', true],
    [', nor one of unknown size', false],
  ])('lists no large account for a few%s', async (_, isScanned) => {
    const world = account(named(5000));
    if (isScanned) await refresh(world, []);
    const before = world.api.sent.length;
    expect(await look(world, named(21))).toEqual(named(21));
    expect(world.api.sent.length - before).toBe(2);
  });

  it('lists no account to save a single call', async () => {
    const world = account(named(40));
    await refresh(world, []);
    await look(world, named(40));
    const [, ...asked] = world.api.sent.map(({ input }) => 'LoadBalancerArns' in Object(input));
    expect(asked).toEqual([true, true]);
  });

  it('says of one that AWS does not find that it is absent', async () => {
    expect(await look(account([]), ['gone'])).toEqual([undefined]);
  });

  it('says only of the missing ones that they are absent', async () => {
    const world = account(named(10));
    expect(await look(world, ['lb-1', 'gone', 'lb-2'])).toEqual(['lb-1', undefined, 'lb-2']);
    expect(await look(world, [...named(10), 'gone', ...named(10)])).toHaveLength(21);
  });

  it('does not take a listing for proof of absence, but asks by ARN', async () => {
    const names = new Set(named(50));
    const handlers = accountOf(names);
    const stale = accountOf(new Set(named(49)));
    const world = bench({
      ...handlers,
      DescribeLoadBalancers: (input, signal) =>
        (input.LoadBalancerArns ? handlers : stale).DescribeLoadBalancers?.(input, signal),
    });
    await refresh(world, []);
    expect(await look(world, named(50))).toEqual(named(50));
    expect(world.api.sent).toHaveLength(3);
  });

  it('takes no failure for absence', async () => {
    const world = bench({
      DescribeLoadBalancers: () => raise(awsError('AccessDenied', 'no')),
    });
    await expect(look(world, ['a', 'b'])).rejects.toMatchObject({ reason: 'AccessDenied' });
  });
});

describe("a neighbour's read while another namespace asks for 200", () => {
  const reads: Readonly<Record<string, (world: Bench) => Promise<unknown>>> = {
    'by name': ({ loadBalancers }) =>
      loadBalancers.chargeTo({ namespace: 'shop' }).find({ name: 'lb-1' }, never),
    'of tags': ({ loadBalancers }) =>
      loadBalancers.chargeTo({ namespace: 'shop' }).readTags(arnOf('lb-1'), never),
    'of a state': ({ inventory }) =>
      inventory.chargeTo({ namespace: 'shop' }).observe(arnOf('lb-1'), never),
    'of the whole account': ({ inventory }) => inventory.refresh(new Set(['lb-1']), never),
  };
  it.each(Object.entries(reads))('waits for one of theirs: %s', async (_, read) => {
    const world = account(named(200), AWS_LIMITS);
    const tenant = world.loadBalancers.chargeTo({ namespace: 'tenant' });
    const theirs = named(200).map((name) => tenant.find({ name }, never));
    const all = Promise.allSettled(theirs);
    await world.clock.settle();
    await world.clock.finish(read(world));
    expect(world.clock.monotonicMs()).toBeLessThanOrEqual(500);
    await world.clock.finish(all);
  });
});

it('two batches of tags that wait for tokens each have a turn, before a read that comes later', async () => {
  const names = named(40);
  const world = account(names, { ...NO_LIMITS, reads: { burst: 1, perSecond: 4 } });
  const { api, clock, loadBalancers } = world;
  const { tags } = world.traffic();
  const reads: Promise<unknown>[] = [tags.read(arnOf('lb-0'), never)];
  await clock.advance(6);
  reads.push(...names.map((name) => tags.read(arnOf(name), never)));
  await clock.advance(6);
  reads.push(loadBalancers.find({ name: 'lb-0' }, never));
  await clock.finish(Promise.all(reads));
  const [, ...sent] = api.sent.map(({ operation, input }) => {
    const { ResourceArns = [] } = input as { readonly ResourceArns?: readonly string[] };
    return `${operation} ${ResourceArns.length}`;
  });
  expect(sent.slice(0, 3)).toEqual([
    'DescribeTags 20',
    'DescribeTags 20',
    'DescribeLoadBalancers 0',
  ]);
});
