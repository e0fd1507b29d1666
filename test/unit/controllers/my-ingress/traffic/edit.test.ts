import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, reads, type World, writes } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const ruleOf = (index: number, backend = 'api') => ({
  ...{ name: `r${index}`, paths: [`/${index}/*`] },
  forward: [{ backend }],
});
const FIFTY: Partial<MyIngressSpec> = {
  ...SHOP,
  rules: Array.from({ length: 50 }, (_, index) => ruleOf(index)),
};

async function edited(world: World, spec: Partial<MyIngressSpec>) {
  const calls = await world.callsDuring(async () => {
    await world.edited('shop', spec, 1_000);
  });
  expect(world.condition('shop')).toBe('True Available');
  return calls;
}

function change(index: number): Partial<MyIngressSpec> {
  return { rules: FIFTY.rules?.map((rule, at) => (at === index ? ruleOf(at, 'web') : rule)) ?? [] };
}

describe('a listener that leaves the spec stays', () => {
  const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
  const findListener = (world: World) =>
    world.aws.control.snapshot().listeners.find(({ port }) => port === 8080);

  async function withdrawn(change: (world: World) => void): Promise<World> {
    const world = await settleShop({ ...SHOP, listeners });
    change(world);
    await world.edited('shop', { listeners: listeners.slice(0, 1) }, 5 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True ResourceInUse');
    return world;
  }

  it('with a rule that someone has added to it', async () => {
    const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '200' } };
    const world = await withdrawn((before) => {
      before.outOfBand('CreateRule', {
        ...{ ListenerArn: findListener(before)?.arn, Priority: 7, Actions: [fixed] },
        Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
      });
    });
    expect(findListener(world)?.rules.map(({ priority }) => priority)).toContain(7);
  });

  it('with a rule that has lost a tag of ours', async () => {
    let arn = '';
    const world = await withdrawn((before) => {
      arn = findListener(before)?.rules[0]?.arn ?? '';
      before.untagOutOfBand(arn, 'albridge.io/name');
    });
    expect(findListener(world)?.rules.map((rule) => rule.arn)).toContain(arn);
  });
});

describe('an edit of an object that this process has left as desired', () => {
  it('of one rule of fifty costs one write and two reads', async () => {
    const world = await settleShop(FIFTY);
    const calls = await edited(world, change(17));
    expect(calls).toEqual({
      ...{ DescribeTags: 1, DescribeRules: 1 },
      ModifyRule: 1,
    });
    expect(await edited(world, change(18))).toMatchObject({ ModifyRule: 2, DescribeTags: 1 });
  });

  it('reads the load balancer where it is edited too, and where the drift scan has not read it lately', async () => {
    const world = await settleShop(FIFTY);
    const both = await edited(world, { ...change(17), subnets: ['subnet-b', 'subnet-c'] });
    expect(both).toMatchObject({ DescribeLoadBalancers: 1, SetSubnets: 1, ModifyRule: 1 });
    await world.clock.advance(20 * MINUTE_MS);
    expect(await edited(world, change(18))).not.toHaveProperty('DescribeLoadBalancers');
    const seldom = await settleShop(FIFTY, { scanMs: 60 * MINUTE_MS });
    await seldom.clock.advance(10 * MINUTE_MS);
    expect(await edited(seldom, change(19))).toMatchObject({ DescribeLoadBalancers: 1 });
  });

  it('makes a load balancer again that someone has deleted meanwhile', async () => {
    const world = await settleShop();
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    await world.edited('shop', { rules: [] }, 5 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status.alb?.arn).toBe(world.balancer().arn);
  });

  it('that puts a rule first costs one write', async () => {
    const world = await settleShop(FIFTY);
    const rules = [ruleOf(99), ...(FIFTY.rules ?? [])];
    const calls = await edited(world, { rules });
    expect([writes(calls), reads(calls)]).toEqual([1, 1]);
    expect(calls).toHaveProperty('CreateRule');
  });

  it('that reverses fifty rules costs one write', async () => {
    const world = await settleShop(FIFTY);
    const calls = await edited(world, { rules: FIFTY.rules?.toReversed() ?? [] });
    expect([writes(calls), calls['SetRulePriorities']]).toEqual([1, 1]);
  });

  it('that moves more rules than one call can prove reads only their tags, and the next edit goes by memory too', async () => {
    const world = await settleShop(FIFTY);
    const rules = FIFTY.rules?.toReversed() ?? [];
    // Twenty in a call.
    expect(await edited(world, { rules })).toEqual({ DescribeTags: 3, SetRulePriorities: 1 });
    const calls = await edited(world, { rules: [ruleOf(99), ...rules] });
    expect(calls).toEqual({ DescribeTags: 1, CreateRule: 1 });
  });

  it('goes by a read where a rule has lost a tag of ours: it is no longer ours to write to', async () => {
    const world = await settleShop();
    const arn = world.beside.find(({ id }) => id.includes('listener-rule'))?.id ?? '';
    world.untagOutOfBand(arn, 'albridge.io/name');
    world.edit('shop', { rules: [{ name: 'api', paths: ['/v2'], forward: [{ backend: 'api' }] }] });
    await world.clock.advance(MINUTE_MS);
    const calls = world.aws.control
      .calls('ModifyRule')
      .filter(({ input }) => input['RuleArn'] === arn);
    expect(calls).toEqual([]);
  });

  it('never replaces what someone has put in the way of a request, such as authentication', async () => {
    const world = await settleShop();
    const arn = world.beside.find(({ id }) => id.includes('listener-rule'))?.id ?? '';
    const TargetGroupArn = world.aws.control.snapshot().targetGroups[0]?.arn;
    const rewrite = { Rewrites: [{ Regex: '^/a', Replace: '/b' }] };
    world.outOfBand('ModifyRule', {
      ...{ RuleArn: arn, Actions: [{ Type: 'forward', TargetGroupArn }] },
      Transforms: [{ Type: 'url-rewrite', UrlRewriteConfig: rewrite }],
    });
    world.edit('shop', { rules: [{ name: 'api', paths: ['/v2'], forward: [{ backend: 'web' }] }] });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True UnknownSetting');
    const calls = world.aws.control.calls('ModifyRule').filter((call) => !call.userAgent);
    expect(calls).toEqual([]);
  });

  it('goes by a read after someone has changed what it is about', async () => {
    const world = await settleShop();
    const arn = world.beside.find(({ id }) => id.includes('listener-rule'))?.id ?? '';
    world.outOfBand('DeleteRule', { RuleArn: arn });
    world.edit('shop', { rules: [{ name: 'api', paths: ['/v2'], forward: [{ backend: 'api' }] }] });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    const [listener] = world.aws.control.snapshot().listeners;
    expect(listener?.rules).toHaveLength(2);
  });

  it('with a reconcile request reads everything', async () => {
    const world = await settleShop();
    const calls = await world.callsDuring(async () => {
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(1_000);
    });
    expect(calls).toMatchObject({
      DescribeListeners: 1,
      DescribeRules: 1,
      DescribeTargetGroups: 1,
    });
  });

  it('after a restart reads everything', async () => {
    const world = await settleShop();
    await world.restart();
    const calls = await edited(world, { rules: [] });
    expect(calls).toMatchObject({ DescribeListeners: 1, DescribeRules: 1 });
  });
});

it('a rule that left the spec goes soon, although the operator is restarted before it is due', async () => {
  const old = { ...ruleOf(1), paths: ['/*'] };
  const world = await settleShop({ ...SHOP, rules: [ruleOf(0), old] });
  await world.edited('shop', { rules: [ruleOf(0, 'web')] }, 5_000);
  expect(world.condition('shop')).toBe('True Available');
  const countRules = (): number => {
    const [listener] = world.aws.control.snapshot().listeners;
    return listener?.rules.filter(({ priority }) => priority !== 'default').length ?? 0;
  };
  expect(countRules()).toBe(2);
  await world.restart();
  await world.clock.advance(2 * MINUTE_MS);
  expect(countRules()).toBe(1);
  expect(world.object('shop').status?.owned?.removals).toBeUndefined();
});
