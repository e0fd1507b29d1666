import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const UID = 'albridge.io/uid';

async function settled(): Promise<World> {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return world;
}

describe('a resource that has lost its tag for the UID gets it back, as a load balancer does:', () => {
  for (const kind of ['target-group', 'listener', 'rule']) {
    it(kind, async () => {
      const world = await settled();
      const find = () =>
        world.beside.find(({ tags }) => tags['albridge.io/resource']?.startsWith(`${kind}/`));
      const before = find();
      world.untagOutOfBand(before?.id ?? '', UID);
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(find()).toEqual(before);
    });
  }

  it('security-group', async () => {
    const world = await settled();
    const find = () => world.beside.find(({ id }) => id.startsWith('sg-'));
    const before = find();
    world.outOfBand('DeleteTags', { Resources: [before?.id], Tags: [{ Key: UID }] });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(find()).toEqual(before);
  });
});

describe('a name that a resource of another owner has', () => {
  it('is that of a security group which Retain has left: the message names it and what to do', async () => {
    const world = await World.having('shop', { ...SHOP, deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE_MS);
    const id = world.beside.find((one) => one.id.startsWith('sg-'))?.id ?? '';
    await world.deleted('shop', MINUTE_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    world.apply('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toContain(`is held by security group ${id}`);
    expect(world.message('shop')).toContain(`; delete ${id} if it is no longer needed`);
    await world.edited('shop', { securityGroups: [id] }, MINUTE_MS);
    expect(world.message('shop')).not.toContain(id);
  });

  it('is that of a target group: the conflict comes before the listeners and rules that lack it', async () => {
    const world = await settled();
    const group = world.beside.find(
      ({ tags }) => tags['albridge.io/resource'] === 'target-group/spec/api',
    );
    world.untagOutOfBand(group?.id ?? '', 'albridge.io/name');
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toMatch(/^backend api: a target group shop-api-/);
    expect(world.message('shop')).toMatch(
      /; delete target group shop-api-[0-9a-f]{8} if it is no longer needed/,
    );
  });
});

describe('the tags of a target group that this process has made', () => {
  /** Without the tag that proves it ours, as a read shows it that is older than the tags. */
  async function untagged(afterMs: number): Promise<World> {
    const world = await World.having('shop', SHOP);
    await world.clock.advance(afterMs);
    const group = world.beside.find(
      ({ tags }) => tags['albridge.io/resource'] === 'target-group/spec/api',
    );
    world.untagOutOfBand(group?.id ?? '', 'albridge.io/name');
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(500);
    return world;
  }

  it('are read again while a read may be older than they are: that takes no person', async () => {
    const world = await untagged(2_000);
    expect(world.condition('shop', 'Reconciling')).toBe('True OwnershipUnconfirmed');
    expect(world.condition('shop', 'Stalled')).toBeUndefined();
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  });

  it('count at once when no read can be older any more', async () => {
    const world = await untagged(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  });
});
