import { describe, expect, it } from 'vitest';
import { reads, World, writes } from './world.ts';

describe('creating', () => {
  it('takes one write and three reads until Ready where AWS provisions at once', async () => {
    const world = new World();
    world.start();
    const calls = await world.callsDuring(() => world.applied('shop', { tags: { team: 'web' } }));
    expect(world.condition('shop')).toBe('True Available');
    expect(writes(calls)).toBe(1);
    expect(reads(calls)).toBeLessThanOrEqual(3);
  });

  it('reports the balancer and what was applied', async () => {
    const world = new World();
    world.start();
    const { status } = await world.applied('shop', { tags: { team: 'web' } });
    const { arn, name, dnsName } = world.balancer();
    expect(status).toMatchObject({
      observedGeneration: 1,
      alb: { arn, name, dns: dnsName, state: 'active', vpcId: 'vpc-main' },
      applied: { tags: ['team'] },
    });
    expect(world.balancer().tags).toEqual({
      team: 'web',
      'albridge.io/cluster': 'cluster-1',
      'albridge.io/namespace': 'web',
      'albridge.io/name': 'shop',
      'albridge.io/uid': 'uid-1',
      ManagedBy: 'albridge',
    });
  });
});
