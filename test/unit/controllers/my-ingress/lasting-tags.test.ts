import { expect, it } from 'vitest';
import { MINUTE_MS, World } from './world.ts';

const SECOND_MS = 1000;
/** Longer than any read of AWS is assumed to be stale; see STALENESS_BOUND_MS. */
const TAGS_STAY_MS = 50 * SECOND_MS;

/**
 * AWS forgets the tags of a deleted balancer; LocalStack and moto go on answering DescribeTags for
 * good. DescribeLoadBalancers alone says what exists.
 */
it('creates a deleted balancer again although its tags can still be read', async () => {
  const world = await World.having('shop');
  await world.clock.advance(5 * MINUTE_MS);
  const { arn } = world.balancer();
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn });
  world.fault(
    'DescribeTags',
    { kind: 'staleReads', ageMs: TAGS_STAY_MS },
    { forMs: TAGS_STAY_MS, times: 1000 },
  );
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
  await world.clock.advance(8 * SECOND_MS);
  expect(world.events.reasons).not.toContain('ALBVanished');
  await world.clock.advance(7 * SECOND_MS);
  expect(world.events.reasons).toContain('ALBVanished');
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.balancer().arn).not.toBe(arn);
  expect(world.condition('shop')).toBe('True Available');
});
