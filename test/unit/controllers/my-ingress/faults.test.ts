import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { myIngressReasons } from '../../../../src/apis/my-ingress-reasons.ts';
import { MINUTE_MS, World, writes } from './world.ts';

interface Failure {
  readonly effect: Parameters<World['fault']>[1];
  readonly why: string;
}

const error = (code: string, status: number): Failure['effect'] => ({
  kind: 'error',
  code,
  status,
  message: 'no',
});

const failures: Readonly<Record<string, Failure>> = {
  'a throttle': { effect: error('ThrottlingException', 400), why: 'the account is busy' },
  'a throttle in other words': {
    effect: error('RequestLimitExceeded', 503),
    why: 'front ends differ',
  },
  'an internal error': { effect: error('InternalFailure', 500), why: 'AWS has trouble' },
  'an error page': { effect: { kind: 'html500' }, why: 'a proxy answers' },
  'a broken connection': { effect: { kind: 'dropBeforeApply' }, why: 'networks break' },
  'a refusal': { effect: error('AccessDeniedException', 403), why: 'a right was lost' },
  'expired credentials': { effect: error('ExpiredTokenException', 403), why: 'tokens expire' },
  'a not-found of something else': {
    effect: error('TargetGroupNotFoundException', 400),
    why: 'only LoadBalancerNotFound means absent',
  },
};

describe('a read that fails', () => {
  for (const operation of ['DescribeLoadBalancers', 'DescribeTags', '*'] as const) {
    for (const [name, { effect, why }] of Object.entries(failures)) {
      it(`with ${name} (${operation}) is never taken for absence, because: ${why}`, async () => {
        const world = await World.having('shop');
        const before = world.balancer();
        await world.clock.advance(MINUTE_MS);
        world.fault(operation, effect, { forMs: 30 * MINUTE_MS });
        world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
        const calls = await world.callsDuring(() => world.clock.advance(29 * MINUTE_MS));
        expect(writes(calls)).toBe(0);
        expect(world.balancers).toEqual([before]);
        expect(world.object('shop').status.alb?.arn).toBe(before.arn);
        await world.clock.advance(10 * MINUTE_MS);
        expect(world.condition('shop')).toBe('True Available');
      });
    }
  }
});

describe('a first read that fails', () => {
  for (const [name, { effect }] of Object.entries(failures)) {
    it(`with ${name} creates nothing`, async () => {
      const world = World.started();
      world.fault('DescribeLoadBalancers', effect, { forMs: MINUTE_MS });
      const calls = await world.callsDuring(() => world.applied('shop'));
      expect(writes(calls)).toBe(0);
      await world.clock.advance(10 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
    });
  }
});

const refusals: Readonly<
  Record<
    string,
    { spec: Partial<MyIngressSpec>; reason: keyof typeof myIngressReasons; why: string }
  >
> = {
  'a subnet that does not exist': {
    spec: { subnets: ['subnet-a', 'subnet-gone'] },
    reason: 'SubnetNotFound',
    why: 'only AWS knows',
  },
  'subnets of two VPCs': {
    spec: { subnets: ['subnet-a', 'subnet-ob'] },
    reason: 'InvalidConfigurationRequest',
    why: 'only AWS knows',
  },
  'two subnets of one zone': {
    spec: { subnets: ['subnet-b', 'subnet-d'] },
    reason: 'InvalidConfigurationRequest',
    why: 'only AWS knows',
  },
  'a security group that does not exist': {
    spec: { securityGroups: ['sg-gone'] },
    reason: 'InvalidSecurityGroup',
    why: 'only AWS knows',
  },
  'an attribute that AWS does not know': {
    spec: { attributes: { 'no.such': 'x' } },
    reason: 'ValidationError',
    why: 'the list is AWS’s to extend',
  },
  'dualstack in subnets without IPv6': {
    spec: { ipAddressType: 'dualstack', subnets: ['subnet-c', 'subnet-d'] },
    reason: 'ValidationError',
    why: 'only AWS knows',
  },
};

describe('a spec that AWS refuses', () => {
  for (const [name, { spec, reason, why }] of Object.entries(refusals)) {
    it(`for ${name} parks with ${reason} and its next action, because: ${why}`, async () => {
      const world = await World.having('shop', spec);
      expect(world.condition('shop')).toBe(`False ${reason}`);
      expect(world.condition('shop', 'Stalled')).toBe(`True ${reason}`);
      expect(world.message('shop').endsWith(myIngressReasons[reason].next)).toBe(true);
      const calls = await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS));
      expect(writes(calls)).toBeLessThanOrEqual(62);
      expect(world.events.reasons.filter((one) => one === reason)).toHaveLength(1);
    });
  }

  it('for the quota parks, and goes on when there is room', async () => {
    const world = World.started({ settings: { quota: 1 } });
    await world.applied('first');
    await world.applied('second');
    expect(world.condition('second', 'Stalled')).toBe('True TooManyLoadBalancers');
    expect(world.message('second')).toContain(
      '(application-load-balancers is 1), this operator needs 2; delete unused load balancers',
    );
    await world.deleted('first', 6 * MINUTE_MS);
    expect(world.condition('second')).toBe('True Available');
  });

  it('for a missing right names the action', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', error('AccessDeniedException', 403));
    await world.applied('shop');
    expect(world.condition('shop', 'Stalled')).toBe('True AccessDenied');
    expect(world.message('shop')).toContain('elasticloadbalancing:CreateLoadBalancer');
  });
});

describe('the annotation paused', () => {
  const PAUSED = { 'albridge.io/paused': 'true' };

  it('stops every write, and says so', async () => {
    const world = await World.having('shop', { tags: { team: 'web' } });
    world.annotate('shop', PAUSED);
    world.edit('shop', { tags: { team: 'ops' } });
    world.tagOutOfBand(world.balancer().arn, { 'albridge.io/managed-by': 'somebody' });
    const calls = await world.callsDuring(() => world.clock.advance(20 * MINUTE_MS));
    expect(writes(calls)).toBe(0);
    expect(world.condition('shop')).toBe('Unknown Paused');
    world.annotate('shop', {});
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({
      team: 'ops',
      'albridge.io/managed-by': 'albridge',
    });
  });

  it('stops a create', async () => {
    const world = new World();
    await world.clock.settle();
    world.apply('shop');
    world.annotate('shop', PAUSED);
    world.start();
    expect(await world.callsDuring(() => world.clock.advance(20 * MINUTE_MS)).then(writes)).toBe(0);
    expect(world.balancers).toEqual([]);
  });

  it('stops a deletion, and says so', async () => {
    const world = await World.having('shop');
    world.annotate('shop', PAUSED);
    world.delete('shop');
    const calls = await world.callsDuring(() => world.clock.advance(20 * MINUTE_MS));
    expect(writes(calls)).toBe(0);
    expect(world.message('shop')).toContain('the deletion waits');
    world.annotate('shop', {});
    await world.clock.advance(1_000);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });
});

describe('the annotation reconcile-requested-at', () => {
  it('makes one live read, and is echoed', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'token-1' });
      await world.clock.advance(1_000);
    });
    expect(calls).toEqual({ DescribeLoadBalancers: 1, DescribeTags: 1 });
    expect(world.object('shop').status.lastHandledReconcileAt).toBe('token-1');
    expect(await world.callsDuring(() => world.clock.advance(2 * MINUTE_MS))).toEqual({});
  });

  it('reads live also while AWS provisions', async () => {
    const world = World.started({ settings: { provisioningMs: 100_000 } });
    await world.applied('shop');
    world.tagOutOfBand(world.balancer().arn, { 'albridge.io/managed-by': 'somebody' });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'token-1' });
    await world.clock.advance(100);
    expect(world.balancer().tags['albridge.io/managed-by']).toBe('albridge');
  });

  it('wakes an object that is parked', async () => {
    const world = World.started({ settings: { quota: 0 } });
    await world.applied('shop');
    world.aws.control.changeSettings({ quota: 5 });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'token-1' });
    await world.clock.advance(100);
    expect(world.condition('shop')).toBe('True Available');
  });
});

describe("a tenant whose read shares a call with a neighbour's", () => {
  it.each(['DescribeTags', 'DescribeLoadBalancers'] as const)(
    "does not learn the neighbour's ARN when %s fails",
    async (operation) => {
      const world = World.started();
      await world.clock.settle();
      world.apply('neighbour', {}, 'team-b');
      world.apply('tenant', {}, 'team-a');
      await world.clock.advance(MINUTE_MS);
      world.fault(operation, error('InternalFailure', 500), { forMs: 10 * MINUTE_MS });
      for (const [name, namespace] of [
        ['neighbour', 'team-b'],
        ['tenant', 'team-a'],
      ] as const) {
        world.kube.editMeta(world.object(name, namespace), {
          annotations: { 'albridge.io/reconcile-requested-at': 'x' },
        });
      }
      await world.clock.advance(5 * MINUTE_MS);
      const { status } = world.object('tenant', 'team-a');
      const events = world.events.recorded.filter(({ key }) => key === 'team-a/tenant');
      expect(JSON.stringify(status)).toContain('AwsUnavailable');
      expect(JSON.stringify([status, events])).not.toContain('/neighbour');
    },
  );
});
