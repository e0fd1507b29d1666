import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { draftOf } from '../drafts.ts';
import { MINUTE_MS, World } from '../world.ts';
import { listIds, SHOP } from './specs.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
const INBOUND = { inbound: { cidrs: ['10.0.0.0/8'] } };

/** An object that has adopted a balancer with two groups of its own, and has it managed. */
async function adopted(spec: Partial<MyIngressSpec> = {}): Promise<World> {
  const world = World.started();
  world.outOfBand('CreateLoadBalancer', {
    ...{ Name: 'legacy', Subnets: ['subnet-a', 'subnet-b'] },
    SecurityGroups: ['sg-web', 'sg-admin'],
    Tags: Object.entries(CONSENT).map(([Key, Value]) => ({ Key, Value })),
  });
  const { arn } = world.balancer('legacy');
  await world.applied('shop', { ...SHOP, ...INBOUND, adopt: { arn }, ...spec });
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(listAttached(world)).toEqual([findManaged(world)?.id]);
  return world;
}

function listAttached(world: World): readonly string[] {
  return world.balancer('legacy').securityGroups;
}

function findManaged(world: World) {
  const groups = [...world.aws.world.network.securityGroups.values()];
  return groups.find(({ name }) => name.startsWith('albridge-'));
}

async function takeOff(world: World, forMs: number): Promise<void> {
  world.unset('shop', 'inbound');
  await world.clock.advance(forMs);
}

describe('an adopted balancer whose spec.inbound is taken off', () => {
  it('has its previous groups again, and the managed one is deleted', async () => {
    const world = await adopted();
    await takeOff(world, MINUTE_MS);
    expect(listAttached(world)).toEqual(['sg-web', 'sg-admin']);
    expect(findManaged(world)).toBeUndefined();
    expect(world.condition('shop')).toBe('True Available');
    expect(await world.writesDuring(() => world.clock.advance(10 * MINUTE_MS))).toEqual([]);
  });

  it('has them by the next process, whose object has lost its status', async () => {
    const world = await adopted();
    world.crash();
    world.kube.edit(world.object('shop'), (live) => ({
      ...live,
      status: { observedGeneration: -1 },
    }));
    world.unset('shop', 'inbound');
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(listAttached(world)).toEqual(['sg-web', 'sg-admin']);
  });

  it('gets the default group of the VPC where the record was taken off', async () => {
    const world = await adopted();
    world.outOfBand('DeleteTags', {
      ...{ Resources: [findManaged(world)?.id], Tags: [{ Key: 'albridge.io/previous-groups' }] },
    });
    await takeOff(world, MINUTE_MS);
    const groups = world.aws.world.network.securityGroups;
    expect(listAttached(world).map((id) => groups.get(id)?.name)).toEqual(['default']);
  });

  it('keeps the managed group where one of them is gone, says so, and retries each minute at most', async () => {
    const world = await adopted();
    world.outOfBand('DeleteSecurityGroup', { GroupId: 'sg-admin' });
    await takeOff(world, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidSecurityGroup');
    expect(world.message('shop')).toMatch(
      /the security groups before spec[.]inbound \(sg-web, sg-admin\) cannot be attached again, and the managed one stays: .*'sg-admin' does not exist; give the groups that it should have in spec[.]securityGroups, or set spec[.]inbound again$/,
    );
    expect(listAttached(world)).toEqual([findManaged(world)?.id]);
    const calls = await world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
    expect(calls['SetSecurityGroups']).toBeGreaterThan(1);
    expect(calls['SetSecurityGroups']).toBeLessThanOrEqual(10);
    await world.edited('shop', { securityGroups: ['sg-web'] }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listAttached(world)).toEqual(['sg-web']);
    expect(findManaged(world)).toBeUndefined();
  });
});

it('a retained balancer keeps the managed group, which admits its listeners, without our tags', async () => {
  const world = await adopted({ deletionPolicy: 'Retain' });
  world.delete('shop');
  await world.clock.advance(MINUTE_MS);
  expect(listAttached(world)).toEqual([findManaged(world)?.id]);
  expect([...(findManaged(world)?.tags.keys() ?? [])]).toEqual([]);
});

it('an adopted balancer has its previous groups, and no listener, for an object restored without traffic', async () => {
  const listeners = [{ port: 80, protocol: 'HTTP' as const }];
  const defaultAction = { fixedResponse: { statusCode: 404 } };
  const world = await adopted({ listeners, defaultAction, backends: [], rules: [] });
  const { adopt } = world.object('shop').spec;
  world.crash();
  world.kube.deleteInSpite(draftOf('shop'));
  world.apply('shop', { ...(adopt && { adopt }) });
  world.start();
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.aws.control.snapshot().listeners).toEqual([]);
  expect(listAttached(world)).toEqual(['sg-web', 'sg-admin']);
  expect(findManaged(world)).toBeUndefined();
});

it('a balancer that was adopted is deleted with the managed group', async () => {
  const world = await adopted();
  world.delete('shop');
  await world.clock.advance(10 * MINUTE_MS);
  expect(listIds(world)).toEqual([]);
  expect(findManaged(world)).toBeUndefined();
});
