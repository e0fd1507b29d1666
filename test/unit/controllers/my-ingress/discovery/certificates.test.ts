import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { makeCertificate } from '../../../../fakes/certificate.ts';
import { api, web } from '../traffic/specs.ts';
import { MINUTE_MS, SCAN_MS, World, type WorldOptions } from '../world.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;
const LANE_MS = 40 * MINUTE_MS;

/** By hosts alone. */
const SHOP = {
  backends: [web, api],
  listeners: [
    { port: 80, protocol: 'HTTP' as const, redirectToHTTPS: true },
    { port: 443, protocol: 'HTTPS' as const },
  ],
  rules: [
    { name: 'web', hosts: ['shop.example.com'], forward: [{ backend: 'web' }] },
    { name: 'api', hosts: ['api.example.org'], forward: [{ backend: 'api' }] },
  ],
  defaultAction: { forward: [{ backend: 'web' }] },
};

type Listener = NonNullable<MyIngressSpec['listeners']>[number];

function start(options: WorldOptions = {}): World {
  const world = World.started(options);
  return world;
}

type Names = readonly [string, ...string[]];

interface Life {
  readonly ageMs?: number;
  readonly restMs?: number;
}

/** Returns the ARN. */
async function issue(
  world: World,
  names: Names,
  { ageMs = 0, restMs = 300 * DAY_MS }: Life = {},
): Promise<string> {
  // The validity of a certificate has no parts of a second.
  const nowMs = Math.floor(world.clock.now() / 1000) * 1000;
  const made = await makeCertificate(names, {
    algorithm: 'ECDSA',
    notBefore: new Date(nowMs - ageMs),
    notAfter: new Date(nowMs + restMs),
  });
  const answer = world.outOfBand('ImportCertificate', {
    Certificate: Buffer.from(made.certificate),
    PrivateKey: Buffer.from(made.privateKey),
  }) as { readonly CertificateArn: string };
  return answer.CertificateArn;
}

function certificatesOf(world: World, port = 443): readonly string[] {
  const { listeners } = world.aws.control.snapshot();
  const found = listeners.find((one) => one.port === port);
  return [...new Set(found?.certificates ?? [])];
}

/** Certificates of its listener in AWS. */
function servedByShop(world: World): readonly string[] {
  const { listeners } = world.aws.control.snapshot();
  const own = listeners.filter(({ port, arn }) => port === 443 && arn.includes('/shop-alb-'));
  return own.flatMap(({ certificates }) => certificates);
}

function shownBy(world: World): readonly string[] {
  const { listeners = [] } = world.object('shop').status;
  return listeners.flatMap(({ certificates = [] }) => certificates.map(({ arn }) => arn));
}

describe('an HTTPS listener without certificates', () => {
  it('gets one for each host of its rules, for one call of ACM, and shows them', async () => {
    const world = start();
    const shop = await issue(world, ['shop.example.com']);
    const org = await issue(world, ['*.example.org']);
    await issue(world, ['other.example.com']);
    const calls = await world.callsDuring(() => world.applied('shop', SHOP));
    expect(world.condition('shop')).toBe('True Available');
    expect(certificatesOf(world)).toEqual([shop, org]);
    expect(shownBy(world)).toEqual([shop, org]);
    expect(world.condition('shop', 'CertificatesValid')).toBe('True CertificatesCurrent');
    expect(calls['ListCertificates']).toBe(1);
  });

  it('costs at most one call in half an hour for all objects, and no write', async () => {
    const world = start();
    await issue(world, ['shop.example.com', 'api.example.org']);
    await world.clock.settle();
    for (let index = 0; index < 10; index++) world.apply(`shop-${index}`, SHOP);
    const made = await world.callsDuring(() => world.clock.advance(20_000));
    expect(made).toMatchObject({ CreateLoadBalancer: 10, ListCertificates: 1 });
    const scans = await world.callsDuring(() => world.clock.advance(2 * SCAN_MS));
    expect(scans).not.toHaveProperty('ListCertificates');
    let written: readonly string[] = [];
    const calls = await world.callsDuring(async () => {
      written = await world.writesDuring(() => world.clock.advance(3 * LANE_MS));
    });
    expect(written).toEqual([]);
    expect(calls['ListCertificates']).toBeGreaterThanOrEqual(1);
    expect(calls['ListCertificates']).toBeLessThanOrEqual(4);
  });

  it('is not asked about where every listener names its own', async () => {
    const world = start();
    const arn = await issue(world, ['shop.example.com']);
    const [, https] = SHOP.listeners;
    const listeners = [{ ...https, certificates: [arn], port: 443, protocol: 'HTTPS' as const }];
    const calls = await world.callsDuring(async () => {
      await world.applied('shop', { ...SHOP, listeners });
      await world.clock.advance(LANE_MS);
    });
    expect(calls).not.toHaveProperty('ListCertificates');
    expect(world.object('shop').status.listeners?.[0]).not.toHaveProperty('certificates');
    expect(world.condition('shop', 'CertificatesValid')).toBeUndefined();
  });

  it('names the host that no certificate covers, serves the others, and heals by an import', async () => {
    const world = start();
    const shop = await issue(world, ['shop.example.com']);
    await world.applied('shop', SHOP);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(world.message('shop')).toMatch(
      /^listener 443: it names no certificates, and none in AWS Certificate Manager is valid for api\.example\.org; request or import/,
    );
    expect(certificatesOf(world)).toEqual([shop]);
    const org = await issue(world, ['api.example.org']);
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(certificatesOf(world)).toEqual([shop, org]);
  });

  it('is not created where there is none at all, and the others are', async () => {
    const world = start();
    await world.applied('shop', {
      ...SHOP,
      listeners: [
        { port: 8080, protocol: 'HTTP' },
        { port: 443, protocol: 'HTTPS' },
      ],
    });
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(world.aws.control.snapshot().listeners.map(({ port }) => port)).toEqual([8080]);
    world.edit('shop', { rules: [{ name: 'all', paths: ['/'], forward: [{ backend: 'web' }] }] });
    await world.clock.advance(1_000);
    expect(world.message('shop')).toContain('no rule on it has hosts by which one could be found');
  });

  it('rotates to a newer certificate without a gap: added, made the default one, the old one removed', async () => {
    const world = start();
    const old = await issue(world, ['*.example.com', '*.example.org'], { ageMs: 30 * DAY_MS });
    await world.applied('shop', SHOP);
    expect(certificatesOf(world)).toEqual([old]);
    await world.clock.advance(MINUTE_MS);
    const next = await issue(world, ['*.example.com', '*.example.org']);
    const written = await world.writesDuring(() => world.clock.advance(2 * LANE_MS));
    expect(certificatesOf(world)).toEqual([next]);
    expect(written).toContain('ModifyListener');
    expect(world.condition('shop')).toBe('True Available');
    expect(shownBy(world)).toEqual([next]);
    expect(world.events.reasons).not.toContain('DriftRepaired');
  });

  it('makes another one the default in place of one that has expired, which is no repair', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const names: Names = ['shop.example.com', 'api.example.org'];
    const both = await issue(world, names, { ageMs: 30 * DAY_MS });
    const shop = await issue(world, ['shop.example.com'], { restMs: 2 * DAY_MS });
    await world.applied('shop', SHOP);
    expect(certificatesOf(world)).toEqual([shop, both]);
    await world.clock.advance(3 * DAY_MS);
    expect(certificatesOf(world)).toEqual([both]);
    expect(world.events.reasons).not.toContain('DriftRepaired');
  });

  it('keeps an expired default one as an additional one where no other has its names, which is no repair', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const wildcard = await issue(world, ['*.example.com']);
    const both = await issue(world, ['shop.example.com', '*.example.org'], { restMs: 2 * DAY_MS });
    const more = { name: 'more', hosts: ['more.example.com'], forward: [{ backend: 'api' }] };
    await world.applied('shop', { ...SHOP, rules: [...SHOP.rules, more] });
    expect(certificatesOf(world)).toEqual([both, wildcard]);
    await world.clock.advance(3 * DAY_MS);
    expect(certificatesOf(world)).toEqual([wildcard, both]);
    expect(world.events.reasons).not.toContain('DriftRepaired');
  });

  it('is put back where others have taken it, and only that is a repair', async () => {
    const world = start();
    const named = [await issue(world, ['shop.example.com']), await issue(world, ['a.example.org'])];
    const listeners = (certificates: readonly string[]): readonly Listener[] => [
      { port: 443, protocol: 'HTTPS', certificates },
    ];
    await world.applied('shop', { ...SHOP, listeners: listeners(named) });
    await world.clock.advance(3 * MINUTE_MS);
    const rules = SHOP.rules.slice(0, 1).map((rule) => ({ ...rule, name: 'new' }));
    world.edit('shop', { rules, listeners: listeners(named.slice(0, 1)) });
    await world.clock.advance(10 * MINUTE_MS);
    expect(certificatesOf(world)).toEqual(named.slice(0, 1));
    expect(world.events.reasons).not.toContain('DriftRepaired');
    const org = await issue(world, ['api.example.org']);
    await world.edited('shop', SHOP, 10 * MINUTE_MS);
    expect(certificatesOf(world)).toContain(org);
    const arn = world.aws.control.snapshot().listeners.find(({ port }) => port === 443)?.arn;
    const Certificates = [{ CertificateArn: org }];
    world.outOfBand('RemoveListenerCertificates', { ListenerArn: arn, Certificates });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(certificatesOf(world)).toContain(org);
    expect(world.events.reasons).toContain('DriftRepaired');
  });

  it('loses what others have added to it, and that is a repair', async () => {
    const world = start();
    const shop = await issue(world, ['shop.example.com']);
    const foreign = await issue(world, ['foreign.example.net']);
    const listeners: readonly Listener[] = [{ port: 443, protocol: 'HTTPS', certificates: [shop] }];
    await world.applied('shop', { ...SHOP, listeners });
    await world.clock.advance(10 * MINUTE_MS);
    const arn = world.aws.control.snapshot().listeners.find(({ port }) => port === 443)?.arn;
    const Certificates = [{ CertificateArn: foreign }];
    world.outOfBand('AddListenerCertificates', { ListenerArn: arn, Certificates });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(10 * MINUTE_MS);
    expect(certificatesOf(world)).toEqual([shop]);
    expect(world.events.reasons).toContain('DriftRepaired');
  });

  it('keeps an expired certificate until there is another, and warns three weeks before', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const names: Names = ['shop.example.com', 'api.example.org'];
    const old = await issue(world, names, { restMs: 22 * DAY_MS });
    await world.applied('shop', SHOP);
    expect(world.condition('shop', 'CertificatesValid')).toBe('True CertificatesCurrent');
    await world.clock.advance(2 * DAY_MS);
    expect(world.condition('shop', 'CertificatesValid')).toBe('False CertificateExpiring');
    expect(world.message('shop', 'CertificatesValid')).toContain(`${old} of listener 443 expires`);
    expect(world.condition('shop')).toBe('True Available');
    await world.clock.advance(21 * DAY_MS);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(world.condition('shop', 'CertificatesValid')).toBe('False NoCertificate');
    expect(world.message('shop', 'CertificatesValid')).toContain('shop.example.com');
    expect(certificatesOf(world)).toEqual([old]);
    const next = await issue(world, names);
    await world.clock.advance(6 * MINUTE_MS);
    expect(certificatesOf(world)).toEqual([next]);
    expect(world.condition('shop', 'CertificatesValid')).toBe('True CertificatesCurrent');
  });

  it('costs no call in an edit, by a list that is younger than half an hour', async () => {
    const world = start();
    await issue(world, ['*.example.com', 'api.example.org']);
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const rule = { name: 'new', hosts: ['new.example.com'], forward: [{ backend: 'web' }] };
    world.edit('shop', { rules: [...SHOP.rules, rule] });
    const calls = await world.callsDuring(() => world.clock.advance(1_000));
    expect(calls).toHaveProperty('CreateRule');
    expect(calls).not.toHaveProperty('ListCertificates');
  });

  it('is given another one where that of the list is gone', async () => {
    const world = start();
    const old = await issue(world, ['shop.example.com', 'api.example.org'], { ageMs: DAY_MS });
    const gone = await issue(world, ['*.example.net', 'shop.example.com', 'api.example.org']);
    const rules = [{ name: 'net', hosts: ['a.example.net'], forward: [{ backend: 'web' }] }];
    await issue(world, ['a.example.net']);
    await world.applied('first', { ...SHOP, rules });
    world.outOfBand('DeleteCertificate', { CertificateArn: gone });
    await world.applied('shop', SHOP);
    expect(world.condition('shop')).toBe('False CertificateNotFound');
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(shownBy(world)).toEqual([old]);
  });

  it('keeps the one that it has while AWS refuses the newer one of the list, which is gone', async () => {
    const world = start();
    await issue(world, ['shop.example.com']);
    const old = await issue(world, ['api.example.org'], { ageMs: DAY_MS });
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const gone = await issue(world, ['api.example.org']);
    await issue(world, ['a.example.net']);
    const net = { name: 'net', hosts: ['a.example.net'], forward: [{ backend: 'web' as const }] };
    await world.applied('first', { ...SHOP, rules: [net] });
    world.outOfBand('DeleteCertificate', { CertificateArn: gone });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    for (let i = 0; i < 600; i++) {
      await world.clock.advance(100);
      expect(servedByShop(world)).toContain(old);
    }
    expect(world.aws.control.calls('AddListenerCertificates').at(-1)?.outcome).toBe(
      'CertificateNotFound',
    );
  });

  it('keeps an expired certificate beside one that is valid, and the default one too', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const shop = await issue(world, ['shop.example.com'], { restMs: 2 * DAY_MS });
    const org = await issue(world, ['api.example.org']);
    await world.applied('shop', SHOP);
    await world.clock.advance(3 * DAY_MS);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(certificatesOf(world)).toEqual([shop, org]);
  });

  it('loses an expired certificate that has a successor while another host has none', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const old = await issue(world, ['shop.example.com'], { restMs: 2 * DAY_MS });
    await world.applied('shop', SHOP);
    await world.clock.advance(3 * DAY_MS);
    expect(certificatesOf(world)).toEqual([old]);
    const next = await issue(world, ['shop.example.com']);
    await world.clock.advance(2 * LANE_MS);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(certificatesOf(world)).toEqual([next]);
  });

  it('keeps an expired certificate of two hosts for the one without another, no longer as the default one', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    const both: Names = ['shop.example.com', 'api.example.org'];
    const old = await issue(world, both, { restMs: 2 * DAY_MS });
    await world.applied('shop', SHOP);
    await world.clock.advance(3 * DAY_MS);
    const next = await issue(world, ['shop.example.com']);
    await world.clock.advance(2 * LANE_MS);
    expect(certificatesOf(world)).toEqual([next, old]);
    expect(shownBy(world)).toEqual([next]);
  });

  it('keeps a certificate of which ACM has no list while a host has none', async () => {
    const world = start();
    const iam = 'arn:aws:iam::000000000000:server-certificate/api';
    world.aws.control.setCertificates([iam]);
    const shop = await issue(world, ['shop.example.com']);
    const listeners = [{ port: 443, protocol: 'HTTPS' as const, certificates: [iam] }];
    await world.applied('shop', { ...SHOP, listeners });
    await world.edited('shop', { listeners: SHOP.listeners }, MINUTE_MS);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(certificatesOf(world)).toEqual([shop, iam]);
  });

  it('gets one that was issued since the list was read, at once when an edit needs it', async () => {
    const world = start();
    const shop = await issue(world, ['shop.example.com', 'api.example.org']);
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const next = await issue(world, ['new.example.net']);
    const rule = { name: 'new', hosts: ['new.example.net'], forward: [{ backend: 'web' }] };
    await world.edited('shop', { rules: [...SHOP.rules, rule] }, 1_000);
    expect(certificatesOf(world)).toEqual([shop, next]);
    expect(world.events.reasons).not.toContain('NoCertificate');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('names the right that is missing, and leaves what stands', async () => {
    const world = start();
    const arn = await issue(world, ['shop.example.com', 'api.example.org']);
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const denied = { kind: 'error', code: 'AccessDeniedException', status: 400 } as const;
    const message =
      'User: arn:aws:sts::000000000000:assumed-role/albridge/1 is not authorized to perform: acm:ListCertificates';
    world.fault('ListCertificates', { ...denied, message }, { times: 100 });
    await world.clock.advance(2 * LANE_MS);
    expect(world.condition('shop')).toBe('False AccessDenied');
    expect(world.message('shop')).toContain('acm:ListCertificates');
    expect(certificatesOf(world)).toEqual([arn]);
    expect(shownBy(world)).toEqual([arn]);
  });

  it('warns on while ACM cannot be read, also once its certificate has expired', async () => {
    const world = start({ scanMs: 8 * 60 * MINUTE_MS });
    await issue(world, ['shop.example.com', 'api.example.org'], { restMs: 2 * DAY_MS });
    await world.applied('shop', SHOP);
    const denied = {
      kind: 'error',
      code: 'AccessDeniedException',
      status: 400,
      message: 'no',
    } as const;
    world.fault('ListCertificates', denied, { times: 10_000 });
    await world.clock.advance(3 * DAY_MS);
    expect(world.condition('shop')).toBe('False AccessDenied');
    expect(world.condition('shop', 'CertificatesValid')).toBe('False CertificateExpiring');
  });

  it('follows its rules: a host that leaves takes its certificate along', async () => {
    const world = start();
    const shop = await issue(world, ['shop.example.com']);
    await issue(world, ['api.example.org']);
    await world.applied('shop', SHOP);
    await world.edited('shop', { rules: SHOP.rules.slice(0, 1) }, MINUTE_MS);
    expect(certificatesOf(world)).toEqual([shop]);
    expect(shownBy(world)).toEqual([shop]);
  });
});
