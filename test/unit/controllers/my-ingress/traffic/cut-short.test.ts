import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
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

const GIVEN = { securityGroups: ['sg-web'] };
const LISTENING: Partial<MyIngressSpec> = {
  listeners: [{ port: 80, protocol: 'HTTP' }],
  defaultAction: { fixedResponse: { statusCode: 404 } },
};

const LISTEN: Story = {
  before: (world) => world.applied('shop', GIVEN),
  act: (world) => world.edit('shop', LISTENING),
  ends: () => undefined,
};

/** The balancer was there before. */
const ADOPT: Story = {
  ...LISTEN,
  before: (world) => {
    const tags = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    world.outOfBand('CreateLoadBalancer', {
      Name: 'legacy',
      Subnets: ['subnet-a', 'subnet-b'],
      Tags,
    });
    return world.applied('shop', { adopt: { arn: world.balancer().arn } });
  },
};

const CREATE_WITH_LISTENER: Story = {
  ...CREATE,
  act: (world) =>
    world.apply('shop', {
      ...GIVEN,
      ...LISTENING,
      attributes: { 'idle_timeout.timeout_seconds': '90' },
    }),
};

const LISTENERS = {
  'added by an edit': LISTEN,
  'added to an adopted balancer': ADOPT,
  'created with its balancer': CREATE_WITH_LISTENER,
};

function expectNoTrace(world: World, why: string): void {
  expect(listIds(world), why).toEqual([]);
  expect(world.condition('shop'), why).toBe('True Available');
  expect(world.object('shop').status.owned, why).toBeUndefined();
}

describe('an object with no managed group, whose first listener is taken back at once', () => {
  it.each(Object.entries(LISTENERS))(
    '%s: leaves none behind where the pass is cut short',
    async (_, story) => {
      const cutsWithListener: CrashPlan[] = [];
      for (const cut of await cutsOf(story)) {
        const world = await play(story, cut);
        if (listIds(world).length > 0) cutsWithListener.push(cut);
        world.crash();
        world.unset('shop', 'listeners', 'defaultAction');
        world.start();
        await world.clock.advance(30 * MINUTE_MS);
        expectNoTrace(world, JSON.stringify(cut));
      }
      expect(cutsWithListener.length).toBeGreaterThan(3);
    },
  );

  it.each(Object.entries(LISTENERS))(
    '%s: leaves none behind where its create has no answer',
    async (_, story) => {
      const world = await play({ ...story, lastsMs: 0 }, undefined, (begun) => {
        begun.fault('CreateListener', { kind: 'lostResponse' }, { times: 9 });
      });
      await world.clock.advance(200);
      expect(listIds(world)).toEqual(['listener/80']);
      world.unset('shop', 'listeners', 'defaultAction');
      await world.clock.advance(30 * MINUTE_MS);
      expectNoTrace(world, '');
    },
  );
});
