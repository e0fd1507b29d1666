import { describe, expect, it } from 'vitest';
import { draftOf } from './drafts.ts';
import { settleShop } from './traffic/settle.ts';
import { listIds, SHOP } from './traffic/specs.ts';
import { MINUTE_MS, World, writes } from './world.ts';

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

const FOREIGN_FINALIZER = 'example.com/backup';

describe('a finalizer that others take off while a deletion reads', () => {
  it('orphans the load balancer', async () => {
    const world = await openDeletion();
    const before = listIds(world);
    takeFinalizerOff(world);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(listIds(world)).toEqual(before);
    expect(world.events.reasons).not.toContain('DeletedALB');
  });

  it('orphans it also where the finalizer of others keeps the object', async () => {
    const world = await openDeletion();
    takeFinalizerOff(world, [FOREIGN_FINALIZER]);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(true);
    expect(world.balancers).toHaveLength(1);
    expect(world.events.reasons).not.toContain('DeletedALB');
  });

  it('leaves it to an object of its name that is applied then', async () => {
    const world = await openDeletion();
    const { arn } = world.balancer();
    takeFinalizerOff(world);
    world.apply('shop', {});
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer()).toMatchObject({ arn, tags: { 'albridge.io/uid': 'uid-2' } });
    expect(world.events.reasons).toContain('TookOverALB');
    expect(world.events.reasons).not.toContain('DeletedALB');
  });

  it('orphans what is beside a load balancer whose deletion AWS has taken', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    const isBeside = (id: string): boolean => /^(target-group|security-group)\//.test(id);
    const before = listIds(world).filter(isBeside);
    world.fault('DeleteLoadBalancer', { kind: 'delay', delayMs: 500 });
    await world.deleted('shop', 400);
    takeFinalizerOff(world);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.balancers).toEqual([]);
    expect(listIds(world).filter(isBeside)).toEqual(before);
  });
});

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

const STOPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a pause': { 'albridge.io/paused': 'true' },
  'plan mode': { 'albridge.io/mode': 'plan' },
};

describe.each(Object.entries(STOPS))('%s while a pass reads', (_name, annotations) => {
  it('ends it before its first write, and the next one without it applies the edit', async () => {
    const world = await settleShop(SHOP);
    await world.clock.advance(MINUTE_MS);
    const calls = await world.callsDuring(async () => {
      world.fault('DescribeTags', { kind: 'delay', delayMs: 500 });
      await world.edited('shop', { tags: { team: 'web' }, rules: [] }, 400);
      world.annotate('shop', annotations);
      await world.clock.advance(10 * MINUTE_MS);
    });
    expect(writes(calls)).toBe(0);
    expect(world.condition('shop')).toMatch(/^Unknown (Paused|Planned)$/);
    world.annotate('shop', {});
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).toMatchObject({ team: 'web' });
  });

  it('ends a create after the write under way, with all on record that it has made', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', { kind: 'delay', delayMs: 500 });
    world.apply('shop', SHOP);
    await world.clock.advance(400);
    world.annotate('shop', annotations);
    await world.clock.advance(MINUTE_MS);
    const { arn } = world.balancer();
    expect(listIds(world).filter((id) => /^(listener|rule)\//.test(id))).toEqual([]);
    const { alb, owned } = world.object('shop').status;
    expect(alb).toMatchObject({ arn });
    expect(owned?.securityGroup).toBeDefined();
    expect(world.condition('shop')).toMatch(/^Unknown (Paused|Planned)$/);
    world.annotate('shop', {});
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().arn).toBe(arn);
  });

  it('leaves nothing behind wherever it ends a create, although the process dies and the spec loses all', async () => {
    const cuts = new Set<string>();
    for (let atMs = 0; atMs <= 400; atMs += 10) {
      const world = World.started();
      world.fault('*', { kind: 'delay', delayMs: 20 }, { forMs: 2_000 });
      world.apply('shop', { ...SHOP, tags: { team: 'web' } });
      await world.clock.advance(atMs);
      world.annotate('shop', annotations);
      await world.clock.advance(1_000);
      cuts.add(listIds(world).join());
      world.crash();
      world.unset('shop', 'backends', 'listeners', 'rules', 'inbound');
      world.annotate('shop', {});
      world.delete('shop');
      world.start();
      await world.clock.advance(10 * MINUTE_MS);
      expect(world.exists('shop'), `${atMs}`).toBe(false);
      expect(listIds(world), `${atMs}`).toEqual([]);
      expect(world.balancers, `${atMs}`).toEqual([]);
    }
    expect(cuts.size).toBeGreaterThan(4);
  });
});

function takeFinalizerOff(world: World, others: readonly string[] = []): void {
  world.kube.editMeta(draftOf('shop'), { finalizers: others });
}

/** A deletion that waits for the answer of its read. */
async function openDeletion(deletionPolicy: 'Delete' | 'Retain' = 'Delete'): Promise<World> {
  const world = await World.having('shop', { deletionPolicy });
  await world.clock.advance(MINUTE_MS);
  world.fault('DescribeTags', { kind: 'delay', delayMs: 500 });
  await world.deleted('shop', 400);
  return world;
}
