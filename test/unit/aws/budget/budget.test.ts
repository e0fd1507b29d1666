import { describe, expect, it } from 'vitest';
import { AWS_LIMITS, NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import type { AwsOperation } from '../../../../src/aws/client/aws-api.ts';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { never } from '../client/scripted-aws-api.ts';
import { type Claim, create, read, setup, take, takeAll } from './claims.ts';

async function refusalOf(taking: Promise<void>): Promise<OperatorError> {
  const error = await taking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return error as OperatorError;
}

describe('Budget', () => {
  it("grants the burst of each of AWS's classes at once", async () => {
    const bursts = [
      { burst: 40, claim: () => read },
      { burst: 20, claim: () => ({ ...read, operation: 'AddTags' }) as const },
      { burst: 10, claim: (i: number) => create(`${i}`) },
      { burst: 20, claim: () => ({ ...read, operation: 'RegisterTargets' }) as const },
      { burst: 100, claim: () => ({ ...read, operation: 'DescribeSubnets' }) as const },
      { burst: 50, claim: () => ({ ...read, operation: 'DeleteSecurityGroup' }) as const },
    ];
    for (const { burst, claim } of bursts) {
      const { budget, clock } = setup();
      await takeAll(budget, claim, burst);
      expect(clock.monotonicMs()).toBe(0);
    }
  });

  it('counts reads and writes together as well, as AWS does for the whole account', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, (i) => create(`${i}`), 10);
    await takeAll(budget, () => ({ ...read, operation: 'AddTags' }), 20);
    await takeAll(budget, () => read, 10);
    expect(clock.monotonicMs()).toBe(0);
    await clock.finish(take(budget, read, never));
    expect(clock.monotonicMs()).toBe(100);
  });

  it('keeps no token of the account for who waits for a rarer one', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, (i) => create(`${i}`), 10);
    for (let i = 0; i < 90; i++) await refusalOf(take(budget, create(`waiting ${i}`), never));
    await takeAll(budget, () => read, 30);
    expect(clock.monotonicMs()).toBe(0);
  });

  it('sleeps in the pass for a token that comes within a second', async () => {
    const { budget, clock, metrics } = setup();
    await takeAll(budget, () => read, 40);
    await clock.finish(take(budget, read, never));
    expect(clock.monotonicMs()).toBe(100);
    expect(metrics.valueOf(awsMetrics.budgetWaitSeconds, { bucket: 'reads' })).toBeCloseTo(0.1);
  });

  it('sends a claim away with its own turn where it would take longer', async () => {
    const { budget, clock, metrics } = setup();
    await takeAll(budget, (i) => create(`${i}`), 10);
    const first = await refusalOf(take(budget, create('shop'), never));
    const second = await refusalOf(take(budget, create('cart'), never));
    expect(first).toMatchObject({ reason: 'BudgetExhausted', healedBy: 'time' });
    expect([first.retryAfterMs, second.retryAfterMs]).toEqual([5000, 10_000]);
    expect(first.message).toMatch(
      /^create load balancer shop: client-side rate limit reached; retrying in about 5 s; wait/,
    );
    expect(metrics.valueOf(awsMetrics.budgetExhausted, { bucket: 'intensive' })).toBe(2);
    await clock.advance(5000);
    await take(budget, create('shop'), never);
    expect(clock.monotonicMs()).toBe(5000);
  });

  it('shares the bucket of CreateLoadBalancer with SetSubnets', async () => {
    const { budget } = setup();
    await takeAll(budget, (i) => create(`${i}`), 10);
    const refused = take(budget, { operation: 'SetSubnets', subject: 'load balancer a' }, never);
    expect((await refusalOf(refused)).retryAfterMs).toBe(5000);
  });

  it('serves ninety creates that came at once in 450 s, none of them twice', async () => {
    const { budget, clock } = setup();
    let tries = 0;
    const untilGranted = async (claim: Claim): Promise<void> => {
      for (;;) {
        tries++;
        const refused = await take(budget, claim, never).catch((error: OperatorError) => error);
        if (!refused) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        clock.setTimer(refused.retryAfterMs ?? 0, resolve);
        await promise;
      }
    };
    const all = Array.from({ length: 100 }, (_, i) => untilGranted(create(`${i}`)));
    await clock.finish(Promise.all(all));
    expect(clock.monotonicMs()).toBe(450_000);
    expect(tries).toBe(190);
  });

  it("serves a neighbour's create within one turn while a namespace asks for 500", async () => {
    const { budget, clock } = setup();
    const untilGranted = async (claim: Claim): Promise<number> => {
      for (;;) {
        const refused = await take(budget, claim, never).catch((error: OperatorError) => error);
        if (!refused) return clock.monotonicMs();
        await sleep(clock, refused.retryAfterMs ?? 0, never);
      }
    };
    const ofTenant = (i: number): Claim => ({ ...create(`${i}`), namespace: 'tenant' });
    const all = Array.from({ length: 500 }, (_, i) => untilGranted(ofTenant(i)));
    await clock.advance(7000);
    const served = untilGranted({ ...create('shop'), namespace: 'neighbour' });
    expect(await clock.finish(served)).toBe(10_000);
    await clock.finish(Promise.all(all));
  });

  it('stops waiting when the pass is aborted, and gives its turn back', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, () => read, 40);
    const pass = new AbortController();
    const waiting = take(budget, { ...read, subject: 'load balancer a' }, pass.signal);
    const reason = new Error('the pass is over');
    pass.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
    await clock.finish(take(budget, read, never));
    expect(clock.monotonicMs()).toBe(100);
  });
});

describe('a read of a pass that is under way', () => {
  const underWay: Claim = { ...read, isUnderWay: true };

  it('waits for its turn, however long that takes', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, () => read, 40);
    const reads = Array.from({ length: 30 }, (_, at) => {
      return take(budget, { ...underWay, subject: `rule ${at}` }, never);
    });
    await clock.finish(Promise.all(reads));
    expect(clock.monotonicMs()).toBe(3000);
  });

  it('waits for no plan that cannot have its tokens before this pass ends', async () => {
    const { budget, clock } = setup();
    const reads = Array.from({ length: 20 }, () => 'DescribeRules' as const);
    const writes = Array.from({ length: 20 }, () => 'CreateRule' as const);
    const before = { subject: 'load balancer of web/shop', namespace: 'web' };
    const reserved = await budget.reserve([...reads, ...writes], before, never);
    for (const operation of reads) reserved.spend(operation);
    const planned = (async (): Promise<number> => {
      for (;;) {
        const behind = { subject: 'load balancer of other/cart', namespace: 'other' };
        const refused = await budget
          .reserve([...reads, 'SetSubnets'], behind, never)
          .then(() => undefined)
          .catch((error: OperatorError) => error);
        if (refused === undefined) return clock.monotonicMs();
        await sleep(clock, refused.retryAfterMs ?? 0, never);
      }
    })();
    const waited = take(budget, { ...underWay, namespace: 'web' }, never);
    let isRead = false;
    void waited.then(() => {
      isRead = true;
    });
    await clock.advance(10_000);
    expect(isRead).toBe(true);
    reserved.release();
    expect(await clock.finish(planned)).toBeLessThan(20_000);
  });

  it('ends where AWS itself holds the calls: that is to be shown', async () => {
    const { budget } = setup();
    budget.recordRefusal('DescribeTags', 'Throttled', 5000);
    expect(await refusalOf(take(budget, underWay, never))).toMatchObject({ reason: 'Throttled' });
  });
});

const plan = ['RemoveTags', 'AddTags', 'SetSubnets'] as const;
const shop = { subject: 'load balancer of web/shop', namespace: 'web' };

describe('a reservation', () => {
  it('keeps no writes from others while its plan waits for reads', async () => {
    const { budget, clock } = setup({ ...AWS_LIMITS, account: NO_LIMITS.account });
    await takeAll(budget, () => read, 40);
    const reads = Array.from({ length: 20 }, () => 'DescribeRules' as const);
    const writes = Array.from({ length: 20 }, () => 'AddTags' as const);
    await refusalOf(budget.reserve([...reads, ...writes], shop, never).then(() => {}));
    await clock.finish(takeAll(budget, () => ({ ...read, operation: 'AddTags' }), 20));
    expect(clock.monotonicMs()).toBe(0);
  });

  it('takes the tokens of a whole plan, or none of them', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, () => ({ ...read, operation: 'AddTags' }), 19);
    const refused = await refusalOf(
      budget.reserve(['AddTags', 'AddTags', 'AddTags', ...plan], shop, never).then(() => {}),
    );
    expect(refused).toMatchObject({ reason: 'BudgetExhausted', retryAfterMs: 1334 });
    await clock.advance(1334);
    const reserved = await budget.reserve(['AddTags', 'AddTags', 'AddTags', ...plan], shop, never);
    expect(reserved.covers(['AddTags', 'AddTags', 'AddTags', ...plan])).toBe(true);
    expect(clock.monotonicMs()).toBe(1334);
  });

  it('pays for each of its calls once', async () => {
    const { budget } = setup();
    const reserved = await budget.reserve(plan, shop, never);
    expect(reserved.covers(plan)).toBe(true);
    expect(reserved.covers(['AddTags'])).toBe(true);
    expect(reserved.covers([...plan, 'AddTags'])).toBe(false);
    expect(reserved.covers(['DescribeTags'])).toBe(false);
    expect(plan.map((operation) => reserved.spend(operation))).toEqual([true, true, true]);
    expect(reserved.spend('AddTags')).toBe(false);
  });

  it('of more than the buckets hold can be spent to the last token, and covers all of it', async () => {
    const { budget } = setup();
    const reads = Array.from({ length: 100 }, () => 'DescribeRules' as const);
    const writes = Array.from({ length: 100 }, () => 'CreateRule' as const);
    const reserved = await budget.reserve([...reads, ...writes], shop, never);
    const spent = (operations: readonly AwsOperation[]): number =>
      operations.filter((operation) => reserved.spend(operation)).length;
    expect([spent(reads), spent(writes)]).toEqual([20, 20]);
    expect(reserved.covers(writes)).toBe(true);
  });

  it('gives back what was not spent, and holds no token for ever', async () => {
    const { budget, clock } = setup();
    for (let i = 0; i < 100; i++) (await budget.reserve(plan, shop, never)).release();
    await takeAll(budget, () => ({ ...read, operation: 'AddTags' }), 20);
    expect(clock.monotonicMs()).toBe(0);
  });

  it('lets no bucket see more than its burst, however late it is spent', async () => {
    const { budget, clock } = setup();
    const reserved = await budget.reserve(plan, shop, never);
    await clock.advance(60_000);
    await takeAll(budget, () => ({ ...read, operation: 'AddTags' }), 18);
    expect(clock.monotonicMs()).toBe(60_000);
    expect(plan.map((operation) => reserved.spend(operation))).toEqual([true, true, true]);
    await clock.finish(take(budget, { ...read, operation: 'AddTags' }, never));
    expect(clock.monotonicMs()).toBeGreaterThan(60_000);
  });

  it('pays for nothing while AWS refuses the class', async () => {
    const { budget } = setup();
    const reserved = await budget.reserve(plan, shop, never);
    budget.recordRefusal('AddTags', 'Throttled');
    expect(reserved.spend('AddTags')).toBe(false);
    expect(reserved.spend('SetSubnets')).toBe(true);
  });

  it('pays for EC2 without touching the account-wide bucket of load balancing', async () => {
    const { budget, clock } = setup();
    await takeAll(budget, () => read, 40);
    await budget.take('DescribeSubnets', { subject: 'subnets' }, never);
    const reservation = await budget.reserve(
      ['CreateSecurityGroup', 'AuthorizeSecurityGroupIngress'],
      { subject: 'plan' },
      never,
    );
    expect(clock.monotonicMs()).toBe(0);
    expect(reservation.spend('CreateSecurityGroup')).toBe(true);
    expect(reservation.spend('RegisterTargets')).toBe(false);
    expect(reservation.covers(['AuthorizeSecurityGroupIngress'])).toBe(true);
    reservation.release();
  });

  it('lets the registration of targets go on while AWS holds other writes', async () => {
    const { budget, clock } = setup();
    budget.recordRefusal('CreateRule', 'Throttled');
    await budget.take('RegisterTargets', { subject: 'target group web' }, never);
    expect(clock.monotonicMs()).toBe(0);
  });
});
