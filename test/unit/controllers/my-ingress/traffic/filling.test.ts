import { describe, expect, it } from 'vitest';
import type { Targets } from '../../../../../src/controllers/my-ingress/targets.ts';
import { raceAbort } from '../../../../../src/core/ports/clock.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, listIds, SHOP, web } from './specs.ts';

/** An object whose target groups are filled when a test says so. */
async function created(wait: Targets['waitUntilFilled']): Promise<World> {
  const world = new World();
  world.targets.waitUntilFilled = wait;
  world.start();
  await world.clock.settle();
  world.apply('shop', SHOP);
  await world.clock.settle();
  return world;
}

function listRouting(world: World): readonly string[] {
  return listIds(world).filter((id) => !/^(security|target)-group/.test(id));
}

describe('a listener and its rules', () => {
  it('are made once the target groups are filled', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const world = await created((_key, signal) => raceAbort(promise, signal));
    await world.clock.advance(1_000);
    expect(world.targets.published.get('web/shop')).toHaveLength(2);
    expect(listRouting(world)).toEqual([]);
    resolve();
    await world.clock.settle();
    expect(listRouting(world)).toEqual(['listener/80', 'rule/80/spec/api/0']);
  });

  it('wait no longer than two seconds for targets', async () => {
    const world = await created((_key, signal) => raceAbort(new Promise(() => undefined), signal));
    await world.clock.advance(1_900);
    expect(listRouting(world)).toEqual([]);
    await world.clock.advance(200);
    expect(listRouting(world)).toHaveLength(2);
  });

  it('are not made where the waiting fails for another reason, and the next pass tries again', async () => {
    const world = await created(() => Promise.reject(new Error('no answer')));
    await world.clock.advance(500);
    expect(listRouting(world)).toEqual([]);
    expect(world.condition('shop', 'Reconciling')).toBe('True InternalError');
    world.targets.waitUntilFilled = () => Promise.resolve();
    await world.clock.advance(MINUTE_MS);
    expect(listRouting(world)).toHaveLength(2);
  });
});

it('a backend that no action names is published as such, also after a restart of the operator', async () => {
  const world = await World.having('shop', { ...SHOP, rules: [] });
  await world.clock.advance(MINUTE_MS);
  const listUnused = (): unknown =>
    world.targets.published.get('web/shop')?.map(({ backend, isUnused }) => [backend, isUnused]);
  expect(listUnused()).toEqual([
    ['web', undefined],
    ['api', true],
  ]);
  world.targets.published.clear();
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(listUnused()).toEqual([
    ['web', undefined],
    ['api', true],
  ]);
});

it('a backend is published with the health check that AWS has, the same by each pass and after a restart', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const readCheck = (): unknown => world.targets.published.get('web/shop')?.[0]?.healthCheck;
  const before = readCheck();
  expect(before).toMatchObject({ path: '/' });
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
  await world.clock.advance(20 * MINUTE_MS);
  expect(readCheck()).toEqual(before);
  const path = '/healthz';
  const refused = { kind: 'error', code: 'InvalidTarget', status: 400, message: 'no' } as const;
  world.fault('ModifyTargetGroup', refused, { times: 1 });
  await world.edited('shop', { backends: [{ ...web, healthCheck: { path } }, api] }, 500);
  expect(readCheck()).toEqual(before);
  await world.clock.advance(10 * MINUTE_MS);
  expect(readCheck()).toEqual({ ...(before as object), path });
  world.targets.published.clear();
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(readCheck()).toEqual({ ...(before as object), path });
});
