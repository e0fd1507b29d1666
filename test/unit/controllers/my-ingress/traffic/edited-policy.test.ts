import { expect, it } from 'vitest';
import { MINUTE_MS } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const NO = { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' } as const;

it.each([
  ['', false],
  [' after a restart', true],
])(
  'an edit of Retain to Delete%s deletes the balancer, and an event names the groups that were released before',
  async (_, restarts) => {
    const world = await settleShop({ ...SHOP, deletionPolicy: 'Retain' });
    const securityGroup = world.beside.find(({ id }) => id.startsWith('sg-'))?.id ?? '';
    // The tags of the balancer itself, which come last.
    world.fault('RemoveTags', NO, { skip: 1 });
    await world.deleted('shop', 30_000);
    expect([world.balancers.length, world.beside]).toEqual([1, []]);
    world.aws.control.clearFaults();
    if (restarts) await world.restart();
    await world.edited('shop', { deletionPolicy: 'Delete' }, 5 * MINUTE_MS);
    expect([world.exists('shop'), world.balancers]).toEqual([false, []]);
    const notes = world.events.recorded.filter(({ reason }) => reason === 'LeftGroups');
    expect(notes).toHaveLength(1);
    const { targetGroups } = world.aws.control.snapshot();
    expect(targetGroups).toHaveLength(2);
    for (const { name } of targetGroups) expect(notes[0]?.note).toContain(`target group ${name}`);
    expect(notes[0]?.note).toContain(`security group ${securityGroup}`);
  },
);
