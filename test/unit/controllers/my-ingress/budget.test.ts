import { describe, expect, it } from 'vitest';
import type { Call } from '../../../../localstack/embedded/faults/call-log.ts';
import { AWS_LIMITS, DEFAULT_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import type { BucketLimits } from '../../../../src/aws/budget/token-bucket.ts';
import { MINUTE_MS, reads, World, writes } from './world.ts';

const COUNT = 100;
/** Ten at once, then one in five seconds. */
const COMPUTED_MS = ((COUNT - 10) / 0.2) * 1000;

function isRead({ operation }: Call): boolean {
  return operation.startsWith('Describe');
}

function isIntensive({ operation }: Call): boolean {
  return operation === 'CreateLoadBalancer' || operation === 'SetSubnets';
}

/** By how many the calls exceed a bucket of these limits at the worst moment. */
function excess(calls: readonly Call[], { burst, perSecond }: BucketLimits): number {
  let level = burst;
  let atMs = calls[0]?.at ?? 0;
  let worst = 0;
  for (const call of calls) {
    level = Math.min(burst, level + ((call.at - atMs) / 1000) * perSecond) - 1;
    atMs = call.at;
    worst = Math.max(worst, Math.ceil(-level - 1e-6));
  }
  return worst;
}

describe('a hundred objects at once under the limits of AWS', () => {
  it('are all Ready in about the computed time, never exceed a bucket, and waste few reads', async () => {
    const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
    await world.clock.settle();
    const calls = await world.callsDuring(async () => {
      for (let i = 0; i < COUNT; i++) world.apply(`shop-${i}`);
      await world.clock.advance(10_000);
      expect(world.condition('shop-50', 'Reconciling')).toMatch(
        /^True (BudgetExhausted|Provisioning)$/,
      );
      await world.clock.advance(COMPUTED_MS * 1.1);
    });
    const ready = Array.from({ length: COUNT }, (_, i) => world.condition(`shop-${i}`));
    expect(ready.filter((condition) => condition !== 'True Available')).toEqual([]);
    const sent = world.aws.control.calls();
    expect(excess(sent.filter(isRead), AWS_LIMITS.reads)).toBe(0);
    expect(excess(sent.filter(isIntensive), AWS_LIMITS.intensive)).toBe(0);
    expect(
      excess(
        sent.filter((call) => !isRead(call)),
        AWS_LIMITS.writes,
      ),
    ).toBe(0);
    expect(excess(sent, AWS_LIMITS.account)).toBe(0);
    expect(sent.filter(({ outcome }) => /Throttling/.test(outcome))).toEqual([]);
    expect(calls['CreateLoadBalancer']).toBe(COUNT);
    expect(reads(calls)).toBeLessThanOrEqual(5 * COUNT);
  });

  it('do not hold up an edit of one that is there', async () => {
    const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
    await world.applied('first');
    for (let i = 0; i < COUNT; i++) world.apply(`shop-${i}`);
    await world.clock.advance(30_000);
    await world.edited('first', { tags: { team: 'web' } }, 5_000);
    expect(world.object('first').status.applied).toEqual({ tags: ['team'] });
    expect(world.condition('first')).toBe('True Available');
  });

  it("do not hold up a neighbour's create, five hundred of them neither", async () => {
    const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
    await world.clock.settle();
    for (let i = 0; i < 500; i++) world.apply(`shop-${i}`);
    await world.clock.advance(30_000);
    const waiting = (): number =>
      Array.from({ length: 500 }, (_, i) => world.condition(`shop-${i}`, 'Reconciling')).filter(
        (condition) => condition === 'True BudgetExhausted',
      ).length;
    expect(waiting()).toBeGreaterThan(450);
    world.apply('shop', {}, 'neighbour');
    // Each namespace has one create in ten seconds.
    await world.clock.advance(11_000);
    expect(world.balancers.map(({ tags }) => tags['albridge.io/namespace'])).toContain('neighbour');
    expect(waiting()).toBeGreaterThan(450);
  });

  it('of which 60 are edited at once are read twice each, not at every try', async () => {
    const world = World.started({ budget: DEFAULT_LIMITS, settings: { budget: 'aws' } });
    await world.clock.settle();
    for (let i = 0; i < 60; i++) world.apply(`shop-${i}`);
    await world.clock.advance(10 * MINUTE_MS);
    const before = world.aws.control.calls().length;
    const calls = await world.callsDuring(async () => {
      for (let i = 0; i < 60; i++) {
        world.edit(`shop-${i}`, { tags: { team: 'web' }, securityGroups: ['sg-web'] });
      }
      await world.clock.advance(2 * MINUTE_MS);
    });
    const conditions = Array.from({ length: 60 }, (_, i) => world.condition(`shop-${i}`));
    expect(conditions.filter((condition) => condition !== 'True Available')).toEqual([]);
    expect(writes(calls)).toBe(120);
    expect(reads(calls)).toBeLessThanOrEqual(4 * 60);
    const sent = world.aws.control.calls().slice(before);
    expect(sent.filter(({ outcome }) => /Throttling/.test(outcome))).toEqual([]);
    expect(excess(sent, DEFAULT_LIMITS.account)).toBe(0);
  });

  it('survive a restart in the middle', async () => {
    const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
    await world.clock.settle();
    for (let i = 0; i < 30; i++) world.apply(`shop-${i}`);
    await world.clock.advance(40_000);
    await world.restart();
    await world.clock.advance(5 * MINUTE_MS);
    const ready = Array.from({ length: 30 }, (_, i) => world.condition(`shop-${i}`));
    expect(ready.filter((condition) => condition !== 'True Available')).toEqual([]);
    expect(world.balancers).toHaveLength(30);
  });

  it('can be deleted while they wait, and nothing is left', async () => {
    const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
    await world.clock.settle();
    for (let i = 0; i < 40; i++) world.apply(`shop-${i}`);
    await world.clock.advance(20_000);
    for (let i = 0; i < 40; i++) world.delete(`shop-${i}`);
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.balancers).toEqual([]);
    for (let i = 0; i < 40; i++) expect(world.exists(`shop-${i}`)).toBe(false);
  });
});

describe('a throttle by AWS', () => {
  it('is waited out, and said', async () => {
    const world = World.started();
    world.fault(
      'CreateLoadBalancer',
      { kind: 'error', code: 'ThrottlingException', status: 400, message: 'Rate exceeded' },
      { forMs: 20_000 },
    );
    await world.applied('shop');
    await world.clock.advance(5_000);
    expect(world.condition('shop', 'Reconciling')).toMatch(/^True (Throttled|BudgetExhausted)$/);
    expect(world.condition('shop', 'Stalled')).toBeUndefined();
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });
});

it('objects whose plans take most of a bucket each get it after a restart, one after the other', async () => {
  const world = World.started({ budget: AWS_LIMITS, settings: { budget: 'aws' } });
  const names = ['one', 'two', 'three', 'four'];
  await world.clock.settle();
  for (const name of names) world.apply(name);
  await world.clock.advance(2 * MINUTE_MS);
  world.crash();
  const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];
  const rules = Array.from({ length: 12 }, (_, at) => {
    return { name: `r${at}`, paths: [`/${at}`], forward: [{ backend: 'web' }] };
  });
  const defaultAction = { fixedResponse: { statusCode: 404 } } as const;
  for (const name of names) world.edit(name, { backends, rules, defaultAction });
  world.start();
  await world.clock.advance(2 * MINUTE_MS);
  expect(names.map((name) => world.condition(name))).toEqual(names.map(() => 'True Available'));
});
