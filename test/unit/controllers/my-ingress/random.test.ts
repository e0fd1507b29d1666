import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../localstack/embedded/ec2/seeded-ids.ts';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, SCAN_MS, World } from './world.ts';

const SEEDS = 150;
const STEPS = 25;
const NAMES = ['shop', 'cart'] as const;
const IDLE = 'idle_timeout.timeout_seconds';

type Draw = <T>(choices: readonly T[]) => T;
type Step = (world: World, name: string, draw: Draw) => unknown;

const spec = (draw: Draw): Partial<MyIngressSpec> => ({
  subnets: draw([
    ['subnet-a', 'subnet-b'],
    ['subnet-b', 'subnet-c'],
    ['subnet-a', 'subnet-c', 'subnet-d'],
  ]),
  tags: draw([{}, { team: 'web' }, { team: 'ops', env: 'prod' }]),
  attributes: draw([{}, { [IDLE]: '120' }, { [IDLE]: '240' }]),
});

/** What people, AWS and the machine do; each step is harmless where it does not apply. */
const steps: readonly Step[] = [
  (world, name, draw) => void (world.exists(name) || world.apply(name, spec(draw))),
  (world, name, draw) => void (world.exists(name) || world.apply(name, spec(draw))),
  (world, name, draw) => world.exists(name) && world.edit(name, spec(draw)),
  (world, name, draw) => world.exists(name) && world.edit(name, spec(draw)),
  (world, name) => world.exists(name) && world.delete(name),
  (world, name, draw) =>
    world.exists(name) && world.annotate(name, draw([{}, { 'albridge.io/paused': 'true' }])),
  (world, name, draw) =>
    world.exists(name) &&
    world.annotate(name, { 'albridge.io/reconcile-requested-at': draw(['a', 'b', 'c']) }),
  (world, _, draw) => meddle(world, draw),
  (world, _, draw) => meddle(world, draw),
  (world, _, draw) => {
    const effect = draw([
      { kind: 'lostResponse' },
      { kind: 'dropBeforeApply' },
      { kind: 'html500' },
      { kind: 'delay', delayMs: 4_000 },
      { kind: 'error', code: 'ThrottlingException', status: 400, message: 'Rate exceeded' },
    ] as const);
    world.fault('*', effect, { skip: draw([0, 1, 2]), times: draw([1, 2, 4]) });
  },
  (world) => {
    world.crash();
    world.start();
  },
  (world, _, draw) => {
    world.crash();
    world.start({
      port: draw(['aws', 'kube'] as const),
      at: draw([1, 2, 3, 4, 5, 6]),
      when: draw(['before', 'unanswered', 'after'] as const),
    });
  },
];

/** Somebody else deletes or changes one of our balancers, without taking it from us. */
function meddle(world: World, draw: Draw): void {
  const ours = world.balancers.filter(({ tags }) => 'albridge.io/name' in tags);
  if (ours.length === 0 || world.aws.control.pendingFaults().length > 0) return;
  const { arn, tags } = draw(ours);
  draw([
    () => void world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn }),
    () => world.tagOutOfBand(arn, { 'albridge.io/managed-by': 'somebody' }),
    () => world.untagOutOfBand(arn, ...Object.keys(tags).filter((key) => key === 'team'), 'none'),
    () =>
      void world.outOfBand('SetSubnets', {
        LoadBalancerArn: arn,
        Subnets: ['subnet-a', 'subnet-b'],
      }),
  ])();
}

async function play(seed: number): Promise<World> {
  const random = seededRandom(seed);
  const draw: Draw = (choices) => choices[Math.floor(random() * choices.length)] as never;
  const world = new World({ settings: { provisioningMs: draw([0, 5_000]) } });
  world.outOfBand('CreateLoadBalancer', { Name: 'foreign', Subnets: ['subnet-a', 'subnet-b'] });
  world.start();
  for (let i = 0; i < STEPS; i++) {
    draw(steps)(world, draw(NAMES), draw);
    if (draw([true, false, false]))
      world.fault('*', { kind: 'staleReads', ageMs: draw([2_000, 9_000]) });
    await world.clock.advance(draw([0, 10, 700, 3_000, 12_000, 40_000]));
    if (world.incarnation.isOver) world.start();
  }
  return world;
}

async function calmDown(world: World): Promise<void> {
  world.aws.control.clearFaults();
  for (const name of NAMES) if (world.exists(name)) world.annotate(name, {});
  await world.restart();
  await world.clock.advance(15 * MINUTE_MS + 3_600_000 * 1.1);
}

describe('whatever happens', () => {
  it(`in ${SEEDS} stories: one balancer for each object and none without, as the spec says, foreign ones untouched`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = await play(seed);
      const foreign = world.balancers.find(({ name }) => name === 'foreign');
      await calmDown(world);
      const label = `seed ${seed}`;
      const living = NAMES.filter((name) => world.exists(name));
      expect(world.balancers.map(({ name }) => name).toSorted(), label).toHaveLength(
        living.length + 1,
      );
      for (const name of living) expectAsWanted(world, name, label);
      expect(
        world.balancers.find(({ name }) => name === 'foreign'),
        label,
      ).toEqual(foreign);
      expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS)), label).toEqual([]);
      expect(world.faults, label).toEqual([]);
    }
  }, 60_000);
});

function expectAsWanted(world: World, name: string, label: string): void {
  const { spec: wanted, status } = world.object(name);
  expect(world.condition(name), label).toBe('True Available');
  const balancer = world.balancers.find(({ arn }) => arn === status.alb?.arn);
  expect(balancer?.tags, label).toEqual({
    ...wanted.tags,
    'albridge.io/cluster': 'cluster-1',
    'albridge.io/namespace': 'web',
    'albridge.io/name': name,
    'albridge.io/uid': world.object(name).metadata.uid,
    'albridge.io/managed-by': 'albridge',
  });
  expect(new Set(balancer?.subnets), label).toEqual(new Set(wanted.subnets));
  expect(balancer?.attributes[IDLE], label).toBe(wanted.attributes?.[IDLE] ?? '60');
}
