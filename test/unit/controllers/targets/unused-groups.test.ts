import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { SHOP, servedBy, TargetsBench } from './targets-bench.ts';

/** A group that no action names, with a target of a Service that it had before. */
function returned(): { readonly bench: TargetsBench; readonly wait: () => Promise<void> } {
  const bench = new TargetsBench();
  const arn = bench.group('web', { isUsed: false });
  bench.registerOutOfBand(arn, '10.0.2.77');
  bench.runPods(1);
  bench.publish(arn, { isUnused: true });
  return { bench, wait: () => bench.targets.waitUntilFilled(SHOP, new AbortController().signal) };
}

async function isOverAfter(
  bench: TargetsBench,
  waiting: Promise<void>,
  ms: number,
): Promise<boolean> {
  let isOver = false;
  void waiting.then(() => (isOver = true));
  await bench.clock.advance(ms);
  return isOver;
}

describe('the wait for an unused group with a target of its former Service', () => {
  it('does not last while AWS denies the deregistration', async () => {
    const { bench, wait } = returned();
    bench.refuse('DeregisterTargets', 'AccessDenied', { forMs: 3_600_000 });
    expect(await isOverAfter(bench, wait(), 5_000)).toBe(true);
    await bench.clock.advance(60_000);
    expect(await isOverAfter(bench, wait(), 2_000)).toBe(true);
    expect(bench.state.problem?.reason).toBe('AccessDenied');
  });

  it('does not last while AWS denies the read', async () => {
    const { bench, wait } = returned();
    bench.refuse('DescribeTargetHealth', 'AccessDenied', { forMs: 3_600_000 });
    expect(await isOverAfter(bench, wait(), 5_000)).toBe(true);
    await bench.clock.advance(60_000);
    expect(await isOverAfter(bench, wait(), 2_000)).toBe(true);
  });

  it('lasts while the new pods are being registered, in whose favour the others stay', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web', { isUsed: false });
    bench.runPods(1);
    bench.publish(arn, { isNew: true });
    await bench.clock.advance(60_000);
    bench.runPods({ '10.0.2.77': 'ready' }, 'next');
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.fault('DeregisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(arn, { isUnused: true, service: { name: 'next', port: 'http' } });
    const waiting = bench.targets.waitUntilFilled(SHOP, new AbortController().signal);
    expect(await isOverAfter(bench, waiting, 599)).toBe(false);
    expect(await isOverAfter(bench, waiting, 300)).toBe(true);
    expect(bench.registered(arn)).toEqual(['10.0.2.77:8080']);
  });

  it('lasts until its read, which is postponed only as long as nothing waits for it', async () => {
    const bench = new TargetsBench({
      budget: { ...NO_LIMITS, reads: { burst: 1, perSecond: 1 } },
    });
    const others = Array.from({ length: 100 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    bench.targets.publish(
      'web/many',
      others.map((one) => servedBy(one)),
    );
    const arn = bench.group('web', { isUsed: false });
    bench.registerOutOfBand(arn, '10.0.2.77');
    bench.publish(arn, { isUnused: true });
    await bench.clock.advance(3_000);
    expect(bench.state).toMatchObject({ isKnown: false, problem: { reason: 'ServiceNotFound' } });
    const waiting = bench.targets.waitUntilFilled(SHOP, new AbortController().signal);
    expect(await isOverAfter(bench, waiting, 0)).toBe(false);
    expect(await isOverAfter(bench, waiting, 5_000)).toBe(true);
    expect(bench.registered(arn)).toEqual([]);
  });
});
