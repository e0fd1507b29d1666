import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

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
    await world.clock.advance(2 * SCAN_MS);
    expect(world.balancer().tags).toMatchObject(TERRAFORM);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancer().tags).toEqual(TERRAFORM);
  });
});

describe('a balancer that an older albridge made', () => {
  async function upgraded(): Promise<World> {
    const world = await World.having('shop', { tags: { team: 'web' } });
    const { arn } = world.balancer();
    world.tagOutOfBand(arn, { ManagedBy: 'albridge' });
    world.untagOutOfBand(arn, 'albridge.io/managed-by');
    await world.restart();
    return world;
  }

  it('is written to by no upgrade', async () => {
    const world = await upgraded();
    expect(await world.writesDuring(() => world.clock.advance(3 * SCAN_MS))).toEqual([]);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('gets the new record once the old one is gone', async () => {
    const world = await upgraded();
    world.untagOutOfBand(world.balancer().arn, 'ManagedBy');
    await world.clock.advance(2 * SCAN_MS);
    expect(world.balancer().tags['albridge.io/managed-by']).toBe('albridge');
  });

  it('gives ManagedBy to the user who asks for it, and takes it back', async () => {
    const world = await upgraded();
    await world.edited('shop', { tags: { team: 'web', ManagedBy: 'team-web' } }, MINUTE_MS);
    expect(world.balancer().tags).toMatchObject({
      ManagedBy: 'team-web',
      'albridge.io/managed-by': 'albridge',
    });
    await world.edited('shop', { tags: { team: 'web' } }, MINUTE_MS);
    expect(world.balancer().tags).not.toHaveProperty('ManagedBy');
  });
});

describe('an object stored with a reserved tag key', () => {
  const reserved = { 'kubernetes.io/cluster/prod': 'owned', team: 'web' };

  // Tags by which the AWS Load Balancer Controller, the cloud provider and albridge know what is theirs.
  const keys = ['elbv2.k8s.aws/cluster', 'kubernetes.io/cluster/prod', 'Albridge.io/cluster'];
  for (const key of keys) {
    it(`is Stalled before any write to AWS and names the key ${key}`, async () => {
      const world = World.started();
      const tags = { [key]: 'owned', team: 'web' };
      const calls = await world.callsDuring(() => world.applied('shop', { tags }));
      expect(writes(calls)).toBe(0);
      expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
      expect(world.message('shop')).toContain(key);
    });
  }

  it('keeps the balancer that it held before, untouched, and can be deleted', async () => {
    const world = await World.having('shop', { tags: { team: 'web' } });
    const before = world.balancer();
    world.edit('shop', { tags: { ...reserved, team: 'ops', 'Albridge.io/cluster': 'x' } });
    const calls = await world.callsDuring(() => world.clock.advance(3 * SCAN_MS));
    expect(writes(calls)).toBe(0);
    expect(world.balancer()).toEqual(before);
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });
});
