import { describe, expect, it } from 'vitest';
import type { TargetsState } from '../../../../../src/controllers/my-ingress/targets.ts';
import {
  concludeTraffic,
  stateConditions,
} from '../../../../../src/controllers/my-ingress/traffic/status.ts';
import { settled } from '../../../../../src/core/reconcile/outcome.ts';
import { draftOf } from '../drafts.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const KEY = 'web/shop';
const NOW_MS = 20 * MINUTE_MS;
const none = { isKnown: true, desired: 0, registered: 0, isFilled: false };

/** A backend that has had no targets for so long. */
function lack(backend: string, reason: string, forMs: number): TargetsState {
  const problem = { reason, message: `${reason} of ${backend}`, sinceMs: NOW_MS - forMs };
  return { backend, ...none, problem };
}

const fresh = (backend: string): TargetsState => lack(backend, 'ServiceNotFound', 5_000);
const old = (backend: string): TargetsState => lack(backend, 'ServicePortNotFound', 10 * MINUTE_MS);

describe('a backend that has lacked its targets for long', () => {
  const orders = {
    'before one that lacks them since a moment': [old('web'), fresh('api')],
    'behind one that lacks them since a moment': [fresh('web'), old('api')],
  };

  for (const [where, states] of Object.entries(orders)) {
    it(`is what BackendsResolved reports first, ${where} in the spec`, () => {
      const surroundings = { nowMs: NOW_MS, isManagedAlone: false };
      const [resolved] = stateConditions(draftOf('shop', SHOP), states, surroundings);
      expect(resolved).toMatchObject({ status: 'False', reason: 'ServicePortNotFound' });
      expect(resolved?.message).toMatch(/ServicePortNotFound .*\. .*ServiceNotFound /);
    });

    it(`is what Reconciling reports first, ${where} in the spec`, () => {
      const nothing = { problems: [], againMs: undefined, isEarly: false, awaited: [] };
      const state = { ...nothing, held: undefined };
      const facts = { states, nowMs: NOW_MS, wasReady: false };
      expect(concludeTraffic(settled('Available', 'it serves'), state, facts)).toMatchObject({
        kind: 'waiting',
        reason: 'ServicePortNotFound',
        message: expect.stringMatching(/ServicePortNotFound .*\. .*ServiceNotFound /),
        requeueAfterMs: 55_000,
      });
    });
  }

  it('stays reported while an earlier one in the spec loses its Service', async () => {
    const world = await settleShop();
    const problem = { reason: 'ServiceNotFound', message: 'no Service', sinceMs: 0 };
    world.targets.say(KEY, 'api', { ...none, problem });
    await world.clock.advance(2 * MINUTE_MS);
    const before = findTransition(world);
    const sinceMs = world.clock.monotonicMs();
    world.targets.say(KEY, 'web', { ...none, problem: { ...problem, sinceMs } });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop', 'BackendsResolved')).toBe('False ServiceNotFound');
    expect(findTransition(world)).toBe(before);
  });

  it('stays reported after a restart of the operator, which knows nothing of how long', async () => {
    const world = await settleShop();
    const problem = { reason: 'ServiceNotFound', message: 'no Service', sinceMs: 0 };
    world.targets.say(KEY, 'api', { ...none, problem });
    await world.clock.advance(2 * MINUTE_MS);
    const before = findTransition(world);
    await world.restart();
    world.targets.say(KEY, 'api', { problem: { ...problem, sinceMs: world.clock.monotonicMs() } });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.condition('shop', 'BackendsResolved')).toBe('False ServiceNotFound');
    expect(findTransition(world)).toBe(before);
  });
});

function findTransition(world: World): string | undefined {
  const { conditions = [] } = world.object('shop').status;
  return conditions.find(({ type }) => type === 'BackendsResolved')?.lastTransitionTime;
}
