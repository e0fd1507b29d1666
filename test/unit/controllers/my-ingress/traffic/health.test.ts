import { expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';

it('an answer of AWS that says nothing new of a backend is not written', async () => {
  const world = new World();
  world.start();
  await world.applied('shop', SHOP);
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
