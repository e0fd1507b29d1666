import { expect, it } from 'vitest';
import { MINUTE_MS, World } from './world.ts';

/** The balancer is gone, its tags stay readable, and the answer to its successor's create is lost. */
async function recreatedUnanswered(): Promise<World> {
  const world = await World.having('shop');
  await world.clock.advance(5 * MINUTE_MS);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  world.fault('DescribeTags', { kind: 'staleReads', ageMs: 40_000 }, { forMs: 40_000 });
  world.fault('CreateLoadBalancer', { kind: 'lostResponse' }, { times: 3 });
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
  for (let i = 0; i < 300 && world.balancers.length === 0; i++) await world.clock.advance(100);
  world.aws.control.clearFaults();
  return world;
}

it('leaks no balancer that was created again without an answer just before its object is deleted', async () => {
  const world = await recreatedUnanswered();
  expect(world.balancers).toHaveLength(1);
  world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 5_000 }, { forMs: 5_000 });
  await world.deleted('shop', MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(world.balancers).toEqual([]);
});
