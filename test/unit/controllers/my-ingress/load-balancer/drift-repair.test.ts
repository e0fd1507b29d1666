import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { OperatorError } from '../../../../../src/core/reconcile/operator-error.ts';
import { type Balancer, MINUTE_MS, reads, SCAN_MS, World } from '../world.ts';

const ONE_SCAN_MS = SCAN_MS * 1.1 + 1_000;

interface Case {
  readonly spec: Partial<MyIngressSpec>;
  /** What somebody else does. */
  readonly meddle: (world: World, balancer: Balancer) => void;
  /** What the one event says of the difference. */
  readonly says: string;
  /** Default: one scan. */
  readonly withinMs?: number;
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'an edited tag': {
    spec: { tags: { team: 'web' } },
    meddle: (world, { arn }) => world.tagOutOfBand(arn, { team: 'ops' }),
    says: 'tag team: observed ops, desired web',
    why: 'the spec says so',
  },
  'a removed tag': {
    spec: { tags: { team: 'web' } },
    meddle: (world, { arn }) => world.untagOutOfBand(arn, 'team'),
    says: 'tag team: observed none, desired web',
    why: 'the spec says so',
  },
  'a removed record': {
    spec: {},
    meddle: (world, { arn }) =>
      world.untagOutOfBand(arn, 'albridge.io/managed-by', 'albridge.io/uid'),
    says: 'tag albridge.io/managed-by: observed none, desired albridge',
    why: 'only the three ownership tags release',
  },
  subnets: {
    spec: {},
    meddle: (world, { arn }) =>
      void world.outOfBand('SetSubnets', {
        LoadBalancerArn: arn,
        Subnets: ['subnet-b', 'subnet-c'],
      }),
    says: 'subnets: observed [subnet-b, subnet-c], desired [subnet-a, subnet-b]',
    why: 'ACK never sees this',
  },
  'security groups': {
    spec: { securityGroups: ['sg-web'] },
    meddle: (world, { arn }) =>
      void world.outOfBand('SetSecurityGroups', {
        LoadBalancerArn: arn,
        SecurityGroups: ['sg-admin'],
      }),
    says: 'securityGroups: observed [sg-admin], desired [sg-web]',
    why: 'the spec says so',
  },
  'the ip address type': {
    spec: {},
    meddle: (world, { arn }) =>
      void world.outOfBand('SetIpAddressType', {
        LoadBalancerArn: arn,
        IpAddressType: 'dualstack',
      }),
    says: 'ipAddressType: observed dualstack, desired ipv4',
    why: 'what we create is ipv4 unless the spec says otherwise',
  },
  'an attribute': {
    spec: { attributes: { 'idle_timeout.timeout_seconds': '120' } },
    meddle: (world, { arn }) => setIdle(world, arn, '33'),
    says: 'attribute idle_timeout.timeout_seconds: observed 33, desired 120',
    withinMs: 3_600_000 + ONE_SCAN_MS,
    why: 'the spec says so, on the slower lane',
  },
};

function setIdle(world: World, LoadBalancerArn: string, Value: string): void {
  world.outOfBand('ModifyLoadBalancerAttributes', {
    LoadBalancerArn,
    Attributes: [{ Key: 'idle_timeout.timeout_seconds', Value }],
  });
}

describe('drift', () => {
  for (const [name, { spec, meddle, says, why, withinMs = ONE_SCAN_MS }] of Object.entries(cases)) {
    it(`of ${name} is repaired within one scan, with an event that says what differed, because: ${why}`, async () => {
      const world = await World.having('shop', spec);
      const before = world.balancer();
      await world.clock.advance(MINUTE_MS);
      meddle(world, before);
      await world.clock.advance(withinMs);
      expect(world.balancer()).toEqual(before);
      const told = world.events.recorded.filter(({ reason }) => reason === 'DriftRepaired');
      expect(told).toHaveLength(1);
      expect(told[0]?.note).toContain(says);
      expect(world.condition('shop')).toBe('True Available');
    });

    it(`of ${name} leaves nothing to write for the next scan`, async () => {
      const world = await World.having('shop', spec);
      meddle(world, world.balancer());
      await world.clock.advance(withinMs);
      const calls = await world.callsDuring(async () => {
        expect(await world.writesDuring(() => world.clock.advance(ONE_SCAN_MS))).toEqual([]);
      });
      // The first two scans list the target groups too.
      expect(reads(calls)).toBeLessThanOrEqual(spec.attributes === undefined ? 3 : 4);
    });

    it(`of ${name} is repaired after a restart too`, async () => {
      const world = await World.having('shop', spec);
      const before = world.balancer();
      await world.clock.advance(MINUTE_MS);
      world.crash();
      meddle(world, before);
      world.start();
      await world.clock.advance(withinMs);
      expect(world.balancer()).toEqual(before);
    });

    it(`of ${name} is repaired at once if a reconcile is requested`, async () => {
      const world = await World.having('shop', spec);
      const before = world.balancer();
      meddle(world, before);
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(1_000);
      expect(world.balancer()).toEqual(before);
      expect(world.object('shop').status.lastHandledReconcileAt).toBe('now');
    });
  }

  it('is never repaired from the shared snapshot alone: a live read precedes the write', async () => {
    const world = await World.having('shop');
    const { arn } = world.balancer();
    await world.clock.advance(MINUTE_MS);
    world.tagOutOfBand(arn, { 'albridge.io/managed-by': 'somebody' });
    await world.clock.advance(ONE_SCAN_MS);
    const calls = world.aws.control.calls().filter(({ userAgent }) => userAgent === undefined);
    const write = calls.findIndex(({ operation }) => operation === 'AddTags');
    expect(
      calls.slice(write - 5, write + 1).map(({ operation, input }) => [operation, input]),
    ).toMatchObject([
      ['DescribeLoadBalancers', { PageSize: 200 }],
      ['DescribeTargetGroups', { PageSize: 200 }],
      ['DescribeTags', { ResourceArns: [arn] }],
      ['DescribeLoadBalancers', { LoadBalancerArns: [arn] }],
      ['DescribeTags', { ResourceArns: [arn] }],
      ['AddTags', { ResourceArns: [arn] }],
    ]);
  });

  it('in what the spec leaves open is none', async () => {
    const world = await World.having('shop');
    const { arn } = world.balancer();
    world.tagOutOfBand(arn, { cost: 'centre' });
    setIdle(world, arn, '33');
    world.outOfBand('SetSecurityGroups', { LoadBalancerArn: arn, SecurityGroups: ['sg-admin'] });
    const meddled = world.balancer();
    expect(await world.writesDuring(() => world.clock.advance(3 * 3_600_000))).toEqual([]);
    expect(world.balancer()).toEqual(meddled);
  });

  it('in the order of a list is none', async () => {
    const world = await World.having('shop', {
      subnets: ['subnet-b', 'subnet-a'],
      securityGroups: ['sg-web', 'sg-admin'],
    });
    const { arn } = world.balancer();
    world.outOfBand('SetSecurityGroups', {
      LoadBalancerArn: arn,
      SecurityGroups: ['sg-admin', 'sg-web'],
    });
    expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
  });

  it('costs attributes one read an hour', async () => {
    const world = await World.having('shop', {
      attributes: { 'idle_timeout.timeout_seconds': '120' },
    });
    const calls = await world.callsDuring(() => world.clock.advance(10 * 3_600_000));
    expect(calls['DescribeLoadBalancerAttributes']).toBeGreaterThanOrEqual(8);
    expect(calls['DescribeLoadBalancerAttributes']).toBeLessThanOrEqual(10);
  });

  it('that cannot be repaired takes Ready away', async () => {
    const world = await World.having('shop');
    world.outOfBand('SetSubnets', {
      LoadBalancerArn: world.balancer().arn,
      Subnets: ['subnet-b', 'subnet-c'],
    });
    world.fault(
      'SetSubnets',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { forMs: SCAN_MS * 3 },
    );
    await world.clock.advance(ONE_SCAN_MS);
    expect(world.condition('shop')).toBe('False AwsUnavailable');
  });

  it('of attributes whose repair fails is repaired soon, although the failure is not on record', async () => {
    const world = await World.having('shop', {
      attributes: { 'deletion_protection.enabled': 'true' },
    });
    const { arn } = world.balancer();
    const Attributes = [{ Key: 'deletion_protection.enabled', Value: 'false' }];
    world.outOfBand('ModifyLoadBalancerAttributes', { LoadBalancerArn: arn, Attributes });
    const failing = { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' } as const;
    world.fault('ModifyLoadBalancerAttributes', failing, { times: 3 });
    const lost = { reason: 'ApiUnavailable', message: 'x', healedBy: 'time' } as const;
    world.kube.failNext('applyStatus', new OperatorError(lost));
    const tried = (): number => world.aws.control.calls('ModifyLoadBalancerAttributes').length;
    const before = tried();
    while (tried() === before) await world.clock.advance(MINUTE_MS);
    await world.clock.advance(2 * SCAN_MS);
    expect(world.balancer().attributes).toMatchObject({ 'deletion_protection.enabled': 'true' });
  });

  it('that cannot be observed leaves Ready as it was', async () => {
    const world = await World.having('shop');
    world.fault(
      '*',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { forMs: SCAN_MS * 3 },
    );
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'Reconciling')).toBe('True AwsUnavailable');
  });
});

describe('an edit', () => {
  it('is applied at once and reported as an update', async () => {
    const world = await World.having('shop', { securityGroups: ['sg-web'] });
    await world.edited(
      'shop',
      {
        subnets: ['subnet-a', 'subnet-c'],
        securityGroups: ['sg-admin'],
        tags: { team: 'web' },
        attributes: { 'idle_timeout.timeout_seconds': '120' },
      },
      1_000,
    );
    expect(world.balancer()).toMatchObject({
      subnets: ['subnet-a', 'subnet-c'],
      securityGroups: ['sg-admin'],
      attributes: { 'idle_timeout.timeout_seconds': '120' },
      tags: { team: 'web' },
    });
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).toContain('UpdatedALB');
    expect(world.events.reasons).not.toContain('DriftRepaired');
  });

  const ipEdits: Readonly<
    Record<string, { from: Partial<MyIngressSpec>; to: Partial<MyIngressSpec>; why: string }>
  > = {
    'from dualstack to subnets without IPv6': {
      from: { ipAddressType: 'dualstack', subnets: ['subnet-a', 'subnet-b'] },
      to: { ipAddressType: 'ipv4', subnets: ['subnet-c', 'subnet-d'] },
      why: 'a dualstack balancer may not move to such subnets',
    },
    'from subnets without IPv6 to dualstack': {
      from: { ipAddressType: 'ipv4', subnets: ['subnet-c', 'subnet-d'] },
      to: { ipAddressType: 'dualstack', subnets: ['subnet-a', 'subnet-b'] },
      why: 'a balancer in such subnets cannot be dualstack',
    },
  };
  for (const [name, { from, to, why }] of Object.entries(ipEdits)) {
    it(`${name} is done in the order that AWS allows, because: ${why}`, async () => {
      const world = await World.having('shop', from);
      await world.edited('shop', to, 1_000);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer().ipAddressType).toBe(to.ipAddressType);
      expect(new Set(world.balancer().subnets)).toEqual(new Set(to.subnets));
    });
  }

  it('of forty tags into forty others stays below the fifty that AWS allows', async () => {
    const world = World.started();
    const tags = (prefix: string): Readonly<Record<string, string>> =>
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${prefix}-${i}`, 'x']));
    await world.applied('shop', { tags: tags('old') });
    await world.edited('shop', { tags: tags('new') }, 1_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(Object.keys(world.balancer().tags).filter((key) => key.startsWith('old'))).toEqual([]);
  });

  it('of more attributes than AWS takes in one call is applied', async () => {
    const world = await World.having('shop', { ipAddressType: 'dualstack' });
    const found = world.balancer().attributes;
    const attributes = Object.fromEntries(
      Object.entries(found).map(([key, value]) => [key, another(key, value)]),
    );
    const changed = Object.keys(found).filter((key) => found[key] !== attributes[key]);
    expect(changed.length).toBeGreaterThan(20);
    await world.edited('shop', { attributes }, 1_000);
    expect(world.message('shop')).toContain('is active');
    expect(world.balancer().attributes).toEqual(attributes);
  });

  it('that is taken back while reads still show what was before it is taken back', async () => {
    const world = await World.having('shop', { securityGroups: ['sg-web'] });
    const before = world.balancer();
    await world.clock.advance(MINUTE_MS);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 15_000 });
    world.edit('shop', { subnets: ['subnet-b', 'subnet-c'], securityGroups: ['sg-admin'] });
    await world.clock.advance(2_000);
    expect(world.balancer()).not.toEqual(before);
    world.edit('shop', { subnets: ['subnet-a', 'subnet-b'], securityGroups: ['sg-web'] });
    await world.clock.advance(2_000);
    expect(world.balancer()).toEqual(before);
  });

  it('that AWS refuses is reported with the reason, and parks', async () => {
    const world = await World.having('shop');
    await world.edited('shop', { subnets: ['subnet-a', 'subnet-gone'] }, 1_000);
    expect(world.condition('shop')).toBe('False SubnetNotFound');
    expect(world.condition('shop', 'Stalled')).toBe('True SubnetNotFound');
    const calls = await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS));
    expect(calls['SetSubnets']).toBeLessThan(80);
    await world.edited('shop', { subnets: ['subnet-a', 'subnet-c'] }, 1_000);
    expect(world.condition('shop')).toBe('True Available');
  });
});

const OTHER_VALUES: Readonly<Record<string, string>> = {
  'client_keep_alive.seconds': '60',
  'idle_timeout.timeout_seconds': '7',
  'load_balancing.cross_zone.enabled': 'true',
  'routing.http.desync_mitigation_mode': 'strictest',
  'routing.http.xff_header_processing.mode': 'remove',
};

/** Another value that AWS accepts for the attribute. */
function another(key: string, value: string): string {
  return OTHER_VALUES[key] ?? { true: 'false', false: 'true' }[value] ?? 'logs';
}
