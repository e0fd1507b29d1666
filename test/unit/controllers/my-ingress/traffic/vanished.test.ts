import { expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

it('a target group that waited for its deletion goes also where the balancer has vanished meanwhile', async () => {
  const world = new World();
  world.start();
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  world.edit('shop', { backends: [web], rules: [{ ...RULE, forward: [{ backend: 'web' }] }] });
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.beside.map(({ tags }) => tags['albridge.io/resource'])).toContain(GROUP);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  await world.clock.advance(3 * SCAN_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.beside.map(({ tags }) => tags['albridge.io/resource'])).not.toContain(GROUP);
});

const GROUP = `target-group/spec/${api.name}`;
const RULE = { name: 'api', paths: ['/api/*'] };
