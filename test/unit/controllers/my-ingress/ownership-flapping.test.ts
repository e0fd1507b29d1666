import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from './world.ts';

const RIVAL = { 'albridge.io/uid': 'uid-of-the-other-cluster' } as const;

/** The operator of another cluster with the same id takes the balancer, `times` scans long. */
async function takeBack(world: World, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    world.tagOutOfBand(world.balancer().arn, RIVAL);
    await world.clock.advance(2 * SCAN_MS);
  }
}

describe('an operator that shares its cluster id with another', () => {
  it('stops taking a balancer over when it is taken back again and again, and says why', async () => {
    const world = await World.having('shop');
    await takeBack(world, 4);

    expect(world.events.reasons.filter((reason) => reason === 'TookOverALB')).toHaveLength(3);
    expect(world.condition('shop')).toBe('False NameConflict');
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toMatch(/flaps between two operators with the same cluster id/);
    expect(world.message('shop')).not.toContain('cluster-1');
    expect(world.log.shown.at(-1)?.fields).toMatchObject({
      clusterID: 'cluster-1',
      previousUID: RIVAL['albridge.io/uid'],
    });
    expect(world.message('shop')).toContain('ALBRIDGE_CLUSTER_ID');
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.balancer().tags).toMatchObject(RIVAL);
  });

  it('tries again an hour later, when the other may have got its own id', async () => {
    const world = await World.having('shop');
    await takeBack(world, 4);
    await world.clock.advance(70 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags['albridge.io/uid']).toBe('uid-1');
  });

  it('takes a balancer of a restored object over each time that it is another', async () => {
    const world = await World.having('shop');
    for (let time = 1; time <= 5; time++) {
      world.tagOutOfBand(world.balancer().arn, { 'albridge.io/uid': `uid-of-backup-${time}` });
      await world.clock.advance(2 * SCAN_MS);
    }
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags['albridge.io/uid']).toBe('uid-1');
  });
});
