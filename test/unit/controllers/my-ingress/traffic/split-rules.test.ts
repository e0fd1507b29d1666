import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { ask } from './asked.ts';
import { applyShop, settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const pathsOf = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `/p${from + index}`);

function withPaths(paths: readonly string[], backend = 'api'): Partial<MyIngressSpec> {
  return { ...SHOP, rules: [{ name: 'api', paths: [...paths], forward: [{ backend }] }] };
}

function rulesOf(world: World) {
  const [listener] = world.aws.control.snapshot().listeners;
  return (listener?.rules ?? []).filter(({ priority }) => priority !== 'default');
}

describe('a rule with more than five values', () => {
  it('is several rules of AWS side by side, and nothing is written again', async () => {
    const other = { name: 'last', paths: ['/p*'], forward: [{ backend: 'web' }] };
    const world = await settleShop({
      ...SHOP,
      rules: [...(withPaths(pathsOf(0, 12)).rules ?? []), other],
    });
    expect(world.condition('shop')).toBe('True Available');
    const ids = rulesOf(world).map(({ tags }) => tags['albridge.io/resource']);
    expect(ids).toEqual([
      ...Array.from({ length: 3 }, () => expect.stringMatching(/^rule\/80\/spec\/api\/\w{8}$/)),
      'rule/80/spec/last/0',
    ]);
    for (const path of pathsOf(0, 12)) expect(ask(world, { path })).toBe('forward api:1');
    expect(ask(world, { path: '/p99' })).toBe('forward web:1');
    const writes = await world.callsDuring(async () => {
      await world.restart();
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(5 * MINUTE_MS);
    });
    expect(Object.keys(writes).filter((name) => !name.startsWith('Describe'))).toEqual([]);
  });

  it('grows and shrinks without a moment in which a lasting value has no rule', async () => {
    const world = await settleShop(withPaths(pathsOf(3, 6)));
    for (const paths of [pathsOf(0, 12), pathsOf(2, 20), pathsOf(3, 7), pathsOf(1, 6)]) {
      world.edit('shop', withPaths(paths));
      for (let second = 0; second < 90; second += 1) {
        await world.clock.advance(1_000);
        for (const path of pathsOf(3, 6)) expect(ask(world, { path })).toBe('forward api:1');
      }
      expect(world.condition('shop')).toBe('True Available');
      expect(rulesOf(world)).toHaveLength(Math.ceil(paths.length / 5));
    }
    expect(ask(world, { path: '/p12' })).toBe('forward web:1');
  });

  it('does something else in one call for each part', async () => {
    const world = await settleShop(withPaths(pathsOf(0, 12)));
    const calls = await world.callsDuring(async () => {
      await world.edited('shop', withPaths(pathsOf(0, 12), 'web'), MINUTE_MS);
    });
    expect(calls).toMatchObject({ ModifyRule: 3 });
    expect(calls).not.toHaveProperty('CreateRule');
    expect(ask(world, { path: '/p11' })).toBe('forward web:1');
  });

  it('that AWS has no room for is one sentence, and goes on where room is made', async () => {
    const fill = Array.from({ length: 97 }, (_, index) => ({
      ...{ name: `r${index}`, paths: [`/r${index}`], forward: [{ backend: 'web' }] },
    }));
    const rules = [...fill, ...(withPaths(pathsOf(0, 20)).rules ?? [])];
    const world = await applyShop({ ...SHOP, rules });
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(world.message('shop').match(/rule api on port 80/g)).toHaveLength(1);
    await world.edited('shop', { rules: rules.slice(1) }, 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(rulesOf(world)).toHaveLength(100);
  });
});
