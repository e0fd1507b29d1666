import { expect, it } from 'vitest';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const plain = { port: 80, protocol: 'HTTP' as const };
const secure = { port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] };

it('a listener that leaves stays until 15 s after the one that redirects to it could be changed', async () => {
  const world = new World();
  world.aws.control.setCertificates([CERTIFICATE]);
  world.start();
  const redirecting = { ...plain, redirectToHTTPS: true };
  await world.applied('shop', { ...SHOP, listeners: [redirecting, secure] });
  await world.clock.advance(MINUTE_MS);
  const refusal = { code: 'OperationNotPermitted', status: 400, message: 'not now' } as const;
  world.fault('ModifyListener', { kind: 'error', ...refusal }, { forMs: 3 * MINUTE_MS });
  await world.edited('shop', { listeners: [plain] }, 2 * MINUTE_MS);
  expect(world.aws.control.calls('DeleteListener')).toEqual([]);

  await world.clock.advance(30 * MINUTE_MS);

  const changes = world.aws.control.calls('ModifyListener');
  const changed = changes.find(({ outcome }) => outcome === 'ok');
  const [deleted] = world.aws.control.calls('DeleteListener');
  const stayedMs = (deleted?.at ?? 0) - (changed?.at ?? 0);
  expect(stayedMs).toBeGreaterThanOrEqual(15_000);
  expect(stayedMs).toBeLessThan(30_000);
  expect(world.condition('shop')).toBe('True Available');
});
