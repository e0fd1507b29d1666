import { expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';

const KEY = 'idle_timeout.timeout_seconds';
const notFound = {
  kind: 'error',
  code: 'LoadBalancerNotFoundException',
  status: 400,
  message: 'not found',
} as const;
const stale = { kind: 'staleReads', ageMs: 3_000 } as const;

/** What reads of the attributes answer for nine seconds after our own create, within which AWS's reads may lag. */
const cases = { 'do not find it': notFound, 'are older than it': stale };

it.each(Object.entries(cases))(
  'a balancer that we have just created is neither vanished nor drifted where reads of its attributes %s',
  async (_, effect) => {
    const world = World.started();
    world.fault('DescribeLoadBalancerAttributes', effect, { forMs: 9_000 });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop', { attributes: { [KEY]: '120' } });
      for (let second = 0; second < 9; second++) {
        world.annotate('shop', { 'albridge.io/reconcile-requested-at': `${second}` });
        await world.clock.advance(1_000);
      }
      await world.clock.advance(MINUTE_MS);
    });
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().attributes[KEY]).toBe('120');
    expect(calls).toMatchObject({ CreateLoadBalancer: 1, ModifyLoadBalancerAttributes: 1 });
    expect(world.events.reasons).not.toContain('ALBVanished');
    expect(world.events.reasons).not.toContain('DriftRepaired');
  },
);
