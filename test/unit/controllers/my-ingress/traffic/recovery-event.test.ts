import { expect, it } from 'vitest';
import type { TargetsState } from '../../../../../src/controllers/my-ingress/targets.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';

const KEY = 'web/shop';
const whole = { desired: 2, registered: 2, healthy: 2, isFilled: true };
const target = { id: '10.0.0.9', port: 8080 };

async function say(world: World, state: Partial<TargetsState>): Promise<void> {
  world.targets.unsay(KEY, 'api');
  world.targets.say(KEY, 'api', state);
  await world.clock.advance(MINUTE_MS);
}

it('targets that were unhealthy and are replaced have their event once all are healthy, also where AWS checks the new ones in between', async () => {
  const world = await settleShop();
  const before = world.events.recorded.length;
  await say(world, { ...whole, healthy: 1, unhealthy: { ...target, state: 'unhealthy' } });
  await say(world, { ...whole, healthy: 1, unhealthy: { ...target, state: 'initial' } });
  await say(world, whole);
  expect(world.condition('shop', 'TargetsHealthy')).toBe('True Healthy');
  const events = world.events.recorded.slice(before);
  expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Warning TargetsUnhealthy',
    'Normal Healthy',
  ]);
});
