import { describe, expect, it } from 'vitest';
import type { MyIngress, MyIngressSpec } from '../../../../../../src/apis/my-ingress.ts';
import { decideAttachments } from '../../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { CERTIFICATE } from '../../../../localstack/traffic/traffic-model.ts';
import { draftApp } from '../../attaching/app.ts';
import { MINUTE_MS, type World } from '../../world.ts';
import { ask } from '../asked.ts';
import { settleShop } from '../settle.ts';
import { api, listIds, web } from '../specs.ts';

type Rules = NonNullable<MyIngressSpec['rules']>;

const GONE = { name: 'gone', hosts: ['shop.example.com'], fixedResponse: { statusCode: 410 } };
const MOVED = { name: 'moved', paths: ['/cart'], redirect: { statusCode: 302, path: '/moved' } };
/** The first one keeps requests from the second one. */
const BOTH = [GONE, MOVED] as Rules;

function refuse(world: World, [operation, code]: readonly [string, string], times = 1): void {
  world.fault(operation, { kind: 'error', code, status: 400, message: 'refused' }, { times });
}

async function advanceUntilCalled(world: World, operation: string): Promise<void> {
  for (let ms = 0; ms < MINUTE_MS && world.aws.control.calls(operation).length === 0; ms += 10)
    await world.clock.advance(10);
  expect(world.aws.control.calls(operation)).not.toHaveLength(0);
}

describe('a rule that AWS refuses for a moment', () => {
  it.each(['ListenerNotFound', 'TargetGroupNotFound', 'PriorityInUse'])(
    'keeps those behind it back until the next try, by %s',
    async (code) => {
      const world = await settleShop({ backends: [web] });
      refuse(world, ['CreateRule', code]);
      world.edit('shop', { rules: BOTH });
      await advanceUntilCalled(world, 'CreateRule');
      await world.clock.advance(500);
      expect(ask(world, { path: '/cart' })).toBe('forward web:1');
      expect(world.condition('shop')).not.toBe('True Available');
      await world.clock.advance(MINUTE_MS);
      expect(ask(world, { path: '/cart' })).toBe('410');
      expect(world.condition('shop')).toBe('True Available');
    },
  );

  it('keeps stickiness of a group back that a rule behind it still mixes with another one', async () => {
    const both = [
      { backend: 'web', weight: 9 },
      { backend: 'api', weight: 1 },
    ];
    const mixed = { name: 'mixed', paths: ['/mixed'], forward: both };
    const world = await settleShop({ backends: [web, api], rules: [mixed] });
    refuse(world, ['CreateRule', 'TargetGroupNotFound']);
    world.edit('shop', {
      backends: [{ ...web, stickiness: { durationSeconds: 60 } }, api],
      rules: [GONE, { ...mixed, forward: [{ backend: 'api' }] }] as Rules,
    });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(300);
    expect(world.message('shop')).not.toContain('backend web');
    await world.clock.advance(MINUTE_MS);
    const outcomes = world.aws.control.calls('ModifyTargetGroupAttributes');
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
    expect(world.condition('shop')).toBe('True Available');
  });

  it('keeps none of another listener back', async () => {
    const listeners = [80, 81].map((port) => ({ port, protocol: 'HTTP' as const }));
    const world = await settleShop({ backends: [web], listeners });
    refuse(world, ['CreateRule', 'ListenerNotFound']);
    const rules = [
      { ...GONE, listeners: [80] },
      { ...MOVED, listeners: [81] },
    ] as Rules;
    world.edit('shop', { rules });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(500);
    expect(ask(world, { path: '/cart' })).toBe('forward web:1');
    expect(ask(world, { path: '/cart', port: 81 })).toMatch(/^302 to /);
  });

  it('keeps none back where AWS refuses it for good', async () => {
    const world = await settleShop({ backends: [web] });
    refuse(world, ['CreateRule', 'AccessDenied']);
    world.edit('shop', { rules: BOTH });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(500);
    expect(ask(world, { path: '/cart' })).toMatch(/^302 to /);
  });

  it('as AWS does not know its target group yet keeps the old rule for a window more', async () => {
    const old = { name: 'old', paths: ['/cart'], forward: [{ backend: 'api' }] };
    const world = await settleShop({ backends: [web, api], rules: [old] });
    refuse(world, ['CreateRule', 'TargetGroupNotFound'], 3);
    world.edit('shop', { rules: [{ ...old, name: 'new' }] });
    const seen = new Set<string>();
    for (let ms = 0; ms < MINUTE_MS; ms += 100) {
      await world.clock.advance(100);
      seen.add(
        listIds(world)
          .filter((id) => id.startsWith('rule/'))
          .join(' '),
      );
    }
    const both = 'rule/80/spec/new/0 rule/80/spec/old/0';
    expect([...seen]).toEqual(['rule/80/spec/old/0', both, 'rule/80/spec/new/0']);
  });

  it('is tried again within seconds, however often a pass has failed before', async () => {
    const world = await settleShop({ backends: [web] });
    refuse(world, ['CreateRule', 'ServiceUnavailable'], 10);
    refuse(world, ['CreateRule', 'ListenerNotFound']);
    world.edit('shop', { rules: BOTH });
    const last = () => world.aws.control.calls('CreateRule').at(-1)?.outcome;
    for (let ms = 0; ms < 60 * MINUTE_MS && last() !== 'ListenerNotFound'; ms += 500)
      await world.clock.advance(500);
    expect(last()).toBe('ListenerNotFound');
    await world.clock.advance(3_000);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is tried again later and later while it is refused', async () => {
    const world = await settleShop({ backends: [web] });
    refuse(world, ['CreateRule', 'ListenerNotFound'], 1_000);
    const calls = await world.callsDuring(async () => {
      await world.edited('shop', { rules: BOTH }, 10 * MINUTE_MS);
    });
    expect(calls['CreateRule']).toBeGreaterThan(5);
    expect(calls['CreateRule']).toBeLessThan(30);
  });
});

describe('a rule of a new listener that AWS refuses for a moment', () => {
  it('keeps the redirect to that listener back', async () => {
    const world = await settleShop({ backends: [web] });
    world.aws.control.setCertificates([CERTIFICATE]);
    refuse(world, ['CreateRule', 'ListenerNotFound']);
    const secure = { port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] };
    const redirect = { statusCode: 301, protocol: 'HTTPS', port: 443 } as const;
    const missing = { fixedResponse: { statusCode: 404 } };
    world.edit('shop', {
      rules: [{ name: 'cart', paths: ['/cart'], listeners: [443], forward: [{ backend: 'web' }] }],
      listeners: [
        { port: 80, protocol: 'HTTP', defaultAction: { redirect } },
        { ...secure, defaultAction: missing },
      ],
    });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(300);
    expect(ask(world, { path: '/cart' })).toBe('forward web:1');
    await world.clock.advance(MINUTE_MS);
    expect(ask(world, { path: '/cart' })).toMatch(/^301 to https:/);
    expect(ask(world, { path: '/cart', port: 443 })).toBe('forward web:1');
  });
});

describe('a rule whose target group is not made yet', () => {
  it('keeps those behind it back', async () => {
    const world = await settleShop({ backends: [web] });
    refuse(world, ['CreateTargetGroup', 'TargetGroupNotFound']);
    const first = { ...GONE, fixedResponse: undefined, forward: [{ backend: 'api' }] };
    world.edit('shop', { backends: [web, api], rules: [first, MOVED] as Rules });
    await advanceUntilCalled(world, 'CreateTargetGroup');
    await world.clock.advance(500);
    expect(ask(world, { path: '/cart' })).toBe('forward web:1');
    await world.clock.advance(MINUTE_MS);
    expect(ask(world, { path: '/cart' })).toBe('forward api:1');
  });
});

describe('a rule in place of one whose deletion AWS refuses', () => {
  const to = (backend: string) => ({ forward: [{ backend }] });
  const rule = (name: string, path: string, backend: string): Rules[number] => ({
    ...{ name, paths: [path], ...to(backend) },
  });
  const post = (name: string, path: string, backend: string): Rules[number] => ({
    ...{ ...rule(name, path, backend), methods: ['POST'] },
  });

  it('is not moved to the priority that is not free', async () => {
    const backends = [web, api];
    const rules = [
      ...[rule('three', '/a/*', 'api'), rule('four', '/b', 'web')],
      ...[post('one', '/*', 'web'), post('two', '/b', 'web')],
    ];
    const world = await settleShop({ backends, rules, defaultAction: to('api') });
    refuse(world, ['DeleteRule', 'AccessDenied'], 1_000);
    const next = [post('four', '/*', 'api'), { ...rules[0], paths: ['/a', '/a/b*'] }] as Rules;
    await world.edited('shop', { rules: next, defaultAction: to('web') }, 3 * MINUTE_MS);
    expect(world.condition('shop')).toBe('False AccessDenied');
    const refused = world.aws.control.calls('SetRulePriorities').map(({ outcome }) => outcome);
    expect(refused).not.toContain('PriorityInUse');
  });
});

describe('an attached rule that AWS refuses for a moment', () => {
  const SHARED = { backends: [web], listeners: [{ port: 80, protocol: 'HTTP' as const }] };
  let apps = [draftApp('none')];
  const join = (object: MyIngress): MyIngress => {
    const attached = decideAttachments(object.spec, apps, { held: new Map() });
    const joined: Joined = { ...object, spec: { ...object.spec, attached } };
    return joined;
  };

  async function attach(names: readonly string[] = ['a', 'b']): Promise<World> {
    apps = [];
    const world = await settleShop(SHARED, { join });
    apps = names.map((name, index) => draftApp(name, { hosts: [`h${index}.example.com`] }));
    refuse(world, ['CreateRule', 'ListenerNotFound']);
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(300);
    return world;
  }

  function readReasons(world: World): readonly string[] {
    const { attached = [] } = world.object('shop').status;
    return attached.map(({ name, reason }) => `${name} ${reason}`);
  }

  it('keeps the others back, none of which is said to be attached', async () => {
    const world = await attach();
    expect(readReasons(world)).toEqual(['a ListenerNotFound', 'b Attaching']);
  });

  it('leaves the object Ready', async () => {
    const world = await attach();
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is there with the others a second later', async () => {
    const world = await attach();
    await world.clock.advance(2_000);
    expect(readReasons(world)).toEqual(['a Attached', 'b Attached']);
    expect(ask(world, { host: 'h1.example.com' })).toBe('forward app:1');
  });

  it('with long names keeps the others back too', async () => {
    const long = 'a'.repeat(250);
    const world = await attach([long, 'b']);
    expect(readReasons(world)).toEqual([`${long} ListenerNotFound`, 'b Attaching']);
    await world.clock.advance(2_000);
    expect(readReasons(world)).toEqual([`${long} Attached`, 'b Attached']);
  });

  it('keeps a change of the object itself from being taken for done', async () => {
    apps = [];
    const world = await settleShop(SHARED, { join });
    refuse(world, ['CreateRule', 'ListenerNotFound']);
    apps = [draftApp('a')];
    world.edit('shop', { ...SHARED, defaultAction: { fixedResponse: { statusCode: 404 } } });
    await advanceUntilCalled(world, 'CreateRule');
    await world.clock.advance(300);
    expect(ask(world)).toBe('forward web:1');
    expect(world.condition('shop')).not.toBe('True Available');
    await world.clock.advance(3_000);
    expect(ask(world)).toBe('404');
    expect(world.condition('shop')).toBe('True Available');
  });
});
