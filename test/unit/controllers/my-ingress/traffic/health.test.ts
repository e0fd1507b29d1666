import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';

it('an answer of AWS that says nothing new of a backend is not written', async () => {
  const world = await World.having('shop', SHOP);
  world.targets.say(KEY, 'web', { healthy: 1, healthAsOfMs: 60_000 });
  await world.clock.advance(MINUTE_MS);
  const readAgain = async (healthAsOfMs: number): Promise<void> => {
    world.targets.say(KEY, 'web', { healthAsOfMs });
    await world.clock.advance(MINUTE_MS);
  };
  expect(await world.writesDuring(() => readAgain(120_000))).toEqual([]);
  expect(world.object('shop').status.backends?.[0]).toMatchObject({
    ...{ healthy: 1, healthAsOf: '1970-01-01T00:01:00Z' },
  });
});

it('counts of an earlier process stay until AWS has answered this one', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const before = world.object('shop').status.backends;
  const unknown = { isKnown: false, registered: 0, healthy: 0, isFilled: false };
  for (const backend of ['web', 'api']) world.targets.say(KEY, backend, unknown);
  await world.restart();
  await world.edited('shop', { tags: { team: 'web' } }, MINUTE_MS);
  expect(world.object('shop').status.backends).toEqual(before);
  expect(before).toMatchObject([{ registered: 2 }, { registered: 2 }]);
});

describe('of a backend of instances', () => {
  const settled = async (): Promise<World> => {
    const world = await World.having('shop', SHOP);
    return world;
  };

  it('where a node without a pod fails the check as meant, one healthy node suffices, and none does not', async () => {
    const world = await settled();
    world.targets.say(KEY, 'web', { healthy: 1, isPartial: true });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'TargetsHealthy')).toBe('True Healthy');
    world.targets.say(KEY, 'web', { healthy: 0 });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'TargetsHealthy')).toBe('False TargetsUnhealthy');
  });

  it('status says what is left out, and nothing is wrong for that', async () => {
    const world = await settled();
    const note = 'nodes that are not EC2 instances are left out: 2';
    world.targets.say(KEY, 'web', { note });
    await world.clock.advance(MINUTE_MS);
    expect(world.object('shop').status.backends?.[0]?.message).toBe(note);
    expect(world.condition('shop', 'BackendsResolved')).toBe('True Resolved');
  });
});
