import { describe, expect, it } from 'vitest';
import { addressOf, podsOf, SHOP, servedBy, TargetsBench } from './targets-bench.ts';

const never = new AbortController().signal;

async function filled(): Promise<TargetsBench> {
  const bench = new TargetsBench();
  bench.runPods(2);
  bench.publish(bench.group('web'), { isNew: true });
  await bench.clock.settle();
  bench.check('web', 'healthy');
  await bench.clock.advance(60_000);
  bench.targets.readForStatus(SHOP);
  bench.woken.splice(0);
  return bench;
}

const timesOf = (bench: TargetsBench): readonly number[] => bench.woken.map(({ atMs }) => atMs);

describe('an object is woken', () => {
  it('at once by the first change of its answer, and by what follows once a second', async () => {
    const bench = await filled();
    const startMs = bench.clock.monotonicMs();
    for (let count = 3; count < 28; count++) {
      bench.runPods(count);
      await bench.clock.advance(100);
    }
    expect(timesOf(bench).map((atMs) => atMs - startMs)).toEqual([0, 1_000, 2_000]);
    expect(new Set(bench.woken.map(({ key }) => key))).toEqual(new Set([SHOP]));
  });

  it('when health changes, and not because AWS was asked again', async () => {
    const bench = await filled();
    await bench.clock.advance(3_600_000);
    expect(bench.woken).toEqual([]);
    bench.check('web', 'unhealthy');
    await bench.clock.advance(2_200_000);
    expect(bench.woken).toHaveLength(1);
    await bench.clock.advance(3_600_000);
    expect(bench.woken).toHaveLength(1);
  });

  it('by a problem and by its end', async () => {
    const bench = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied');
    bench.runPods({ [addressOf(0)]: 'ready', [addressOf(2)]: 'ready' });
    await bench.clock.advance(500);
    const [told] = bench.targets.readForStatus(SHOP);
    expect(told?.problem?.reason).toBe('AccessDenied');
    bench.woken.splice(0);
    await bench.clock.advance(1_500);
    expect(bench.woken).toHaveLength(1);
    expect(bench.state.problem).toBeUndefined();
  });

  it('when the group that its own replaces has no target any more', async () => {
    const bench = await filled();
    const [before, after] = [bench.group('before'), bench.group('after')];
    const old = { name: 'old', port: 'http' };
    bench.runPods(1, 'old');
    bench.targets.publish(SHOP, [
      servedBy(after, { isNew: true, targetType: 'instance' }),
      servedBy(before, { isNew: true, isReplaced: true, service: old }),
    ]);
    await bench.clock.advance(5_000);
    const told = bench.targets.readForStatus(SHOP);
    expect(told).toMatchObject([{ desired: 0, isReplacing: true }]);
    bench.woken.splice(0);
    bench.runPods({}, 'old');
    await bench.clock.advance(1_000);
    expect(bench.woken).toHaveLength(1);
    expect(bench.targets.read(SHOP)[0]?.isReplacing).toBeUndefined();
  });

  it('not by what it has read already', async () => {
    const bench = await filled();
    bench.runPods(3);
    await bench.clock.advance(0);
    bench.targets.readForStatus(SHOP);
    bench.woken.splice(0);
    await bench.clock.advance(4_000);
    expect(bench.woken).toEqual([]);
  });

  it('by what was only read, as the drift scan does, or published again', async () => {
    const bench = await filled();
    bench.runPods(3);
    await bench.clock.advance(0);
    bench.targets.readForStatus(SHOP);
    bench.runPods(4);
    await bench.clock.advance(100);
    bench.woken.splice(0);
    expect(bench.targets.read(SHOP)).toMatchObject([{ registered: 4 }]);
    bench.publish(bench.group('web'));
    await bench.clock.advance(1_000);
    expect(bench.woken).toHaveLength(1);
  });

  it('not by its own publication, nor by what it waits for', async () => {
    const bench = new TargetsBench();
    bench.runPods(2);
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(bench.group('web'), { isNew: true });
    const waiting = bench.targets.waitUntilFilled(SHOP, never);
    await bench.clock.advance(300);
    await waiting;
    expect(bench.targets.readForStatus(SHOP)).toMatchObject([{ registered: 2 }]);
    await bench.clock.advance(4_000);
    expect(bench.woken).toEqual([]);
  });

  it('although the pass that waited has never read', async () => {
    const bench = new TargetsBench();
    bench.runPods(2);
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(bench.group('web'), { isNew: true });
    const waiting = bench.targets.waitUntilFilled(SHOP, never);
    await bench.clock.advance(1_500);
    await waiting;
    expect(bench.woken).toHaveLength(1);
  });

  it('no more once its groups are withdrawn', async () => {
    const bench = await filled();
    bench.runPods(podsOf(3));
    bench.targets.withdraw(SHOP);
    bench.woken.splice(0);
    await bench.clock.advance(10_000);
    expect(bench.woken).toEqual([]);
  });
});
