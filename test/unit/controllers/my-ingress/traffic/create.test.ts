import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { listIds, SHOP, web } from './specs.ts';

describe('a MyIngress with one backend and one rule', () => {
  const spec = {
    backends: [web],
    rules: [{ name: 'web', paths: ['/web'], forward: [{ backend: 'web' }] }],
  };

  it('takes nine calls besides the registration of its targets, and one to learn the VPC', async () => {
    const world = new World();
    world.start();
    const create = async (name: string): Promise<Readonly<Record<string, number>>> =>
      world.callsDuring(async () => {
        world.apply(name, spec);
        await world.clock.advance(900);
      });
    const serving = {
      ...{ CreateSecurityGroup: 1, AuthorizeSecurityGroupIngress: 1, CreateLoadBalancer: 1 },
      ...{ CreateTargetGroup: 1, CreateListener: 1, CreateRule: 1 },
      ...{ DescribeLoadBalancers: 1, DescribeTags: 2 },
    };
    expect(await create('first')).toEqual({ ...serving, DescribeSubnets: 1 });
    expect(await create('second')).toEqual(serving);
  });

  it('learns the VPC and reserves its tokens while the finalizer is being stored', async () => {
    const world = new World();
    const release = world.kube.holdNext('addFinalizer');
    world.start();
    const before = await world.callsDuring(() => world.applied('shop', spec));
    expect(before).toEqual({ DescribeLoadBalancers: 1, DescribeSubnets: 1 });
    release();
    const after = await world.callsDuring(() => world.clock.advance(900));
    expect(after).toMatchObject({ CreateSecurityGroup: 1, CreateLoadBalancer: 1, CreateRule: 1 });
    expect(after).not.toHaveProperty('DescribeSubnets');
  });

  it('is Ready with its listener, target group and security group in status and in AWS', async () => {
    const world = new World();
    world.start();
    await world.applied('shop', spec);
    await world.clock.advance(2_000);
    expect(world.condition('shop')).toBe('True Available');
    const { targetGroups, listeners } = world.aws.control.snapshot();
    expect(world.object('shop').status).toMatchObject({
      listeners: [{ port: 80, arn: listeners[0]?.arn }],
      backends: [{ name: 'web', targetGroupARN: targetGroups[0]?.arn, desired: 2, registered: 2 }],
      ...{ targets: '2/2', owned: { targetGroups: [targetGroups[0]?.name] } },
    });
    expect(world.condition('shop', 'BackendsResolved')).toBe('True Resolved');
    expect(world.condition('shop', 'TargetsHealthy')).toBe('True Healthy');
  });

  it('is told by three events: what stands before the balancer, the balancer, the rest', async () => {
    const world = new World();
    world.start();
    await world.applied('shop', spec);
    await world.clock.advance(2_000);
    const reasons = ['UpdatedTraffic', 'CreatedALB', 'UpdatedTraffic', 'Available'];
    expect(world.events.reasons.filter((reason) => reasons.includes(reason))).toEqual(reasons);
  });
});

it('what is as desired costs a scan one call for all target groups, and is never written again', async () => {
  const world = new World();
  world.start();
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const scan = await world.callsDuring(() => world.clock.advance(SCAN_MS));
  expect(scan).toEqual({ DescribeLoadBalancers: 1, DescribeTargetGroups: 1, DescribeTags: 1 });
  expect(await world.writesDuring(() => world.clock.advance(12 * SCAN_MS))).toEqual([]);
});

it('a balancer gets its traffic later, in place', async () => {
  const world = new World();
  world.start();
  await world.applied('shop');
  const { arn } = world.balancer();
  world.edit('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.balancer().arn).toBe(arn);
  expect(listIds(world)).toEqual([
    ...['listener/80', 'rule/80/spec/api/0', 'security-group/frontend'],
    ...['target-group/spec/api', 'target-group/spec/web'],
  ]);
});

it('security groups of the operator’s setting are attached next to the managed one', async () => {
  const world = new World({ backendSecurityGroups: ['sg-admin'] });
  world.start();
  await world.applied('shop', SHOP);
  const managed = world.beside.find(({ id }) => id.startsWith('sg-'))?.id;
  expect(world.balancer().securityGroups).toEqual([managed, 'sg-admin']);
});
