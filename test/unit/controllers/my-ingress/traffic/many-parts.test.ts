import { expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

it('rules that AWS has no room for cost one refused call in a pass, not one each', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const named = (count: number, kind: string) =>
    Array.from({ length: count }, (_, index) => `/${kind}${index}`);
  const rules = named(4, 'r').map((name) => ({
    ...{ name: name.slice(1), forward: [{ backend: 'api' }] },
    hosts: named(10, 'h').map((host) => `${host.slice(1)}.example.com`),
    paths: named(10, `${name.slice(1)}-p`),
    methods: ['GET'],
    headers: [{ name: 'x-a', values: ['1'] }],
    sourceCIDRs: ['10.0.0.0/8'],
  }));
  const calls = await world.callsDuring(async () => {
    await world.edited('shop', { rules }, 1_000);
  });
  expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
  // As many as fit, for the one before goes first, and one that AWS refuses.
  expect(calls['CreateRule']).toBe(101);
  expect(world.message('shop')).toContain(
    '(rules-per-application-load-balancer is 100), the spec needs 400',
  );
  expect(world.message('shop').match(/rule r\d on port 80: /g)).toHaveLength(3);
  expect(world.message('shop')).toContain('TooManyRules: not tried, as AWS has just refused');
  const later = await world.callsDuring(() => world.clock.advance(6 * MINUTE_MS));
  expect([calls['DeleteRule'], later['DeleteRule']]).toEqual([1, undefined]);
  const retries = later['CreateRule'] ?? 0;
  expect(retries).toBeGreaterThan(1);
  expect(retries).toBeLessThanOrEqual(8);
});
