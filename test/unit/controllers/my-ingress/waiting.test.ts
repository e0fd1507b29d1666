import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

/** Seconds after `fromMs` at which AWS was asked for balancers. */
function looks(world: World, fromMs: number): readonly number[] {
  const calls = world.aws.control.calls('DescribeLoadBalancers');
  return calls
    .filter(({ at }) => at > fromMs + 500)
    .map(({ at }) => Math.round((at - fromMs) / 1000));
}

describe('provisioning', () => {
  it('is read after 1, 3, 7, 15, 30 and 45 seconds, at one call each', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 } });
    await world.clock.settle();
    const startMs = world.clock.now();
    world.apply('shop');
    await world.clock.advance(MINUTE_MS);
    expect(looks(world, startMs)).toEqual([1, 3, 7, 15, 30, 45]);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is Reconciling, with state and address on show', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 } });
    await world.applied('shop');
    expect(world.condition('shop')).toBe('False Provisioning');
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    expect(world.object('shop').status.alb).toMatchObject({
      state: 'provisioning',
      dns: world.balancer().dnsName,
    });
  });

  it('writes status once at its beginning and once at its end', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 } });
    await world.applied('shop');
    const written = await world.writesDuring(() => world.clock.advance(2 * MINUTE_MS));
    expect(written).toEqual(['applyStatus']);
  });

  it('costs one read for all who wait', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 }, concurrency: 20 });
    await world.clock.settle();
    for (let i = 0; i < 20; i++) world.apply(`shop-${i}`);
    await world.clock.advance(500);
    const calls = await world.callsDuring(() => world.clock.advance(MINUTE_MS));
    expect(calls).toEqual({ DescribeLoadBalancers: 6 });
  });

  it('goes on after a restart', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 } });
    await world.applied('shop');
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('does not hold up an edit', async () => {
    const world = World.started({ settings: { provisioningMs: 100_000 } });
    await world.applied('shop');
    await world.edited('shop', { subnets: ['subnet-b', 'subnet-c'] }, 1_000);
    expect(world.balancer().subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.condition('shop')).toBe('False Provisioning');
  });

  it('that ends in a balancer gone is seen', async () => {
    const world = World.started({ settings: { provisioningMs: 40_000 } });
    await world.applied('shop');
    await world.clock.advance(11_000);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).toContain('ALBVanished');
  });
});

/** The record before the write is the last that reaches the API server before the write fails. */
async function recordedEarly(lost: OperatorError): Promise<World> {
  const world = World.started({ settings: { provisioningMs: 20_000 } });
  await world.clock.settle();
  const failing = { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' } as const;
  world.fault('ModifyLoadBalancerAttributes', failing, { forMs: 5_000 });
  world.apply('shop', { attributes: { 'deletion_protection.enabled': 'true' } });
  while (world.condition('shop', 'Reconciling') !== 'True Provisioning') {
    await world.clock.advance(10);
  }
  world.kube.failNext('applyStatus', lost);
  return world;
}

describe('attributes whose write fails while AWS provisions', () => {
  for (const reason of ['ApiUnavailable', 'Conflict']) {
    it(`are set before the object is Ready, although the failure is not on record (${reason})`, async () => {
      const world = await recordedEarly(
        new OperatorError({ reason, message: 'x', healedBy: 'time' }),
      );
      await world.clock.advance(2 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer().attributes).toMatchObject({ 'deletion_protection.enabled': 'true' });
    });
  }
});

describe('a state that is not active', () => {
  const states = {
    failed: 'LoadBalancerFailed',
    active_impaired: 'LoadBalancerImpaired',
  } as const;
  for (const [code, reason] of Object.entries(states)) {
    it(`${code} is reported as ${reason}, with AWS's words, and heals by itself`, async () => {
      const world = World.started({ settings: { provisioningMs: 5_000 } });
      await world.applied('shop');
      const { name } = world.balancer();
      world.aws.control.setState(name, { code: code as 'failed', reason: 'no free addresses' });
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe(`False ${reason}`);
      expect(world.condition('shop', 'Stalled')).toBe(`True ${reason}`);
      expect(world.message('shop')).toContain('no free addresses');
      expect(world.object('shop').status.alb?.state).toBe(code);
      world.aws.control.setState(name, undefined);
      await world.clock.advance(6 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
    });

    it(`${code} is found by the drift scan on a balancer that was active`, async () => {
      const world = await World.having('shop');
      world.aws.control.setState(world.balancer().name, { code: code as 'failed' });
      const calls = await world.callsDuring(() => world.clock.advance(2 * SCAN_MS));
      expect(world.condition('shop')).toBe(`False ${reason}`);
      expect(writes(calls)).toBe(0);
    });
  }
});
