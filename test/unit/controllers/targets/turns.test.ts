import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { servedBy, TargetsBench } from './targets-bench.ts';

const never = new AbortController().signal;

describe('many groups of an earlier process', () => {
  /** Reads are rare, and a hundred groups wait for theirs. */
  async function restarted(): Promise<{ bench: TargetsBench; arns: readonly string[] }> {
    const bench = new TargetsBench({
      budget: { ...NO_LIMITS, reads: { burst: 1, perSecond: 1 } },
    });
    bench.runPods(1);
    bench.runPods(1, 'cart');
    const arns = Array.from({ length: 100 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    const groups = arns.map((arn) => servedBy(arn));
    bench.targets.publish('web/many', groups.slice(0, -1));
    return { bench, arns };
  }

  it('hold up none whose endpoints change', async () => {
    const { bench, arns } = await restarted();
    const last = arns.at(-1) ?? '';
    bench.targets.publish('web/last', [
      servedBy(last, { service: { name: 'cart', port: 'http' } }),
    ]);
    await bench.clock.advance(3_000);
    expect(bench.registered(last)).toEqual([]);
    bench.runPods(2, 'cart');
    await bench.clock.advance(3_000);
    expect(bench.registered(last)).toHaveLength(2);
  });

  it('hold up none that a pass waits for', async () => {
    const { bench, arns } = await restarted();
    const last = arns.at(-1) ?? '';
    await bench.clock.advance(3_000);
    bench.targets.publish('web/last', [servedBy(last)]);
    const waiting = bench.targets.waitUntilFilled('web/last', never);
    await bench.clock.advance(3_000);
    expect(bench.targets.read('web/last')).toMatchObject([{ isFilled: true }]);
    await waiting;
  });

  it('have no problem, and wake no object, while they wait for a turn without haste', async () => {
    const { bench } = await restarted();
    await bench.clock.advance(5_000);
    const states = bench.targets.read('web/many');
    expect(states.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(states.filter(({ isKnown }) => !isKnown).length).toBeGreaterThan(80);
    const messages = new Set(bench.log.lines.map(({ message }) => message));
    expect(messages).toEqual(new Set(['write to AWS']));
  });

  it('have that they wait for AWS as their problem, where a pass waits for them', async () => {
    const bench = new TargetsBench({
      budget: { ...NO_LIMITS, reads: { burst: 1, perSecond: 0.01 } },
    });
    bench.runPods(1);
    const arns = ['first', 'second'].map((name) => bench.group(name, { isUsed: false }));
    bench.targets.publish('web/many', [servedBy(arns[0] ?? '')]);
    bench.targets.publish('web/last', [servedBy(arns[1] ?? '')]);
    const waiting = bench.targets.waitUntilFilled('web/last', never);
    await bench.clock.advance(3_000);
    await waiting;
    expect(bench.targets.read('web/last')).toMatchObject([
      { isKnown: false, problem: { reason: 'BudgetExhausted' } },
    ]);
  });

  it('hold up no other group of their namespace that is known', async () => {
    const { bench, arns } = await restarted();
    await bench.clock.advance(1_000);
    bench.publish(arns.at(-1) ?? '', { isNew: true });
    await bench.clock.settle();
    expect(bench.state.registered).toBe(1);
  });
});

describe('a group that has vanished', () => {
  it('is asked for again before all that has no haste', async () => {
    const bench = new TargetsBench({
      budget: { ...NO_LIMITS, reads: { burst: 1, perSecond: 1 } },
    });
    bench.runPods(1);
    const arns = Array.from({ length: 100 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    const [vanished = '', ...others] = arns;
    bench.publish(vanished, { isNew: true });
    await bench.clock.settle();
    bench.outOfBand('DeleteTargetGroup', { TargetGroupArn: vanished });
    const groups = others.map((arn) => servedBy(arn));
    bench.targets.publish('web/many', groups);
    await bench.clock.advance(15_000);
    const reads = bench.aws.control.calls().filter(({ operation, input }) => {
      return operation === 'DescribeTargetHealth' && input['TargetGroupArn'] === vanished;
    });
    expect(reads.length).toBeGreaterThanOrEqual(2);
  });
});

describe('settled groups', () => {
  it('hold up none of their namespace that a pass waits for', async () => {
    const bench = new TargetsBench({
      budget: { ...NO_LIMITS, reads: { burst: 20, perSecond: 1 / 3600 } },
    });
    bench.runPods(1);
    const arns = Array.from({ length: 9 }, (_, i) => bench.group(`g${i}`));
    const groups = arns.map((arn) => servedBy(arn, { isNew: true }));
    bench.targets.publish('web/many', groups.slice(1));
    await bench.clock.settle();
    for (const [i] of arns.entries()) bench.check(`g${i}`, 'healthy');
    // The tokens that confirming them has left do not pay for all audits.
    await bench.clock.advance(2_400_000);
    bench.targets.publish('web/last', [servedBy(arns[0] ?? '')]);
    const waiting = bench.targets.waitUntilFilled('web/last', never);
    await bench.clock.advance(3_700_000);
    expect(bench.targets.read('web/last')).toMatchObject([{ isFilled: true }]);
    await waiting;
  });
});

describe('more groups of an earlier process than are worked on at once', () => {
  it('hold up no other longer than one call takes', async () => {
    const bench = new TargetsBench();
    bench.runPods(1);
    bench.fault('DescribeTargetHealth', { kind: 'delay', delayMs: 4_000 }, { forMs: 60_000 });
    const arns = Array.from({ length: 50 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    const groups = arns.map((arn) => servedBy(arn));
    bench.targets.publish('web/many', groups.slice(1));
    await bench.clock.advance(1_000);
    bench.publish(arns[0] ?? '', { isNew: true });
    await bench.clock.advance(3_000);
    expect(bench.state.registered).toBe(1);
  });
});

describe('of groups that wait for each other', () => {
  it('an empty one is first, and then one that has targets to lose', async () => {
    const bench = new TargetsBench();
    const group = async (name: string, count: number): Promise<string> => {
      const arn = bench.group(name, { isUsed: false });
      bench.runPods(count, name);
      const served = servedBy(arn, { isNew: true, service: { name, port: 'http' } });
      bench.targets.publish(`web/${name}`, [served]);
      await bench.clock.advance(200);
      return arn;
    };
    const [growing, losing] = [await group('growing', 1), await group('losing', 2)];
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 4_000 }, { times: 16 });
    for (let i = 0; i < 16; i++) await group(`busy${i}`, 1);
    bench.sent();
    bench.runPods(2, 'growing');
    bench.runPods(1, 'losing');
    const empty = group('empty', 1);
    await bench.clock.advance(6_000);
    const groups = bench.aws.control.calls().map(({ input }) => input['TargetGroupArn']);
    const order = [await empty, losing, growing].map((arn) => groups.indexOf(arn));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThanOrEqual(0);
  });
});
