import { describe, expect, it } from 'vitest';
import { MINUTE_MS, reads, SCAN_MS, World } from './world.ts';

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app';

/** What a tenant writes into status.alb; `theirs` is the ARN of somebody else's balancer. */
const forgeries: Readonly<Record<string, (theirs: string) => object | undefined>> = {
  'a balancer that does not exist': () => ({ arn: `${ARN}/gone/0123456789abcdef` }),
  "somebody else's balancer": (theirs) => ({ arn: theirs }),
  'a balancer of another region': () => ({
    arn: `${ARN.replace('us-east-1', 'eu-north-1')}/shop/0123456789abcdef`,
  }),
  'no ARN at all': () => ({ arn: 'nonsense' }),
  'a balancer that vanished': (theirs) => ({ arn: theirs, state: 'deleted' }),
  nothing: () => undefined,
};

function forge(world: World, alb: object | undefined): void {
  const { status } = world.object('shop');
  const { alb: _true, ...others } = status;
  world.kube.server.applyStatus(world.object('shop'), { ...others, ...(alb && { alb }) });
}

describe('an object whose status.alb was forged to name', () => {
  for (const [name, albOf] of Object.entries(forgeries)) {
    it(`${name} takes its balancer along when it is deleted, and nothing else`, async () => {
      const world = new World();
      world.outOfBand('CreateLoadBalancer', { Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] });
      const theirs = world.balancer();
      world.start();
      await world.applied('shop');
      await world.clock.advance(5 * MINUTE_MS);
      forge(world, albOf(theirs.arn));
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([theirs]);
    });
  }

  it('another one takes its balancer along although AWS does not show it yet', async () => {
    const world = World.started();
    const failing = { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' } as const;
    world.fault('CreateLoadBalancer', failing, { forMs: 30_000 });
    await world.applied('shop', { name: 'shop-prod' });
    for (let i = 0; i < 600 && world.balancers.length === 0; i++) await world.clock.advance(100);
    world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 7_000 });
    forge(world, { arn: `${ARN}/gone/0123456789abcdef` });
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });
});

describe('an object that lives on, and whose status.alb was forged to name', () => {
  for (const [name, albOf] of Object.entries(forgeries)) {
    it(`${name} shows its own balancer again, with its tags on record`, async () => {
      const world = new World();
      world.outOfBand('CreateLoadBalancer', { Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] });
      const theirs = world.balancer();
      world.start();
      await world.applied('shop', { tags: { team: 'web' } });
      await world.clock.advance(5 * MINUTE_MS);
      const { alb } = world.object('shop').status;
      forge(world, albOf(theirs.arn));
      await world.clock.advance(2 * SCAN_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.object('shop').status.alb).toEqual(alb);
      world.unset('shop', 'tags');
      await world.clock.advance(MINUTE_MS);
      expect(world.balancer(alb?.name).tags).not.toHaveProperty('team');
      expect(world.balancer('theirs')).toEqual(theirs);
      expect(world.balancers).toHaveLength(2);
    });
  }
});

/** A subnet that does not exist holds up the first create. */
async function withoutBalancer(albOf: (theirs: string) => object | undefined): Promise<World> {
  const world = new World();
  world.outOfBand('CreateLoadBalancer', { Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] });
  const theirs = world.balancer();
  world.start();
  await world.applied('shop', { subnets: ['subnet-a', 'subnet-none'] });
  forge(world, albOf(theirs.arn));
  return world;
}

const ELSEWHERE = 'a balancer of another region';
const { [ELSEWHERE]: elsewhere, ...forgeriesOfHere } = forgeries;

describe('an object that has no balancer yet, and whose status.alb was forged to name', () => {
  for (const [name, albOf] of Object.entries(forgeriesOfHere)) {
    it(`${name} gets one once its spec is right, and goes when it is deleted`, async () => {
      const world = await withoutBalancer(albOf);
      const theirs = world.balancer('theirs');
      await world.edited('shop', { subnets: ['subnet-a', 'subnet-b'] }, SCAN_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.object('shop').status.alb).toMatchObject({ name: world.balancers[1]?.name });
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([theirs]);
    });

    it(`${name} goes when it is deleted at once`, async () => {
      const world = await withoutBalancer(albOf);
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toHaveLength(1);
    });
  }

  it(`${ELSEWHERE} forgets nothing, and says that status.alb is to be corrected`, async () => {
    const world = await withoutBalancer((theirs) => elsewhere?.(theirs));
    await world.edited('shop', { subnets: ['subnet-a', 'subnet-b'] }, SCAN_MS);
    expect(world.condition('shop')).toBe('False ValidationError');
    expect(world.message('shop')).toContain('status.alb.arn');
    expect(world.object('shop').status.alb).toEqual(elsewhere?.(''));
    await world.deleted('shop', MINUTE_MS);
    expect(world.message('shop')).toContain('status.alb.arn');
    forge(world, undefined);
    await world.clock.advance(SCAN_MS);
    expect(world.exists('shop')).toBe(false);
  });

  it('a balancer with its UID is not forgotten: the cluster id of the operator may have changed', async () => {
    const world = await withoutBalancer((theirs) => ({ arn: theirs }));
    const { arn } = world.balancer('theirs');
    world.tagOutOfBand(arn, { 'albridge.io/uid': world.object('shop').metadata.uid });
    await world.edited('shop', { subnets: ['subnet-a', 'subnet-b'] }, SCAN_MS);
    expect(world.condition('shop')).toBe('False NameConflict');
    expect(world.object('shop').status.alb).toEqual({ arn });
    expect(world.balancers).toHaveLength(1);
  });

  it('a balancer of another owner keeps the tags of its own on record where AWS does not show it yet', async () => {
    const world = await withoutBalancer(() => undefined);
    await world.clock.advance(MINUTE_MS);
    world.edit('shop', { subnets: ['subnet-a', 'subnet-b'], tags: { team: 'web' } });
    for (let i = 0; i < 600 && world.balancers.length < 2; i++) await world.clock.advance(100);
    const { arn } = world.balancer('theirs');
    world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 7_000 });
    forge(world, { arn });
    world.unset('shop', 'tags');
    await world.clock.advance(SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
    const own = world.balancers.find((one) => one.arn === world.object('shop').status.alb?.arn);
    expect(own?.name).not.toBe('theirs');
    expect(own?.tags).not.toHaveProperty('team');
  });
});

describe('an object whose status.alb was forged', () => {
  for (const [field, value] of Object.entries({
    dns: 'evil.example',
    name: 'theirs',
    hostedZoneId: 'Z0FORGED',
    vpcId: 'vpc-forged',
  })) {
    it(`in ${field} shows its own balancer again after the next scan, at the price of one read`, async () => {
      const world = await World.having('shop');
      await world.clock.advance(MINUTE_MS);
      const { alb } = world.object('shop').status;
      forge(world, { ...alb, [field]: value });
      const calls = await world.callsDuring(() => world.clock.advance(2 * SCAN_MS));
      expect(world.object('shop').status.alb).toEqual(alb);
      expect(world.condition('shop')).toBe('True Available');
      // Each of the first two scans lists the target groups too.
      expect(reads(calls)).toBeLessThanOrEqual(2 * 3 + 2);
    });
  }
});

/** The tenant names a neighbour's balancer and has it look as if a pass of albridge had said so. */
async function claimed(condition: object, act: (world: World) => unknown): Promise<World> {
  const world = new World();
  world.outOfBand('CreateLoadBalancer', { Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] });
  const { arn } = world.balancer();
  world.start();
  await world.applied('shop');
  await world.clock.advance(MINUTE_MS);
  const { status, metadata } = world.object('shop');
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const known = { lastTransitionTime, message: '', observedGeneration: metadata.generation ?? 1 };
  world.kube.server.applyStatus(world.object('shop'), {
    ...status,
    alb: { arn },
    conditions: [{ ...known, ...condition } as NonNullable<typeof status.conditions>[number]],
  });
  await act(world);
  await world.clock.advance(2 * SCAN_MS);
  return world;
}

const claims = {
  'is still provisioning': { type: 'Reconciling', status: 'True', reason: 'Provisioning' },
  'is ready': { type: 'Ready', status: 'True', reason: 'Available' },
};

describe("an object whose status was forged to say that a neighbour's balancer", () => {
  for (const [name, condition] of Object.entries(claims)) {
    for (const [when, act] of [
      ['', () => {}],
      [', and the operator restarted,', (world: World) => world.restart()],
    ] as const) {
      it(`${name}${when} shows its own address`, async () => {
        const world = await claimed(condition, act);
        const own = world.balancers.find(({ name: one }) => one !== 'theirs');
        expect(world.object('shop').status.alb).toMatchObject({ dns: own?.dnsName });
        expect(world.condition('shop')).toBe('True Available');
      });
    }
  }
});

describe('an object whose status.applied was forged', () => {
  const forged = {
    'access_logs.s3.enabled': 'true',
    'access_logs.s3.bucket': 'bucket-of-the-forger',
    'routing.http.drop_invalid_header_fields.enabled': 'true',
    'forged.key': 'x',
  };

  for (const own of [{}, { 'access_logs.s3.bucket': 'our-logs' }] as const) {
    it(`sets no attribute from it, with ${Object.keys(own).length} in its spec`, async () => {
      const world = await World.having('shop', { attributes: own });
      await world.clock.advance(MINUTE_MS);
      const before = world.balancer().attributes;
      const { status } = world.object('shop');
      world.kube.server.applyStatus(world.object('shop'), {
        ...status,
        applied: { attributes: forged },
      });
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(MINUTE_MS);
      expect(world.balancer().attributes).toEqual(before);
      expect(world.object('shop').status.applied?.attributes ?? {}).not.toHaveProperty(
        'forged.key',
      );
      world.unset('shop', 'attributes');
      await world.clock.advance(MINUTE_MS);
      expect(world.balancer().attributes).toEqual(before);
      expect(world.condition('shop')).toBe('True Available');
    });
  }
});
