import { expect, it } from 'vitest';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS } from '../world.ts';
import { applySecured } from './settle.ts';

const plain = { port: 80, protocol: 'HTTP' as const };
const secure = { port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] };

it('a listener that leaves stays until 15 s after the one that redirects to it could be changed', async () => {
  const redirecting = { ...plain, redirectToHTTPS: true };
  const world = await applySecured({ listeners: [redirecting, secure] });
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
  expect(stayedMs).toBeLessThan(3 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
});

const place = { name: 'login', paths: ['/login'], listeners: [80] };
const login = { ...place, redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;

it.each([
  ['the rule', []],
  [
    'the rule, which another one replaces',
    [{ ...place, name: 'new', forward: [{ backend: 'api' }] }],
  ],
])(
  'an edit takes away a listener with what redirects there, and is Ready all the time: %s',
  async (_, rules) => {
    const world = await applySecured({ listeners: [plain, secure], rules: [login] });
    world.edit('shop', { listeners: [plain], rules });
    await world.clock.advance(1_000);
    for (let ms = 0; ms < MINUTE_MS; ms += 250) {
      expect(world.condition('shop'), `${ms} ms after the edit`).toBe('True Available');
      await world.clock.advance(250);
    }
    const [rule, listener] = ['DeleteRule', 'DeleteListener'].map((one) =>
      world.aws.control.calls(one).at(-1),
    );
    expect((listener?.at ?? 0) - (rule?.at ?? 0)).toBeGreaterThanOrEqual(15_000);
  },
);

it('a rule that AWS does not let go is tried again as seldom as before', async () => {
  const world = await applySecured({ listeners: [plain, secure], rules: [login] });
  const refusal = { code: 'AccessDenied', status: 403, message: 'no' } as const;
  world.fault('DeleteRule', { kind: 'error', ...refusal }, { forMs: 60 * MINUTE_MS });
  await world.edited('shop', { listeners: [plain], rules: [] }, 30 * MINUTE_MS);
  expect(world.aws.control.calls('DeleteListener')).toEqual([]);
  expect(world.aws.control.calls('DeleteRule').length).toBeLessThan(30);
});

it('a listener that stays as a rule redirects there comes behind what keeps that rule', async () => {
  const world = await applySecured({ listeners: [plain, secure], rules: [login] });
  const rules = [{ ...place, forward: [{ backend: 'none' }] }];
  await world.edited('shop', { listeners: [plain], rules }, MINUTE_MS);
  expect(world.condition('shop')).toBe('False BackendUnavailable');
  expect(world.aws.control.calls('DeleteListener')).toEqual([]);
});
