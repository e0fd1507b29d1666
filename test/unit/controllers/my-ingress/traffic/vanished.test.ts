import { describe, expect, it } from 'vitest';
import { draftOf } from '../drafts.ts';
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

describe('an object that goes in spite of its finalizer', () => {
  it('while its listener is made leaves nothing, and does not hold up another one of its name', async () => {
    const world = World.started();
    await world.clock.settle();
    world.fault('CreateListener', { kind: 'delay', delayMs: 1_000 });
    world.apply('shop', SHOP);
    await world.clock.advance(500);
    vanish(world);
    await world.clock.advance(5 * MINUTE_MS);
    expect([world.balancers, world.beside]).toEqual([[], []]);
    expectCleanUpAlone(world);
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('after an edit to Retain releases what it has made', async () => {
    const world = await World.having('shop', SHOP);
    await world.edited('shop', { deletionPolicy: 'Retain' }, 20_000);
    vanish(world);
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.balancers).toHaveLength(1);
    expect([world.beside, world.balancer().tags]).toEqual([[], {}]);
    expectCleanUpAlone(world);
  });
});

/** A DELETE that read it before the finalizer was stored removes it now. */
function vanish(world: World): void {
  world.kube.deleteInSpite(draftOf('shop'));
}

/** To the witness, what stands in AWS for an object that is not there has no owner. */
function expectCleanUpAlone(world: World): void {
  const other = world.faults.splice(0).filter((fault) => !/^(Delete|Remove)\w+ to /.test(fault));
  expect(other).toEqual([]);
}

const GROUP = `target-group/spec/${api.name}`;
const RULE = { name: 'api', paths: ['/api/*'] };
