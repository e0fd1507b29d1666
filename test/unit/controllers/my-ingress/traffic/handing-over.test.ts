import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { ask } from './asked.ts';
import { settleShop } from './settle.ts';
import { SHOP, web } from './specs.ts';

const next = { name: 'next', service: { name: 'next', port: 80 } };
const rule = (name: string, path: string, backend: string) => ({
  ...{ name, paths: [path], forward: [{ backend }] },
});
/** `old` lies behind `one`, so it has to be gone before `one` gives /a up. */
const BEFORE: Partial<MyIngressSpec> = {
  ...SHOP,
  backends: [...(SHOP.backends ?? []), next],
  rules: [rule('one', '/a', 'api'), rule('old', '/a*', 'next')],
};
const AFTER = [rule('one', '/b', 'api')];

function settled(): Promise<World> {
  return settleShop(BEFORE);
}

describe('an edit that waits for a rule to be gone', () => {
  it('is carried out although AWS refuses another rule of it', async () => {
    const world = await settled();
    const refused = { ...rule('bad', '/x', 'api'), rewrite: { url: { regex: '(', replace: '/' } } };
    await world.edited('shop', { rules: [refused, ...AFTER] }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    expect(ask(world, { path: '/b' })).toBe('forward api:1');
    expect(ask(world, { path: '/a' })).toBe('forward web:1');
    expect(ask(world, { path: '/ax' })).toBe('forward web:1');
  });

  it('is not Ready before a backend has the settings that wait with it', async () => {
    const world = await settled();
    const [shown = web, ...others] = BEFORE.backends ?? [];
    const attributes = { 'deregistration_delay.timeout_seconds': '0' };
    const sticky = { ...shown, attributes, stickiness: { durationSeconds: 60 } };
    const rules = [rule('new', '/an', 'web'), rule('one', '/a', 'api')];
    await world.edited('shop', { backends: [sticky, ...others], rules }, 5_000);
    expect(world.condition('shop')).toBe('False HandingOver');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    const { targetGroups } = world.aws.control.snapshot();
    expect(targetGroups.find(({ name }) => name.startsWith('shop-web'))?.attributes).toMatchObject({
      ...attributes,
      'stickiness.enabled': 'true',
    });
  });
});
