import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';
/** A canary at rest. */
const RESTING = {
  ...{ name: 'api', paths: ['/api/*'] },
  forward: [
    { backend: 'web', weight: 1 },
    { backend: 'api', weight: 0 },
  ],
};
const REFUSED = {
  kind: 'error',
  ...{ code: 'InvalidLoadBalancerAction', status: 400, message: 'refused' },
} as const;

async function settled(): Promise<World> {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return world;
}

function listReached(world: World): readonly string[] {
  const published = world.targets.published.get(KEY) ?? [];
  return published.filter(({ isReached }) => isReached).map(({ backend }) => backend);
}

async function restart(world: World): Promise<void> {
  world.targets.published.clear();
  await world.restart();
  await world.clock.advance(MINUTE_MS);
}

it('a group that its actions name with weight 0 is not published as reached after a restart', async () => {
  const world = await settled();
  await world.edited('shop', { rules: [RESTING] }, 2 * MINUTE_MS);
  expect(listReached(world)).toEqual(['web']);
  await restart(world);
  expect(world.targets.published.get(KEY)).toHaveLength(2);
  expect(listReached(world)).toEqual(['web']);
});

describe('so it is published while the weight 0 is not in force', () => {
  const denied = { ...REFUSED, code: 'AccessDenied', status: 403 };

  it('since AWS refuses it, also where the weights cannot be read', async () => {
    const world = await settled();
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { rules: [RESTING] }, 2 * MINUTE_MS);
    world.fault('DescribeListeners', denied, { forMs: 60 * MINUTE_MS });
    await restart(world);
    expect(listReached(world)).toEqual(['web', 'api']);
  });

  it('since a rule that left the spec is deleted later', async () => {
    const world = await settled();
    const live = { name: 'old', paths: ['/api/*'], forward: [{ backend: 'api' }] };
    await world.edited('shop', { rules: [live] }, 2 * MINUTE_MS);
    await world.edited('shop', { rules: [RESTING] }, 4_000);
    world.fault('DescribeListeners', denied, { forMs: 60 * MINUTE_MS });
    await restart(world);
    expect(listReached(world)).toEqual(['web', 'api']);
  });

  it('since it came while no operator was running', async () => {
    const world = await settled();
    world.crash();
    world.edit('shop', { rules: [RESTING] });
    world.fault('DescribeListeners', denied, { forMs: 60 * MINUTE_MS });
    await restart(world);
    expect(listReached(world)).toEqual(['web', 'api']);
  });
});

it('a group that an action names by now is published as reached where a pause ends the pass', async () => {
  const world = await World.having('shop', {});
  world.fault('CreateListener', { kind: 'delay', delayMs: 10_000 });
  await world.edited('shop', SHOP, 5_000);
  world.annotate('shop', { 'albridge.io/paused': 'true' });
  await world.clock.advance(MINUTE_MS);
  const { listeners } = world.aws.control.snapshot();
  expect(listeners.map(({ rules }) => rules.length)).toEqual([1]);
  const published = world.targets.published.get(KEY) ?? [];
  const unused = published.filter(({ isUnused }) => isUnused).map(({ backend }) => backend);
  expect({ reached: listReached(world), unused }).toEqual({ reached: ['web'], unused: ['api'] });
});

it('a health check that was edited outside albridge is published with the one that it is restored to', async () => {
  const world = await settled();
  const published = vi.spyOn(world.targets, 'publish');
  const [group] = world.aws.control.snapshot().targetGroups;
  world.outOfBand('ModifyTargetGroup', { TargetGroupArn: group?.arn, HealthCheckPath: '/none' });
  await world.clock.advance(15 * MINUTE_MS);
  expect(published.mock.lastCall?.[1].find(({ arn }) => arn === group?.arn)).toMatchObject({
    healthCheck: { path: '/' },
    observedCheck: { path: '/none' },
  });
});
