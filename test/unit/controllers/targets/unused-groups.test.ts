import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { draftService } from './endpoints.ts';
import { namesOf, podsOf, SHOP, servedBy, TargetsBench } from './targets-bench.ts';

interface Returned {
  readonly bench: TargetsBench;
  readonly arn: string;
  readonly wait: () => Promise<void>;
}

/** A group that no action names, with a target of a Service that it had before. */
function returned(prepare: (bench: TargetsBench) => void = (bench) => bench.runPods(1)): Returned {
  const bench = new TargetsBench();
  const arn = bench.group('web', { isUsed: false });
  bench.registerOutOfBand(arn, '10.0.2.77');
  prepare(bench);
  bench.publish(arn, { isUnused: true });
  const wait = (): Promise<void> =>
    bench.targets.waitUntilFilled(SHOP, new AbortController().signal);
  return { bench, arn, wait };
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
  it('lasts until that target is deregistered, also where the new Service does not exist', async () => {
    const { bench, wait } = returned(() => {});
    bench.fault('DeregisterTargets', { kind: 'delay', delayMs: 300 });
    const waiting = wait();
    expect(await isOverAfter(bench, waiting, 299)).toBe(false);
    expect(bench.state.problem?.reason).toBe('ServiceNotFound');
    expect(await isOverAfter(bench, waiting, 1)).toBe(true);
    expect(bench.sent()).toEqual(['DescribeTargetHealth', 'DeregisterTargets 1']);
  });

  it('lasts while nothing is known of the pods that are to take its place', async () => {
    const { bench, arn, wait } = returned(({ kube }) => kube.create(draftService('shop')));
    const waiting = wait();
    expect(await isOverAfter(bench, waiting, 1_500)).toBe(false);
    bench.runPods(1);
    expect(await isOverAfter(bench, waiting, 20_000)).toBe(true);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });

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
