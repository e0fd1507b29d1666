import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../../../localstack/embedded/faults/fault-script.ts';
import { driftScanMetrics } from '../../../../../src/controllers/my-ingress/drift-scan.ts';
import type { CrashPlan } from '../crashing-ports.ts';
import { MINUTE_MS, SCAN_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { api, SHOP, web } from './specs.ts';

const TAGGED = { ...SHOP, backends: [web, api], tags: { team: 'web' } };

function settled(): Promise<World> {
  return settleShop(TAGGED);
}

/** Ids of what still has the tag that left the spec. */
function listTagged(world: World): readonly string[] {
  const tagged = world.beside.filter(({ tags }) => 'team' in tags);
  return tagged.map(({ tags }) => tags['albridge.io/resource'] ?? '');
}

describe('a tag that leaves the spec', () => {
  it('leaves a target group that comes back, too', async () => {
    const world = await settled();
    const secure = { ...web, protocol: 'HTTPS' as const };
    await world.edited('shop', { backends: [secure, api], tags: {} }, MINUTE_MS);
    expect(listTagged(world)).toEqual(['target-group/spec/web']);
    await world.edited('shop', { backends: TAGGED.backends }, MINUTE_MS);
    expect(listTagged(world)).toEqual([]);
  });

  const refusals: Readonly<Record<string, FaultRule['effect']>> = {
    'has refused that': { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' },
    'gave no answer': { kind: 'html500' },
  };
  for (const [what, effect] of Object.entries(refusals)) {
    it(`leaves a target group about which AWS ${what} at first`, async () => {
      const world = await settled();
      world.fault('RemoveTags', effect, { skip: 1, times: 8 });
      await world.edited('shop', { tags: {} }, 30 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(listTagged(world)).toEqual([]);
      expect(world.object('shop').status).not.toHaveProperty('applied');
    });
  }

  it('is removed from the balancer once while AWS refuses something else, and again if others set it', async () => {
    const world = await settleShop({ ...TAGGED, subnets: ['subnet-b', 'subnet-c'] });
    const calls = await world.callsDuring(async () => {
      await world.edited('shop', { tags: {}, ipAddressType: 'dualstack' }, 30 * MINUTE_MS);
    });
    expect(world.condition('shop')).toBe('False ValidationError');
    expect(calls).toMatchObject({ RemoveTags: 1 });
    const tags = { ResourceArns: [world.balancer().arn], Tags: [{ Key: 'team', Value: 'web' }] };
    world.outOfBand('AddTags', tags);
    await world.clock.advance(30 * MINUTE_MS);
    expect(world.balancer().tags).not.toHaveProperty('team');
  });

  it('is no drift of the balancer while a target group that is retired still has it', async () => {
    const attributes = { 'deregistration_delay.timeout_seconds': '3600' };
    const world = await settleShop({ ...TAGGED, backends: [{ ...web, attributes }, api] });
    const secure = { ...web, attributes, protocol: 'HTTPS' as const };
    await world.edited('shop', { backends: [secure, api], tags: {} }, 5 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    await world.clock.advance(SCAN_MS);
    expect(listTagged(world)).toEqual(['target-group/spec/web']);
    expect(world.metrics.valueOf(driftScanMetrics.found)).toBe(0);
  });

  it('leaves everything, wherever the process dies meanwhile', async () => {
    for (let at = 1; at < 20; at++) {
      const world = await settled();
      world.crash();
      const plan: CrashPlan = { port: 'aws', at, when: 'after' };
      world.start(plan);
      await world.clock.settle();
      await world.edited('shop', { tags: {} }, 5_000);
      world.crash();
      world.start();
      await world.clock.advance(45 * MINUTE_MS);
      expect(listTagged(world), `${at}`).toEqual([]);
      expect(world.balancer().tags, `${at}`).not.toHaveProperty('team');
      expect(world.object('shop').status, `${at}`).not.toHaveProperty('applied');
    }
  });
});
