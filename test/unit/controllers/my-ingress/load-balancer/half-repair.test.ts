import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../../../localstack/embedded/faults/fault-script.ts';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';

const OPERATION = 'ModifyLoadBalancerAttributes';
const IDLE = { 'idle_timeout.timeout_seconds': '120' };
const REFUSED = {
  kind: 'error',
  code: 'InvalidConfigurationRequest',
  status: 400,
  message: 'no',
} as const;

function count(world: World, reason: string): number {
  return world.events.reasons.filter((one) => one === reason).length;
}

async function adopting(effect: FaultRule['effect'], rule: Partial<FaultRule>): Promise<World> {
  const world = new World();
  const consent = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
  const Tags = Object.entries(consent).map(([Key, Value]) => ({ Key, Value }));
  world.outOfBand('CreateLoadBalancer', {
    Name: 'legacy',
    Subnets: ['subnet-a', 'subnet-b'],
    Tags,
  });
  world.fault(OPERATION, effect, rule);
  world.start();
  const { arn } = world.balancer('legacy');
  await world.applied('shop', { adopt: { arn }, attributes: IDLE });
  await world.clock.advance(20 * MINUTE_MS);
  return world;
}

describe('a repair of the balancer whose last call fails', () => {
  it('is an event as far as AWS has accepted it', async () => {
    const world = await World.having('shop', { tags: { team: 'a' } });
    await world.clock.advance(MINUTE_MS);
    world.fault(OPERATION, REFUSED, { forMs: 200 * MINUTE_MS });
    await world.edited('shop', { attributes: IDLE, tags: { team: 'b' } }, 2 * MINUTE_MS);
    expect(world.balancer().tags).toMatchObject({ team: 'b' });
    const notes = world.events.recorded.filter(({ reason }) => reason === 'UpdatedALB');
    expect(notes.map(({ note }) => note)).toEqual([
      expect.stringMatching(/: tag team: observed a, desired b$/),
    ]);
  });

  it('is reported as the adoption that it was', async () => {
    const world = await adopting(REFUSED, { forMs: 3 * MINUTE_MS });
    expect(world.condition('shop')).toBe('True Available');
    expect(count(world, 'AdoptedALB')).toBe(1);
  });

  it('is reported as an adoption although AWS did not answer', async () => {
    const world = await adopting({ kind: 'html500' }, { times: 8 });
    expect(world.condition('shop')).toBe('True Available');
    expect(count(world, 'AdoptedALB')).toBe(1);
  });

  it('counts as the take-over that it was, of which more than three in a row are flapping', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    world.fault(OPERATION, REFUSED, { forMs: 200 * MINUTE_MS });
    await world.edited('shop', { attributes: IDLE }, MINUTE_MS);
    const rival = { 'albridge.io/uid': 'uid-of-the-other-cluster' };
    for (let time = 0; time < 5; time++) {
      world.tagOutOfBand(world.balancer().arn, rival);
      await world.clock.advance(2 * SCAN_MS);
    }
    expect(count(world, 'TookOverALB')).toBe(3);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.balancer().tags).toMatchObject(rival);
  });
});
