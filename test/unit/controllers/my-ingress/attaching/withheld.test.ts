import { expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { TRUST_STORE } from '../graph/random-traffic.ts';
import { SHOP } from '../traffic/specs.ts';
import { MINUTE_MS, World } from '../world.ts';
import { draftApp } from './app.ts';

const SECURE = { port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] };
const TO_HTTPS = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;

interface Scene {
  readonly world: World;
  attach(...apps: readonly AttachingObject[]): Promise<void>;
}

async function start(listener: typeof SECURE | { port: number; protocol: 'HTTP' }): Promise<Scene> {
  let apps: readonly AttachingObject[] = [draftApp('gone'), draftApp('stays')];
  const join = (object: MyIngress): Joined => {
    const attached = decideAttachments(object.spec, apps, { held: new Map() });
    return { ...object, spec: { ...object.spec, attached } };
  };
  const world = World.started({ join });
  world.aws.control.setCertificates([CERTIFICATE]);
  await world.applied('shop', { ...SHOP, listeners: [listener] });
  await world.clock.advance(MINUTE_MS);
  return {
    world,
    attach: async (...next) => {
      apps = next;
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(5 * MINUTE_MS);
    },
  };
}

function listRules(world: World): readonly string[] {
  const ids = world.beside.map(({ tags }) => tags['albridge.io/resource'] ?? '');
  return ids.filter((id) => id.includes('/WebApp/')).map((id) => id.split('/')[4] ?? '');
}

function reasonOf(world: World, name: string): string | undefined {
  return world.object('shop').status?.attached?.find((one) => one.name === name)?.reason;
}

it('the rule of an object that attaches no more goes while a trust store is missing, and a new one says so', async () => {
  const { world, attach } = await start(SECURE);
  const mutualTLS = { mode: 'verify' as const, trustStoreARN: TRUST_STORE };
  await world.edited('shop', { listeners: [{ ...SECURE, mutualTLS }] }, MINUTE_MS);
  await attach(draftApp('new'), draftApp('stays'));
  expect(listRules(world)).toContain('stays');
  expect(listRules(world)).not.toContain('gone');
  expect(listRules(world)).not.toContain('new');
  expect([reasonOf(world, 'new'), reasonOf(world, 'stays')]).toEqual([
    'TrustStoreNotFound',
    'Attached',
  ]);
  expect(world.condition('shop', 'AttachmentsAccepted')).toContain('False');
});

it.each([
  ['AWS refuses the certificate of another listener', [`${CERTIFICATE}0`]],
  ['another listener has no certificate', undefined],
])('so it does where a redirect waits as %s', async (_, certificates) => {
  const plain = { port: 80, protocol: 'HTTP' as const };
  const { world, attach } = await start(plain);
  const login = { name: 'login', paths: ['/login'], listeners: [80] };
  await world.edited('shop', { rules: [{ ...login, forward: [{ backend: 'api' }] }] }, MINUTE_MS);
  const { certificates: _own, ...secure } = SECURE;
  const listeners = [plain, { ...secure, ...(certificates && { certificates }) }];
  await world.edited('shop', { listeners, rules: [{ ...login, ...TO_HTTPS }] }, MINUTE_MS);
  await attach(draftApp('stays'));
  expect(listRules(world)).toContain('stays');
  expect(listRules(world)).not.toContain('gone');
});
