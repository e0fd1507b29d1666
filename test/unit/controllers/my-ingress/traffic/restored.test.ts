import { describe, expect, it } from 'vitest';
import { loadBalancerFinalizer, type MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { cutsOf, play, type Story } from '../crash-play.ts';
import type { CrashPlan } from '../crashing-ports.ts';
import { draftOf } from '../drafts.ts';
import { MINUTE_MS, World } from '../world.ts';
import { listIds, SHOP } from './specs.ts';

const PLAN = { 'albridge.io/mode': 'plan' };
const FINALIZERS = [loadBalancerFinalizer];
const GIVEN = { securityGroups: ['sg-web'] };
const LISTENING: Partial<MyIngressSpec> = { listeners: [{ port: 80, protocol: 'HTTP' }] };
const GROUP = 'security-group/frontend';
const DENIED = {
  kind: 'error',
  ...{ code: 'UnauthorizedOperation', status: 403, message: 'denied' },
} as const;

async function settled(spec: Partial<MyIngressSpec>): Promise<World> {
  const world = await World.having('shop', spec);
  await world.clock.advance(8 * MINUTE_MS);
  return world;
}

/** As from a backup, which has no status. */
function restore(
  world: World,
  spec: Partial<MyIngressSpec>,
  meta: { readonly annotations?: Record<string, string>; readonly finalizers?: string[] } = {},
): void {
  world.kube.deleteInSpite(draftOf('shop'));
  const { metadata, ...draft } = draftOf('shop', spec);
  world.kube.create({ ...draft, metadata: { ...metadata, ...meta } });
}

function listPorts(world: World): readonly number[] {
  return world.aws.control.snapshot().listeners.map(({ port }) => port);
}

async function restored(
  before: Partial<MyIngressSpec>,
  spec: Partial<MyIngressSpec>,
  annotations: Record<string, string> = {},
): Promise<World> {
  const world = await settled(before);
  world.crash();
  restore(world, spec, { annotations });
  world.start();
  await world.clock.advance(MINUTE_MS);
  return world;
}

/** Plays the story with each of the cuts, and gives the next process half an hour. */
async function cutEach(
  story: Story,
  expectIn: (world: World, cut: string) => void,
  { when = ['before', 'unanswered', 'after'], prepare }: Cuts = {},
): Promise<void> {
  const cuts = await cutsOf(story, prepare);
  for (const cut of cuts.filter((one) => when.includes(one.when))) {
    const world = await play(story, cut, prepare);
    world.crash();
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expectIn(world, JSON.stringify(cut));
  }
}

interface Cuts {
  readonly when?: readonly CrashPlan['when'][];
  readonly prepare?: (world: World) => void;
}

describe('an object that is restored without status, with security groups of its own', () => {
  it('loses the listener that left the spec', async () => {
    const world = await restored({ ...LISTENING, ...GIVEN }, GIVEN);
    expect(listPorts(world)).toEqual([]);
    expect(world.condition('shop')).toBe('True Available');
    const writes = await world.writesDuring(() => world.clock.advance(30 * MINUTE_MS));
    expect(writes).toEqual([]);
  });

  it.each(Object.entries({ traffic: { ...SHOP, ...GIVEN }, 'no traffic': GIVEN }))(
    'with %s: loses the managed group that its balancer has',
    async (_, spec) => {
      const world = await restored(SHOP, spec);
      await world.clock.advance(30 * MINUTE_MS);
      expect(listIds(world)).not.toContain(GROUP);
      expect(world.condition('shop')).toBe('True Available');
    },
  );

  it('loses the managed group that its balancer has not any more', async () => {
    const world = await settled(SHOP);
    const code = 'DependencyViolation';
    const refusal = { kind: 'error', code, status: 400, message: 'in use' } as const;
    world.fault('DeleteSecurityGroup', refusal, { forMs: 5 * MINUTE_MS });
    await world.edited('shop', GIVEN, MINUTE_MS);
    expect(world.balancer().securityGroups).toEqual(GIVEN.securityGroups);
    world.crash();
    restore(world, { ...SHOP, ...GIVEN });
    world.start();
    await world.clock.advance(40 * MINUTE_MS);
    expect(listIds(world)).not.toContain(GROUP);
  });

  it('loses the managed group also where the balancer is gone, wherever its first pass is cut', async () => {
    const story: Story = {
      before: async (world) => {
        await world.applied('shop', SHOP);
        await world.clock.advance(8 * MINUTE_MS);
        world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
      },
      act: (world) => restore(world, { ...SHOP, ...GIVEN }),
      ends: () => undefined,
    };
    await cutEach(story, (world, cut) => expect(listIds(world), cut).not.toContain(GROUP));
  });

  it('loses the managed group wherever its first pass is cut', async () => {
    const story: Story = {
      before: async (world) => {
        await world.applied('shop', SHOP);
        await world.clock.advance(8 * MINUTE_MS);
      },
      act: (world) => restore(world, { ...SHOP, ...GIVEN }),
      ends: () => undefined,
    };
    await cutEach(story, (world, cut) => expect(listIds(world), cut).not.toContain(GROUP));
  });

  it('loses the managed group with its deletion, before any other pass', async () => {
    const world = await settled(SHOP);
    world.crash();
    restore(world, { ...SHOP, ...GIVEN }, { finalizers: FINALIZERS });
    world.delete('shop');
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(listIds(world)).toEqual([]);
  });

  it('leaves no tag on the managed group with its deletion where it is retained', async () => {
    const world = await settled(SHOP);
    world.crash();
    const spec = { ...SHOP, ...GIVEN, deletionPolicy: 'Retain' as const };
    restore(world, spec, { finalizers: FINALIZERS });
    world.delete('shop');
    world.start();
    await world.clock.advance(30 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(listPorts(world)).toEqual([80]);
    expect(listIds(world)).toEqual([]);
  });

  it('needs no right on EC2', async () => {
    const world = await settled({ ...SHOP, ...GIVEN });
    world.crash();
    world.fault('DescribeSecurityGroups', DENIED, { forMs: 60 * MINUTE_MS });
    restore(world, { ...SHOP, ...GIVEN });
    world.start();
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });
});

describe('an object that is restored without the listener of its balancer', () => {
  it('shows in a plan what is about to be deleted', async () => {
    const world = await restored({ ...LISTENING, ...GIVEN }, GIVEN, PLAN);
    expect(world.object('shop').status.plan?.steps).toContainEqual(
      expect.stringMatching(/delete listener\/80 /),
    );
  });

  it('loses it also where a plan and a restart come before', async () => {
    const world = await restored({ ...LISTENING, ...GIVEN }, GIVEN, PLAN);
    await world.restart();
    world.annotate('shop', {});
    await world.clock.advance(5 * MINUTE_MS);
    expect(listPorts(world)).toEqual([]);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('loses it wherever its first pass is cut', async () => {
    const story: Story = {
      before: async (world) => {
        await world.applied('shop', { ...LISTENING, ...GIVEN });
        await world.clock.advance(8 * MINUTE_MS);
      },
      act: (world) => restore(world, GIVEN),
      ends: () => undefined,
    };
    await cutEach(story, (world, cut) => expect(listPorts(world), cut).toEqual([]));
  });
});

describe('an object that is restored without status, where its first pass fails and a later one is cut', () => {
  const before: Story['before'] = async (world) => {
    await world.applied('shop', SHOP);
    await world.clock.advance(8 * MINUTE_MS);
    await world.edited('shop', LISTENING, 8 * MINUTE_MS);
  };
  const slow = { kind: 'error', code: 'Throttling', status: 400, message: 'slow' } as const;
  const failures: Readonly<Record<string, (world: World) => void>> = {
    'EC2 is throttled': (world) => world.fault('DescribeSecurityGroups', slow, { forMs: 5_000 }),
    'its record is refused': (world) => {
      world.kube.failNext('applyStatus', new Error('no answer'));
    },
  };
  const ends: Readonly<Record<string, (world: World) => void>> = {
    'of its spec with nothing': (world) => restore(world, {}),
    'of its spec with other groups': (world) => restore(world, GIVEN),
    'of a deletion': (world) => {
      restore(world, {}, { finalizers: FINALIZERS });
      world.delete('shop');
    },
    'of a deletion with other groups': (world) => {
      restore(world, GIVEN, { finalizers: FINALIZERS });
      world.delete('shop');
    },
  };

  for (const [failure, fail] of Object.entries(failures)) {
    it.each(Object.entries(ends))(`as ${failure}: leaves nothing %s`, async (_, end) => {
      const story: Story = { before, act: end, ends: () => undefined, lastsMs: 60_000 };
      await cutEach(story, (world, cut) => expect(listIds(world), cut).toEqual([]), {
        when: ['after'],
        prepare: fail,
      });
    });
  }

  it('leaves nothing of a deletion that was planned first', async () => {
    const world = await settled(SHOP);
    world.crash();
    restore(world, { ...SHOP, ...GIVEN }, { annotations: PLAN, finalizers: FINALIZERS });
    world.delete('shop');
    world.start();
    await world.clock.advance(MINUTE_MS);
    world.annotate('shop', {});
    const isDeleted = (): boolean => world.writesToAws.includes('DeleteLoadBalancer');
    for (let ms = 0; ms < MINUTE_MS && !isDeleted(); ms += 10) await world.clock.advance(10);
    await world.restart();
    await world.clock.advance(30 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(listIds(world)).toEqual([]);
  });
});

describe('an object that is restored with nothing but a balancer, by an operator without a right on EC2', () => {
  async function withoutEc2(): Promise<World> {
    const world = await settled({ ...LISTENING, ...GIVEN });
    world.crash();
    world.fault('DescribeSecurityGroups', DENIED, { forMs: 60 * MINUTE_MS });
    restore(world, {}, { finalizers: FINALIZERS });
    return world;
  }

  it('loses its listener and is Ready', async () => {
    const world = await withoutEc2();
    world.start();
    await world.clock.advance(10 * MINUTE_MS);
    expect(listPorts(world)).toEqual([]);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is deleted with its listener', async () => {
    const world = await withoutEc2();
    world.delete('shop');
    world.start();
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
  });
});

describe('the plan of the deletion of an object that is restored without status', () => {
  it.each(Object.entries({ 'no traffic': {}, 'groups of its own': { ...SHOP, ...GIVEN } }))(
    'and %s shows everything that goes',
    async (_, spec) => {
      const world = await settled(SHOP);
      world.crash();
      restore(world, spec, { annotations: PLAN, finalizers: FINALIZERS });
      world.delete('shop');
      world.start();
      await world.clock.advance(MINUTE_MS);
      const { steps = [] } = world.object('shop').status.plan ?? {};
      expect(steps).toContainEqual(expect.stringMatching(/delete security-group\/frontend/));
      expect(steps).toContainEqual(expect.stringMatching(/delete target-group\/spec\/api/));
      world.annotate('shop', {});
      await world.clock.advance(30 * MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(listIds(world)).toEqual([]);
    },
  );
});
