import { describe, expect, it } from 'vitest';
import { targetsMetrics } from '../../../../src/controllers/targets/flusher.ts';
import { chooseAuditMs } from '../../../../src/controllers/targets/health-polls.ts';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import { addressOf, namesOf, podsOf, servedBy, TargetsBench } from './targets-bench.ts';

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 1_800_000;

interface Ground {
  readonly bench: TargetsBench;
  readonly arn: string;
}

/** A group that has just been filled, whose targets are checked as `state` says. */
async function filled(state: 'healthy' | 'unhealthy' | 'initial'): Promise<Ground> {
  const bench = new TargetsBench();
  const arn = bench.group('web');
  bench.runPods(2);
  bench.publish(arn, { isNew: true });
  await bench.clock.settle();
  bench.check('web', state);
  bench.sent();
  return { bench, arn };
}

describe('health', () => {
  it('is read 5 to 6 s after a change, not at once', async () => {
    const { bench } = await filled('healthy');
    await bench.clock.advance(4_999);
    expect(bench.sent()).toEqual([]);
    expect(bench.state.healthy).toBeUndefined();
    await bench.clock.advance(1_001);
    expect(bench.sent()).toEqual(['DescribeTargetHealth']);
    const { healthy, healthAsOfMs = 0 } = bench.state;
    expect(healthy).toBe(2);
    expect(bench.clock.now() - healthAsOfMs).toBeLessThan(1_001);
  });

  it('of targets that stay unhealthy is read more rarely, and each minute at least', async () => {
    const { bench } = await filled('unhealthy');
    await bench.clock.advance(MINUTE_MS);
    const first = bench.sent().length;
    expect(first).toBeGreaterThanOrEqual(6);
    expect(first).toBeLessThanOrEqual(9);
    await bench.clock.advance(60 * MINUTE_MS);
    bench.sent();
    await bench.clock.advance(60 * MINUTE_MS);
    const later = bench.sent().length;
    expect(later).toBeGreaterThanOrEqual(50);
    expect(later).toBeLessThanOrEqual(60);
  });

  it('says of a target that is not healthy why', async () => {
    const { bench } = await filled('unhealthy');
    await bench.clock.advance(6_000);
    expect(bench.state).toMatchObject({
      healthy: 0,
      unhealthy: { id: addressOf(0), port: 8080, state: 'unhealthy', reason: 'Target.Timeout' },
    });
    bench.aws.control.setTargetHealth('web', { id: addressOf(0), health: { state: 'healthy' } });
    await bench.clock.advance(10_000);
    expect(bench.state).toMatchObject({ healthy: 1, unhealthy: { id: addressOf(1) } });
  });

  it('shows the worst of them: rather one that fails than one that nothing asks or that is being checked', async () => {
    const { bench } = await filled('initial');
    const set = (index: number, state: 'unhealthy' | 'unavailable', reason: string): void =>
      void bench.aws.control.setTargetHealth('web', {
        id: addressOf(index),
        health: { state, reason },
      });
    set(0, 'unavailable', 'Elb.InternalError');
    await bench.clock.advance(10_000);
    expect(bench.state).toMatchObject({ unhealthy: { state: 'unavailable' } });
    set(1, 'unhealthy', 'Target.Timeout');
    await bench.clock.advance(20_000);
    expect(bench.state).toMatchObject({
      unhealthy: { id: addressOf(1), reason: 'Target.Timeout' },
    });
  });

  it('that AWS does not know now is no news', async () => {
    const { bench } = await filled('healthy');
    await bench.clock.advance(6_000);
    const { healthAsOfMs } = bench.state;
    bench.refuse('DescribeTargetHealth', 'HealthUnavailable', { times: 3 });
    await bench.clock.advance(7_000);
    expect(bench.state).toMatchObject({ healthy: 2, healthAsOfMs });
    expect(bench.state.problem).toBeUndefined();
  });

  it('of more than ten groups is read of ten at a time, and of each in its turn', async () => {
    const bench = new TargetsBench();
    bench.runPods(1);
    const keys = Array.from({ length: 30 }, (_, i): Key => `web/o${i}`);
    for (const key of keys) {
      const arn = bench.group(key.slice(4), { isUsed: false });
      bench.targets.publish(key, [servedBy(arn, { isNew: true })]);
    }
    await bench.clock.settle();
    bench.sent();
    await bench.clock.advance(30_000);
    const reads = bench.sent();
    expect(reads.length).toBeGreaterThan(40);
    expect(reads.length).toBeLessThanOrEqual(60);
    expect(keys.filter((key) => bench.targets.read(key)[0]?.healthy === undefined)).toEqual([]);
  });
});

describe('a settled group', () => {
  it('is confirmed once the answers cannot be stale any more, and then read twice an hour', async () => {
    const { bench } = await filled('healthy');
    await bench.clock.advance(MINUTE_MS);
    expect(bench.sent()).toEqual(['DescribeTargetHealth', 'DescribeTargetHealth']);
    await bench.clock.advance(24 * 60 * MINUTE_MS);
    const reads = bench.sent();
    expect(new Set(reads)).toEqual(new Set(['DescribeTargetHealth']));
    expect(reads.length).toBeGreaterThanOrEqual(40);
    expect(reads.length).toBeLessThanOrEqual(48);
  });

  it('loses targets that others have registered, and gets back what others have taken', async () => {
    const { bench, arn } = await filled('healthy');
    await bench.clock.advance(MINUTE_MS);
    bench.registerOutOfBand(arn, '10.0.2.200');
    bench.deregisterOutOfBand(arn, addressOf(0));
    await bench.clock.advance(1.2 * HALF_HOUR_MS);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    expect(bench.metrics.valueOf(targetsMetrics.drifted)).toBe(2);
    const lines = bench.log.shown.map(({ message }) => message);
    expect(lines).toContain('targets were changed outside albridge');
  });

  it('is read although another namespace has more groups that stay unhealthy than can be polled', async () => {
    const { bench, arn } = await filled('healthy');
    await bench.clock.advance(MINUTE_MS);
    const others = Array.from({ length: 150 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    const service = { namespace: 'web', name: 'shop', port: 'http' };
    for (const [i, other] of others.entries()) {
      bench.targets.publish(`tenant/o${i}`, [servedBy(other, { isNew: true, service })]);
    }
    bench.registerOutOfBand(arn, '10.0.2.200');
    await bench.clock.advance(1.3 * HALF_HOUR_MS);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it.each([
    [1, 0.5],
    [1_200, 0.5],
    [12_000, 4],
  ])('is read, where there are %i, every %d hours', (groups, hours) => {
    expect(chooseAuditMs(groups)).toBe(hours * 60 * MINUTE_MS);
  });
});

describe('an answer', () => {
  it('that may be older than the last write does not undo it', async () => {
    const { bench, arn } = await filled('healthy');
    await bench.clock.advance(MINUTE_MS);
    bench.runPods(3);
    await bench.clock.settle();
    bench.sent();
    bench.fault('DescribeTargetHealth', { kind: 'staleReads', ageMs: 9_000 });
    await bench.clock.advance(7_000);
    expect(bench.sent()).toEqual(['DescribeTargetHealth']);
    expect(bench.registered(arn)).toHaveLength(3);
    expect(bench.state.registered).toBe(3);
  });

  it('that was under way during a write shows no drift', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    const answering: (() => void)[] = [];
    bench.stop();
    bench.start({
      send: async (operation, input, options) => {
        const answer = await bench.api.send(operation, input, options);
        const { promise, resolve } = Promise.withResolvers<void>();
        if (operation !== 'DescribeTargetHealth') return answer;
        answering.push(resolve);
        await promise;
        return answer;
      },
    });
    bench.runPods(2);
    bench.publish(arn, { isNew: true });
    await bench.clock.advance(6_000);
    bench.check('web', 'healthy');
    answering.pop()?.();
    await bench.clock.advance(12_000);
    expect(answering).toHaveLength(1);
    bench.runPods(3);
    await bench.clock.settle();
    answering.pop()?.();
    await bench.clock.settle();
    expect(bench.state.registered).toBe(3);
    expect(bench.metrics.valueOf(targetsMetrics.drifted)).toBeUndefined();
  });

  it('about a group of an earlier process is asked for again, since that may just have written', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(1);
    bench.registerOutOfBand(arn, addressOf(0));
    bench.check('web', 'healthy');
    await bench.clock.advance(20_000);
    bench.registerOutOfBand(arn, addressOf(1));
    bench.fault('DescribeTargetHealth', { kind: 'staleReads', ageMs: 9_000 });
    bench.publish(arn);
    await bench.clock.advance(5_000);
    expect(bench.registered(arn)).toHaveLength(2);
    await bench.clock.advance(15_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });
});
