import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, listIds, SHOP, web } from './specs.ts';

const FRAME = 'routing.http.response.x_frame_options.header_value';
const listening = (attributes: Readonly<Record<string, string>>) => ({
  listeners: [{ port: 80, protocol: 'HTTP' as const, attributes }],
});

async function settled(spec: Partial<MyIngressSpec>): Promise<World> {
  const world = await World.having('shop', spec);
  await world.clock.advance(8 * MINUTE_MS);
  return world;
}

/** As somebody does who may write status. */
function loseRecord(world: World): void {
  const { owned: _owned, ...rest } = world.object('shop').status;
  world.kube.server.applyStatus(world.object('shop'), rest);
}

describe('an object whose status has lost what it owns, beside a process that has put it there', () => {
  it('loses the managed security group when the spec gives others', async () => {
    const world = await settled(SHOP);
    loseRecord(world);
    await world.edited('shop', { securityGroups: ['sg-web'] }, 30 * MINUTE_MS);
    expect(listIds(world)).not.toContain('security-group/frontend');
  });

  it('loses the attributes of a listener that leave the spec', async () => {
    const world = await settled({ ...SHOP, ...listening({ [FRAME]: 'DENY' }) });
    loseRecord(world);
    await world.edited('shop', listening({}), 5 * MINUTE_MS);
    expect(world.aws.control.snapshot().listeners[0]?.attributes[FRAME]).toBe('');
  });
});

it('puts a target group on record before it makes it, though the record of a pass before was refused', async () => {
  const world = await settled({ ...SHOP, backends: [web], rules: [] });
  // Once before the create, once at the end of the pass.
  for (const error of [new Error('no answer'), new Error('no answer')]) {
    world.kube.failNext('applyStatus', error);
  }
  await world.edited('shop', SHOP, MINUTE_MS);
  expect(listIds(world)).toContain('target-group/spec/api');
  expect(world.faults).toEqual([]);
});

describe('an object whose record of Services is forged, beside a process that has put it there', () => {
  const REFUSED = {
    kind: 'error',
    ...{ code: 'InvalidLoadBalancerAction', status: 400, message: 'refused' },
  } as const;

  function forgeServices(world: World): void {
    const { status } = world.object('shop');
    const services = status.owned?.services?.map((one) => ({ ...one, name: 'forged' }));
    const owned = { ...status.owned, ...(services && { services }) };
    world.kube.server.applyStatus(world.object('shop'), { ...status, owned });
  }

  const listRecorded = (world: World) =>
    world.object('shop').status.owned?.services?.map(({ name }) => name);

  it('has it back with the next pass, and after a restart a group that is still in use has its own targets', async () => {
    const world = await settled(SHOP);
    world.fault('DeleteRule', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { backends: [web], rules: [] }, MINUTE_MS);
    forgeServices(world);
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(listRecorded(world)).toEqual(['api', 'web']);
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(10_000);
    const served = world.targets.published.get('web/shop')?.map(({ service }) => service);
    expect(served).toEqual([web.service, api.service]);
  });
});

describe('what a load balancer uses', () => {
  const NOW = { 'albridge.io/reconcile-requested-at': 'now' };

  it('is not read for an object without traffic whose balancer is on record', async () => {
    const world = await settled({});
    const calls = await world.callsDuring(async () => {
      await world.restart();
      world.annotate('shop', NOW);
      await world.clock.advance(MINUTE_MS);
    });
    // The scan lists them once, the pass does not.
    expect(calls['DescribeTargetGroups']).toBe(1);
    expect(calls).not.toHaveProperty('DescribeListeners');
  });

  it('is searched for by the first two scans, and by no more', async () => {
    const world = await settled({});
    await world.clock.advance(10 * MINUTE_MS);
    const later = await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS));
    expect(later).not.toHaveProperty('DescribeTargetGroups');
    const calls = await world.callsDuring(async () => {
      await world.restart();
      await world.clock.advance(60 * MINUTE_MS);
    });
    expect(calls['DescribeTargetGroups']).toBe(2);
  });

  it('is not read beside the rest for an object with traffic that has lost its status', async () => {
    const world = await settled(SHOP);
    world.crash();
    world.kube.server.applyStatus(world.object('shop'), { observedGeneration: -1 });
    const calls = await world.callsDuring(async () => {
      world.start();
      await world.clock.advance(MINUTE_MS);
    });
    expect(world.condition('shop')).toBe('True Available');
    const listings = 1;
    expect((calls['DescribeTargetGroups'] ?? 0) - listings).toBe(calls['DescribeListeners']);
  });
});
