import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const LISTENERS = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));

async function settleListeners(): Promise<World> {
  const world = await World.having('shop', { ...SHOP, listeners: LISTENERS });
  await world.clock.advance(MINUTE_MS);
  return world;
}

it('the port of a listener that is gone is closed to clients soon', async () => {
  const world = await settleListeners();
  expect(listOpenPorts(world)).toEqual([80, 8080]);
  await world.edited('shop', { listeners: LISTENERS.slice(0, 1) }, MINUTE_MS);
  expect(listPorts(world)).toEqual([80]);
  expect(listOpenPorts(world)).toEqual([80]);
});

it('so it is by the next process, where the first one ends before', async () => {
  const world = await settleListeners();
  await world.edited('shop', { listeners: LISTENERS.slice(0, 1) }, 2_000);
  expect(listPorts(world)).toEqual([80]);
  expect(listOpenPorts(world)).toEqual([80, 8080]);
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(listOpenPorts(world)).toEqual([80]);
  expect(world.object('shop').status.owned?.removals).toBeUndefined();
});

describe('a listener that comes back while reads show the time before', () => {
  it.each([
    ['it was deleted', listPorts],
    ['its port was closed', listOpenPorts],
  ])('%s is there when the object is Ready', async (_, list) => {
    const world = await settleListeners();
    world.edit('shop', { listeners: LISTENERS.slice(0, 1) });
    while (list(world).length > 1) await world.clock.advance(100);
    world.fault('*', { kind: 'staleReads', ageMs: 3_000 }, { forMs: 5_000 });
    await world.edited('shop', { listeners: LISTENERS }, 5_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(listPorts(world)).toEqual([80, 8080]);
    expect(listOpenPorts(world)).toEqual([80, 8080]);
  });
});

function listPorts(world: World): readonly number[] {
  return world.aws.control.snapshot().listeners.map(({ port }) => port);
}

function listOpenPorts(world: World): readonly unknown[] {
  const [managed] = [...world.aws.world.network.securityGroups.values()].filter(({ tags }) =>
    tags.has('albridge.io/name'),
  );
  return (managed?.ingress ?? []).map(({ ports }) => ports?.from);
}
