import { describe, expect, it } from 'vitest';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../../../src/apis/my-ingress.ts';
import { draftOf } from '../drafts.ts';
import { listBeside } from '../witness.ts';
import { MINUTE_MS, World } from '../world.ts';
import { settleShop } from './settle.ts';
import { listIds, SHOP, web } from './specs.ts';

type Status = MyIngress['status'];

const forwardTo = (backend: string) => ({ forward: [{ backend }] });

/** No request reaches a backend. */
const FIXED = {
  listeners: [
    {
      ...{ port: 80, protocol: 'HTTP' as const },
      defaultAction: { fixedResponse: { statusCode: 404 } },
    },
  ],
};

/** What a tenant writes into status while the object is being deleted. */
const forgeries: Readonly<Record<string, (status: Status) => Status>> = {
  'names nothing as ours': (status) => ({ ...status, owned: {} }),
  'names something else as ours': (status) => ({
    ...status,
    owned: { targetGroups: ['theirs'], securityGroup: 'theirs' },
  }),
  'has no record of what is ours': ({ owned: _owned, ...status }) => status,
  'names another VPC': ({ owned: _owned, ...status }) => ({
    ...status,
    ...(status.alb && { alb: { ...status.alb, vpcId: 'vpc-other' } }),
  }),
  'is empty': ({ observedGeneration }) => ({ observedGeneration }),
};

describe('an object whose status was forged and', () => {
  for (const [what, forge] of Object.entries(forgeries)) {
    for (const given of [{}, { securityGroups: ['sg-web'] }]) {
      it(`${what} takes everything along, with ${Object.keys(given).length} settings for security groups`, async () => {
        const world = await settleShop({ ...SHOP, ...given });
        world.delete('shop');
        const object = world.object('shop');
        world.kube.server.applyStatus(object, forge(object.status));
        await world.clock.advance(5 * MINUTE_MS);
        expect(world.exists('shop')).toBe(false);
        expect(listIds(world)).toEqual([]);
      });
    }
  }
});

describe('a deletion costs', () => {
  const ONE = { backends: [web], rules: [{ name: 'web', paths: ['/web'], ...forwardTo('web') }] };

  it('nine calls with its proof, where this process knows what stands beside the balancer', async () => {
    const world = await settleShop(ONE);
    const calls = await world.callsDuring(async () => {
      await world.deleted('shop', MINUTE_MS);
    });
    expect(world.exists('shop')).toBe(false);
    expect(calls).toEqual({
      ...{ DescribeLoadBalancers: 2, DescribeTags: 1, DescribeSecurityGroups: 2 },
      ...{ DeleteLoadBalancer: 1, DeleteTargetGroup: 1, DeleteSecurityGroup: 1 },
      DescribeTargetGroups: 1,
    });
  });

  it('two more after a restart: the balancer is asked which groups it uses', async () => {
    const world = await settleShop(ONE);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      await world.deleted('shop', MINUTE_MS);
    });
    expect(world.exists('shop')).toBe(false);
    expect(calls).toMatchObject({ DescribeTargetGroups: 2, DescribeTags: 2 });
  });
});

describe('nothing is left of an object that is deleted', () => {
  const BACKENDS = ['backends', 'rules', 'defaultAction'] as const;

  /** Without status and backends. */
  async function restored(world: World, spec: Partial<MyIngressSpec> = {}): Promise<void> {
    world.crash();
    world.kube.deleteInSpite(draftOf('shop'));
    world.apply('shop', spec);
    world.kube.edit(draftOf('shop'), (live) => {
      return { ...live, metadata: { ...live.metadata, finalizers: [loadBalancerFinalizer] } };
    });
    world.delete('shop');
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  }

  it('the moment it was restored without its status, and without its backends', async () => {
    const world = await settleShop();
    await restored(world);
    expect([world.balancers, listIds(world)]).toEqual([[], []]);
  });

  it.each([
    ['this process', false],
    ['the one before', true],
  ])(
    'of a listener of %s that no read shows yet, under Retain: its tags go as well',
    async (_, isBefore) => {
      const world = await settleShop({ ...SHOP, deletionPolicy: 'Retain' });
      const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
      const defaultAction = { forward: [{ backend: 'web' }] };
      await world.edited('shop', { listeners, defaultAction }, 1_000);
      expect(listIds(world)).toContain('listener/8080');
      world.fault('*', { kind: 'staleReads', ageMs: 5_000 }, { forMs: 5_000 });
      if (isBefore) await world.restart();
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(listIds(world).filter((id) => id !== '')).toEqual([]);
    },
  );

  it('so, under Retain: none of it has an owner', async () => {
    const world = await settleShop({ ...SHOP, deletionPolicy: 'Retain' });
    await restored(world, { deletionPolicy: 'Retain' });
    expect(world.balancers).toHaveLength(1);
    expect(listIds(world)).toEqual([]);
  });

  it('without its backends, by a process whose first read it is, where its status names the balancer alone', async () => {
    const world = await settleShop();
    world.crash();
    world.unset('shop', ...BACKENDS);
    const { alb, observedGeneration } = world.object('shop').status;
    world.kube.server.applyStatus(world.object('shop'), {
      observedGeneration,
      ...(alb && { alb }),
    });
    world.delete('shop');
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect([world.balancers, listIds(world)]).toEqual([[], []]);
  });

  it('restored so, where the process dies at any moment', async () => {
    for (let at = 1; at < 30; at++) {
      const world = await settleShop();
      world.crash();
      world.kube.deleteInSpite(draftOf('shop'));
      world.apply('shop');
      world.kube.edit(draftOf('shop'), (live) => {
        return { ...live, metadata: { ...live.metadata, finalizers: [loadBalancerFinalizer] } };
      });
      world.delete('shop');
      world.start({ port: 'aws', at, when: 'after' });
      await world.clock.advance(5_000);
      world.crash();
      world.start();
      await world.clock.advance(5 * MINUTE_MS);
      expect(world.exists('shop'), `${at}`).toBe(false);
      expect([world.balancers, listIds(world)], `${at}`).toEqual([[], []]);
    }
  });

  it('restored without its status and its listeners, which have no backends', async () => {
    const world = await settleShop(FIXED);
    await restored(world);
    expect([world.balancers, listIds(world)]).toEqual([[], []]);
  });
});

/** Nor backends; AWS refuses the first write to the balancer for ten seconds. */
async function startWithoutStatus(): Promise<World> {
  const world = await settleShop();
  world.crash();
  world.unset('shop', 'backends', 'rules', 'defaultAction');
  world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
  world.edit('shop', { tags: { team: 'web' } });
  const refusal = { code: 'ServiceUnavailable', status: 503, message: 'try later' };
  world.fault('AddTags', { kind: 'error', ...refusal }, { forMs: 10_000 });
  world.start();
  return world;
}

describe('target groups of an object that has lost its status are found', () => {
  it('although its backends leave the spec at the same moment', async () => {
    const world = await settleShop();
    world.crash();
    const backends = ['backends', 'rules', 'defaultAction'] as const;
    world.unset('shop', ...backends);
    world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(listIds(world)).toEqual([]);
    expect(world.object('shop').status).not.toHaveProperty('owned');
  });

  it('although AWS refuses the first write to the balancer', async () => {
    const world = await startWithoutStatus();
    await world.clock.advance(30 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listIds(world)).toEqual([]);
  });

  it('although that write is refused, and the process dies once the balancer is on record', async () => {
    const world = await startWithoutStatus();
    await world.clock.advance(5_000);
    expect(world.object('shop').status.alb?.arn).toBe(world.balancer().arn);
    await world.restart();
    await world.clock.advance(30 * MINUTE_MS);
    expect(listIds(world)).toEqual([]);
  });

  const restored: Readonly<Record<string, Partial<MyIngressSpec>>> = {
    'without backends': FIXED,
    'without backends and listeners': {},
  };
  for (const [what, spec] of Object.entries(restored)) {
    it(`although others have deleted its balancer, and it was restored ${what}`, async () => {
      const world = await settleShop();
      world.crash();
      world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
      world.kube.deleteInSpite(draftOf('shop'));
      world.apply('shop', spec);
      world.start();
      await world.clock.advance(30 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(listIds(world).filter((id) => id.startsWith('target-group/'))).toEqual([]);
      expect(listIds(world).includes('security-group/frontend')).toBe(spec === FIXED);
    });
  }

  it('and so are listeners that have none', async () => {
    const world = await settleShop(FIXED);
    world.crash();
    world.unset('shop', 'listeners');
    world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(listIds(world)).toEqual([]);
    expect(world.condition('shop')).toBe('True Available');
  });
});

it('a target group that reads do not show yet is deleted, too', async () => {
  const world = await settleShop({ backends: [web], rules: [] });
  world.edit('shop', SHOP);
  const countGroups = (): number => world.aws.control.snapshot().targetGroups.length;
  for (let i = 0; i < 50 && countGroups() < 2; i++) await world.clock.advance(100);
  world.crash();
  world.fault('DescribeTargetGroups', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_500 });
  world.delete('shop');
  world.start();
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(listIds(world)).toEqual([]);
});

it('a security group that others refer to holds a deletion up, which names them until they do no more', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const group = world.beside.find(({ id }) => id.startsWith('sg-'))?.id;
  const pair = {
    IpProtocol: 'tcp',
    FromPort: 80,
    ToPort: 80,
    UserIdGroupPairs: [{ GroupId: group }],
  };
  const rule = { GroupId: 'sg-web', IpPermissions: [pair] };
  world.outOfBand('AuthorizeSecurityGroupIngress', rule);
  await world.deleted('shop', 2 * MINUTE_MS);
  expect(world.condition('shop', 'Reconciling')).toBe('True Deleting');
  expect(world.message('shop')).toBe(
    'security-group frontend: rules of security group sg-web refer to it; remove these rules',
  );
  world.outOfBand('RevokeSecurityGroupIngress', rule);
  await world.clock.advance(MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(world.beside).toEqual([]);
});

it('an outbound rule that leads to the security group holds a deletion up, which names its group', async () => {
  const world = await settleShop();
  const group = world.beside.find(({ id }) => id.startsWith('sg-'))?.id ?? '';
  world.aws.control.setOutboundGroups('sg-web', [group]);
  await world.deleted('shop', 2 * MINUTE_MS);
  expect(world.message('shop')).toContain('rules of security group sg-web refer to it');
  world.aws.control.setOutboundGroups('sg-web', []);
  await world.clock.advance(MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
});

it('a balancer that someone has released holds a deletion up, which names it until it is gone', async () => {
  const world = await settleShop();
  const { arn } = world.balancer();
  world.untagOutOfBand(arn, 'albridge.io/cluster');
  await world.deleted('shop', 2 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  expect(world.message('shop')).toContain(
    `load balancer ${arn} uses it, and its tags do not name this object`,
  );
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn });
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(listIds(world)).toEqual([]);
});

it('a target group that the listener of any other balancer uses holds a deletion up, which names that one', async () => {
  const world = await settleShop({ ...SHOP, rules: [] });
  const { targetGroups } = world.aws.control.snapshot();
  const group = targetGroups.find(({ name }) => name.startsWith('shop-api-'))?.arn;
  const made = world.outOfBand('CreateLoadBalancer', {
    ...{ Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] },
  }) as { readonly LoadBalancers: readonly { readonly LoadBalancerArn: string }[] };
  const { LoadBalancerArn: theirs = '' } = made.LoadBalancers[0] ?? {};
  const listener = { LoadBalancerArn: theirs, Protocol: 'HTTP', Port: 80 };
  const forward = { Type: 'forward', TargetGroupArn: group };
  world.outOfBand('CreateListener', { ...listener, DefaultActions: [forward] });
  const calls = await world.callsDuring(() => world.deleted('shop', 10 * MINUTE_MS));
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  expect(world.message('shop')).toContain(`backend api: load balancer ${theirs} uses it`);
  expect(calls['DeleteTargetGroup']).toBeLessThan(20);
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: theirs });
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(listIds(world)).toEqual([]);
});

it('a balancer that was made before a crash and has lost the tag for its UID holds a deletion up, which names it', async () => {
  const world = await settleShop({ backends: [web], rules: [] });
  const { arn } = world.balancer();
  world.crash();
  world.untagOutOfBand(arn, 'albridge.io/uid');
  world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
  world.delete('shop');
  world.start();
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  expect(world.message('shop')).toContain(
    `security-group frontend: load balancer ${arn} uses it, and its tags do not name this object`,
  );
  world.tagOutOfBand(arn, { 'albridge.io/uid': world.object('shop').metadata.uid });
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(world.aws.control.snapshot().loadBalancers).toEqual([]);
  expect(listIds(world)).toEqual([]);
});

describe('listeners and rules on a balancer that someone has released', () => {
  const TEA = { name: 'tea', paths: ['/tea'], fixedResponse: { statusCode: 418 } };
  const specs: Readonly<Record<string, Partial<MyIngressSpec>>> = {
    'under Retain': { ...SHOP, deletionPolicy: 'Retain' },
    // AWS deletes no group that a listener still uses: see above.
    'that send requests to no backend': { ...FIXED, rules: [TEA], securityGroups: ['sg-web'] },
  };
  for (const [what, spec] of Object.entries(specs)) {
    it(`${what} stay, and have no owner once the object is deleted`, async () => {
      const world = await settleShop(spec);
      const { arn } = world.balancer();
      const countBeside = () => listBeside(world.aws.control.snapshot()).length;
      const before = countBeside();
      world.untagOutOfBand(arn, 'albridge.io/name');
      await world.clock.advance(15 * MINUTE_MS);
      await world.deleted('shop', 5 * MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.beside).toEqual([]);
      expect(countBeside()).toBe(before);
    });
  }
});

it('a target group that AWS still counts as used is deleted a moment later, as a normal phase', async () => {
  const world = await settleShop();
  const effect = { kind: 'error', code: 'ResourceInUse', status: 400, message: 'in use' } as const;
  world.fault('DeleteTargetGroup', effect, { times: 2 });
  await world.deleted('shop', 1_000);
  expect(world.condition('shop', 'Stalled')).toBeUndefined();
  expect(world.condition('shop', 'Reconciling')).toBe('True Deleting');
  await world.clock.advance(30_000);
  expect(world.exists('shop')).toBe(false);
  expect(listIds(world)).toEqual([]);
});
