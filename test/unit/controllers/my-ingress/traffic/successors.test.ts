import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { certificateArn } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

const KEY = 'web/shop';
const OTHER: Partial<MyIngressSpec> = { backends: [web, { ...api, protocol: 'HTTPS' }] };

/** The targets of `api` are not healthy before a test says so. */
async function settled(spec: Partial<MyIngressSpec> = SHOP): Promise<World> {
  const world = await World.having('shop', spec);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world;
}

async function edited(spec: Partial<MyIngressSpec> = OTHER, from = SHOP): Promise<World> {
  const world = await settled(from);
  world.targets.say(KEY, 'api', { healthy: 0 });
  await world.clock.advance(2_000);
  await world.edited('shop', spec, 2_000);
  return world;
}

/** `api:HTTP 1, api:HTTPS 0` of the rule, or of what a listener does by default. */
function weights(world: World, at: 'rule' | 'default' = 'rule'): string {
  const { listeners } = world.aws.control.snapshot();
  const targetGroups = [...world.aws.world.traffic.targetGroups.all()];
  const rules = listeners[0]?.rules ?? [];
  const rule = rules.find(({ priority }) => (priority === 'default') === (at === 'default'));
  const [action] = rule?.actions ?? [];
  const { ForwardConfig } = action as { ForwardConfig: { TargetGroups: Weighted[] } };
  return ForwardConfig.TargetGroups.map(({ TargetGroupArn, Weight = 1 }) => {
    const group = targetGroups.find(({ arn }) => arn === TargetGroupArn);
    const backend = group?.name.split('-')[1];
    return `${backend}:${group?.protocol} ${Weight}`;
  })
    .toSorted()
    .join(', ');
}

interface Weighted {
  readonly TargetGroupArn: string;
  readonly Weight?: number;
}

function countGroups(world: World): number {
  return world.aws.control.snapshot().targetGroups.length;
}

const switches = (world: World): readonly string[] =>
  world.events.reasons.filter((one) => one === 'SwitchedDirectly');

describe('a target group that takes the place of another', () => {
  it('does not keep a scan from the repair of what others change about the balancer meanwhile', async () => {
    const world = World.started({ scanMs: MINUTE_MS });
    await world.applied('shop', { ...SHOP, securityGroups: ['sg-web', 'sg-admin'] });
    await world.clock.advance(2 * MINUTE_MS);
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.edited('shop', OTHER, 2_000);
    const LoadBalancerArn = world.balancers[0]?.arn;
    world.outOfBand('SetSecurityGroups', { LoadBalancerArn, SecurityGroups: ['sg-web'] });
    await world.clock.advance(3 * MINUTE_MS);
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    expect(world.balancers[0]?.securityGroups).toEqual(['sg-web', 'sg-admin']);
  });

  it('joins with weight 0, so that AWS checks its targets, and takes the requests once these are healthy', async () => {
    const world = await edited();
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    expect(world.message('shop')).toContain(': api 0/2');
    await world.clock.advance(2 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    world.targets.say(KEY, 'api', { healthy: 2 });
    await world.clock.advance(2_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(world.condition('shop')).toBe('True Available');
    expect(switches(world)).toEqual([]);
    expect(countGroups(world)).toBe(3);
    await world.clock.advance(6 * MINUTE_MS);
    expect(countGroups(world)).toBe(2);
  });

  it('takes them with one healthy node, where a node without a pod fails the check as meant', async () => {
    const world = await edited();
    world.targets.say(KEY, 'api', { healthy: 0, isPartial: true });
    await world.clock.advance(2 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    world.targets.say(KEY, 'api', { healthy: 1, isPartial: true });
    await world.clock.advance(2_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toEqual([]);
  });

  it('waits for five minutes, then takes them with a warning', async () => {
    const world = await edited();
    await world.clock.advance(4 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    await world.clock.advance(MINUTE_MS);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toHaveLength(1);
    expect(world.events.recorded.map(({ note }) => note).join()).toContain(
      'its targets were not healthy within 5 minutes',
    );
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'TargetsHealthy')).toBe('False TargetsUnhealthy');
  });

  it('waits for as long as it can have no target and the one before it has some', async () => {
    const world = await settled();
    const problem = { reason: 'NodePortNotFound', message: 'no node port', sinceMs: 0 };
    const empty = { desired: 0, registered: 0, healthy: 0, isReplacing: true, problem } as const;
    world.targets.say(KEY, 'api', empty);
    await world.edited('shop', OTHER, 30 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    expect(world.condition('shop', 'BackendsResolved')).toBe('False NodePortNotFound');
    const calls = await world.callsDuring(() => world.clock.advance(MINUTE_MS));
    expect(calls).toEqual({});
    world.targets.unsay(KEY, 'api');
    await world.clock.advance(2_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toEqual([]);
  });

  it.each([
    { afterMs: 30 * MINUTE_MS, since: 'it has waited for half an hour' },
    { afterMs: 5 * MINUTE_MS - 10_000, since: 'nothing has happened since it joined' },
  ])('has five minutes from its first target on, where $since', async ({ afterMs }) => {
    const world = await settled();
    world.targets.say(KEY, 'api', { desired: 0, registered: 0, healthy: 0, isReplacing: true });
    await world.edited('shop', OTHER, afterMs);
    world.targets.say(KEY, 'api', { desired: 1, registered: 1, healthy: 0, isReplacing: true });
    await world.clock.advance(5 * MINUTE_MS - 2_000);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    expect(switches(world)).toEqual([]);
    await world.clock.advance(4_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toHaveLength(1);
  });

  it.each([
    { what: 'health check', edit: { healthCheck: { path: '/live' } } },
    { what: 'Service', edit: { service: { ...api.service, port: 8081 } } },
  ])('has five minutes again after an edit of its $what, and of nothing else', async ({ edit }) => {
    const world = await edited();
    await world.clock.advance(5 * MINUTE_MS - 10_000);
    const backends = [web, { ...api, protocol: 'HTTPS' as const, ...edit }];
    await world.edited('shop', { backends }, 5 * MINUTE_MS - 10_000);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    await world.edited('shop', { tags: { team: 'red' } }, 5_000);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    await world.clock.advance(7_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toHaveLength(1);
  });

  it('has them again once after an edit of its health check that AWS refuses', async () => {
    const world = await edited();
    const refusal = { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' } as const;
    world.fault('ModifyTargetGroup', refusal, { forMs: 60 * MINUTE_MS });
    const backends = [web, { ...api, protocol: 'HTTPS' as const, healthCheck: { path: '/live' } }];
    await world.edited('shop', { backends }, 4 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    await world.clock.advance(6 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTPS 1');
  });

  it('takes them within seconds where neither of them has a target', async () => {
    const world = await settled();
    world.targets.say(KEY, 'api', { desired: 0, registered: 0, healthy: 0 });
    await world.edited('shop', OTHER, 5_000);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toEqual([]);
  });

  it('is not awaited where the spec goes back: the one that serves goes on alone', async () => {
    const world = await edited();
    await world.edited('shop', SHOP, 2_000);
    expect(weights(world)).toBe('api:HTTP 1');
    expect(world.condition('shop')).toBe('True Available');
    await world.clock.advance(6 * MINUTE_MS);
    expect(countGroups(world)).toBe(2);
  });

  it('comes back out of its retirement with weight 0, where the spec goes back later', async () => {
    const world = await edited();
    world.targets.say(KEY, 'api', { healthy: 2 });
    await world.clock.advance(MINUTE_MS);
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.edited('shop', SHOP, 2_000);
    expect(weights(world)).toBe('api:HTTP 0, api:HTTPS 1');
    world.targets.say(KEY, 'api', { healthy: 2 });
    await world.clock.advance(8 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1');
    expect(countGroups(world)).toBe(2);
  });

  it('joins a rule that is new, too', async () => {
    const world = await edited();
    const rule = { name: 'v2', paths: ['/v2'], forward: [{ backend: 'api', weight: 1 }] };
    await world.edited('shop', { rules: [rule] }, 1_000);
    const { listeners } = world.aws.control.snapshot();
    const own = listeners[0]?.rules.find(({ tags }) =>
      tags['albridge.io/resource']?.includes('/v2/'),
    );
    expect(JSON.stringify(own?.actions)).toMatch(/"Weight":1.*"Weight":0|"Weight":0.*"Weight":1/);
  });

  it('waits on after a restart, and is not switched back', async () => {
    const world = await edited();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(weights(world)).toBe('api:HTTP 1, api:HTTPS 0');
    world.targets.say(KEY, 'api', { healthy: 2 });
    await world.clock.advance(5 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTPS 1');
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTPS 1');
  });

  it('costs one read for each change of its targets', async () => {
    const world = await edited();
    const calls = await world.callsDuring(async () => {
      world.targets.say(KEY, 'api', { healthy: 1 });
      await world.clock.advance(5_000);
    });
    expect(calls).toEqual({ DescribeTags: 1 });
  });
});

describe('a target group takes the place of another at once, with a warning,', () => {
  const names = ['api', 'b', 'c', 'd', 'e'];
  const backends = names.map((name) => ({ ...api, name }));
  const forward = names.map((backend) => ({ backend, weight: 1 }));

  it('where its action has five already', async () => {
    const rules = [{ name: 'all', paths: ['/all'], forward }];
    const from = { ...SHOP, backends: [web, ...backends], rules };
    const [first, ...others] = backends;
    const to = [web, { ...api, ...first, protocol: 'HTTPS' as const }, ...others];
    const world = await edited({ backends: to }, from);
    expect(weights(world)).toContain('api:HTTPS 1');
    expect(weights(world)).not.toContain('api:HTTP 1');
    expect(switches(world)).toHaveLength(1);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('where the backend is sticky', async () => {
    const sticky = { ...api, stickiness: { durationSeconds: 60 } };
    const from = { ...SHOP, backends: [web, sticky] };
    const world = await edited({ backends: [web, { ...sticky, protocol: 'HTTPS' }] }, from);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toHaveLength(1);
    expect(world.condition('shop')).toBe('True Available');
    const [attributes, rule] = ['ModifyTargetGroupAttributes', 'ModifyRule'];
    expect(world.writesToAws.filter((one) => one === attributes || one === rule)).toEqual([
      ...[attributes, attributes, rule],
    ]);
  });

  it('where AWS refuses both in one action, which is no problem of the object', async () => {
    const world = await settled();
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.clock.advance(2_000);
    const code = 'InvalidLoadBalancerAction';
    world.fault('ModifyRule', { kind: 'error', code, status: 400, message: 'no mixtures' });
    await world.edited('shop', OTHER, 500);
    expect(weights(world)).toBe('api:HTTP 1');
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    expect(world.message('shop')).toContain('AWS refuses the old and the new target group');
    await world.clock.advance(4_500);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toHaveLength(1);
    expect(world.events.reasons).not.toContain('InvalidLoadBalancerAction');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('waits where the right to change the rule is missing, and AWS is asked each minute at most', async () => {
    const world = await settled();
    const denied = { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' } as const;
    world.fault('ModifyRule', denied, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', OTHER, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True AccessDenied');
    const calls = await world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
    expect(calls['ModifyRule']).toBeGreaterThan(1);
    expect(calls['ModifyRule']).toBeLessThanOrEqual(10);
    expect(weights(world)).toBe('api:HTTP 1');
    await world.clock.advance(60 * MINUTE_MS);
    expect(weights(world)).toBe('api:HTTPS 1');
    expect(switches(world)).toEqual([]);
  });

  it('waits although AWS has refused another certificate of the listener, for its quota', async () => {
    const [first, second] = [certificateArn(1), certificateArn(2)];
    const serve = (...certificates: readonly string[]): Partial<MyIngressSpec> => ({
      listeners: [{ port: 443, protocol: 'HTTPS', certificates }],
    });
    const world = World.started();
    world.aws.control.setCertificates([first, second]);
    const plain = { backends: [api], defaultAction: { forward: [{ backend: 'api' }] } };
    await world.applied('shop', { ...plain, ...serve(first) });
    world.targets.say(KEY, 'api', { healthy: 0 });
    await world.clock.advance(2_000);
    const full = { code: 'TooManyCertificates', status: 400, message: 'full' };
    world.fault('AddListenerCertificates', { kind: 'error', ...full }, { forMs: 60 * MINUTE_MS });
    const edit = { backends: [{ ...api, protocol: 'HTTPS' as const }], ...serve(first, second) };
    await world.edited('shop', edit, 4 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(weights(world, 'default')).toBe('api:HTTP 1, api:HTTPS 0');
    expect(switches(world)).toEqual([]);
  });
});
