import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from './world.ts';

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app';

/** What a tenant writes into status.alb; `theirs` is the ARN of somebody else's balancer. */
const forgeries: Readonly<Record<string, (theirs: string) => object | undefined>> = {
  'a balancer that does not exist': () => ({ arn: `${ARN}/gone/0123456789abcdef` }),
  "somebody else's balancer": (theirs) => ({ arn: theirs }),
  'a balancer of another region': () => ({
    arn: `${ARN.replace('us-east-1', 'eu-north-1')}/shop/0123456789abcdef`,
  }),
  'no ARN at all': () => ({ arn: 'nonsense' }),
  'a balancer that vanished': (theirs) => ({ arn: theirs, state: 'deleted' }),
  nothing: () => undefined,
};

function forge(world: World, alb: object | undefined): void {
  const { status } = world.object('shop');
  const { alb: _true, ...others } = status;
  world.kube.server.applyStatus(world.object('shop'), { ...others, ...(alb && { alb }) });
}

describe('an object whose status.alb was forged to name', () => {
  for (const [name, albOf] of Object.entries(forgeries)) {
    it(`${name} takes its balancer along when it is deleted, and nothing else`, async () => {
      const world = new World();
      world.outOfBand('CreateLoadBalancer', { Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] });
      const theirs = world.balancer();
      world.start();
      await world.applied('shop');
      await world.clock.advance(5 * MINUTE_MS);
      forge(world, albOf(theirs.arn));
      world.delete('shop');
      await world.clock.advance(MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([theirs]);
    });
  }

  it('another one takes its balancer along although AWS does not show it yet', async () => {
    const world = new World();
    world.start();
    const failing = { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' } as const;
    world.fault('CreateLoadBalancer', failing, { forMs: 30_000 });
    await world.applied('shop', { name: 'shop-prod' });
    for (let i = 0; i < 600 && world.balancers.length === 0; i++) await world.clock.advance(100);
    world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 7_000 });
    forge(world, { arn: `${ARN}/gone/0123456789abcdef` });
    world.delete('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });
});
