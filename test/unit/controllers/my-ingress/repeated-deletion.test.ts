import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settleShop } from './traffic/settle.ts';
import { SHOP } from './traffic/specs.ts';
import { MINUTE_MS, type World } from './world.ts';

const UNAVAILABLE = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;

function count(world: World, reason: string): number {
  return world.events.reasons.filter((one) => one === reason).length;
}

describe('a deletion that is tried again', () => {
  it.each([
    { deletionPolicy: 'Delete', reason: 'DeletedALB' },
    { deletionPolicy: 'Retain', reason: 'RetainedALB' },
  ] as const)('records $reason once, though the finalizer stays', async (given) => {
    const { deletionPolicy, reason } = given;
    const world = await settleShop({ ...SHOP, deletionPolicy });
    for (let i = 0; i < 3; i++) {
      world.kube.failNext('removeFinalizer', new OperatorError(UNAVAILABLE));
    }
    await world.deleted('shop', 10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(count(world, reason)).toBe(1);
  });

  it('records LeftALB once, and DeletedALB when the tags are back', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    const { arn } = world.balancer();
    world.untagOutOfBand(arn, 'albridge.io/name');
    await world.deleted('shop', 30 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
    expect(count(world, 'LeftALB')).toBe(1);
    world.tagOutOfBand(arn, { 'albridge.io/name': 'shop' });
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(count(world, 'DeletedALB')).toBe(1);
  });

  it('records LeftALB though it was planned before', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    world.untagOutOfBand(world.balancer().arn, 'albridge.io/name');
    world.annotate('shop', { 'albridge.io/mode': 'plan' });
    await world.deleted('shop', 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('Unknown Planned');
    expect(count(world, 'LeftALB')).toBe(0);
    world.annotate('shop', {});
    await world.clock.advance(30 * MINUTE_MS);
    expect(count(world, 'LeftALB')).toBe(1);
  });
});
