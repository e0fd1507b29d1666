import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS } from '../world.ts';
import { ask } from './asked.ts';
import { applyShop, settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const REDIRECT = {
  name: 'old',
  paths: ['/old/*'],
  redirect: { statusCode: 301, host: 'www.#{host}', path: '/new/#{path}', query: 'was=#{query}' },
} as const;
const TEAPOT = {
  ...{ name: 'tea', paths: ['/tea'] },
  fixedResponse: { statusCode: 418, contentType: 'text/plain', body: 'short and stout' },
} as const;
const ANSWERS: Partial<MyIngressSpec> = {
  ...SHOP,
  listeners: [
    { port: 80, protocol: 'HTTP' },
    { port: 8080, protocol: 'HTTP', defaultAction: { fixedResponse: { statusCode: 403 } } },
    {
      ...{ port: 8081, protocol: 'HTTP' },
      defaultAction: { redirect: { statusCode: 302, port: 80 } },
    },
  ],
  rules: [REDIRECT, TEAPOT, ...(SHOP.rules ?? [])],
};

describe('a redirect and a fixed response', () => {
  it('are what clients get, by rules and by the default action of each listener', async () => {
    const world = await settleShop(ANSWERS);
    expect(world.condition('shop')).toBe('True Available');
    expect(ask(world, { path: '/old/a', query: 'b=c' })).toBe(
      '301 to http://www.shop.example.com:80/new/old/a?was=b=c',
    );
    expect(ask(world, { path: '/tea' })).toBe('418 short and stout');
    expect(ask(world, { path: '/' })).toBe('forward web:1');
    expect(ask(world, { port: 8080 })).toBe('403');
    expect(ask(world, { port: 8080, path: '/tea' })).toBe('418 short and stout');
    expect(ask(world, { port: 8081 })).toBe('302 to http://shop.example.com:80/');
  });

  it('are echoed by AWS with more than was sent, and nothing is written again', async () => {
    const world = await settleShop(ANSWERS);
    const writes = await world.writesDuring(async () => {
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(5 * MINUTE_MS);
      await world.restart();
      await world.clock.advance(5 * MINUTE_MS);
    });
    expect(writes.filter((verb) => !verb.startsWith('apply'))).toEqual([]);
  });

  it('are repaired where someone has changed them', async () => {
    const world = await settleShop(ANSWERS);
    const [first] = world.aws.control.snapshot().listeners[0]?.rules ?? [];
    const RedirectConfig = { StatusCode: 'HTTP_302', Path: '/elsewhere' };
    world.outOfBand('ModifyRule', {
      ...{ RuleArn: first?.arn, Actions: [{ Type: 'redirect', RedirectConfig }] },
    });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(ask(world, { path: '/old/a' })).toMatch(/^301 to /);
    expect(world.writesToAws.at(-1)).toBe('ModifyRule');
  });

  it('take the place of a forward and give it back in one call each', async () => {
    const world = await settleShop(SHOP);
    const edit = (action: object) => async () => {
      world.edit('shop', { rules: [{ name: 'api', paths: ['/api/*'], ...action }] });
      await world.clock.advance(1_000);
    };
    const redirect = { statusCode: 302, path: '/' };
    const first = await world.callsDuring(edit({ redirect }));
    expect(first).toMatchObject({ ModifyRule: 1 });
    expect(ask(world, { path: '/api/a' })).toBe('302 to http://shop.example.com:80/');
    await world.callsDuring(edit({ forward: [{ backend: 'api' }] }));
    expect(ask(world, { path: '/api/a' })).toBe('forward api:1');
    await world.callsDuring(edit({ fixedResponse: { statusCode: 503 } }));
    expect(ask(world, { path: '/api/a' })).toBe('503');
  });

  it('that AWS refuses is a sentence about its rule, and the others are applied', async () => {
    // Where no listeners are written down, admission does not know its port.
    const loop = { ...REDIRECT, redirect: { statusCode: 301, port: 80 } } as const;
    const world = await applyShop({ ...SHOP, rules: [loop, TEAPOT] });
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidLoadBalancerAction');
    expect(world.message('shop')).toContain('rule old on port 80: ');
    expect(ask(world, { path: '/tea' })).toBe('418 short and stout');
  });
});
