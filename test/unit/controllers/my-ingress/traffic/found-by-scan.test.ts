import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { driftScanMetrics } from '../../../../../src/controllers/my-ingress/drift-scan.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { applyShop, settleShop } from './settle.ts';
import { api, SHOP, web } from './specs.ts';

const KEY = 'web/shop';
const GIVEN: Partial<MyIngressSpec> = { ...SHOP, securityGroups: ['sg-web'] };

type Change = readonly [what: string, change: (world: World) => void, repair: string];

const OF_BALANCER: Change = [
  'the balancer',
  (world) => {
    const [LoadBalancerArn] = world.balancers.map(({ arn }) => arn);
    world.outOfBand('SetSecurityGroups', { LoadBalancerArn, SecurityGroups: ['sg-admin'] });
  },
  'SetSecurityGroups',
];
const OF_GROUP: Change = [
  'a target group',
  (world) => {
    const { targetGroups } = world.aws.control.snapshot();
    const group = targetGroups.find(({ name }) => name.startsWith('shop-web'));
    world.outOfBand('ModifyTargetGroup', { TargetGroupArn: group?.arn, HealthCheckPath: '/bad' });
  },
  'ModifyTargetGroup',
];
const OF_LISTENER: Change = [
  'a listener',
  (world) => {
    const [listener] = world.aws.control.snapshot().listeners;
    world.outOfBand('DeleteListener', { ListenerArn: listener?.arn });
  },
  'CreateListener',
];

async function repairsUntilReady(world: World): Promise<readonly string[]> {
  const before = world.writesToAws.length;
  for (let i = 0; i < 600 && world.condition('shop') !== 'True Available'; i++)
    await world.clock.advance(1_000);
  expect(world.condition('shop')).toBe('True Available');
  return world.writesToAws.slice(before);
}

/** The only worker is busy with another object from before the scan until after the edit. */
async function editAfterScan(world: World): Promise<void> {
  const release = world.kube.holdNext('applyStatus');
  world.apply('other');
  await world.clock.advance(100);
  const found = (): number => world.metrics.valueOf(driftScanMetrics.found) ?? 0;
  for (let i = 0; i < 100 && found() === 0; i++) await world.clock.advance(1_000);
  expect(found()).toBe(1);
  const added = { name: 'new', paths: ['/new'], forward: [{ backend: 'api' }] };
  world.edit('shop', { rules: [...(SHOP.rules ?? []), added] });
  release();
  await world.clock.advance(20_000);
}

describe('what a scan finds changed', () => {
  it.each([OF_BALANCER, OF_GROUP])(
    'about %s is repaired though an edit comes before the pass for it',
    async (_what, change, repair) => {
      const world = await settleShop(GIVEN, { concurrency: 1, scanMs: MINUTE_MS });
      await world.clock.advance(5 * MINUTE_MS);
      const before = world.writesToAws.length;
      change(world);
      await editAfterScan(world);
      expect(world.object('shop').status.observedGeneration).toBe(2);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.writesToAws.slice(before)).toContain(repair);
    },
  );

  it.each([OF_BALANCER, OF_GROUP, OF_LISTENER])(
    'about %s while AWS sets the balancer up is repaired before the object is Ready',
    async (_what, change, repair) => {
      const settings = { provisioningMs: 5 * MINUTE_MS };
      const world = await applyShop(GIVEN, { scanMs: MINUTE_MS, settings });
      expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
      change(world);
      expect(await repairsUntilReady(world)).toContain(repair);
    },
  );

  it('about a balancer alone while AWS sets it up is repaired once, and read no more', async () => {
    const settings = { provisioningMs: 5 * MINUTE_MS };
    const spec = { securityGroups: ['sg-web'] };
    const world = await applyShop(spec, { scanMs: MINUTE_MS, settings });
    const [, change, repair] = OF_BALANCER;
    change(world);
    expect(await repairsUntilReady(world)).toEqual([repair]);
    const calls = await world.callsDuring(() => world.clock.advance(5 * MINUTE_MS));
    expect(Object.keys(calls).toSorted()).toEqual(['DescribeLoadBalancers', 'DescribeTags']);
  });

  it('about the managed security group while AWS sets the balancer up is repaired before the object is Ready', async () => {
    const settings = { provisioningMs: 5 * MINUTE_MS };
    const world = await applyShop(SHOP, { scanMs: MINUTE_MS, settings });
    const [GroupId] = world.balancer().securityGroups;
    const IpPermissions = [
      { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
    ];
    world.outOfBand('RevokeSecurityGroupIngress', { GroupId, IpPermissions });
    expect(await repairsUntilReady(world)).toContain('AuthorizeSecurityGroupIngress');
  });

  it('about a target group while another takes over is repaired before the object is Ready', async () => {
    const world = await settleShop(GIVEN, { scanMs: MINUTE_MS });
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.edited('shop', { backends: [web, { ...api, protocol: 'HTTPS' }] }, 20_000);
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    const [, change, repair] = OF_GROUP;
    change(world);
    const before = world.writesToAws.length;
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    expect(world.writesToAws.slice(before)).toEqual([repair]);
  });

  it.each([
    ['one that is only planned', { 'albridge.io/mode': 'plan' }, { rules: [] }],
    ['one whose subnets AWS refuses', {}, { subnets: ['subnet-a', 'subnet-zz'] }],
  ])('of a target group of %s is no tag of others', async (_what, annotations, edit) => {
    const world = await settleShop(GIVEN, { scanMs: MINUTE_MS });
    world.annotate('shop', annotations);
    await world.edited('shop', edit, 3 * MINUTE_MS);
    const [group] = world.aws.control.snapshot().targetGroups;
    world.tagOutOfBand(group?.arn ?? '', { owner: 'somebody' });
    await world.clock.advance(3 * MINUTE_MS);
    expect(world.metrics.valueOf(driftScanMetrics.found)).toBe(0);
    world.tagOutOfBand(group?.arn ?? '', { 'albridge.io/managed-by': 'somebody' });
    await world.clock.advance(3 * MINUTE_MS);
    expect(world.metrics.valueOf(driftScanMetrics.found)).toBeGreaterThan(0);
  });

  it('while AWS sets the balancer up is no edit that reads do not show yet', async () => {
    const settings = { provisioningMs: 6 * MINUTE_MS };
    const world = await applyShop(SHOP, { scanMs: 7_000, settings });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 5 * MINUTE_MS });
    await world.edited('shop', { backends: [web, { ...api, protocol: 'HTTPS' }] }, 3 * MINUTE_MS);
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    expect(world.metrics.valueOf(driftScanMetrics.found)).toBe(0);
  });

  it('while AWS sets the balancer up is no IPv6 that it keeps until no target group needs it', async () => {
    const settings = { provisioningMs: 6 * MINUTE_MS };
    const backends = [web, { ...api, ipAddressType: 'ipv6' as const }];
    const spec = { ...SHOP, ipAddressType: 'dualstack' as const, backends };
    const world = await applyShop(spec, { scanMs: 5_000, settings });
    await world.edited('shop', { ipAddressType: 'ipv4', backends: [web, api] }, 2 * MINUTE_MS);
    expect(world.condition('shop', 'Reconciling')).toBe('True Provisioning');
    expect(world.balancer().ipAddressType).toBe('ipv4');
    expect(world.metrics.valueOf(driftScanMetrics.found)).toBe(0);
  });
});
