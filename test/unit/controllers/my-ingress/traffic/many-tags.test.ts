import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { reads, type World, writes } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

/** 100 rules: with the listener and two target groups 103 resources beside the balancer. */
const LARGE: Partial<MyIngressSpec> = {
  ...SHOP,
  securityGroups: ['sg-web'],
  tags: { team: 'web', cost: '1' },
  rules: Array.from({ length: 100 }, (_, index) => ({
    ...{ name: `r${index}`, paths: [`/${index}`], forward: [{ backend: 'api' }] },
  })),
};

function settled(): Promise<World> {
  return settleShop(LARGE);
}

async function edited(world: World, tags: Readonly<Record<string, string>>) {
  const calls = await world.callsDuring(async () => {
    await world.edited('shop', { tags }, 2_000);
  });
  expect(world.condition('shop')).toBe('True Available');
  return calls;
}

function tagsOf(world: World): ReadonlySet<string> {
  const own = world.beside.map(({ tags: { team, cost } }) => JSON.stringify({ team, cost }));
  return new Set(own);
}

describe('an edit of spec.tags at 100 rules', () => {
  it('tags twenty resources a call, and the balancer', async () => {
    const world = await settled();
    const calls = await edited(world, { team: 'ops', cost: '1' });
    expect(tagsOf(world)).toEqual(new Set([JSON.stringify({ team: 'ops', cost: '1' })]));
    expect(calls).toMatchObject({ AddTags: 7 });
    expect([writes(calls), reads(calls)]).toEqual([7, 11]);
  });

  it('takes a tag off first, then adds one, as many at once', async () => {
    const world = await settled();
    const calls = await edited(world, { team: 'ops' });
    expect(tagsOf(world)).toEqual(new Set([JSON.stringify({ team: 'ops' })]));
    expect(calls).toMatchObject({ AddTags: 7, RemoveTags: 7 });
  });

  it('tags one by one what AWS refuses together, so that none has to do without because of another', async () => {
    const world = await settled();
    const [rule] = world.aws.control.snapshot().listeners[0]?.rules ?? [];
    const more = Array.from({ length: 41 }, (_, index) => [`x${index}`, '']);
    world.tagOutOfBand(rule?.arn ?? '', Object.fromEntries(more) as Record<string, string>);
    await world.edited('shop', { tags: { team: 'ops', cost: '1', one: '1', two: '2' } }, 2_000);
    expect(world.condition('shop', 'Stalled')).toBe('True TooManyTags');
    expect(world.message('shop')).toContain('rule r0 on port 80: ');
    const without = world.beside.filter(({ tags }) => tags['one'] === undefined);
    expect(without.map(({ id }) => id)).toEqual([rule?.arn]);
  });
});
