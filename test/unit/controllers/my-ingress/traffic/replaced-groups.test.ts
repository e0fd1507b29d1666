import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

const KEY = 'web/shop';
const REPLACED: Partial<MyIngressSpec> = { backends: [web, { ...api, protocol: 'HTTPS' }] };
const REFUSED = {
  kind: 'error',
  ...{ code: 'InvalidLoadBalancerAction', status: 400, message: 'refused' },
} as const;

async function settled(): Promise<World> {
  const world = new World();
  world.start();
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return world;
}

function findGroup(world: World, backend: string): string {
  const groups = world.aws.control.snapshot().targetGroups;
  return groups.find(({ name }) => name.startsWith(`shop-${backend}-`))?.arn ?? '';
}

function listFollowed(world: World): readonly string[] {
  return (world.targets.published.get(KEY) ?? []).map(({ arn }) => arn);
}

describe('a pod that comes is a target of the group that requests still reach', () => {
  it('where AWS refuses to give a rule the group’s successor, and status counts each target once', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    world.edit('shop', REPLACED);
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidLoadBalancerAction');
    expect(listFollowed(world)).toHaveLength(3);
    expect(listFollowed(world)).toContain(old);
    expect(world.object('shop').status.targets).toBe('4/4');
  });

  it('so it is after a restart of the operator, also of an object that is paused', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    world.edit('shop', REPLACED);
    await world.clock.advance(2 * MINUTE_MS);
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(old);
  });

  it('while the rule of a backend that has left the spec stays', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    const rules = [{ name: 'new', paths: ['/new'], forward: [{ backend: 'web' }] }];
    world.edit('shop', { backends: [web], rules });
    await world.clock.advance(2_000);
    expect(listFollowed(world)).toContain(old);
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toHaveLength(1);
  });

  it('after a restart although AWS refuses to delete its load balancer', async () => {
    const world = await settled();
    const protection = { 'deletion_protection.enabled': 'true' };
    world.edit('shop', { attributes: protection });
    await world.clock.advance(MINUTE_MS);
    world.delete('shop');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toHaveLength(2);
  });
});
