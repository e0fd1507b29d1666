import { expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

it('a target group that waited for its deletion goes also where the balancer has vanished meanwhile', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  world.edit('shop', { backends: [web], rules: [{ ...RULE, forward: [{ backend: 'web' }] }] });
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.beside.map(({ tags }) => tags['albridge.io/resource'])).toContain(GROUP);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  await world.clock.advance(3 * SCAN_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.beside.map(({ tags }) => tags['albridge.io/resource'])).not.toContain(GROUP);
});

it('an edit of an object whose balancer was just made again is not Ready by what the vanished one had', async () => {
  const world = await World.having('shop', { ...SHOP, securityGroups: ['sg-web'] });
  await world.clock.advance(MINUTE_MS);
  const message = 'not now';
  const failing = { kind: 'error', code: 'InternalFailure', status: 500, message } as const;
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  world.fault('DescribeListeners', failing, { forMs: 3 * SCAN_MS });
  for (let i = 0; i < 8_000 && world.balancers.length === 0; i++) await world.clock.advance(100);
  await world.clock.advance(3_000);
  await world.edited('shop', { attributes: { 'idle_timeout.timeout_seconds': '77' } }, 5_000);
  expect(world.condition('shop')).toBe('False AwsUnavailable');
  await world.clock.advance(4 * SCAN_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.aws.control.snapshot().listeners[0]?.rules).toHaveLength(2);
});

it('a tag that leaves the spec while the balancer vanishes leaves what stands beside it too', async () => {
  const world = await World.having('shop', { ...SHOP, tags: { team: 'a' } });
  await world.clock.advance(MINUTE_MS);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  world.unset('shop', 'tags');
  await world.clock.advance(3 * SCAN_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.beside.filter(({ tags }) => 'team' in tags)).toEqual([]);
});

it('the plan for an object whose balancer has vanished creates nothing that is still there', async () => {
  const world = await World.having('shop', { backends: [web] });
  await world.clock.advance(MINUTE_MS);
  world.annotate('shop', { 'albridge.io/mode': 'plan' });
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  await world.edited('shop', SHOP, 3 * SCAN_MS);
  const { steps = [] } = world.object('shop').status.plan ?? {};
  expect(steps.map((step) => step.split('  (')[0])).toEqual([
    'create load-balancer',
    'create target-group/spec/api',
    'create listener/80',
    'create rule/80/spec/api/0',
  ]);
});

const GROUP = `target-group/spec/${api.name}`;
const RULE = { name: 'api', paths: ['/api/*'] };
