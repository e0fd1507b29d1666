import { describe, expect, it } from 'vitest';
import { settleShop } from './traffic/settle.ts';
import { listIds, SHOP } from './traffic/specs.ts';
import { MINUTE_MS, World } from './world.ts';

interface LateEdit {
  readonly why: string;
  readonly edit: (world: World) => void;
  /** Ready afterwards; undefined: the object is gone. */
  readonly ready: string | undefined;
  readonly balancers: number;
}

const EDITS: Readonly<Record<string, LateEdit>> = {
  'to Retain': {
    why: 'a deleted load balancer cannot be restored',
    edit: (world) => world.edit('shop', { deletionPolicy: 'Retain' }),
    ready: undefined,
    balancers: 1,
  },
  'to pause it': {
    why: 'pause stops a deletion too',
    edit: (world) => world.annotate('shop', { 'albridge.io/paused': 'true' }),
    ready: 'Unknown Paused',
    balancers: 1,
  },
  'to plan mode': {
    why: 'in plan mode nothing but status is written',
    edit: (world) => world.annotate('shop', { 'albridge.io/mode': 'plan' }),
    ready: 'Unknown Planned',
    balancers: 1,
  },
  'of its tags': {
    why: 'the next pass deletes, with the new spec',
    edit: (world) => world.edit('shop', { tags: { team: 'web' } }),
    ready: undefined,
    balancers: 0,
  },
  'of another annotation': {
    why: 'it changes nothing about the deletion',
    edit: (world) => world.annotate('shop', { 'example.com/note': 'bye' }),
    ready: undefined,
    balancers: 0,
  },
};

describe('an edit while a deletion reads', () => {
  for (const [name, { why, edit, ready, balancers }] of Object.entries(EDITS)) {
    it(`${name} counts before the load balancer is deleted, because: ${why}`, async () => {
      const world = await openDeletion();
      edit(world);
      await world.clock.advance(MINUTE_MS);
      expect(world.exists('shop') ? world.condition('shop') : undefined).toBe(ready);
      expect(world.balancers).toHaveLength(balancers);
      expect(world.events.reasons.includes('DeletedALB')).toBe(balancers === 0);
    });
  }

  it('to Delete counts before the tags are taken off', async () => {
    const world = await openDeletion('Retain');
    await world.edited('shop', { deletionPolicy: 'Delete' }, MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
  });

  it('to Retain keeps what is beside a load balancer whose deletion AWS has taken, and no event says more', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    world.fault('DeleteLoadBalancer', { kind: 'delay', delayMs: 500 });
    await world.deleted('shop', 400);
    await world.edited('shop', { deletionPolicy: 'Retain' }, 10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
    expect(world.events.reasons).not.toContain('RetainedALB');
    expect(world.events.reasons).toContain('DeletedALB');
  });

  it('to pause it counts before anything beside the load balancer is deleted', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    const before = listIds(world);
    world.fault('DeleteLoadBalancer', { kind: 'delay', delayMs: 500 });
    await world.deleted('shop', 400);
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    await world.clock.advance(MINUTE_MS);
    expect(world.balancers).toEqual([]);
    expect(world.condition('shop')).toBe('Unknown Paused');
    const isBeside = (id: string): boolean => /^(target-group|security-group)\//.test(id);
    expect(before.filter(isBeside)).not.toEqual([]);
    expect(listIds(world).filter(isBeside)).toEqual(before.filter(isBeside));
    world.annotate('shop', {});
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(listIds(world)).toEqual([]);
  });
});

/** A deletion that waits for the answer of its read. */
async function openDeletion(deletionPolicy: 'Delete' | 'Retain' = 'Delete'): Promise<World> {
  const world = await World.having('shop', { deletionPolicy });
  await world.clock.advance(MINUTE_MS);
  world.fault('DescribeTags', { kind: 'delay', delayMs: 500 });
  await world.deleted('shop', 400);
  return world;
}
