import { describe, expect, it } from 'vitest';
import { cutsOf, play, type Story } from '../crash-play.ts';
import type { CrashPlan } from '../crashing-ports.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { listIds, SHOP } from './specs.ts';

/** Its first pass puts no security group on record before it makes it. */
const CREATE: Story = {
  before: async () => undefined,
  act: (world) => world.apply('shop', SHOP),
  ends: () => undefined,
};

const edits: Readonly<Record<string, (world: World) => void>> = {
  'to no traffic': (world) =>
    world.unset('shop', 'backends', 'rules', 'defaultAction', 'listeners'),
  'to a security group of others': (world) => world.edit('shop', { securityGroups: ['sg-web'] }),
  'to no traffic, with a tag that is refused at first': (world) => {
    world.unset('shop', 'backends', 'rules', 'defaultAction', 'listeners');
    world.edit('shop', { tags: { 'albridge.io/x': 'y' } });
  },
  'to no traffic while it is paused': (world) => {
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.unset('shop', 'backends', 'rules', 'defaultAction', 'listeners');
  },
  'to nothing, by its deletion': (world) => {
    world.unset('shop', 'backends', 'rules', 'defaultAction', 'listeners');
    world.delete('shop');
  },
};

async function editBehind(cut: CrashPlan, edit: (world: World) => void): Promise<World> {
  const world = await play(CREATE, cut);
  world.crash();
  edit(world);
  world.start();
  await world.clock.advance(MINUTE_MS);
  if (world.exists('shop')) {
    world.annotate('shop', {});
    world.unset('shop', 'tags');
  }
  await world.clock.advance(30 * MINUTE_MS);
  return world;
}

describe('an object whose first pass is cut short, and that is edited before the next one', () => {
  it.each(Object.entries(edits))('%s: leaves no security group behind', async (_, edit) => {
    const cutsWithGroup: CrashPlan[] = [];
    for (const cut of await cutsOf(CREATE)) {
      const before = (await play(CREATE, cut)).beside.length;
      if (before > 0) cutsWithGroup.push(cut);
      const world = await editBehind(cut, edit);
      expect(listIds(world), JSON.stringify(cut)).not.toContain('security-group/frontend');
    }
    expect(cutsWithGroup.length).toBeGreaterThan(10);
  });
});

it('leaves no security group behind where a pass fails before the edit', async () => {
  const refusal = { kind: 'error', code: 'Throttling', status: 400, message: 'slow' } as const;
  for (const cut of await cutsOf(CREATE)) {
    const world = await play(CREATE, cut);
    world.crash();
    world.fault('*', refusal, { forMs: MINUTE_MS });
    world.start();
    await world.clock.advance(30_000);
    world.crash();
    world.edit('shop', { securityGroups: ['sg-web'] });
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(listIds(world), JSON.stringify(cut)).not.toContain('security-group/frontend');
  }
});

it('is put on record first where an earlier pass has stored the finalizer, whose status may not show yet', async () => {
  const world = await play(CREATE, { port: 'kube', at: 1, when: 'after' });
  expect(world.kube.writes.map(({ verb }) => verb)).toEqual(['addFinalizer']);
  world.start();
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  const owned = world.kube.writes.filter(({ verb }) => verb === 'applyStatus');
  expect(owned).toHaveLength(3);
});
