import { describe, expect, it } from 'vitest';
import { draftOf } from '../drafts.ts';
import { MINUTE_MS, reads, SCAN_MS, World, type WorldOptions, writes } from '../world.ts';

const HALF_AN_HOUR_MS = 30 * MINUTE_MS;

function start(options: WorldOptions = {}): World {
  const world = World.started(options);
  return world;
}

/** An object whose spec names no subnets. */
function applyBare(world: World, name: string, spec: object = {}): void {
  const { subnets: _, ...bare } = draftOf(name).spec;
  world.kube.create({ ...draftOf(name), spec: { ...bare, ...spec } });
}

async function appliedBare(world: World, name: string, spec: object = {}): Promise<void> {
  await world.clock.settle();
  applyBare(world, name, spec);
  await world.clock.advance(1_000);
}

function tag(world: World, subnets: readonly string[], tags: string): void {
  const [Key, Value = '1'] = tags.split('=');
  world.outOfBand('CreateTags', { Resources: subnets, Tags: [{ Key, Value }] });
}

function untag(world: World, subnets: readonly string[], key: string): void {
  world.outOfBand('DeleteTags', { Resources: subnets, Tags: [{ Key: key }] });
}

const TRAFFIC = { backends: [{ name: 'web', service: { name: 'web', port: 80 } }] };
const ELB = 'kubernetes.io/role/elb';

describe('a MyIngress without subnets', () => {
  it('gets the tagged ones, for one call of EC2, and shows them', async () => {
    const world = start();
    const calls = await world.callsDuring(() => appliedBare(world, 'shop'));
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().subnets).toEqual(['subnet-a', 'subnet-b']);
    expect(world.object('shop').status.subnets).toEqual(['subnet-a', 'subnet-b']);
    expect(calls['DescribeSubnets']).toBe(1);
    expect([reads(calls), writes(calls)]).toEqual([4, 1]);
  });

  it('with a managed security group takes no second call for the VPC', async () => {
    const world = start();
    const calls = await world.callsDuring(() => appliedBare(world, 'shop', TRAFFIC));
    expect(calls).toMatchObject({ DescribeSubnets: 1, CreateSecurityGroup: 1, CreateListener: 1 });
  });

  it('goes by the tag of its scheme, with the value 1 or none', async () => {
    const world = start();
    untag(world, ['subnet-a', 'subnet-d'], ELB);
    tag(world, ['subnet-c'], `${ELB}=`);
    await appliedBare(world, 'shop');
    await appliedBare(world, 'inner', { scheme: 'internal' });
    expect(world.object('shop').status.subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.object('inner').status.subnets).toEqual(['subnet-a', 'subnet-b']);
  });

  it('shares one call with all that are created in the same minute', async () => {
    const world = start({ concurrency: 16 });
    await world.clock.settle();
    const calls = await world.callsDuring(async () => {
      for (let index = 0; index < 50; index++) applyBare(world, `shop-${index}`);
      await world.clock.advance(10_000);
    });
    expect(world.balancers).toHaveLength(50);
    expect(calls['DescribeSubnets']).toBe(1);
  });

  it('costs no call of EC2 once it stands, whatever is tagged later', async () => {
    const world = start();
    await appliedBare(world, 'shop', TRAFFIC);
    tag(world, ['subnet-c'], ELB);
    const calls = await world.callsDuring(async () => {
      await world.clock.advance(HALF_AN_HOUR_MS + 2 * SCAN_MS);
      await world.restart();
      await world.clock.advance(HALF_AN_HOUR_MS + 2 * SCAN_MS);
    });
    expect(calls).not.toHaveProperty('DescribeSubnets');
    expect(calls).not.toHaveProperty('SetSubnets');
    expect(world.balancer().subnets).toEqual(['subnet-a', 'subnet-b']);
  });

  it('keeps what others set, and shows it', async () => {
    const world = start();
    await appliedBare(world, 'shop');
    const { arn } = world.balancer();
    world.outOfBand('SetSubnets', { LoadBalancerArn: arn, Subnets: ['subnet-b', 'subnet-c'] });
    const made = await world.writesDuring(() => world.clock.advance(2 * SCAN_MS));
    expect(made).not.toContain('SetSubnets');
    expect(world.object('shop').status.subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
  });

  it('gets those that its spec names later, and keeps them when it names none again', async () => {
    const world = start();
    await appliedBare(world, 'shop');
    await world.edited('shop', { subnets: ['subnet-b', 'subnet-c'] }, 1_000);
    expect(world.balancer().subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.object('shop').status).not.toHaveProperty('subnets');
    world.unset('shop', 'subnets');
    const calls = await world.callsDuring(() => world.clock.advance(2 * SCAN_MS));
    expect(calls).not.toHaveProperty('SetSubnets');
    expect(calls).not.toHaveProperty('DescribeSubnets');
    expect(world.balancer().subnets).toEqual(['subnet-b', 'subnet-c']);
    expect(world.object('shop').status.subnets).toEqual(['subnet-b', 'subnet-c']);
  });

  it('names each candidate and the next action where zones are missing, and heals by a tag', async () => {
    const world = start();
    untag(world, ['subnet-a'], ELB);
    tag(world, ['subnet-b'], 'kubernetes.io/cluster/another');
    await appliedBare(world, 'shop');
    expect(world.condition('shop')).toBe('False SubnetsNotFound');
    expect(world.condition('shop', 'Stalled')).toBe('True SubnetsNotFound');
    expect(world.message('shop')).toContain(
      'subnets tagged kubernetes.io/role/elb are not in two usable zones of one VPC: ' +
        'subnet-d (us-east-1b), subnet-b (tagged for another cluster); tag subnets of two zones',
    );
    tag(world, ['subnet-a'], ELB);
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().subnets).toEqual(['subnet-a', 'subnet-d']);
  });

  it('gets subnets that were tagged since the list was read, at once', async () => {
    const world = start();
    untag(world, ['subnet-a'], ELB);
    await appliedBare(world, 'early');
    await world.clock.advance(11_000);
    tag(world, ['subnet-a'], ELB);
    await appliedBare(world, 'late');
    expect(world.balancer().subnets).toEqual(['subnet-a', 'subnet-b']);
    const events = world.events.recorded.filter(({ key }) => key === 'web/late');
    expect(events.map(({ reason }) => reason)).not.toContain('SubnetsNotFound');
  });

  it('lists the VPCs where there are two, and takes the one of the setting', async () => {
    const world = start();
    tag(world, ['subnet-oa', 'subnet-ob'], ELB);
    await appliedBare(world, 'shop', TRAFFIC);
    expect(world.condition('shop')).toBe('False SubnetsAmbiguous');
    expect(world.message('shop')).toMatch(/subnet-oa \(vpc-other\).*; set ALBRIDGE_VPC_ID/);
    expect(world.balancers).toEqual([]);

    const other = start({ vpcId: 'vpc-other' });
    tag(other, ['subnet-oa', 'subnet-ob'], ELB);
    await appliedBare(other, 'shop');
    expect(other.balancer().subnets).toEqual(['subnet-oa', 'subnet-ob']);
  });

  it('names the right that is missing', async () => {
    const world = start({ policy: 'of a balancer alone' });
    await appliedBare(world, 'shop');
    expect(world.condition('shop')).toBe('False AccessDenied');
    expect(world.message('shop')).toContain('ec2:DescribeSubnets');
  });

  it('that adopts keeps the subnets of its balancer', async () => {
    const world = start();
    const made = world.outOfBand('CreateLoadBalancer', {
      ...{ Name: 'old', Subnets: ['subnet-b', 'subnet-c'] },
      Tags: [
        { Key: 'albridge.io/cluster', Value: 'cluster-1' },
        { Key: 'albridge.io/adopt', Value: 'web/shop' },
      ],
    }) as { readonly LoadBalancers: readonly [{ readonly LoadBalancerArn: string }] };
    const [{ LoadBalancerArn: arn }] = made.LoadBalancers;
    const calls = await world.callsDuring(() => appliedBare(world, 'shop', { adopt: { arn } }));
    expect(world.condition('shop')).toBe('True Available');
    expect(calls).not.toHaveProperty('DescribeSubnets');
    expect(world.object('shop').status.subnets).toEqual(['subnet-b', 'subnet-c']);
  });

  it('is planned with the same choice, and says in a plan what keeps it from one', async () => {
    const world = start();
    untag(world, ['subnet-a'], ELB);
    await world.clock.settle();
    applyBare(world, 'shop');
    world.annotate('shop', { 'albridge.io/mode': 'plan' });
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('False SubnetsNotFound');
    expect(world.balancers).toEqual([]);
  });
});
