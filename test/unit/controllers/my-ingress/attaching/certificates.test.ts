import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import {
  decideAttachments,
  UNKNOWN,
} from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { makeCertificate } from '../../../../fakes/certificate.ts';
import { web } from '../traffic/specs.ts';
import { World } from '../world.ts';
import { draftApp } from './app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A listener that finds its certificates, and one rule of its own. */
const SHARED = {
  backends: [web],
  listeners: [{ port: 443, protocol: 'HTTPS' as const }],
  rules: [{ name: 'own', hosts: ['own.example.org'], forward: [{ backend: 'web' }] }],
  defaultAction: { fixedResponse: { statusCode: 404 } },
};

const APPS = [draftApp('covered'), draftApp('stray', { hosts: ['stray.example.net'] })];

function join(object: MyIngress): MyIngress {
  const attached = decideAttachments(object.spec, APPS, { held: new Map() });
  const joined: Joined = { ...object, spec: { ...object.spec, attached } };
  return joined;
}

async function issue(world: World, name: string, days = 100): Promise<string> {
  const nowMs = Math.floor(world.clock.now() / 1000) * 1000;
  const { certificate, privateKey } = await makeCertificate([name], {
    algorithm: 'ECDSA',
    notBefore: new Date(nowMs),
    notAfter: new Date(nowMs + days * DAY_MS),
  });
  const [Certificate, PrivateKey] = [Buffer.from(certificate), Buffer.from(privateKey)];
  const answer = world.outOfBand('ImportCertificate', { Certificate, PrivateKey });
  return (answer as { readonly CertificateArn: string }).CertificateArn;
}

async function start(...names: readonly string[]): Promise<World> {
  const world = World.started({ join, scanMs: HOUR_MS });
  for (const name of names) await issue(world, name);
  await world.applied('shop', SHARED);
  return world;
}

function servedBy(world: World): readonly string[] {
  const { listeners } = world.aws.control.snapshot();
  return [...new Set(listeners[0]?.certificates)];
}

function attachedOf(world: World): readonly string[] {
  const { attached = [] } = world.object('shop').status;
  return attached.map(({ name, reason }) => `${name} ${reason}`);
}

describe('an attached host that no certificate covers', () => {
  it('is a matter of who attaches it, not of the load balancer and not of others', async () => {
    const world = await start('own.example.org', 'covered.example.com');
    expect(world.condition('shop')).toBe('True Available');
    expect(attachedOf(world)).toEqual(['covered Attached', 'stray NoCertificate']);
    expect(servedBy(world)).toHaveLength(2);
  });

  it('does not hold up a balancer that is created again', async () => {
    const world = await start('own.example.org', 'covered.example.com');
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    await world.clock.advance(3 * HOUR_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(attachedOf(world)).toEqual(['covered Attached', 'stray NoCertificate']);
  });

  it('hides no host of the spec that lacks one', async () => {
    const world = await start('covered.example.com');
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(world.message('shop')).toContain('own.example.org');
    expect(world.message('shop')).not.toContain('stray');
  });

  it('leaves no certificate of another host that has a newer one', async () => {
    const world = await start('own.example.org', 'covered.example.com');
    const [old, covered] = servedBy(world);
    await world.clock.advance(HOUR_MS);
    const next = await issue(world, 'own.example.org');
    await world.clock.advance(2 * HOUR_MS);
    expect(attachedOf(world)).toEqual(['covered Attached', 'stray NoCertificate']);
    expect(servedBy(world)).not.toContain(old);
    expect(servedBy(world)).toEqual([next, covered]);
  });

  it('keeps CertificatesValid as it is, unless its certificate has expired', async () => {
    const world = await start('own.example.org', 'covered.example.com');
    expect(world.condition('shop', 'CertificatesValid')).toBe('True CertificatesCurrent');
    const stray = await issue(world, 'stray.example.net', 2);
    await world.clock.advance(2 * HOUR_MS);
    expect(world.condition('shop', 'CertificatesValid')).toBe('False CertificateExpiring');
    await world.clock.advance(3 * DAY_MS);
    expect(world.condition('shop', 'CertificatesValid')).toBe('False NoCertificate');
    expect(world.message('shop', 'CertificatesValid')).toContain('stray.example.net');
    expect(world.condition('shop')).toBe('True Available');
    expect(servedBy(world)).toContain(stray);
  });
});

it.each([
  ['next to hosts of the spec', SHARED],
  ['on a listener of its own', { ...SHARED, rules: [] }],
])(
  'a certificate of an attached host stays while what attaches cannot be listed, %s',
  async (_, spec) => {
    let isKnown = true;
    const unread = (object: MyIngress): Joined => ({
      ...object,
      spec: { ...object.spec, attached: UNKNOWN },
    });
    const world = World.started({
      join: (object) => (isKnown ? join(object) : unread(object)),
      scanMs: HOUR_MS,
    });
    for (const name of ['own.example.org', 'covered.example.com']) await issue(world, name);
    await world.applied('shop', spec);
    const before = servedBy(world);
    isKnown = false;
    await world.restart();
    await world.clock.advance(2 * HOUR_MS);
    expect(servedBy(world)).toEqual(before);
    expect(world.condition('shop')).toBe('True Available');
  },
);

it('a listener for attached hosts alone, none of which has a certificate, names them', async () => {
  const world = World.started({ join, scanMs: HOUR_MS });
  await world.applied('shop', { ...SHARED, rules: [] });
  expect(world.condition('shop')).toBe('False NoCertificate');
  expect(world.message('shop')).toContain('valid for covered.example.com, stray.example.net');
});

describe('a listener for attached hosts alone, which is there', () => {
  it.each([
    ['the only covered one leaves', ['stray']],
    ['all leave', []],
  ])('serves on, and the load balancer is Ready, where %s', async (_, left) => {
    let apps = APPS;
    const joinThose = (object: MyIngress): Joined => {
      const attached = decideAttachments(object.spec, apps, { held: new Map() });
      return { ...object, spec: { ...object.spec, attached } };
    };
    const world = World.started({ join: joinThose, scanMs: HOUR_MS });
    await issue(world, 'covered.example.com');
    await world.applied('shop', { ...SHARED, rules: [] });
    expect(world.condition('shop')).toBe('True Available');
    const before = servedBy(world);
    apps = APPS.filter(({ name }) => left.includes(name));
    await world.clock.advance(3 * HOUR_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(servedBy(world)).toEqual(before);
    expect(attachedOf(world)).toEqual(left.map((name) => `${name} NoCertificate`));
  });
});
