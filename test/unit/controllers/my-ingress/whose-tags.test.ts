import { describe, expect, it } from 'vitest';
import { draftOf } from './drafts.ts';
import { MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

const THEIRS = { CostCenter: '42', 'map-migrated': 'mig1' } as const;
const NAME = 'shop-alb-f8da8b78';
const NOT_FOUND = {
  kind: 'error',
  code: 'LoadBalancerNotFound',
  status: 400,
  message: 'not found',
} as const;
const FAILING = { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' } as const;

/** An object with a tag of its own, whose balancer carries tags of other people. */
async function shared(): Promise<World> {
  const world = await World.having('shop', { tags: { team: 'web' } });
  world.tagOutOfBand(world.balancer().arn, THEIRS);
  await world.clock.advance(5 * MINUTE_MS);
  return world;
}

function countEvents(world: World, reason: string): number {
  return world.events.reasons.filter((one) => one === reason).length;
}

describe('tags that other people put on a balancer', () => {
  it('stay when its object is restored from a backup without status', async () => {
    const world = await shared();
    world.crash();
    world.kube.deleteInSpite(draftOf('shop'));
    world.apply('shop', { tags: { team: 'ops' } });
    world.start();
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ ...THEIRS, team: 'ops' });
    expect(countEvents(world, 'TookOverALB')).toBe(1);
    expect(countEvents(world, 'CreatedALB')).toBe(1);
  });

  it('stay when its object loses its status', async () => {
    const world = await shared();
    world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ ...THEIRS, team: 'web' });
  });

  it('stay when AWS answers once that the balancer does not exist, and Ready stays too', async () => {
    const world = await shared();
    const { arn } = world.balancer();
    world.fault('*', NOT_FOUND, { times: 2 });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'Reconciling')).toBe('True LoadBalancerNotFound');
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop', 'Reconciling')).toBeUndefined();
    expect(world.balancer()).toMatchObject({ arn, tags: THEIRS });
    expect(countEvents(world, 'ALBVanished')).toBe(0);
    expect(countEvents(world, 'CreatedALB')).toBe(1);
  });

  it('stay when they come while the creating pass is retried', async () => {
    const world = World.started();
    world.fault('DescribeTags', FAILING, { forMs: 5_000 });
    await world.applied('shop', { tags: { team: 'web' } });
    world.tagOutOfBand(world.balancer().arn, { CreatedBy: 'somebody' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ team: 'web', CreatedBy: 'somebody' });
  });

  it('stay when a key that was refused elsewhere leaves the spec before an adoption', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { ...FAILING, code: 'InvalidSubnet', status: 400 });
    await world.applied('shop', { tags: { team: 'web' } });
    const { arn } = plant(world, { 'albridge.io/adopt': 'web/shop', team: 'theirs' }, 'legacy');
    world.unset('shop', 'tags');
    await world.edited('shop', { adopt: { arn } }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ team: 'theirs' });
  });
});

describe('a tag of the spec', () => {
  it('is taken off although it left the spec between a lost create and the next process', async () => {
    const world = new World();
    world.start({ port: 'aws', at: 2, when: 'unanswered' });
    await world.applied('shop', { tags: { team: 'web', env: 'prod' } });
    world.edit('shop', { tags: { team: 'web' } });
    world.tagOutOfBand(world.balancer().arn, THEIRS);
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ ...THEIRS, team: 'web' });
    expect(world.balancer().tags).not.toHaveProperty('env');
  });
});

/** A balancer with the three ownership tags of web/shop and no UID: albridge did not make it. */
function plant(
  world: World,
  tags: Readonly<Record<string, string>> = {},
  name = NAME,
): { readonly arn: string } {
  const all = {
    'albridge.io/cluster': 'cluster-1',
    'albridge.io/namespace': 'web',
    'albridge.io/name': 'shop',
    ...tags,
  };
  const Tags = Object.entries(all).map(([Key, Value]) => ({ Key, Value }));
  world.outOfBand('CreateLoadBalancer', { Name: name, Subnets: ['subnet-a', 'subnet-b'], Tags });
  return world.balancer(name);
}

describe('a balancer that someone planted under the name and the ownership tags of an object', () => {
  it('is not taken over silently: the object is Stalled and says how to hand it over', async () => {
    const world = new World();
    const { arn } = plant(world);
    const planted = world.balancer();
    world.start();
    const calls = await world.callsDuring(async () => {
      await world.applied('shop', { tags: { team: 'web' } });
      await world.clock.advance(20 * MINUTE_MS);
    });
    expect(writes(calls)).toBe(0);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toContain(arn);
    expect(world.message('shop')).toContain('albridge.io/uid');
    expect(countEvents(world, 'CreatedALB')).toBe(0);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancer()).toEqual(planted);
  });

  it('is adopted by the consent of its owner', async () => {
    const world = new World();
    const { arn } = plant(world, { 'albridge.io/adopt': 'web/shop' });
    world.start();
    await world.applied('shop', { adopt: { arn } });
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags['albridge.io/uid']).toBe('uid-1');
    expect(world.events.reasons).toContain('AdoptedALB');
    expect(countEvents(world, 'CreatedALB')).toBe(0);
  });
});
