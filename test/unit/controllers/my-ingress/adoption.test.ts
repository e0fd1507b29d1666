import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { composeConsent } from '../../../../src/controllers/my-ingress/identity.ts';
import type { CrashPlan } from './crashing-ports.ts';
import { type Balancer, MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };

function theirs(
  world: World,
  tags: Readonly<Record<string, string>> = CONSENT,
  more = {},
): Balancer {
  const pairs = Object.entries({ owner: 'ops', ...tags }).map(([Key, Value]) => ({ Key, Value }));
  world.outOfBand('CreateLoadBalancer', {
    Name: 'legacy',
    Subnets: ['subnet-a', 'subnet-b'],
    Tags: pairs,
    ...more,
  });
  return world.balancer('legacy');
}

async function adopting(
  world: World,
  { arn }: Pick<Balancer, 'arn'>,
  spec: Partial<MyIngressSpec> = {},
): Promise<void> {
  await world.applied('shop', { adopt: { arn }, ...spec });
}

describe('adopting', () => {
  it('takes charge of a balancer by the consent of its owner', async () => {
    const world = new World();
    const balancer = theirs(world);
    world.start();
    await adopting(world, balancer, { tags: { team: 'web' }, securityGroups: ['sg-web'] });
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer()).toMatchObject({
      arn: balancer.arn,
      securityGroups: ['sg-web'],
      tags: {
        ...CONSENT,
        owner: 'ops',
        team: 'web',
        'albridge.io/namespace': 'web',
        'albridge.io/name': 'shop',
        'albridge.io/uid': 'uid-1',
        'albridge.io/managed-by': 'albridge',
      },
    });
    expect(world.object('shop').status).toMatchObject({
      alb: { arn: balancer.arn, name: 'legacy' },
      applied: { tags: ['team'] },
    });
    expect(world.events.reasons.filter((reason) => reason === 'AdoptedALB')).toHaveLength(1);
    expect(world.events.reasons).not.toContain('CreatedALB');
    expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
  });

  it('keeps the address type it finds', async () => {
    const world = new World();
    const balancer = theirs(world, CONSENT, { IpAddressType: 'dualstack' });
    world.start();
    await adopting(world, balancer);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().ipAddressType).toBe('dualstack');
  });

  const refusals: Readonly<
    Record<
      string,
      {
        tags: Readonly<Record<string, string>>;
        more?: object;
        spec?: Partial<MyIngressSpec>;
        reason: string;
        why: string;
      }
    >
  > = {
    'no consent': { tags: {}, reason: 'AdoptionRefused', why: 'the owner has not agreed' },
    'half a consent': {
      tags: { 'albridge.io/adopt': 'web/shop' },
      reason: 'AdoptionRefused',
      why: 'the same object may exist in several clusters',
    },
    'consent for another object': {
      tags: { ...CONSENT, 'albridge.io/adopt': 'web/cart' },
      reason: 'AdoptionRefused',
      why: 'the owner has agreed to something else',
    },
    'consent for another cluster': {
      tags: { ...CONSENT, 'albridge.io/cluster': 'cluster-2' },
      reason: 'AdoptionRefused',
      why: 'the owner has agreed to something else',
    },
    'another object that holds it': {
      tags: { ...CONSENT, 'albridge.io/namespace': 'web', 'albridge.io/name': 'cart' },
      reason: 'AdoptionRefused',
      why: 'one balancer, one object',
    },
    'another scheme': {
      tags: CONSENT,
      spec: { scheme: 'internal' },
      reason: 'SpecMismatch',
      why: 'AWS cannot change it',
    },
    'another name': {
      tags: CONSENT,
      spec: { name: 'shop' },
      reason: 'SpecMismatch',
      why: 'AWS cannot change it; admission refuses this too, on API servers that evaluate its rule',
    },
  };
  for (const [name, { tags, more, spec, reason, why }] of Object.entries(refusals)) {
    it(`is refused before any write for ${name}, because: ${why}`, async () => {
      const world = new World();
      const balancer = theirs(world, tags, more);
      world.start();
      const calls = await world.callsDuring(async () => {
        await adopting(world, balancer, spec);
        await world.clock.advance(20 * MINUTE_MS);
      });
      expect(writes(calls)).toBe(0);
      expect(world.balancer()).toEqual(balancer);
      expect(world.condition('shop', 'Stalled')).toBe(`True ${reason}`);
      expect(world.message('shop')).toContain(balancer.arn);
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancer()).toEqual(balancer);
    });
  }

  it('is refused where there is no such balancer, and none is made', async () => {
    const world = new World();
    const balancer = theirs(world);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: balancer.arn });
    world.start();
    await adopting(world, balancer);
    await world.clock.advance(20 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True AdoptionRefused');
    expect(world.balancers).toEqual([]);
  });

  it('goes on when the consent comes later', async () => {
    const world = new World();
    const balancer = theirs(world, {});
    world.start();
    await adopting(world, balancer);
    world.tagOutOfBand(balancer.arn, CONSENT);
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  for (const port of ['aws', 'kube'] as const) {
    for (const when of ['before', 'unanswered', 'after'] as const) {
      it(`is finished by the next process where one dies ${when} any operation on ${port}`, async () => {
        for (let at = 1; at <= 10; at++) {
          const world = await dyingAdoption({ port, when, at });
          await world.restart();
          await world.clock.advance(10 * MINUTE_MS);
          expect(world.condition('shop')).toBe('True Available');
          expect(world.object('shop').status.applied).toEqual({ tags: ['team'] });
          world.unset('shop', 'tags');
          await world.clock.advance(MINUTE_MS);
          expect(world.balancer().tags).toHaveProperty('owner');
          expect(world.balancer().tags).not.toHaveProperty('team');
        }
      });

      it(`leaves nothing of ours where one dies ${when} any operation on ${port} and the object is deleted`, async () => {
        for (let at = 1; at <= 10; at++) {
          const world = await dyingAdoption({ port, when, at }, { deletionPolicy: 'Retain' });
          world.crash();
          world.delete('shop');
          world.start();
          await world.clock.advance(2 * MINUTE_MS);
          expect(world.exists('shop')).toBe(false);
          expect(world.balancer().tags).not.toHaveProperty('albridge.io/name');
        }
      });
    }
  }

  it('is undone by Retain, and repeated by a new consent', async () => {
    const world = new World();
    const balancer = theirs(world);
    world.start();
    await adopting(world, balancer, { deletionPolicy: 'Retain' });
    await world.deleted('shop', MINUTE_MS);
    expect(world.balancer().tags).toEqual({ owner: 'ops' });
    await adopting(world, balancer);
    expect(world.condition('shop')).toBe('False AdoptionRefused');
    world.tagOutOfBand(balancer.arn, CONSENT);
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  for (const key of ['albridge.io/cluster', 'albridge.io/namespace', 'albridge.io/name']) {
    it(`ends when ${key} is taken off, although the consent stays`, async () => {
      const world = World.started();
      await adopting(world, theirs(world));
      world.untagOutOfBand(world.balancer().arn, key);
      const released = world.balancer();
      await world.clock.advance(20 * MINUTE_MS);
      expect(world.condition('shop')).toBe('False AdoptionRefused');
      expect(world.balancer()).toEqual(released);
      world.untagOutOfBand(
        released.arn,
        ...['albridge.io/uid', 'albridge.io/namespace', 'albridge.io/name'],
      );
      world.tagOutOfBand(released.arn, CONSENT);
      await world.clock.advance(6 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
    });
  }

  it('says what to write where the name is too long for a tag', async () => {
    const world = new World();
    const balancer = theirs(world, {});
    world.start();
    const name = 'n'.repeat(253);
    await world.applied(name, { adopt: { arn: balancer.arn } });
    await world.clock.advance(1_000);
    expect(world.message(name)).toContain(
      `albridge.io/adopt=${composeConsent({ namespace: 'web', name })}`,
    );
  });

  it('makes the balancer ours, so that it goes with its object', async () => {
    const world = World.started();
    await adopting(world, theirs(world));
    await world.deleted('shop', MINUTE_MS);
    expect(world.balancers).toEqual([]);
    expect(world.exists('shop')).toBe(false);
  });
});

async function dyingAdoption(plan: CrashPlan, spec: Partial<MyIngressSpec> = {}): Promise<World> {
  const world = new World();
  const balancer = theirs(world);
  world.start(plan);
  await adopting(world, balancer, { tags: { team: 'web' }, ...spec });
  await world.clock.advance(20_000);
  return world;
}

/** What a spec may leave out for a balancer that exists. */
const FOR_A_NEW_ONE = { securityGroups: ['sg-web'], ipAddressType: 'dualstack' } as const;

async function vanished(world: World): Promise<void> {
  await world.clock.advance(MINUTE_MS);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  await world.clock.advance(1.2 * SCAN_MS);
}

interface Lacking {
  readonly why: string;
  readonly spec: Partial<MyIngressSpec>;
  /** Fields that the message names, and those that it does not. */
  readonly named: readonly string[];
  readonly given: readonly string[];
}

const LISTENERS = {
  listeners: [{ port: 80, protocol: 'HTTP' }],
  backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
} as const;

const LACKING: Readonly<Record<string, Lacking>> = {
  'security groups and address type': {
    why: 'the default group of the VPC admits others, or none',
    spec: {},
    named: ['spec.securityGroups', 'spec.ipAddressType'],
    given: [],
  },
  'its address type': {
    why: 'clients of a dual-stack balancer would lose IPv6',
    spec: { securityGroups: ['sg-web'] },
    named: ['spec.ipAddressType'],
    given: ['spec.securityGroups'],
  },
  'security groups': {
    why: 'the groups of the deleted balancer are on no record',
    spec: { ipAddressType: 'ipv4' },
    named: ['spec.securityGroups'],
    given: ['spec.ipAddressType'],
  },
  'security groups although it has listeners': {
    why: 'only spec.inbound asks for a managed group',
    spec: { ...LISTENERS, ipAddressType: 'ipv4' },
    named: ['spec.securityGroups'],
    given: ['spec.ipAddressType'],
  },
};

describe('an adopted balancer that vanished and whose spec lacks settings of a new one', () => {
  for (const [name, { why, spec, named, given }] of Object.entries(LACKING)) {
    it(`is not made again without ${name}, because: ${why}`, async () => {
      const world = World.started();
      await adopting(world, theirs(world), spec);
      const { arn } = world.balancer();
      const calls = await world.callsDuring(() => vanished(world));
      await world.clock.advance(20 * MINUTE_MS);
      expect(calls.CreateLoadBalancer ?? 0).toBe(0);
      expect(world.balancers).toEqual([]);
      expect(world.condition('shop')).toBe('False RecreationRefused');
      expect(world.condition('shop', 'Stalled')).toBe('True RecreationRefused');
      for (const text of [arn, ...named]) expect(world.message('shop')).toContain(text);
      for (const text of given) expect(world.message('shop')).not.toContain(text);
      expect(world.events.reasons).toContain('ALBVanished');
      world.edit('shop', FOR_A_NEW_ONE);
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer()).toMatchObject({ name: 'legacy', ...FOR_A_NEW_ONE });
    });
  }

  it('is made again with the group that spec.inbound asks for', async () => {
    const world = World.started();
    const inbound = { cidrs: ['192.0.2.0/24'] };
    await adopting(world, theirs(world), { ...LISTENERS, inbound, ipAddressType: 'ipv4' });
    await vanished(world);
    expect(world.condition('shop')).toBe('True Available');
    const groups = world.beside.map(({ id }) => id).filter((id) => id.startsWith('sg-'));
    expect(world.balancer().securityGroups).toEqual(groups);
  });

  it('lets its object go', async () => {
    const world = World.started();
    await adopting(world, theirs(world));
    await vanished(world);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });

  it('has a plan that says so', async () => {
    const world = World.started();
    await adopting(world, theirs(world));
    await vanished(world);
    world.annotate('shop', { 'albridge.io/mode': 'plan' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('Unknown Planned');
    expect(world.message('shop')).toContain('spec.securityGroups');
    expect(world.object('shop').status.plan?.steps).toEqual([]);
  });
});

describe('an adopted balancer that vanished', () => {
  it('is made again under its name', async () => {
    const world = World.started();
    await adopting(world, theirs(world), { ...FOR_A_NEW_ONE, tags: { team: 'web' } });
    await vanished(world);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer()).toMatchObject({ name: 'legacy', tags: { team: 'web' } });
    world.unset('shop', 'tags');
    await world.clock.advance(1_000);
    expect(world.balancer().tags).not.toHaveProperty('team');
    await world.deleted('shop', MINUTE_MS);
    expect(world.balancers).toEqual([]);
  });

  for (const port of ['aws', 'kube'] as const) {
    for (const when of ['before', 'unanswered', 'after'] as const) {
      it(`comes back although the process dies ${when} any operation on ${port}`, async () => {
        for (let at = 1; at <= 10; at++) {
          const world = World.started();
          await adopting(world, theirs(world), FOR_A_NEW_ONE);
          world.crash();
          world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
          world.start({ port, when, at });
          await world.clock.advance(20_000);
          await world.restart();
          await world.clock.advance(10 * MINUTE_MS);
          expect(world.condition('shop'), `${at}`).toBe('True Available');
          expect(world.balancer().name).toBe('legacy');
        }
      });
    }
  }
});

describe('adopt added while a create was in flight', () => {
  it('does not forget what the create has made', async () => {
    const world = new World();
    const balancer = theirs(world);
    world.start();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.apply('shop');
    await world.clock.advance(100);
    await world.edited('shop', { adopt: { arn: balancer.arn } }, MINUTE_MS);
    expect(world.object('shop').status.alb?.name).toBe('shop-alb-f8da8b78');
    expect(world.condition('shop', 'Stalled')).toBe('True SpecMismatch');
    expect(world.balancer('legacy')).toEqual(balancer);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([balancer]);
  });

  it('does not forget it although it shows late', async () => {
    const world = new World();
    const balancer = theirs(world);
    await world.clock.advance(MINUTE_MS);
    world.start();
    world.fault('CreateLoadBalancer', { kind: 'lostResponse' });
    world.apply('shop');
    await world.clock.advance(100);
    world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.edited('shop', { adopt: { arn: balancer.arn } }, MINUTE_MS);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers.map(({ name }) => name)).not.toContain('shop-alb-f8da8b78');
  });
});
