import { describe, expect, it } from 'vitest';
import type { TargetsState } from '../../../../../src/controllers/my-ingress/targets.ts';
import { OperatorError } from '../../../../../src/core/reconcile/operator-error.ts';
import { MINUTE_MS, World } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';
type Said = Partial<TargetsState>;

const whole = { desired: 2, registered: 2, healthy: 2, isFilled: true };
const sick = { ...whole, healthy: 1 };
const sicker = { ...whole, healthy: 0 };

/** Of a Service that is missing from this moment on. */
function lack(world: World, reason = 'ServiceNotFound'): Said {
  const problem = { reason, message: `${reason} of api`, sinceMs: world.clock.monotonicMs() };
  return { desired: 0, registered: 0, healthy: 0, isFilled: false, problem };
}

async function say(world: World, state: Said, forMs = 2_000): Promise<void> {
  world.targets.unsay(KEY, 'api');
  world.targets.say(KEY, 'api', state);
  await world.clock.advance(forMs);
}

async function listEvents(world: World, act: () => Promise<void>): Promise<readonly string[]> {
  const before = world.events.recorded.length;
  await act();
  return world.events.recorded.slice(before).map(({ type, reason }) => `${type} ${reason}`);
}

it('a backend that loses its Service while the object is Ready is one event, its return another', async () => {
  const world = await settleShop();
  const lost = await listEvents(world, () => say(world, lack(world), 20 * MINUTE_MS));
  expect(lost).toEqual(['Warning ServiceNotFound']);
  expect(world.events.recorded.at(-1)?.note).toBe('backend api: ServiceNotFound of api');
  expect(await listEvents(world, () => say(world, whole, 20 * MINUTE_MS))).toEqual([
    'Normal Resolved',
  ]);
});

it('targets that become unhealthy are one event, however many of them, and one when all are healthy', async () => {
  const world = await settleShop();
  const events = await listEvents(world, async () => {
    await say(world, sick);
    await say(world, sicker, 20 * MINUTE_MS);
    await say(world, sick);
    await say(world, whole, 20 * MINUTE_MS);
  });
  expect(events).toEqual(['Warning TargetsUnhealthy', 'Normal Healthy']);
});

it('a rolling update is no event, and a new target that fails its checks is one', async () => {
  const world = await settleShop();
  const target = { id: '10.0.0.9', port: 8080 };
  const fresh = { ...sick, unhealthy: { ...target, state: 'initial' } } as Said;
  const rolling = async (): Promise<void> => {
    for (let pod = 0; pod < 5; pod++) {
      await say(world, fresh);
      expect(world.condition('shop', 'TargetsHealthy')).toBe('False TargetsInitial');
      await say(world, whole);
    }
  };
  expect(await listEvents(world, rolling)).toEqual([]);
  const failing = { ...sick, unhealthy: { ...target, state: 'unhealthy' } } as Said;
  const events = await listEvents(world, async () => {
    await say(world, fresh);
    await say(world, failing);
    await say(world, whole);
  });
  expect(events).toEqual(['Warning TargetsUnhealthy', 'Normal Healthy']);
});

it.each([
  ['initial', ['Normal Resolved']],
  ['unhealthy', ['Normal Resolved', 'Warning TargetsUnhealthy', 'Normal Healthy']],
])('targets that come back with their Service: %s at first', async (state, expected) => {
  const world = await settleShop();
  await say(world, lack(world), 2 * MINUTE_MS);
  const events = await listEvents(world, async () => {
    await say(world, { ...sicker, unhealthy: { id: '10.0.0.9', port: 8080, state } });
    await say(world, whole);
  });
  expect(events).toEqual(expected);
});

it('a Service that a new object lacks is the event of Reconciling alone', async () => {
  const world = World.started();
  world.targets.say(KEY, 'api', lack(world));
  await world.applied('shop', SHOP);
  await world.clock.advance(20 * MINUTE_MS);
  expect(world.condition('shop', 'BackendsResolved')).toBe('False ServiceNotFound');
  const about = world.events.recorded.filter(({ reason }) => reason === 'ServiceNotFound');
  expect(about).toHaveLength(1);
});

it('what was missing at first is no event of its own when the object becomes Ready with it', async () => {
  const world = World.started();
  world.targets.say(KEY, 'api', lack(world));
  await world.applied('shop', SHOP);
  expect(await listEvents(world, () => say(world, whole))).toEqual(['Normal Available']);
});

it('what this installation does not serve is an event, although the object becomes Ready', async () => {
  const world = World.started();
  world.targets.say(KEY, 'api', lack(world, 'BackendUnsupported'));
  await world.applied('shop', SHOP);
  await world.clock.advance(20 * MINUTE_MS);
  const about = world.events.recorded.filter(({ reason }) => reason === 'BackendUnsupported');
  expect(about).toMatchObject([{ type: 'Warning' }]);
});

it('a backend that lacks its Service is an event while AWS takes its time to make the balancer', async () => {
  const world = World.started({ settings: { provisioningMs: 5 * MINUTE_MS } });
  world.targets.say(KEY, 'api', lack(world));
  await world.applied('shop', SHOP);
  await world.clock.advance(20 * MINUTE_MS);
  const about = world.events.recorded.filter(({ reason }) => reason === 'ServiceNotFound');
  expect(about).toMatchObject([{ type: 'Warning' }]);
});

it('the health of the first targets is one event', async () => {
  const world = World.started();
  world.targets.say(KEY, 'api', { healthy: undefined as never });
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(await listEvents(world, () => say(world, whole))).toEqual(['Normal Healthy']);
});

it('a restart of the operator is no event', async () => {
  const world = await settleShop();
  await say(world, lack(world), 2 * MINUTE_MS);
  const events = await listEvents(world, async () => {
    await world.restart();
    await say(world, lack(world), 20 * MINUTE_MS);
  });
  expect(events).toEqual([]);
});

it('an object that loses its backends has none about them', async () => {
  const world = await settleShop();
  await say(world, lack(world), 2 * MINUTE_MS);
  const events = await listEvents(world, async () => {
    world.unset('shop', 'backends', 'rules', 'defaultAction');
    await world.clock.advance(10 * MINUTE_MS);
  });
  expect(world.condition('shop', 'BackendsResolved')).toBe('True NoBackends');
  expect(events.filter((event) => /NoBackends|Resolved|Healthy/.test(event))).toEqual([]);
});

describe('where the answer to the write of the status is lost', () => {
  const lose = (world: World): void => {
    const given = { reason: 'ApiServerUnavailable', message: 'reset', isUnanswered: true };
    world.kube.loseNextStatus(new OperatorError({ ...given, healedBy: 'time' }));
  };

  it.each([
    ['lost and returns', lack, ['Warning ServiceNotFound', 'Normal Resolved']],
    ['unhealthy and recovers', () => sick, ['Warning TargetsUnhealthy', 'Normal Healthy']],
  ])('a backend that is %s is the same two events', async (_name, fault, expected) => {
    const world = await settleShop();
    const events = await listEvents(world, async () => {
      for (const state of [fault(world), whole]) {
        lose(world);
        await say(world, state, 2 * MINUTE_MS);
      }
    });
    expect(events).toEqual(expected);
  });

  it('what was missing at first is no event of its own when the object becomes Ready', async () => {
    const world = World.started();
    world.targets.say(KEY, 'api', lack(world));
    await world.applied('shop', SHOP);
    lose(world);
    expect(await listEvents(world, () => say(world, whole, MINUTE_MS))).toEqual([
      'Normal Available',
    ]);
  });

  it.each([
    ['a new balancer', {}, []],
    ['one whose object gets a tag at that moment', { tags: { team: 'web' } }, ['UpdatedALB']],
  ])('%s has the event for its create, and none that it is provisioned', async (_, edit, more) => {
    const world = World.started({ settings: { provisioningMs: 5_000 } });
    lose(world);
    world.apply('shop');
    await world.clock.settle();
    await world.edited('shop', edit, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).toEqual(['CreatedALB', ...more, 'Available']);
  });
});
