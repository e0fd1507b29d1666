import { describe, expect, it } from 'vitest';
import { MINUTE_MS, reads, SWEEP_MS, World, writes } from './world.ts';

const ONE_SWEEP_MS = SWEEP_MS * 1.1;

async function worldOf(
  count: number,
  options: ConstructorParameters<typeof World>[0] = {},
): Promise<World> {
  const world = new World({ concurrency: 16, ...options });
  world.start();
  await world.clock.settle();
  for (let i = 0; i < count; i++) world.apply(`shop-${i}`);
  await world.clock.advance(10_000);
  return world;
}

describe('the sweep', () => {
  it('costs at most 0.06 calls for each of 400 balancers, and writes nothing', async () => {
    const world = await worldOf(400);
    await world.clock.advance(ONE_SWEEP_MS);
    const calls = await world.callsDuring(async () => {
      expect(await world.writesDuring(() => world.clock.advance(10 * ONE_SWEEP_MS))).toEqual([]);
    });
    const sweeps = calls['DescribeLoadBalancers'] ?? 0;
    expect(sweeps).toBeGreaterThanOrEqual(10);
    expect(reads(calls) / sweeps / 400).toBeLessThanOrEqual(0.06);
  });

  it('confirms 500 balancers after a restart with at most 30 calls', async () => {
    const world = await worldOf(500);
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      expect(
        await world.writesDuring(async () => {
          await world.restart();
          await world.clock.advance(MINUTE_MS);
        }),
      ).toEqual([]);
    });
    expect(reads(calls)).toBeLessThanOrEqual(30);
    expect(writes(calls)).toBe(0);
  });

  it('finds what happened while no operator ran, in one sweep', async () => {
    const world = await worldOf(30);
    await world.clock.advance(MINUTE_MS);
    world.crash();
    for (const { arn } of world.balancers.slice(0, 5)) {
      world.tagOutOfBand(arn, { 'albridge.io/managed-by': 'somebody' });
    }
    world.start();
    const calls = await world.callsDuring(() => world.clock.advance(MINUTE_MS));
    expect(world.balancers.every(({ tags }) => tags['albridge.io/managed-by'] === 'albridge')).toBe(
      true,
    );
    expect(calls['AddTags']).toBe(5);
    expect(reads(calls)).toBeLessThanOrEqual(3 + 2 * 2 * 5);
  });

  it('spreads the attributes of many over the hour', async () => {
    const world = new World({ concurrency: 16 });
    world.start();
    await world.clock.settle();
    for (let i = 0; i < 60; i++) {
      world.apply(`shop-${i}`, { attributes: { 'idle_timeout.timeout_seconds': '120' } });
    }
    await world.clock.advance(10_000);
    await world.restart();
    const perSweep: number[] = [];
    for (let i = 0; i < 12; i++) {
      const calls = await world.callsDuring(() => world.clock.advance(SWEEP_MS));
      perSweep.push(calls['DescribeLoadBalancerAttributes'] ?? 0);
    }
    expect(Math.max(...perSweep)).toBeLessThan(25);
    expect(perSweep.reduce((sum, of) => sum + of)).toBeGreaterThanOrEqual(50);
    expect(perSweep.reduce((sum, of) => sum + of)).toBeLessThanOrEqual(70);
  });

  it('that AWS does not answer is told in the log, changes nothing, and is tried again soon', async () => {
    const world = await worldOf(3);
    await world.clock.advance(MINUTE_MS);
    world.fault(
      '*',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { forMs: 320_000 },
    );
    const written = await world.writesDuring(() => world.clock.advance(321_000));
    expect(written).toEqual([]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).not.toEqual([]);
    for (let i = 0; i < 3; i++) expect(world.condition(`shop-${i}`)).toBe('True Available');
    world.tagOutOfBand(world.balancers[0]?.arn ?? '', { 'albridge.io/managed-by': 'somebody' });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.balancers[0]?.tags['albridge.io/managed-by']).toBe('albridge');
  });

  it('does not ask twice for what was applied while its picture was taken', async () => {
    const world = await worldOf(2);
    await world.clock.advance(MINUTE_MS);
    world.fault('DescribeTags', { kind: 'delay', delayMs: 3_000 });
    await world.restart();
    await world.clock.advance(1_000);
    const calls = await world.callsDuring(async () => {
      world.apply('late');
      await world.clock.advance(10_000);
    });
    expect(world.condition('late')).toBe('True Available');
    expect(calls).toEqual({ CreateLoadBalancer: 1, DescribeLoadBalancers: 2, DescribeTags: 1 });
  });

  it('asks AWS nothing where there is no object', async () => {
    const world = new World();
    world.start();
    expect(await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual({});
  });

  it('survives a spec of other types', async () => {
    const world = await worldOf(1);
    world.edit('shop-0', { adopt: { arn: 7 }, name: {} } as never);
    await world.clock.advance(ONE_SWEEP_MS);
    world.apply('other');
    await world.clock.advance(ONE_SWEEP_MS);
    world.tagOutOfBand(world.object('other').status.alb?.arn ?? '', {
      'albridge.io/managed-by': 'somebody',
    });
    await world.clock.advance(ONE_SWEEP_MS);
    expect(world.events.reasons).toContain('DriftRepaired');
  });
});
