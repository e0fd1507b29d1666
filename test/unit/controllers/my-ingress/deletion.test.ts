import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { draftOf } from './drafts.ts';
import { MINUTE_MS, World } from './world.ts';

const PROTECTED = { 'deletion_protection.enabled': 'true' };

function protect(world: World, isOn: boolean): void {
  world.outOfBand('ModifyLoadBalancerAttributes', {
    LoadBalancerArn: world.balancer().arn,
    Attributes: [{ Key: 'deletion_protection.enabled', Value: String(isOn) }],
  });
}

describe('deleting', () => {
  it('removes the balancer by its ARN, and the object once a read has found nothing', async () => {
    const world = await World.having('shop');
    const { arn } = world.balancer();
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      await world.deleted('shop', 1_000);
    });
    expect(world.balancers).toEqual([]);
    expect(world.exists('shop')).toBe(false);
    expect(calls).toEqual({ DescribeLoadBalancers: 2, DescribeTags: 1, DeleteLoadBalancer: 1 });
    const [deletion] = world.aws.control.calls('DeleteLoadBalancer');
    expect(deletion?.input).toEqual({ LoadBalancerArn: arn });
    expect(world.events.reasons.filter((reason) => reason === 'DeletedALB')).toHaveLength(1);
  });

  it('waits for the proof where AWS still shows the balancer', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.deleted('shop', 6_000);
    expect(world.balancers).toEqual([]);
    expect(world.condition('shop')).toBe('False Deleting');
    await world.clock.advance(10_000);
    expect(world.exists('shop')).toBe(false);
  });

  it('is quick for a balancer that was created a moment ago', async () => {
    const world = await World.having('shop');
    await world.deleted('shop', 1_000);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('does not believe in the absence of a balancer that was created a moment ago', async () => {
    const world = await World.having('shop');
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('does not believe it either in a new process', async () => {
    const world = await World.having('shop');
    world.crash();
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    world.delete('shop');
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('is done where someone else has deleted the balancer', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    await world.deleted('shop', 1_000);
    expect(world.exists('shop')).toBe(false);
  });

  const refusals: Readonly<Record<string, { code: string; status: number; why: string }>> = {
    'a throttle': { code: 'ThrottlingException', status: 400, why: 'it says nothing' },
    'an internal error': { code: 'InternalFailure', status: 500, why: 'it says nothing' },
    'a refusal of the recorded ARN': {
      code: 'ValidationError',
      status: 400,
      why: 'AWS_REGION may have been changed',
    },
    'a refusal of the read': { code: 'AccessDeniedException', status: 403, why: 'it says nothing' },
  };
  for (const operation of ['DescribeLoadBalancers', 'DescribeTags'] as const) {
    for (const [name, { code, status, why }] of Object.entries(refusals)) {
      it(`never takes ${name} of ${operation} for absence, because: ${why}`, async () => {
        const world = await World.having('shop');
        world.fault(operation, { kind: 'error', code, status, message: 'no' }, { forMs: 30_000 });
        await world.deleted('shop', 29_000);
        expect(world.exists('shop')).toBe(true);
        expect(world.balancers).toHaveLength(1);
        await world.clock.advance(10 * MINUTE_MS);
        expect(world.exists('shop')).toBe(false);
        expect(world.balancers).toEqual([]);
      });
    }
  }

  it('survives a lost answer of the delete', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    world.fault('DeleteLoadBalancer', { kind: 'lostResponse' }, { times: 3 });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('lets go of a retained balancer whose tags went with a lost answer', async () => {
    const world = await World.having('shop', { deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE_MS);
    world.fault('RemoveTags', { kind: 'lostResponse' }, { times: 1 });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toHaveLength(1);
  });
});

describe('deleting without a recorded ARN', () => {
  it('takes two reads by name that found nothing, ten seconds apart', async () => {
    const world = World.started();
    world.fault(
      'CreateLoadBalancer',
      { kind: 'error', code: 'InternalFailure', status: 500, message: '' },
      { forMs: MINUTE_MS },
    );
    await world.applied('shop');
    await world.deleted('shop', 1_000);
    expect(world.condition('shop')).toBe('False Deleting');
    await world.clock.advance(8_500);
    expect(world.exists('shop')).toBe(true);
    await world.clock.advance(2_000);
    expect(world.exists('shop')).toBe(false);
    const looks = world.aws.control.calls('DescribeLoadBalancers').slice(-2);
    expect((looks[1]?.at ?? 0) - (looks[0]?.at ?? 0)).toBeGreaterThanOrEqual(10_000);
  });

  it('waits for no tags of a balancer that is gone', async () => {
    const world = World.started();
    await world.applied('shop');
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    const throttled = { kind: 'error', code: 'Throttling', status: 400, message: '' } as const;
    world.fault('DescribeTags', throttled, { forMs: 60 * MINUTE_MS });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });

  it('finds what a create with a lost answer has made, although it shows late', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    world.apply('shop');
    await world.clock.advance(100);
    expect(world.balancers).toHaveLength(1);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('finds it also where an earlier object of this name was deleted just before', async () => {
    const world = World.started();
    world.fault(
      'CreateLoadBalancer',
      { kind: 'error', code: 'InternalFailure', status: 500, message: '' },
      { forMs: 1_500 },
    );
    await world.applied('shop');
    await world.deleted('shop', 9_000);
    expect(world.exists('shop')).toBe(true);
    // The pass that lets the finalizer go, and the next object in the same moment.
    const release = world.kube.holdNext('removeFinalizer');
    await world.clock.advance(3_000);
    release();
    while (world.exists('shop')) await Promise.resolve();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    world.apply('shop');
    await world.clock.advance(100);
    expect(world.balancers).toHaveLength(1);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('finds it also where adopt was added meanwhile', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.apply('shop');
    await world.clock.advance(100);
    world.edit('shop', {
      adopt: {
        arn: 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/gone/0123456789abcdef',
      },
    });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('is not held up by an ARN to adopt that AWS does not take for one', async () => {
    const world = World.started();
    const arn =
      'arn:aws:elasticloadbalancing:eu-north-1:000000000000:loadbalancer/app/legacy/0123456789abcdef';
    await world.applied('shop', { adopt: { arn } });
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });

  it('takes no AWS write where nothing was ever made', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'dropBeforeApply' }, { forMs: MINUTE_MS });
    await world.applied('shop');
    const writes = await world.writesDuring(async () => {
      await world.deleted('shop', MINUTE_MS);
    });
    expect(writes.toSorted()).toEqual(['applyStatus', 'removeFinalizer']);
  });
});

describe('deleting a protected balancer', () => {
  it('waits, and says what to do', async () => {
    const world = await World.having('shop', { attributes: PROTECTED });
    await world.deleted('shop', 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('False DeletionBlocked');
    expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
    expect(world.message('shop')).toContain(
      'set spec.attributes deletion_protection.enabled to "false"',
    );
    expect(world.balancer().attributes).toMatchObject(PROTECTED);
    expect(world.events.reasons.filter((reason) => reason === 'DeletionBlocked')).toHaveLength(1);
  });

  it('goes on once the spec says "false"', async () => {
    const world = await World.having('shop', { attributes: PROTECTED });
    await world.deleted('shop', 1_000);
    await world.edited('shop', { attributes: { 'deletion_protection.enabled': 'false' } }, 1_000);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('does not switch off what the spec says nothing of', async () => {
    const world = await World.having('shop');
    protect(world, true);
    await world.deleted('shop', 6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('False DeletionBlocked');
    protect(world, false);
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });

  it('asks no more than once a minute', async () => {
    const world = await World.having('shop', { attributes: PROTECTED });
    world.delete('shop');
    const calls = await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS));
    expect(calls['DeleteLoadBalancer']).toBeLessThan(80);
  });
});

it('deleting a balancer that another service uses asks for nothing but its deletion', async () => {
  const world = await World.having('shop', {
    attributes: { 'deletion_protection.enabled': 'false' },
  });
  world.aws.control.setAssociated(world.balancer().name, true);
  const calls = await world.callsDuring(() => world.deleted('shop', 10 * MINUTE_MS));
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  expect(world.message('shop')).toMatch(/associated with another service; remove what uses it/);
  expect(calls['ModifyLoadBalancerAttributes']).toBeUndefined();
  world.aws.control.setAssociated(world.balancer().name, false);
  await world.clock.advance(6 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
});

describe('deleting needs no valid spec', () => {
  const specs: Readonly<Record<string, { spec: unknown; why: string }>> = {
    'no spec': { spec: undefined, why: 'an older CRD may have admitted it' },
    'an empty spec': { spec: {}, why: 'an older CRD may have admitted it' },
    'a spec of other types': {
      spec: { subnets: 'subnet-a', scheme: 7, tags: 'x', attributes: [], deletionPolicy: 'delete' },
      why: 'an older CRD may have admitted it',
    },
    'a null spec': { spec: null, why: 'an older CRD may have admitted it' },
  };
  for (const [name, { spec, why }] of Object.entries(specs)) {
    it(`and works with ${name}, because: ${why}`, async () => {
      const world = await World.having('shop');
      await world.clock.advance(MINUTE_MS);
      world.kube.edit(draftOf('shop'), (live) => ({ ...live, spec }) as MyIngress);
      await world.deleted('shop', 1_000);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([]);
    });

    it(`and finds a lost create with ${name}`, async () => {
      const world = World.started();
      world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
      world.apply('shop');
      await world.clock.advance(100);
      world.kube.edit(draftOf('shop'), (live) => ({ ...live, spec }) as MyIngress);
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([]);
    });
  }

  it('while an object without one is Stalled and makes nothing', async () => {
    const world = World.started();
    await world.clock.settle();
    world.kube.create({ ...draftOf('shop'), spec: undefined } as unknown as MyIngress);
    await world.clock.advance(SWEEPS_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    expect(world.balancers).toEqual([]);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });
});

const SWEEPS_MS = 20 * MINUTE_MS;

describe('deletionPolicy Retain', () => {
  it('takes our tags off and leaves the balancer', async () => {
    const world = await World.having('shop', { deletionPolicy: 'Retain', tags: { team: 'web' } });
    const before = world.balancer();
    await world.deleted('shop', 1_000);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancer()).toEqual({ ...before, tags: { team: 'web' } });
    expect(world.events.reasons).toContain('RetainedALB');
    expect(world.events.reasons).not.toContain('DeletedALB');
  });

  it('takes the consent to an adoption off as well', async () => {
    const world = await World.having('shop', { deletionPolicy: 'Retain' });
    world.tagOutOfBand(world.balancer().arn, { 'albridge.io/adopt': 'web/shop' });
    await world.deleted('shop', 1_000);
    expect(world.balancer().tags).toEqual({});
  });

  it('counts as it stands when the deletion goes on', async () => {
    const world = await World.having('shop', { attributes: PROTECTED });
    await world.deleted('shop', 1_000);
    await world.edited('shop', { deletionPolicy: 'Retain' }, 1_000);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toHaveLength(1);
  });

  it('makes a later object of this name conflict, not take over', async () => {
    const world = await World.having('shop', { deletionPolicy: 'Retain' });
    await world.deleted('shop', 1_000);
    const retained = world.balancer();
    await world.applied('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('False NameConflict');
    expect(world.balancer()).toEqual(retained);
  });

  it('waits where AWS still shows our tags', async () => {
    const world = await World.having('shop', { deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE_MS);
    world.fault('DescribeTags', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancer().tags).toEqual({});
  });
});
