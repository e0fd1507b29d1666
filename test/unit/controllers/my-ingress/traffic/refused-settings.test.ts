import { describe, expect, it } from 'vitest';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { TRUST_STORE } from '../graph/random-traffic.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { ask } from './asked.ts';
import { applySecured } from './settle.ts';
import { SHOP } from './specs.ts';

const secure = {
  ...{ port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] },
};
const TYPO = 'ELBSecurityPolicy-Typo';
const rollback = { defaultAction: { forward: [{ backend: 'api' }] } };

function settle(): Promise<World> {
  return applySecured({ listeners: [secure] });
}

const typo = { listeners: [{ ...secure, sslPolicy: TYPO }] };

it('a security policy that AWS refuses keeps no later edit of the default action from being applied', async () => {
  const world = await settle();
  await world.edited('shop', typo, MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True SSLPolicyNotFound');
  await world.edited('shop', rollback, 5_000);
  expect(ask(world, { port: 443 })).toBe('forward api:1');
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True SSLPolicyNotFound');
  await world.edited('shop', { listeners: [secure] }, MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
});

it('nor an edit of both at once, from the next try on', async () => {
  const world = await settle();
  await world.edited('shop', { ...typo, ...rollback }, 10 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True SSLPolicyNotFound');
  expect(ask(world, { port: 443 })).toBe('forward api:1');
});

it('nor another setting: a new default certificate', async () => {
  const world = await settle();
  const second = `${CERTIFICATE}-2`;
  world.aws.control.setCertificates([CERTIFICATE, second]);
  await world.edited('shop', typo, MINUTE_MS);
  const [listener] = typo.listeners;
  const listeners = [{ ...secure, ...listener, certificates: [second] }];
  await world.edited('shop', { listeners }, 10 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True SSLPolicyNotFound');
  expect(world.aws.control.snapshot().listeners[0]?.certificates).toEqual([second]);
});

it('nor client authentication, and then the default action', async () => {
  const world = await settle();
  world.aws.control.setTrustStores([TRUST_STORE]);
  await world.edited('shop', typo, MINUTE_MS);
  const mutualTLS = { mode: 'verify' as const, trustStoreARN: TRUST_STORE };
  const listeners = typo.listeners.map((one) => ({ ...one, mutualTLS }));
  await world.edited('shop', { listeners }, 5 * MINUTE_MS);
  await world.edited('shop', rollback, 10 * MINUTE_MS);
  const [listener] = world.aws.control.snapshot().listeners;
  expect(JSON.stringify(listener)).toContain(TRUST_STORE);
  expect(ask(world, { port: 443 })).toBe('forward api:1');
});

it('nor attributes, rules and certificates of the listener', async () => {
  const world = await settle();
  const further = `${CERTIFICATE}-2`;
  world.aws.control.setCertificates([CERTIFICATE, further]);
  const attributes = { 'routing.http.response.server.enabled': 'false' };
  const certificates = [CERTIFICATE, further];
  const listeners = [{ ...secure, sslPolicy: TYPO, attributes, certificates }];
  const rule = { name: 'new', paths: ['/new'], forward: [{ backend: 'api' }] };
  const order = [rule, ...(SHOP.rules ?? [])];
  await world.edited('shop', { listeners, rules: order, ...rollback }, 10 * MINUTE_MS);
  expect(ask(world, { port: 443, path: '/new' })).toBe('forward api:1');
  const {
    listeners: [one],
  } = world.aws.control.snapshot();
  expect(one?.attributes).toMatchObject(attributes);
  expect(one?.certificates).toContain(further);
});

it.each([
  ['', secure],
  [' also where they replace refused ones', typo.listeners[0]],
])('settings that AWS takes are one call with the default action%s', async (_, first = secure) => {
  const world = await settle();
  await world.edited('shop', { listeners: [first] }, MINUTE_MS);
  const listeners = [{ ...secure, sslPolicy: 'ELBSecurityPolicy-FS-1-2-Res-2020-10' }];
  const before = world.writesToAws.length;
  await world.edited('shop', { listeners, ...rollback }, MINUTE_MS);
  expect(world.writesToAws.slice(before)).toEqual(['ModifyListener']);
});

it('a trust store that AWS refuses keeps what is new from clients without a certificate', async () => {
  const world = await settle();
  const mutualTLS = { mode: 'verify' as const, trustStoreARN: TRUST_STORE };
  const admin = { name: 'admin', paths: ['/admin'], forward: [{ backend: 'api' }] };
  const listeners = [{ ...secure, mutualTLS }];
  await world.edited('shop', { listeners, rules: [admin], ...rollback }, 10 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True TrustStoreNotFound');
  expect(ask(world, { port: 443 })).toBe('forward web:1');
  expect(ask(world, { port: 443, path: '/admin' })).toBe('forward web:1');
  world.aws.control.setTrustStores([TRUST_STORE]);
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(ask(world, { port: 443, path: '/admin' })).toBe('forward api:1');
});

describe('client authentication by a trust store', () => {
  const mutualTLS = { mode: 'verify' as const, trustStoreARN: TRUST_STORE };
  const second = `${CERTIFICATE}-2`;

  it('comes before rules also where one leaves the spec and AWS refuses another setting', async () => {
    const world = await settle();
    world.aws.control.setTrustStores([TRUST_STORE]);
    await world.edited('shop', typo, MINUTE_MS);
    const admin = { name: 'admin', paths: ['/admin'], forward: [{ backend: 'api' }] };
    const listeners = typo.listeners.map((one) => ({ ...one, mutualTLS }));
    const before = world.writesToAws.length;
    await world.edited('shop', { listeners, rules: [admin] }, 10 * MINUTE_MS);
    const writes = world.writesToAws.slice(before);
    expect(writes.slice(0, 2)).toEqual(['ModifyListener', 'CreateRule']);
    expect(writes).toContain('DeleteRule');
    expect(world.condition('shop', 'Stalled')).toBe('True SSLPolicyNotFound');
    expect(JSON.stringify(world.aws.control.snapshot().listeners[0])).toContain(TRUST_STORE);
  });

  it('that is not there keeps neither attributes nor certificates from being applied', async () => {
    const world = await settle();
    world.aws.control.setCertificates([CERTIFICATE, second]);
    await world.edited('shop', { listeners: [{ ...secure, mutualTLS }] }, MINUTE_MS);
    const attributes = { 'routing.http.response.server.enabled': 'false' };
    const certificates = [second, CERTIFICATE];
    const listeners = [{ ...secure, mutualTLS, attributes, certificates }];
    await world.edited('shop', { listeners }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True TrustStoreNotFound');
    const [listener] = world.aws.control.snapshot().listeners;
    expect(listener?.certificates?.[0]).toBe(second);
    expect(listener?.attributes).toMatchObject(attributes);
  });

  it('that is to be another one, which is not there, keeps no rule from being made', async () => {
    const world = await settle();
    world.aws.control.setTrustStores([TRUST_STORE]);
    await world.edited('shop', { listeners: [{ ...secure, mutualTLS }] }, MINUTE_MS);
    const missing = { ...mutualTLS, trustStoreARN: `${TRUST_STORE}0` };
    const admin = { name: 'admin', paths: ['/admin'], forward: [{ backend: 'api' }] };
    const listeners = [{ ...secure, mutualTLS: missing }];
    await world.edited('shop', { listeners, rules: [admin] }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True TrustStoreNotFound');
    expect(ask(world, { port: 443, path: '/admin' })).toBe('forward api:1');
  });
});
