import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';
const PROVISIONING_MS = 5_000;

/** AWS needs minutes to set a balancer up; its listeners and rules are made at once. */
describe('a balancer that is still being set up', () => {
  it('is not Ready once AWS is, while a Service may still be applied', async () => {
    const world = World.started({ settings: { provisioningMs: PROVISIONING_MS } });
    const problem = { reason: 'ServiceNotFound', message: 'no Service api', sinceMs: 0 };
    world.targets.say(KEY, 'api', { desired: 0, registered: 0, problem, isFilled: false });
    await world.applied('shop', SHOP);
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    await world.clock.advance(2 * PROVISIONING_MS);
    expect(world.condition('shop', 'Reconciling')).toBe('True ServiceNotFound');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is not Ready once AWS is, while its first targets are being registered', async () => {
    const world = World.started({ settings: { provisioningMs: PROVISIONING_MS } });
    world.targets.say(KEY, 'api', { registered: 1, isFilled: false });
    await world.applied('shop', SHOP);
    await world.clock.advance(2 * PROVISIONING_MS);
    expect(world.condition('shop')).toBe('False Registering');
    world.targets.say(KEY, 'api', { registered: 2, isFilled: true });
    await world.clock.advance(2_000);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('gets what AWS has refused to make in the meantime, also where that could not be recorded', async () => {
    const world = World.started({ settings: { provisioningMs: PROVISIONING_MS } });
    world.fault('CreateListener', { kind: 'html500' }, { times: 3 });
    // What is owned, and the balancer, are on record by one write; what came of the pass is not.
    world.kube.holdNext('applyStatus')();
    world.kube.failNext('applyStatus', new Error('no answer'));
    world.apply('shop', { ...SHOP, attributes: { 'idle_timeout.timeout_seconds': '120' } });
    await world.clock.advance(50);
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    await world.clock.advance(MINUTE_MS);
    expect(world.aws.control.snapshot().listeners).toHaveLength(1);
    expect(world.condition('shop')).toBe('True Available');
  });
  it('loses what an edit removes as soon as any other, by a read of its own', async () => {
    const world = World.started({ settings: { provisioningMs: 2 * MINUTE_MS } });
    await world.applied('shop', SHOP);
    await world.edited('shop', { rules: [] }, 2_000);
    const calls = await world.callsDuring(() => world.clock.advance(MINUTE_MS));
    expect(world.aws.control.snapshot().listeners[0]?.rules).toHaveLength(1);
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    expect(calls['DescribeLoadBalancers']).toBeLessThan(10);
  });

  it('has its state read and nothing else while targets are awaited', async () => {
    const world = World.started();
    world.targets.say(KEY, 'api', { registered: 1, isFilled: false });
    await world.applied('shop', SHOP);
    expect(world.condition('shop')).toBe('False Registering');
    const calls = await world.callsDuring(() => world.clock.advance(30_000));
    expect(Object.keys(calls)).toEqual(['DescribeLoadBalancers']);
  });
});

it('an object that is Ready stays so when its Service loses every endpoint', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const sinceMs = world.clock.monotonicMs();
  const problem = { reason: 'NoReadyEndpoints', message: 'no endpoints', sinceMs };
  world.targets.say(KEY, 'api', { desired: 0, registered: 0, problem });
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
  await world.clock.advance(2_000);
  expect(world.object('shop').status.lastHandledReconcileAt).toBe('now');
  expect(world.condition('shop')).toBe('True Available');
  expect(world.condition('shop', 'BackendsResolved')).toBe('Unknown NoReadyEndpoints');
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop', 'BackendsResolved')).toBe('False NoReadyEndpoints');
});
