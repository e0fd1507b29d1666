import { describe, expect, it } from 'vitest';
import { Patience, waitForReads } from '../../../../src/aws/client/patience.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { never } from './scripted-aws-api.ts';

function fail(reason: string, retryAfterMs?: number): Promise<never> {
  const known = { reason, message: reason, healedBy: 'time' as const };
  return Promise.reject(new OperatorError({ ...known, ...(retryAfterMs && { retryAfterMs }) }));
}

function setup(longestOutageMs = 0): { clock: ManualClock; patience: Patience } {
  const clock = new ManualClock();
  return { clock, patience: new Patience({ clock, longestOutageMs, longestThrottleMs: 60_000 }) };
}

describe('patience', () => {
  it('asks again when a spent budget says, however often, where nothing bounds that', async () => {
    const clock = new ManualClock();
    const endless = { longestOutageMs: 0, longestThrottleMs: Number.POSITIVE_INFINITY };
    const patience = new Patience({ clock, ...endless });
    let left = 100;
    const ask = () => (left-- > 0 ? fail('BudgetExhausted', 3_000) : Promise.resolve('read'));
    expect(await clock.finish(patience.outlast(ask, never))).toBe('read');
    expect(clock.monotonicMs()).toBeCloseTo(300_000, -2);
  });

  it('waits for a throttled call as long as AWS answers others', async () => {
    const { clock, patience } = setup();
    let isOver = false;
    const throttled = patience.outlast(
      () => (isOver ? Promise.resolve('read') : fail('Throttled', 5_000)),
      never,
    );
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(50_000);
      await patience.outlast(() => Promise.resolve(), never);
    }
    isOver = true;
    expect(await clock.finish(throttled)).toBe('read');
  });

  it.each([
    ['Throttled', 60_000],
    ['AwsUnavailable', 20_000],
    ['AccessDenied', 0],
  ])('gives up %s after %d ms without an answer', async (reason, afterMs) => {
    const { clock, patience } = setup(20_000);
    const asking = clock.finish(patience.outlast(() => fail(reason), never));
    await expect(asking).rejects.toMatchObject({ reason });
    expect(clock.monotonicMs()).toBe(afterMs);
  });

  it('counts from the last answer, also where a refused call had waited for its tokens before', async () => {
    const { clock, patience } = setup();
    const refuse = async (): Promise<never> => {
      await sleep(clock, 59_000, never);
      await patience.outlast(() => Promise.resolve(), never);
      await sleep(clock, 2_000, never);
      return fail('Throttled');
    };
    let asked = 0;
    const ask = () => (asked++ === 0 ? refuse() : Promise.resolve('read'));
    expect(await clock.finish(patience.outlast(ask, never))).toBe('read');
  });

  it('takes two outages with throttles between for two', async () => {
    const { clock, patience } = setup(20_000);
    const failures = ['AwsUnavailable', ...Array(10).fill('Throttled'), 'AwsUnavailable'];
    const ask = () => {
      const reason = failures.shift();
      return reason === undefined ? Promise.resolve('read') : fail(reason, 3_000);
    };
    expect(await clock.finish(patience.outlast(ask, never))).toBe('read');
  });

  it('gives up after a minute without a token', async () => {
    const { clock, patience } = setup();
    const asking = clock.finish(patience.outlast(() => fail('BudgetExhausted', 3_000), never));
    await expect(asking).rejects.toMatchObject({ reason: 'BudgetExhausted' });
    expect(clock.monotonicMs()).toBe(60_000);
  });

  it('gives up after a minute also where many calls share the refusals', async () => {
    const { clock, patience } = setup();
    const turns = Array.from({ length: 150 }, (_, turn) => {
      let waitMs = turn * 2_000 + 1;
      let isTurn = true;
      const ask = () => {
        isTurn = !isTurn;
        if (isTurn) return fail('Throttled');
        const queued = fail('BudgetExhausted', waitMs);
        waitMs = 300_000;
        return queued;
      };
      return patience.outlast(ask, never);
    });
    await expect(clock.finish(Promise.all(turns))).rejects.toMatchObject({ reason: 'Throttled' });
    expect(clock.monotonicMs()).toBeLessThan(70_000);
  });

  it('ends with its signal', async () => {
    const { clock, patience } = setup();
    const controller = new AbortController();
    const asking = patience.outlast(() => fail('Throttled', 60_000), controller.signal);
    await clock.settle();
    controller.abort(new Error('Ctrl-C'));
    await expect(asking).rejects.toThrow('Ctrl-C');
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends a write once: what was read for it may not hold later', async () => {
    const { patience } = setup();
    let sent = 0;
    const call = waitForReads(() => {
      sent++;
      return fail('Throttled');
    }, patience);
    const input = { LoadBalancerArn: 'arn' };
    const deleting = call('DeleteLoadBalancer', input, { subject: 'load balancer x' });
    await expect(deleting).rejects.toMatchObject({ reason: 'Throttled' });
    expect(sent).toBe(1);
  });
});
