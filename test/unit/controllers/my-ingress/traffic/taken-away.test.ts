import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { listIds, SHOP, web } from './specs.ts';

const LISTENERS = [{ port: 80, protocol: 'HTTP' as const }];

it('a listener that leaves the spec a moment after it was made is deleted, and in status until then', async () => {
  const world = await World.having('shop', { securityGroups: ['sg-web'], listeners: LISTENERS });
  world.unset('shop', 'listeners');
  await world.clock.advance(2_000);
  const [listener] = world.aws.control.snapshot().listeners;
  expect(world.object('shop').status.listeners).toEqual([{ port: 80, arn: listener?.arn }]);
  await world.clock.advance(MINUTE_MS);
  expect(world.beside).toEqual([]);
  expect(world.object('shop').status.listeners).toBeUndefined();
});

it('so it is where the process dies meanwhile', async () => {
  const world = await World.having('shop', { securityGroups: ['sg-web'], listeners: LISTENERS });
  world.unset('shop', 'listeners');
  await world.clock.advance(2_000);
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(world.beside).toEqual([]);
});

describe('a backend that leaves the spec while reads still answer as before it came is deleted', () => {
  const ONE = { backends: [web], rules: [] };

  async function edited(lost?: { readonly times: number }): Promise<World> {
    const world = await World.having('shop', ONE);
    await world.clock.advance(MINUTE_MS);
    if (lost) world.fault('CreateTargetGroup', { kind: 'lostResponse' }, lost);
    world.edit('shop', SHOP);
    const countGroups = (): number => world.aws.control.snapshot().targetGroups.length;
    for (let i = 0; i < 50 && countGroups() < 2; i++) await world.clock.advance(100);
    expect(countGroups()).toBe(2);
    return world;
  }

  async function expectGone(world: World): Promise<void> {
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listIds(world)).toEqual([
      ...['listener/80', 'security-group/frontend', 'target-group/spec/web'],
    ]);
  }

  it('after a restart', async () => {
    const world = await edited();
    world.crash();
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 9_000 });
    world.edit('shop', ONE);
    world.start();
    await expectGone(world);
  });

  it('after the answer to its create was lost', async () => {
    const world = await edited({ times: 3 });
    world.fault('CreateTargetGroup', { kind: 'dropBeforeApply' }, { forMs: 20_000 });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    world.edit('shop', ONE);
    await expectGone(world);
  });
});

it('a backend that comes back is published as one that no action names, until one does', async () => {
  const world = await World.having('shop', { ...SHOP, listeners: LISTENERS });
  const { targets } = world;
  const listUnused = (): readonly string[] =>
    (targets.published.get('web/shop') ?? []).flatMap(({ backend, isUnused }) =>
      isUnused ? [backend] : [],
    );
  expect(listUnused()).toEqual([]);
  await world.clock.advance(MINUTE_MS);
  world.unset('shop', 'backends', 'rules', 'defaultAction');
  await world.clock.advance(MINUTE_MS);
  const asked: (readonly string[])[] = [];
  targets.waitUntilFilled = async () => void asked.push(listUnused());
  world.edit('shop', SHOP);
  await world.clock.advance(2 * MINUTE_MS);
  expect(asked.at(-1)).toEqual(['web', 'api']);
  expect(listUnused()).toEqual([]);
});
