import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { certificateArn } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const [FIRST, SECOND, THIRD, NONE] = [1, 2, 3, 4].map(certificateArn) as [string, ...string[]];
const FULL = { code: 'TooManyCertificates', status: 400, message: 'full' };

function serve(...certificates: readonly (string | undefined)[]): Partial<MyIngressSpec> {
  const known = certificates.flatMap((one) => one ?? []);
  return { ...SHOP, listeners: [{ port: 443, protocol: 'HTTPS', certificates: known }] };
}

async function serving(...certificates: readonly (string | undefined)[]): Promise<World> {
  const world = World.started({
    settings: { limits: { 'certificates-per-application-load-balancer': 2 } },
  });
  world.aws.control.setCertificates([FIRST, SECOND, THIRD].flatMap((one) => one ?? []));
  await world.applied('shop', serve(...certificates));
  await world.clock.advance(MINUTE_MS);
  return world;
}

/** The default one first. */
function listCertificates(world: World): readonly string[] {
  const [listener] = world.aws.world.traffic.listeners.all();
  const { tls, extraCertificateArns = [] } = listener ?? {};
  return [tls?.certificateArn ?? '', ...extraCertificateArns];
}

describe('a default certificate that the spec has as a further one', () => {
  it.each([FULL, { code: 'AccessDenied', status: 403, message: 'no' }])(
    'stays the default one while AWS refuses to list it: $code',
    async (refusal) => {
      const world = await serving(FIRST);
      const fault = { kind: 'error', ...refusal } as const;
      world.fault('AddListenerCertificates', fault, { forMs: 30 * MINUTE_MS });
      await world.edited('shop', serve(SECOND, FIRST), 10 * MINUTE_MS);
      expect(listCertificates(world)).toEqual([FIRST]);
      expect(world.condition('shop')).toMatch(/^False /);
      await world.clock.advance(30 * MINUTE_MS);
      expect(listCertificates(world)).toEqual([SECOND, FIRST]);
      expect(world.condition('shop')).toBe('True Available');
    },
  );

  it('keeps no other change of the listener or of a rule from being made', async () => {
    const world = await serving(FIRST);
    const fault = { kind: 'error', ...FULL } as const;
    world.fault('AddListenerCertificates', fault, { forMs: 30 * MINUTE_MS });
    const fixed = { fixedResponse: { statusCode: 404 } };
    const rules = [{ name: 'new', paths: ['/new'], forward: [{ backend: 'api' }] }];
    const edit = { ...serve(SECOND, FIRST), defaultAction: fixed, rules };
    await world.edited('shop', edit, 10 * MINUTE_MS);
    expect(listCertificates(world)).toEqual([FIRST]);
    const [listener] = world.aws.control.snapshot().listeners;
    expect(JSON.stringify(listener?.rules)).toContain('404');
    expect(JSON.stringify(listener?.rules)).toContain('/new');
  });

  it('is replaced although AWS refuses another one', async () => {
    const world = await serving(FIRST);
    await world.edited('shop', serve(SECOND, FIRST, NONE), MINUTE_MS);
    expect(listCertificates(world)).toEqual([SECOND, FIRST]);
    expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
  });

  it('keeps what left the spec while AWS refuses the new default one', async () => {
    const world = await serving(FIRST, THIRD);
    await world.edited('shop', serve(NONE, FIRST), 10 * MINUTE_MS);
    expect(listCertificates(world)).toEqual([FIRST, THIRD, FIRST]);
  });
});

describe('a default certificate that is listed as well', () => {
  it('leaves the list once another one needs room', async () => {
    const world = await serving(FIRST, SECOND);
    await world.edited('shop', serve(SECOND, FIRST), MINUTE_MS);
    expect(listCertificates(world)).toEqual([SECOND, SECOND, FIRST]);
    await world.edited('shop', serve(SECOND, FIRST, THIRD), MINUTE_MS);
    expect(listCertificates(world)).toEqual([SECOND, FIRST, THIRD]);
    expect(world.condition('shop')).toBe('True Available');
  });
});
