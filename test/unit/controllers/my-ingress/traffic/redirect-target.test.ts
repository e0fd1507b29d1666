import { describe, expect, it } from 'vitest';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { ask } from './asked.ts';
import { SHOP } from './specs.ts';

const redirect = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;
const secure = (certificate: string) => ({
  ...{ port: 443, protocol: 'HTTPS' as const, certificates: [certificate] },
});
const plain = { port: 80, protocol: 'HTTP' as const };

describe('a rule that redirects to HTTPS', () => {
  it('redirects no request while AWS refuses the listener that it names', async () => {
    const world = new World();
    world.aws.control.setCertificates([CERTIFICATE]);
    world.start();
    const rule = { name: 'login', paths: ['/login'], forward: [{ backend: 'api' }] };
    await world.applied('shop', { ...SHOP, listeners: [plain], rules: [rule] });
    await world.clock.advance(MINUTE_MS);
    await world.edited(
      'shop',
      {
        listeners: [plain, secure(`${CERTIFICATE}0`)],
        rules: [{ ...{ name: 'login', paths: ['/login'], listeners: [80] }, ...redirect }],
      },
      MINUTE_MS,
    );
    expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
    expect(ask(world, { path: '/login' })).toBe('forward api:1');
    await world.edited('shop', { listeners: [plain, secure(CERTIFICATE)] }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(ask(world, { path: '/login' })).toBe('301 to https://shop.example.com:443/login');
  });

  it('redirects to another host although AWS refuses the listener of that port here', async () => {
    const world = World.started();
    const elsewhere = { redirect: { ...redirect.redirect, host: 'login.example.com' } };
    const rules = [{ ...{ name: 'login', paths: ['/login'], listeners: [80] }, ...elsewhere }];
    await world.applied('shop', { ...SHOP, listeners: [plain] });
    await world.edited('shop', { listeners: [plain, secure(CERTIFICATE)], rules }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
    expect(ask(world, { path: '/login' })).toBe('301 to https://login.example.com:443/login');
  });
});
