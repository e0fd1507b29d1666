import { expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

it('the port of a listener that is gone is closed to clients soon', async () => {
  const world = new World();
  world.start();
  const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
  await world.applied('shop', { ...SHOP, listeners });
  await world.clock.advance(MINUTE_MS);
  expect(listOpenPorts(world)).toEqual([80, 8080]);
  world.edit('shop', { listeners: listeners.slice(0, 1) });
  await world.clock.advance(MINUTE_MS);
  expect(world.aws.control.snapshot().listeners.map(({ port }) => port)).toEqual([80]);
  expect(listOpenPorts(world)).toEqual([80]);
});

function listOpenPorts(world: World): readonly unknown[] {
  const [managed] = [...world.aws.world.network.securityGroups.values()].filter(({ tags }) =>
    tags.has('albridge.io/name'),
  );
  return (managed?.ingress ?? []).map(({ ports }) => ports?.from);
}
