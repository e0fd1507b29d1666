import { expect, it } from 'vitest';
import { MINUTE_MS } from '../world.ts';
import { settleShop } from './settle.ts';
import { api, listIds, SHOP, web } from './specs.ts';

const LOGGED = { 'access_logs.s3.enabled': 'true', 'access_logs.s3.bucket': 'no-such-bucket' };
const message = 'Access Denied for bucket: no-such-bucket';
const refusal = {
  kind: 'error',
  code: 'InvalidConfigurationRequest',
  status: 400,
  message,
} as const;

it('attributes that AWS refuses keep nothing else of the spec from being applied', async () => {
  const world = await settleShop(SHOP);
  world.fault('ModifyLoadBalancerAttributes', refusal, { forMs: 2 * MINUTE_MS });
  const backends = [web, api, { ...web, name: 'next' }];
  const defaultAction = { forward: [{ backend: 'next' }] };
  await world.edited('shop', { attributes: LOGGED, backends, defaultAction }, MINUTE_MS);
  expect(world.condition('shop')).toMatch(/^False /);
  expect(world.object('shop').status.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Stalled',
      status: 'True',
      message: expect.stringContaining(message),
    }),
  );
  expect(listIds(world)).toContain('target-group/spec/next');
  expect(world.object('shop').status.backends?.map(({ name }) => name)).toContain('next');
  await world.clock.advance(15_000);
  const rules = [{ name: 'old', paths: ['/old'], fixedResponse: { statusCode: 410 } }] as const;
  await world.edited('shop', { rules, backends: [web, backends[2] ?? web] }, 45_000);
  // What the edit has left goes within seconds too.
  expect(listIds(world)).not.toContain('rule/80/spec/api/0');
  world.unset('shop', 'attributes');
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
});
