import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../../fakes/certificate.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { ask } from './asked.ts';
import { applySecured } from './settle.ts';
import { SHOP } from './specs.ts';

const redirect = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;
const secure = (certificate: string) => ({
  ...{ port: 443, protocol: 'HTTPS' as const, certificates: [certificate] },
});
const plain = { port: 80, protocol: 'HTTP' as const };

describe('a rule that redirects to HTTPS', () => {
  it('redirects no request while AWS refuses the listener that it names', async () => {
    const rule = { name: 'login', paths: ['/login'], forward: [{ backend: 'api' }] };
    const world = await applySecured({ listeners: [plain], rules: [rule] });
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

  it.each([
    ['a rule of another name', { name: 'old', paths: ['/login'] }, []],
    ['a rule that is narrowed', { name: 'old', paths: ['/*'] }, ['/other']],
  ])('leaves %s with its requests while AWS refuses that listener', async (_, old, narrowed) => {
    const forward = [{ backend: 'api' }];
    const world = await applySecured({ listeners: [plain], rules: [{ ...old, forward }] });
    const rules = [
      ...(narrowed.length > 0 ? [{ ...old, paths: narrowed, forward }] : []),
      { ...{ name: 'login', paths: ['/login'], listeners: [80] }, ...redirect },
    ];
    const listeners = [plain, secure(`${CERTIFICATE}0`)];
    await world.edited('shop', { listeners, rules }, 10 * MINUTE_MS);
    expect(ask(world, { path: '/login' })).toBe('forward api:1');
    await world.edited('shop', { listeners: [plain, secure(CERTIFICATE)] }, 2 * MINUTE_MS);
    expect(ask(world, { path: '/login' })).toBe('301 to https://shop.example.com:443/login');
    expect(world.condition('shop')).toBe('True Available');
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

describe('a listener that redirects to HTTPS', () => {
  it('keeps the listener to which it leads while AWS refuses the next one', async () => {
    const door = { ...plain, redirectToHTTPS: true };
    const world = await applySecured({ listeners: [door, secure(CERTIFICATE)] });
    const refused = { ...secure(`${CERTIFICATE}0`), port: 8443 };
    await world.edited('shop', { listeners: [door, refused] }, 10 * MINUTE_MS);
    expect(ask(world)).toBe('301 to https://shop.example.com:443/');
    expect(ask(world, { port: 443 })).toBe('forward web:1');
    const next = { ...secure(CERTIFICATE), port: 8443 };
    await world.edited('shop', { listeners: [door, next] }, 2 * MINUTE_MS);
    expect(ask(world)).toBe('301 to https://shop.example.com:8443/');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('gets new certificates although it waits to redirect', async () => {
    const [first, second] = [CERTIFICATE, `${CERTIFICATE}-2`];
    const served = { ...secure(first), port: 8443 };
    const uncertified = { port: 443, protocol: 'HTTPS' as const };
    const world = await applySecured({ listeners: [served] }, [first, second]);
    const listeners = [served, uncertified];
    await world.edited('shop', { listeners, defaultAction: redirect }, MINUTE_MS);
    await world.edited(
      'shop',
      { listeners: [{ ...served, certificates: [second] }, uncertified] },
      MINUTE_MS,
    );
    expect(world.aws.control.snapshot().listeners[0]?.certificates).toEqual([second]);
    expect(ask(world, { port: 8443 })).toBe('forward web:1');
  });

  const rules = [{ name: 'api', hosts: ['shop.example.com'], forward: [{ backend: 'api' }] }];
  const listeners = [
    { ...plain, redirectToHTTPS: true },
    { port: 443, protocol: 'HTTPS' as const },
  ];
  const code = 'AccessDeniedException';
  const denied = { kind: 'error', code, status: 400, message: 'no' } as const;

  async function settle(): Promise<World> {
    const world = World.started();
    await world.applied('shop', { ...SHOP, listeners: [plain], rules });
    await world.clock.advance(MINUTE_MS);
    return world;
  }

  async function importCertificate(world: World): Promise<void> {
    const notBefore = new Date(Math.floor(world.clock.now() / 1000) * 1000);
    const notAfter = new Date(notBefore.getTime() + 100 * 24 * 60 * MINUTE_MS);
    const validity = { algorithm: 'ECDSA', notBefore, notAfter } as const;
    const made = await makeCertificate(['shop.example.com'], validity);
    world.outOfBand('ImportCertificate', {
      Certificate: Buffer.from(made.certificate),
      PrivateKey: Buffer.from(made.privateKey),
    });
  }

  it('redirects once the other one has a certificate, and serves by HTTP until then', async () => {
    const world = await settle();
    await world.edited('shop', { listeners }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NoCertificate');
    expect(ask(world)).toBe('forward api:1');
    await importCertificate(world);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(ask(world)).toBe('301 to https://shop.example.com:443/');
  });

  it('serves by HTTP while AWS does not list certificates', async () => {
    const world = await settle();
    await importCertificate(world);
    world.fault('ListCertificates', denied, { times: 100 });
    await world.edited('shop', { listeners }, 20_000);
    expect(ask(world)).toBe('forward api:1');
    expect(world.condition('shop')).toBe('False AccessDenied');
    world.aws.control.clearFaults();
    await world.clock.advance(60 * MINUTE_MS);
    expect(ask(world)).toBe('301 to https://shop.example.com:443/');
  });
});
