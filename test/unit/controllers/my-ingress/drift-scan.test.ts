import { describe, expect, it, vi } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { driftScanMetrics } from '../../../../src/controllers/my-ingress/drift-scan.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import { draftOf } from './drafts.ts';
import { SHOP } from './traffic/specs.ts';
import { MINUTE_MS, reads, SCAN_MS, World, writes } from './world.ts';

/** One read every two seconds. */
const SLOW = { burst: 4, perSecond: 0.5 };
const ONE_SCAN_MS = SCAN_MS * 1.1;

async function worldOf(
  count: number,
  options: ConstructorParameters<typeof World>[0] = {},
): Promise<World> {
  const world = World.started({ concurrency: 16, ...options });
  await world.clock.settle();
  for (let i = 0; i < count; i++) world.apply(`shop-${i}`);
  await world.clock.advance(10_000);
  return world;
}

describe('the drift scan', () => {
  it('counts what it finds changed, and not what is due for another reason, or paused', async () => {
    const world = await worldOf(3);
    const found = (): number | undefined => world.metrics.valueOf(driftScanMetrics.found);
    const repaired = (): number | undefined => world.metrics.valueOf(coreMetrics.driftRepairs);
    const passes = (): number => world.metrics.observationsOf(coreMetrics.reconcileSeconds);
    await world.clock.advance(ONE_SCAN_MS);
    expect([found(), repaired()]).toEqual([0, 0]);
    world.annotate('shop-2', { 'albridge.io/paused': 'true' });
    await world.clock.advance(1_000);
    for (const { arn } of world.balancers) {
      world.tagOutOfBand(arn, { 'albridge.io/managed-by': 'somebody' });
    }
    const before = passes();
    await world.clock.advance(ONE_SCAN_MS);
    expect([found(), repaired(), passes() - before]).toEqual([2, 2, 2]);
  });

  it('starts no pass for a balancer that was written since its snapshot began', async () => {
    const world = await worldOf(1);
    const passes = (): number => world.metrics.observationsOf(coreMetrics.reconcileSeconds);
    const scannedMs = (): number => world.metrics.valueOf(driftScanMetrics.completedAt) ?? 0;
    await world.clock.advance(ONE_SCAN_MS);
    const [before, lastMs] = [passes(), scannedMs()];
    let edits = 0;
    while (scannedMs() === lastMs) {
      edits += 1;
      world.edit('shop-0', { tags: { edit: `${edits}` } });
      await world.clock.advance(5_000);
    }
    expect(edits).toBeGreaterThan(10);
    expect(passes() - before).toBe(edits);
  });

  it('shows when AWS has last answered it, and how often it is to', async () => {
    const world = await worldOf(1);
    const ageMs = (): number => {
      const seconds = world.metrics.valueOf(driftScanMetrics.completedAt) ?? 0;
      return Math.round(world.clock.now() - seconds * 1000);
    };
    await world.clock.advance(2 * ONE_SCAN_MS);
    expect(world.metrics.valueOf(driftScanMetrics.interval)).toBe(SCAN_MS / 1000);
    expect(ageMs()).toBeLessThanOrEqual(ONE_SCAN_MS);
    world.fault(
      '*',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { forMs: 4 * ONE_SCAN_MS },
    );
    await world.clock.advance(3 * ONE_SCAN_MS);
    expect(ageMs()).toBeGreaterThan(2 * ONE_SCAN_MS);
    world.aws.control.clearFaults();
    await world.clock.advance(MINUTE_MS);
    expect(ageMs()).toBeLessThanOrEqual(MINUTE_MS);
  });

  it('counts as old where it could not read the tags of other load balancers', async () => {
    const world = await worldOf(1);
    world.outOfBand('CreateLoadBalancer', { Name: 'other', Subnets: ['subnet-a', 'subnet-b'] });
    const scannedAt = (): number | undefined => world.metrics.valueOf(driftScanMetrics.completedAt);
    const before = scannedAt();
    // The tags of its own balancer are the first that it reads.
    const denied = { code: 'AccessDenied', status: 403, message: 'no' };
    world.fault('DescribeTags', { kind: 'error', ...denied }, { skip: 1 });
    await world.clock.advance(ONE_SCAN_MS);
    expect(scannedAt()).toBe(before);
    await world.clock.advance(ONE_SCAN_MS);
    expect(scannedAt()).toBeGreaterThan(before ?? 0);
  });

  it('lets others work after each 25 objects that it compares', async () => {
    const world = await worldOf(100);
    const timers = vi.spyOn(world.clock, 'setTimer');
    await world.clock.advance(ONE_SCAN_MS);
    // Twice it goes through all of them: for the names that it asks for, and for what has changed.
    const turns = timers.mock.calls.filter(([delayMs]) => delayMs === 0).length;
    expect(turns).toBeGreaterThanOrEqual(2 * (100 / 25 - 1));
  });

  it('costs at most 0.06 calls for each of 400 balancers, and writes nothing', async () => {
    const world = await worldOf(400);
    await world.clock.advance(ONE_SCAN_MS);
    const calls = await world.callsDuring(async () => {
      expect(await world.writesDuring(() => world.clock.advance(10 * ONE_SCAN_MS))).toEqual([]);
    });
    // Two pages each.
    const scans = (calls['DescribeLoadBalancers'] ?? 0) / 2;
    expect(scans).toBeGreaterThanOrEqual(10);
    expect(reads(calls) / scans / 400).toBeLessThanOrEqual(0.06);
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

  it('finds what happened while no operator ran, in one scan', async () => {
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
    const world = World.started({ concurrency: 16 });
    await world.clock.settle();
    for (let i = 0; i < 60; i++) {
      world.apply(`shop-${i}`, { attributes: { 'idle_timeout.timeout_seconds': '120' } });
    }
    await world.clock.advance(10_000);
    await world.restart();
    const perSweep: number[] = [];
    for (let i = 0; i < 12; i++) {
      const calls = await world.callsDuring(() => world.clock.advance(SCAN_MS));
      perSweep.push(calls['DescribeLoadBalancerAttributes'] ?? 0);
    }
    expect(Math.max(...perSweep)).toBeLessThan(25);
    expect(perSweep.reduce((sum, of) => sum + of)).toBeGreaterThanOrEqual(50);
    expect(perSweep.reduce((sum, of) => sum + of)).toBeLessThanOrEqual(70);
  });

  it('that AWS does not answer is logged, changes nothing, and is tried again soon', async () => {
    const world = await worldOf(3);
    await world.clock.advance(MINUTE_MS);
    world.fault(
      '*',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { forMs: 400_000 },
    );
    const written = await world.writesDuring(() => world.clock.advance(321_000));
    expect(written).toEqual([]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).not.toEqual([]);
    for (let i = 0; i < 3; i++) expect(world.condition(`shop-${i}`)).toBe('True Available');
    world.aws.control.clearFaults();
    world.tagOutOfBand(world.balancers[0]?.arn ?? '', { 'albridge.io/managed-by': 'somebody' });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.balancers[0]?.tags['albridge.io/managed-by']).toBe('albridge');
  });

  it('that AWS refuses is tried again after the interval where that is shorter', async () => {
    const world = await worldOf(1, { scanMs: 1_000 });
    const denied = { code: 'AccessDenied', status: 403, message: 'no' };
    world.fault('DescribeLoadBalancers', { kind: 'error', ...denied }, { times: 1 });
    const before = world.aws.control.calls('DescribeLoadBalancers').length;
    await world.clock.advance(5_000);
    expect(world.aws.control.calls('DescribeLoadBalancers').length - before).toBeGreaterThan(3);
  });

  it('lets a create pass before the repairs that it has queued', async () => {
    const world = await worldOf(10, { concurrency: 1 });
    await world.clock.advance(ONE_SCAN_MS);
    for (const { arn } of world.balancers) {
      world.tagOutOfBand(arn, { 'albridge.io/managed-by': 'somebody' });
    }
    world.fault('AddTags', { kind: 'delay', delayMs: 10_000 }, { times: 10 });
    const isOver = (): boolean => world.metrics.valueOf(driftScanMetrics.found) === 10;
    for (let s = 0; s < 400 && !isOver(); s++) await world.clock.advance(1_000);
    expect(isOver()).toBe(true);
    world.apply('late');
    await world.clock.advance(15_000);
    expect(world.condition('late')).toBe('True Available');
  });

  it('spares an edit of the traffic the read of a balancer that it has shown to be active', async () => {
    const world = await World.having('shop', SHOP);
    await world.clock.advance(2 * ONE_SCAN_MS);
    const calls = await world.callsDuring(async () => {
      await world.edited('shop', { rules: [] }, 1_000);
    });
    expect(calls).not.toHaveProperty('DescribeLoadBalancers');
    expect(calls).toHaveProperty('DeleteRule');
  });

  it('does not ask twice for what was applied while its snapshot was taken', async () => {
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

  it('lets a create through at once while a long one is under way', async () => {
    const world = await worldOf(30, { concurrency: 4 });
    await world.clock.advance(MINUTE_MS);
    world.fault('DescribeTags', { kind: 'delay', delayMs: 30_000 });
    await world.restart();
    await world.clock.advance(1_000);
    world.apply('late');
    await world.clock.advance(1_000);
    expect(world.condition('late')).toBe('True Available');
  });

  it('asks AWS for nothing but the account, however long it takes', async () => {
    const world = await worldOf(30);
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      world.fault('DescribeTags', { kind: 'delay', delayMs: 60_000 });
      await world.clock.advance(ONE_SCAN_MS + 2 * MINUTE_MS);
    });
    expect(calls).toEqual({ DescribeLoadBalancers: 1, DescribeTags: 2, DescribeTargetGroups: 1 });
  });

  it.each([
    ['at the start', 0],
    ['in the middle', ONE_SCAN_MS],
  ])('confirms all by one scan after an outage %s, and none was in doubt', async (_, afterMs) => {
    const world = await worldOf(100);
    await world.clock.advance(MINUTE_MS);
    await world.restart();
    await world.clock.advance(afterMs);
    if (afterMs === 0) world.crash();
    world.fault(
      '*',
      { kind: 'error', code: 'ServiceUnavailable', status: 503, message: 'x' },
      { forMs: MINUTE_MS },
    );
    if (afterMs === 0) world.start();
    const written = await world.writesDuring(() => world.clock.advance(MINUTE_MS));
    expect(written).toEqual([]);
    world.untagOutOfBand(world.balancers[0]?.arn ?? '', 'albridge.io/managed-by');
    const calls = await world.callsDuring(() => world.clock.advance(ONE_SCAN_MS));
    expect(world.balancers[0]?.tags).toHaveProperty(['albridge.io/managed-by']);
    expect(reads(calls)).toBeLessThanOrEqual(2 * (1 + 5) + 4);
  });

  it('reads the attributes of a quiet object later where the budget is spent, and Ready stays', async () => {
    const world = World.started({ concurrency: 16, budget: { ...NO_LIMITS, reads: SLOW } });
    await world.clock.settle();
    for (let i = 0; i < 20; i++) {
      world.apply(`shop-${i}`, { attributes: { 'idle_timeout.timeout_seconds': '120' } });
    }
    await world.clock.advance(20 * MINUTE_MS);
    expect(world.condition('shop-19')).toBe('True Available');
    expect(await world.writesDuring(() => world.clock.advance(70 * MINUTE_MS))).toEqual([]);
    const read = world.aws.control.calls('DescribeLoadBalancerAttributes');
    const names = new Set(read.slice(20).map(({ input }) => String(input['LoadBalancerArn'])));
    expect(names.size).toBe(20);
  });

  it('asks AWS nothing where there is no object', async () => {
    const world = World.started();
    expect(await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual({});
  });

  it.each([
    { adopt: { arn: 7 }, name: {} },
    { backends: 'web' },
    { backends: [null], scheme: 'internal' },
    null,
  ])('survives a spec of other types: %j', async (spec) => {
    const world = await worldOf(1);
    world.kube.edit(draftOf('shop-0'), (live) => ({ ...live, spec }) as unknown as MyIngress);
    await world.clock.advance(ONE_SCAN_MS);
    world.apply('other');
    await world.clock.advance(ONE_SCAN_MS);
    world.tagOutOfBand(world.object('other').status.alb?.arn ?? '', {
      'albridge.io/managed-by': 'somebody',
    });
    await world.clock.advance(ONE_SCAN_MS);
    expect(world.events.reasons).toContain('DriftRepaired');
  });
});

it('counts no drift of an attribute that others have put back, in mode observe', async () => {
  const world = await World.having('shop', {
    attributes: { 'idle_timeout.timeout_seconds': '120' },
  });
  await world.clock.advance(MINUTE_MS);
  world.crash();
  world.start(undefined, 'observe');
  const [{ arn } = { arn: '' }] = world.balancers;
  const set = (Value: string): void => {
    world.outOfBand('ModifyLoadBalancerAttributes', {
      ...{ LoadBalancerArn: arn, Attributes: [{ Key: 'idle_timeout.timeout_seconds', Value }] },
    });
  };
  const countFound = (): number => world.metrics.valueOf(driftScanMetrics.found) ?? 0;
  set('5');
  await world.clock.advance(130 * MINUTE_MS);
  expect(world.object('shop').status?.plan?.steps).toHaveLength(1);
  set('120');
  await world.clock.advance(130 * MINUTE_MS);
  const before = countFound();
  await world.clock.advance(130 * MINUTE_MS);
  expect(countFound()).toBe(before);
});

it('makes no rule again that its snapshot is too old to show', async () => {
  const world = World.started({ scanMs: 7_000 });
  await world.applied('shop', { ...SHOP, rules: [] });
  await world.clock.advance(MINUTE_MS);
  const before = world.writesToAws.length;
  world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: MINUTE_MS });
  world.edit('shop', { rules: SHOP.rules ?? [] });
  for (let s = 0; s < 60; s++) {
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('True Available');
  }
  expect(world.writesToAws.slice(before)).toEqual(['CreateRule']);
  expect(world.metrics.valueOf(driftScanMetrics.found)).toBe(0);
});
