import { expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';

const LISTENERS = [{ port: 80, protocol: 'HTTP' as const }];

it('a listener that leaves the spec a moment after it was made is deleted, and in status until then', async () => {
  const world = new World();
  world.start();
  await world.applied('shop', { securityGroups: ['sg-web'], listeners: LISTENERS });
  world.unset('shop', 'listeners');
  await world.clock.advance(2_000);
  const [listener] = world.aws.control.snapshot().listeners;
  expect(world.object('shop').status.listeners).toEqual([{ port: 80, arn: listener?.arn }]);
  await world.clock.advance(MINUTE_MS);
  expect(world.beside).toEqual([]);
  expect(world.object('shop').status.listeners).toBeUndefined();
});

it('so it is where the process dies meanwhile', async () => {
  const world = new World();
  world.start();
  await world.applied('shop', { securityGroups: ['sg-web'], listeners: LISTENERS });
  world.unset('shop', 'listeners');
  await world.clock.advance(2_000);
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(world.beside).toEqual([]);
});
