import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SWEEP_MS, World, writes } from './world.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
const TERRAFORM = { owner: 'ops', ManagedBy: 'terraform' };

function pairs(tags: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

describe('a balancer that Terraform made', () => {
  it('keeps ManagedBy through adoption, drift scans and Retain', async () => {
    const world = new World();
    world.outOfBand('CreateLoadBalancer', {
      Name: 'legacy',
      Subnets: ['subnet-a', 'subnet-b'],
      Tags: pairs({ ...TERRAFORM, ...CONSENT }),
    });
    const { arn } = world.balancer();
    world.start();
    await world.applied('shop', { adopt: { arn }, deletionPolicy: 'Retain' });
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({
      ...TERRAFORM,
      'albridge.io/managed-by': 'albridge',
    });
    await world.clock.advance(2 * SWEEP_MS);
    expect(world.balancer().tags).toMatchObject(TERRAFORM);
    world.delete('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancer().tags).toEqual(TERRAFORM);
  });
});

describe('a balancer that an older albridge made', () => {
  it('gets the new record in one write and keeps its tag ManagedBy', async () => {
    const world = new World();
    world.start();
    await world.applied('shop');
    const { arn } = world.balancer();
    world.untagOutOfBand(arn, 'albridge.io/managed-by');
    world.tagOutOfBand(arn, { ManagedBy: 'albridge' });
    const calls = await world.callsDuring(() => world.clock.advance(3 * SWEEP_MS));
    expect(calls).toMatchObject({ AddTags: 1 });
    expect(calls).not.toHaveProperty('RemoveTags');
    expect(world.balancer().tags).toMatchObject({
      ManagedBy: 'albridge',
      'albridge.io/managed-by': 'albridge',
    });
  });

  it('gives ManagedBy to the user who asks for it', async () => {
    const world = new World();
    world.start();
    await world.applied('shop');
    world.tagOutOfBand(world.balancer().arn, { ManagedBy: 'albridge' });
    world.edit('shop', { tags: { ManagedBy: 'team-web' } });
    await world.clock.advance(MINUTE_MS);
    expect(world.balancer().tags['ManagedBy']).toBe('team-web');
  });
});

describe('an object stored with a reserved tag key', () => {
  const reserved = { 'kubernetes.io/cluster/prod': 'owned', team: 'web' };

  it('is Stalled before any write to AWS and names the key', async () => {
    const world = new World();
    world.start();
    const calls = await world.callsDuring(() => world.applied('shop', { tags: reserved }));
    expect(writes(calls)).toBe(0);
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    expect(world.message('shop')).toContain('kubernetes.io/cluster/prod');
  });

  it('keeps the balancer that it held before, untouched, and can be deleted', async () => {
    const world = new World();
    world.start();
    await world.applied('shop', { tags: { team: 'web' } });
    const before = world.balancer();
    world.edit('shop', { tags: { ...reserved, team: 'ops', 'Albridge.io/cluster': 'x' } });
    const calls = await world.callsDuring(() => world.clock.advance(3 * SWEEP_MS));
    expect(writes(calls)).toBe(0);
    expect(world.balancer()).toEqual(before);
    world.delete('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });
});
