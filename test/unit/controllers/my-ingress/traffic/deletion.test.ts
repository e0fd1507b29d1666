import { describe, expect, it } from 'vitest';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../../../src/apis/my-ingress.ts';
import { draftOf } from '../drafts.ts';
import { MINUTE_MS, World } from '../world.ts';
import { listIds, SHOP, web } from './specs.ts';

type Status = MyIngress['status'];

const forwardTo = (backend: string) => ({ forward: [{ backend }] });

async function settled(spec: Partial<MyIngressSpec> = SHOP): Promise<World> {
  const world = new World();
  world.start();
  await world.applied('shop', spec);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world;
}

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
        const world = await settled({ ...SHOP, ...given });
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
    const world = await settled(ONE);
    const calls = await world.callsDuring(async () => {
      world.delete('shop');
      await world.clock.advance(MINUTE_MS);
    });
    expect(world.exists('shop')).toBe(false);
    expect(calls).toEqual({
      ...{ DescribeLoadBalancers: 2, DescribeTags: 1, DescribeSecurityGroups: 2 },
      ...{ DeleteLoadBalancer: 1, DeleteTargetGroup: 1, DeleteSecurityGroup: 1 },
      DescribeTargetGroups: 1,
    });
  });

  it('two more after a restart: the balancer is asked which groups it uses', async () => {
    const world = await settled(ONE);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      world.delete('shop');
      await world.clock.advance(MINUTE_MS);
    });
    expect(world.exists('shop')).toBe(false);
    expect(calls).toMatchObject({ DescribeTargetGroups: 2, DescribeTags: 2 });
  });
});

describe('nothing is left of an object that is deleted', () => {
  it('the moment it was restored without its status, and without its backends', async () => {
    const world = await settled();
    world.crash();
    world.kube.deleteInSpite(draftOf('shop'));
    world.apply('shop');
    world.kube.edit(draftOf('shop'), (live) => {
      return { ...live, metadata: { ...live.metadata, finalizers: [loadBalancerFinalizer] } };
    });
    world.delete('shop');
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect([world.balancers, listIds(world)]).toEqual([[], []]);
  });
});

describe('target groups of an object that has lost its status are found', () => {
  it('although its backends leave the spec at the same moment', async () => {
    const world = await settled();
    world.crash();
    const backends = ['backends', 'rules', 'defaultAction'] as const;
    world.unset('shop', ...backends);
    world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(listIds(world)).toEqual([]);
    expect(world.object('shop').status).not.toHaveProperty('owned');
  });
});

it('a target group that reads do not show yet is deleted, too', async () => {
  const world = await settled({ backends: [web], rules: [] });
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
  const world = new World();
  world.start();
  await world.applied('shop', SHOP);
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
  world.delete('shop');
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.condition('shop', 'Reconciling')).toBe('True Deleting');
  expect(world.message('shop')).toBe(
    'security-group frontend: inbound rules of security group sg-web refer to it; remove these rules',
  );
  world.outOfBand('RevokeSecurityGroupIngress', rule);
  await world.clock.advance(MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(world.beside).toEqual([]);
});

it('a balancer that somebody has released holds a deletion up, which names it until it is gone', async () => {
  const world = await settled();
  const { arn } = world.balancer();
  world.untagOutOfBand(arn, 'albridge.io/cluster');
  world.delete('shop');
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  expect(world.message('shop')).toContain(
    `load balancer ${arn} uses it, and its tags do not say that it is this object's`,
  );
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn });
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(listIds(world)).toEqual([]);
});
