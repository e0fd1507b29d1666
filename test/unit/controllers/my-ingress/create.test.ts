import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { SHOP } from './traffic/specs.ts';
import { MINUTE_MS, reads, World, writes } from './world.ts';

/** The finalizer and so many writes of status, with a balancer that takes a while. */
async function costs(spec: Partial<MyIngressSpec>, status: number): Promise<World> {
  const world = World.started({ settings: { provisioningMs: 5_000 } });
  await world.applied('shop', spec);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  const writes = world.kube.writes.map(({ verb }) => verb);
  expect(writes).toEqual(['addFinalizer', ...Array(status).fill('applyStatus')]);
  return world;
}

describe('creating', () => {
  it('takes one write and at most three reads until Ready where AWS provisions at once', async () => {
    const world = World.started();
    const calls = await world.callsDuring(() => world.applied('shop', { tags: { team: 'web' } }));
    expect(world.condition('shop')).toBe('True Available');
    expect(writes(calls)).toBe(1);
    expect(reads(calls)).toBe(3);
  });

  it('reports the balancer and what was applied', async () => {
    const world = World.started();
    const { status } = await world.applied('shop', { tags: { team: 'web' } });
    const { arn, name, dnsName } = world.balancer();
    expect(status).toMatchObject({
      observedGeneration: 1,
      alb: { arn, name, dns: dnsName, state: 'active', vpcId: 'vpc-main' },
      applied: { tags: ['team'] },
    });
    expect(world.condition('shop', 'Reconciling')).toBeUndefined();
  });

  it('carries every tag and the deterministic name in the create call itself', async () => {
    const world = World.started();
    const calls = await world.callsDuring(() => world.applied('shop', { tags: { team: 'web' } }));
    expect(calls).not.toHaveProperty('AddTags');
    expect(world.balancer('shop-alb-f8da8b78').tags).toEqual({
      team: 'web',
      'albridge.io/cluster': 'cluster-1',
      'albridge.io/namespace': 'web',
      'albridge.io/name': 'shop',
      'albridge.io/uid': 'uid-1',
      'albridge.io/managed-by': 'albridge',
    });
  });

  it('carries the whole spec', async () => {
    const world = await World.having('shop', {
      name: 'shop-prod',
      scheme: 'internal',
      securityGroups: ['sg-web'],
      ipAddressType: 'dualstack',
      attributes: { 'idle_timeout.timeout_seconds': '120' },
    });
    expect(world.balancer('shop-prod')).toMatchObject({
      scheme: 'internal',
      subnets: ['subnet-a', 'subnet-b'],
      securityGroups: ['sg-web'],
      ipAddressType: 'dualstack',
    });
    expect(world.balancer().attributes['idle_timeout.timeout_seconds']).toBe('120');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('stores the finalizer before the first write, while reads go ahead', async () => {
    const world = new World();
    const release = world.kube.holdNext('addFinalizer');
    world.start();
    const before = await world.callsDuring(() => world.applied('shop'));
    expect(before).toEqual({ DescribeLoadBalancers: 1 });
    release();
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('writes nothing to AWS where the finalizer cannot be stored', async () => {
    const world = new World();
    world.kube.failNext('addFinalizer', new Error('etcd is full'));
    world.start();
    const calls = await world.callsDuring(() => world.applied('shop'));
    expect(writes(calls)).toBe(0);
    await world.clock.advance(5_000);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('remembers no create where the finalizer could not be stored: none has left', async () => {
    const world = new World();
    world.kube.failNext('addFinalizer', new Error('etcd is full'));
    world.start();
    await world.applied('shop');
    const Name = 'shop-alb-f8da8b78';
    world.outOfBand('CreateLoadBalancer', { Name, Subnets: ['subnet-a', 'subnet-b'] });
    await world.clock.advance(5_000);
    expect(world.condition('shop')).toBe('False NameConflict');
  });

  it('reports it once, in the words of the article, as an event and in the log', async () => {
    const world = await World.having('shop');
    const note = `Created ALB: ${world.balancer().dnsName}`;
    expect(world.events.recorded.filter(({ reason }) => reason === 'CreatedALB')).toMatchObject([
      { type: 'Normal', note },
    ]);
    expect(world.log.lines.filter(({ message }) => message === note)).toHaveLength(1);
  });

  it('reports it although the reads after the create fail', async () => {
    const world = World.started();
    world.fault(
      'DescribeTags',
      { kind: 'error', code: 'InternalFailure', status: 500, message: '' },
      { times: 3 },
    );
    await world.applied('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.events.reasons.filter((reason) => reason === 'CreatedALB')).toHaveLength(1);
  });

  const TAGS = { tags: { team: 'web' } };
  const ATTRIBUTES = { attributes: { 'idle_timeout.timeout_seconds': '120' } };

  it.each([
    ['subnets alone', {}, 2],
    ['attributes, whose values before ours go on record with the ARN', ATTRIBUTES, 2],
    ['tags, whose keys go on record before the create', TAGS, 3],
    ['tags and attributes', { ...TAGS, ...ATTRIBUTES }, 3],
  ])(
    'costs the finalizer, few writes of status and two events with %s',
    async (_, spec, status) => {
      const world = await costs(spec, status);
      expect(world.events.reasons).toEqual(['CreatedALB', 'Available']);
    },
  );

  it.each([
    ['its ARN on record with the names of the rest', SHOP, 3],
    ['tags, whose keys go on record before the create', { ...SHOP, ...TAGS }, 4],
  ])(
    'costs one write of status and two events more with traffic, with %s',
    async (_, spec, status) => {
      const world = await costs(spec, status);
      const traffic = ['UpdatedTraffic', 'UpdatedTraffic'];
      expect(world.events.reasons).toEqual(['CreatedALB', ...traffic, 'Available']);
    },
  );

  it('changes nothing in a second pass', async () => {
    const world = await World.having('shop', {
      tags: { team: 'web' },
      attributes: { 'routing.http2.enabled': 'false' },
    });
    expect(await world.writesDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual([]);
  });
});

describe('a create whose answer is lost', () => {
  it('is found by name, not made twice', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop', { tags: { team: 'web' } });
      await world.clock.advance(MINUTE_MS);
    });
    expect(calls['CreateLoadBalancer']).toBe(1);
    expect(world.balancers).toHaveLength(1);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status.applied).toEqual({ tags: ['team'] });
  });

  it('is repeated where it never arrived', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'dropBeforeApply' });
    await world.applied('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is found also where the spec has changed meanwhile, and then follows the spec', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    await world.applied('shop', { tags: { team: 'web', old: 'yes' } });
    world.edit('shop', { subnets: ['subnet-b', 'subnet-c'], tags: { team: 'ops' } });
    await world.clock.advance(MINUTE_MS);
    expect(world.balancer().subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.balancer().tags).toMatchObject({ team: 'ops' });
    expect(world.balancer().tags).not.toHaveProperty('old');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('says of attributes that are not visible yet that it waits, not that AWS lost the balancer', async () => {
    const world = World.started();
    await world.clock.advance(MINUTE_MS);
    const stale = { kind: 'staleReads', ageMs: 9_000 } as const;
    world.fault('DescribeLoadBalancerAttributes', stale, { forMs: 8_000 });
    await world.applied('shop', { attributes: { 'idle_timeout.timeout_seconds': '120' } });
    expect(world.condition('shop', 'Reconciling')).toBe('True Creating');
    expect(world.log.shown.filter(({ level }) => level === 'error')).toEqual([]);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancers).toHaveLength(1);
  });

  it('is found although reads are stale for a while', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 20_000 });
    await world.applied('shop');
    await world.edited('shop', { subnets: ['subnet-b', 'subnet-c'] }, MINUTE_MS);
    expect(world.balancer().subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('NameConflict');
  });

  it('is no name conflict while its tags are not visible', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    await world.applied('shop');
    world.fault('DescribeTags', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('NameConflict');
  });

  it('is no name conflict while its tags are only partly visible', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.apply('shop');
    await world.clock.advance(100);
    const { arn } = world.balancer();
    world.untagOutOfBand(arn, 'albridge.io/name');
    await world.clock.advance(6_000);
    expect(world.condition('shop')).toBe('False OwnershipUnconfirmed');
    world.tagOutOfBand(arn, { 'albridge.io/name': 'shop' });
    await world.clock.advance(5_000);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is no name conflict for a new process either while its tags are not visible', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.apply('shop');
    await world.clock.advance(100);
    world.fault('DescribeTags', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('NameConflict');
  });
});

describe('reads after a create', () => {
  it('may be stale for a new process without harm to what it must remember', async () => {
    const world = await World.having('shop', {
      attributes: { 'idle_timeout.timeout_seconds': '120' },
    });
    await world.restart();
    await world.clock.settle();
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 5_000 });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('ALBVanished');
    expect(world.object('shop').status.applied?.attributes).toEqual({
      'idle_timeout.timeout_seconds': '60',
    });
  });

  it('may contradict each other without harm', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    const error = {
      kind: 'error',
      code: 'LoadBalancerNotFound',
      status: 400,
      message: 'no',
    } as const;
    world.fault('DescribeLoadBalancers', error);
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('ALBVanished');
  });

  it('may be stale without harm', async () => {
    const world = World.started();
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 9_000 });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop');
      await world.clock.advance(MINUTE_MS);
    });
    expect(calls['CreateLoadBalancer']).toBe(1);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).not.toContain('NameConflict');
    expect(world.events.reasons).not.toContain('ALBVanished');
  });
});
