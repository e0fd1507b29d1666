import { describe, expect, it } from 'vitest';
import { World } from '../world.ts';

const web = { name: 'web', service: { name: 'web', port: 80 } };

describe('a MyIngress with one backend', () => {
  it('becomes a balancer with a security group, a target group and a listener', async () => {
    const world = new World();
    world.start();
    const calls = await world.callsDuring(() => world.applied('shop', { backends: [web] }));
    console.log(calls, JSON.stringify(world.object('shop').status, null, 1), world.log);
    expect(world.condition('shop')).toBe('True Available');
  });
});
