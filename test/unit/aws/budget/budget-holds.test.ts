import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import type { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { never } from '../client/scripted-aws-api.ts';
import { create, read, setup, take, takeAll } from './claims.ts';

describe('a hold of the budget', () => {
  it('holds one class of calls after a refusal, and no other', async () => {
    const { budget, clock } = setup();
    budget.recordRefusal('DescribeTags', 'Throttled');
    await take(budget, create('shop'), never);
    expect(clock.monotonicMs()).toBe(0);
    await clock.finish(take(budget, { ...read, operation: 'DescribeLoadBalancers' }, never));
    expect(clock.monotonicMs()).toBeGreaterThan(500);
  });

  it.each(['AwsUnavailable', 'AwsUnreachable'] as const)(
    'begins with the second %s in a row',
    async (refusal) => {
      const { budget, clock, log } = setup();
      budget.recordRefusal('DescribeTags', refusal);
      expect(log.shown).toEqual([]);
      budget.recordRefusal('DescribeTags', refusal);
      await clock.finish(take(budget, read, never));
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(500);
      expect(log.shown).toHaveLength(1);
    },
  );

  it('says who keeps a call waiting: AWS while it refuses, else the budget', async () => {
    const { budget, clock } = setup(NO_LIMITS);
    for (let i = 0; i < 3; i++) {
      budget.recordRefusal('CreateLoadBalancer', 'Throttled');
      if (i < 2) await clock.advance(1600);
    }
    const refused = await take(budget, create('shop'), never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ reason: 'Throttled', retryAfterMs: expect.any(Number) });
    expect(String(refused)).toContain('AWS throttles calls');
  });

  it('holds longer with each refusal in a row, up to half a minute', async () => {
    const { budget, clock, metrics, log } = setup();
    const leastMs = [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000];
    for (const _ of leastMs) {
      budget.recordRefusal('DescribeTags', 'Throttled');
      await clock.advance(30_000);
    }
    const holdsMs = log.shown.map(({ fields }) => Number(fields['holdMs']));
    expect(
      holdsMs.map((ms, i) => ms >= (leastMs[i] ?? 0) && ms <= (leastMs[i] ?? 0) * 1.5),
    ).toEqual(leastMs.map(() => true));
    expect(new Set(holdsMs).size).toBe(holdsMs.length);
    expect(metrics.valueOf(awsMetrics.budgetHolds, { bucket: 'reads' })).toBe(leastMs.length);
  });

  it('lasts half a second beyond a throttle that comes in during a hold', async () => {
    const { budget, clock, log, metrics } = setup();
    budget.recordRefusal('DescribeTags', 'AwsUnavailable', 600);
    await clock.advance(590);
    budget.recordRefusal('DescribeTags', 'Throttled');
    await clock.finish(take(budget, read, never));
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(590 + 500);
    expect(log.shown).toHaveLength(1);
    expect(metrics.valueOf(awsMetrics.budgetHolds, { bucket: 'reads' })).toBe(1);
  });

  it.each([
    ['as long as it asks', 7000, 7100],
    ['a minute where it asks for more', 3_600_000, 60_100],
    ['no less than before where it asks for less', 1, 500],
  ])('lasts, once a refusal comes in during it, %s', async (_, askedMs, endMs) => {
    const { budget, clock } = setup(NO_LIMITS);
    budget.recordRefusal('DescribeTags', 'Throttled');
    await clock.advance(100);
    budget.recordRefusal('DescribeTags', 'AwsUnavailable', askedMs);
    const asking = (async () => {
      while (clock.monotonicMs() < 70_000) {
        const held = await take(budget, read, never).catch((error: OperatorError) => error);
        if (!held) return clock.monotonicMs();
        await sleep(clock, held.retryAfterMs ?? 0, never);
      }
      return undefined;
    })();
    const grantedMs = await clock.finish(asking);
    expect(grantedMs).toBeGreaterThanOrEqual(endMs);
    expect(grantedMs).toBeLessThanOrEqual(endMs + 1000);
  });

  it('is not lengthened by calls without service that were under way', async () => {
    const { budget, clock } = setup();
    budget.recordRefusal('DescribeTags', 'Throttled');
    await clock.advance(400);
    for (let i = 0; i < 20; i++) budget.recordRefusal('DescribeTags', 'AwsUnreachable');
    await clock.finish(take(budget, read, never));
    expect(clock.monotonicMs()).toBeLessThanOrEqual(850);
  });

  it('starts from a short hold again once AWS has answered', async () => {
    const { budget, clock, log } = setup();
    for (let i = 0; i < 6; i++) {
      budget.recordRefusal('DescribeTags', 'Throttled');
      await clock.advance(30_000);
    }
    budget.recordAnswer('DescribeTags');
    budget.recordRefusal('DescribeTags', 'Throttled');
    expect(log.shown.at(-1)?.fields['holdMs']).toBeLessThanOrEqual(750);
  });

  it('is not put at ease by answers that come in during a hold', async () => {
    const { budget, clock, log } = setup();
    budget.recordRefusal('DescribeTags', 'Throttled');
    budget.recordAnswer('DescribeTags');
    await clock.advance(1000);
    budget.recordRefusal('DescribeTags', 'Throttled');
    expect(log.shown.at(-1)?.fields['holdMs']).toBeGreaterThanOrEqual(1000);
  });

  it('holds a class in which one call after the other does not get through', async () => {
    const { budget, clock, log } = setup(NO_LIMITS);
    let sent = 0;
    const trying = async (name: string): Promise<void> => {
      while (clock.monotonicMs() < 120_000) {
        const claim = { ...read, subject: name };
        const held = await take(budget, claim, never).catch((error: OperatorError) => error);
        if (held) {
          expect(held.reason).toBe('AwsUnavailable');
          await sleep(clock, held.retryAfterMs ?? 0, never);
          continue;
        }
        sent++;
        budget.recordRefusal('DescribeTags', 'AwsUnavailable');
        await sleep(clock, 200, never);
      }
    };
    await clock.finish(Promise.all(Array.from({ length: 50 }, (_, i) => trying(`lb ${i}`))));
    // Two minutes of 50 objects that ask five times a second would be 30,000.
    expect(sent).toBeLessThan(120 * 10);
    const lastMs = log.shown.at(-1)?.fields['holdMs'];
    expect(lastMs).toBeLessThanOrEqual(12_000);
  });

  it('does not hold a class for one call that fails while others are answered', async () => {
    const { budget, clock, log } = setup();
    for (let i = 0; i < 10; i++) {
      budget.recordRefusal('DescribeTags', 'AwsUnavailable');
      budget.recordAnswer('DescribeTags');
    }
    await take(budget, read, never);
    expect(clock.monotonicMs()).toBe(0);
    expect(log.shown).toEqual([]);
  });

  it('waits as long as AWS asks for, up to a minute', async () => {
    for (const [askedMs, leastMs] of [
      [7000, 7000],
      [3_600_000, 60_000],
    ] as const) {
      const { budget, log } = setup();
      budget.recordRefusal('DescribeTags', 'AwsUnavailable', askedMs);
      const holdMs = Number(log.shown[0]?.fields['holdMs']);
      expect(holdMs).toBeGreaterThanOrEqual(leastMs);
      expect(holdMs).toBeLessThanOrEqual(leastMs * 1.5);
    }
  });

  it('slows down for AWS also where it has no limits of its own', async () => {
    const { budget, clock } = setup(NO_LIMITS);
    await takeAll(budget, (i) => create(`${i}`), 1000);
    expect(clock.monotonicMs()).toBe(0);
    budget.recordRefusal('CreateLoadBalancer', 'Throttled');
    await clock.finish(take(budget, create('shop'), never));
    expect(clock.monotonicMs()).toBeGreaterThan(500);
  });
});
