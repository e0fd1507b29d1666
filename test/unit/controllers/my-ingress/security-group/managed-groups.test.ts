import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import type { Inventory, TaggedLoadBalancer } from '../../../../../src/aws/elbv2/load-balancers.ts';
import { driftScanMetrics } from '../../../../../src/controllers/my-ingress/drift-scan.ts';
import { Memory } from '../../../../../src/controllers/my-ingress/memory.ts';
import { ManagedGroups } from '../../../../../src/controllers/my-ingress/security-group/managed-groups.ts';
import { SHOP } from '../traffic/specs.ts';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';

const LIST = 'DescribeSecurityGroups';
const ONE_SCAN_MS = SCAN_MS * 1.1;
const LONG = { forMs: 10 * ONE_SCAN_MS };
const FOREIGN = [
  { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '192.0.2.0/24' }] },
];

async function settled(spec: Partial<MyIngressSpec> = {}): Promise<World> {
  const world = await World.having('shop', { ...SHOP, ...spec });
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world;
}

function findManaged(world: World) {
  const groups = [...world.aws.world.network.securityGroups.values()];
  const found = groups.find(({ name }) => name.startsWith('albridge-'));
  if (found === undefined) throw new Error('no managed security group');
  return found;
}

function listPorts(world: World): readonly unknown[] {
  return findManaged(world).ingress.map(({ ports }) => ports?.from);
}

function admitOthers(world: World, id = findManaged(world).id): void {
  world.outOfBand('AuthorizeSecurityGroupIngress', { GroupId: id, IpPermissions: FOREIGN });
}

describe('a managed security group that others have changed', () => {
  it('is repaired in the first scan of a new process', async () => {
    const world = await settled();
    world.crash();
    admitOthers(world);
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(listPorts(world)).toEqual([80]);
    expect(world.events.reasons).toContain('DriftRepaired');
  });

  it('waits with its repair for a create that comes once its scan is over', async () => {
    const world = World.started({ concurrency: 1 });
    for (let i = 0; i < 10; i++) await world.applied(`shop-${i}`, SHOP);
    await world.clock.advance(ONE_SCAN_MS);
    for (const { id, name } of world.aws.world.network.securityGroups.values()) {
      if (name.startsWith('albridge-')) admitOthers(world, id);
    }
    const slow = { kind: 'delay', delayMs: 10_000 } as const;
    world.fault('RevokeSecurityGroupIngress', slow, { times: 10 });
    const isOver = (): boolean => world.metrics.valueOf(driftScanMetrics.found) === 10;
    for (let s = 0; s < 400 && !isOver(); s++) await world.clock.advance(1_000);
    expect(isOver()).toBe(true);
    world.apply('late');
    await world.clock.advance(15_000);
    expect(world.condition('late')).toBe('True Available');
  });

  it('is repaired within a scan while a target group waits for an hour to be deleted', async () => {
    const attributes = { 'deregistration_delay.timeout_seconds': '3600' };
    const backends = (SHOP.backends ?? []).map((backend) => ({ ...backend, attributes }));
    const world = await settled({ backends });
    await world.edited('shop', { backends: backends.slice(0, 1), rules: [] }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status?.owned?.removals).toBe(true);
    admitOthers(world);
    await world.clock.advance(2 * SCAN_MS);
    expect(listPorts(world)).toEqual([80]);
  });

  it('is not taken for drift where a listener is still to be deleted', async () => {
    const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
    const world = World.started({ scanMs: 1_000 });
    await world.applied('shop', { ...SHOP, listeners });
    await world.clock.advance(MINUTE_MS);
    const passes = (): number => world.aws.control.calls('DescribeListeners').length;
    const found = (): number => world.metrics.valueOf(driftScanMetrics.found) ?? 0;
    const before = { found: found(), passes: passes() };
    const other = { name: 'other', paths: ['/o/*'], forward: [{ backend: 'api' }] };
    const edit = { listeners: listeners.slice(0, 1), rules: [other] };
    await world.edited('shop', edit, MINUTE_MS);
    expect(listPorts(world)).toEqual([80]);
    expect(found()).toBe(before.found);
    expect(passes() - before.passes).toBeLessThanOrEqual(3);
  });

  it('is not taken for drift where a tool has copied the tags of the balancer to another group', async () => {
    const world = await settled();
    const { GroupId } = world.outOfBand('CreateSecurityGroup', {
      ...{ GroupName: 'app', Description: 'app', VpcId: findManaged(world).vpcId },
    }) as { GroupId: string };
    const tags = Object.entries(world.balancers[0]?.tags ?? {});
    const Tags = tags.map(([Key, Value]) => ({ Key, Value }));
    world.outOfBand('CreateTags', { Resources: [GroupId], Tags });
    const calls = await world.callsDuring(() => world.clock.advance(3 * ONE_SCAN_MS));
    expect(calls[LIST], 'lists of the scans').toBe(3);
    expect(world.metrics.valueOf(driftScanMetrics.found) ?? 0).toBe(0);
    expect(calls['DescribeListeners']).toBeUndefined();
  });

  it('stays as it is while the object is paused', async () => {
    const world = await settled();
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    admitOthers(world);
    await world.clock.advance(3 * SCAN_MS);
    expect(listPorts(world)).toEqual([80, 22]);
  });
});

it('an object that cannot be compared ends the check of no other', async () => {
  const world = await settled();
  const [loadBalancer] = world.balancers;
  const observed = { loadBalancer, tags: {} } as unknown as TaggedLoadBalancer;
  const inventory = {
    findSecurityGroups: async () => [],
    getCached: () => ({ kind: 'observed', observed }),
  } as unknown as Inventory;
  const { clock } = world;
  const options = { inventory, memory: new Memory(clock), cluster: 'cluster-1', clock };
  const object = world.object('shop');
  const cidrs = [5 as unknown as string];
  const old = { ...object, spec: { ...object.spec, inbound: { cidrs } } };
  const hasDrifted = await new ManagedGroups(options).read([object], new AbortController().signal);
  expect([old, object].map(hasDrifted)).toEqual([false, true]);
});

it('a scan lists no security groups where none is managed', async () => {
  const world = await settled({ securityGroups: ['sg-web'] });
  const calls = await world.callsDuring(() => world.clock.advance(3 * SCAN_MS));
  expect(calls[LIST]).toBeUndefined();
});

it('a list that is older than an edit shows no drift', async () => {
  const world = World.started({ scanMs: 12_000 });
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const scans = (): number => world.aws.control.calls('DescribeLoadBalancers').length;
  const passes = (): number => world.aws.control.calls('DescribeListeners').length;
  for (const before = scans(); scans() === before; ) await world.clock.advance(100);
  await world.clock.advance(5_000);
  world.fault(LIST, { kind: 'staleReads', ageMs: 9_000 }, { forMs: 15_000 });
  await world.edited('shop', { inbound: { cidrs: ['10.0.0.0/8'] } }, 1_000);
  expect(findManaged(world).ingress.map(({ source }) => source.value)).toEqual(['10.0.0.0/8']);
  const before = { lists: world.aws.control.calls(LIST).length, passes: passes() };
  await world.clock.advance(7_500);
  expect(world.aws.control.calls(LIST).length, 'lists of the scan').toBe(before.lists + 1);
  expect(passes()).toBe(before.passes);
});

describe('a scan for which AWS denies the list of managed security groups', () => {
  it('repairs other drift, and its gauge stays old until it is granted', async () => {
    const world = await settled();
    await world.applied('plain');
    const plain = world.object('plain').status.alb?.arn ?? '';
    const scannedAt = (): number | undefined => world.metrics.valueOf(driftScanMetrics.completedAt);
    await world.clock.advance(ONE_SCAN_MS);
    const before = scannedAt();
    const denied = { code: 'UnauthorizedOperation', status: 403, message: 'no' };
    world.fault(LIST, { kind: 'error', ...denied }, LONG);
    const managedBy = (): unknown =>
      world.balancers.find(({ arn }) => arn === plain)?.tags['albridge.io/managed-by'];
    world.tagOutOfBand(plain, { 'albridge.io/managed-by': 'others' });
    await world.clock.advance(2 * ONE_SCAN_MS);
    expect(managedBy()).toBe('albridge');
    expect(scannedAt()).toBe(before);
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'drift scan incomplete: cannot read a part',
        fields: expect.objectContaining({ part: 'managed security groups' }) as object,
      }),
    );
    world.aws.control.clearFaults();
    await world.clock.advance(ONE_SCAN_MS);
    expect(scannedAt()).toBeGreaterThan(before ?? 0);
  });

  it('comes no more often than others', async () => {
    const world = await settled();
    world.fault(LIST, { kind: 'error', code: 'InternalError', status: 500, message: 'x' }, LONG);
    const calls = await world.callsDuring(() => world.clock.advance(3 * ONE_SCAN_MS));
    expect(calls['DescribeTargetGroups']).toBeLessThanOrEqual(4);
  });
});
