import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../../src/core/reconcile/operator-error.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { ask } from './asked.ts';
import { settleShop } from './settle.ts';
import { listIds, SHOP, web } from './specs.ts';

const UNAVAILABLE = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
const RULE = { name: 'api', paths: ['/api/*'] };

function settled(): Promise<World> {
  return settleShop({ ...SHOP, securityGroups: ['sg-web'] });
}

/** The name of the target group to which the rule sends requests. */
function targetOf(world: World): string | undefined {
  const { listeners, targetGroups } = world.aws.control.snapshot();
  const action = JSON.stringify(listeners[0]?.rules[0]?.actions);
  return targetGroups.find(({ arn }) => action.includes(arn))?.name;
}

describe('an edit', () => {
  it.each([
    {
      what: 'whose new target group is not visible yet',
      ...{ operation: 'DescribeTags', code: 'TargetGroupNotFound', skip: 1 },
    },
    {
      what: 'of whose listener AWS knows nothing for a moment',
      ...{ operation: 'CreateRule', code: 'ListenerNotFound', skip: 0 },
    },
  ] as const)(
    '$what changes no default action before the rule is there',
    async ({ operation, code, skip }) => {
      const world = await settleShop({ ...SHOP, rules: [] });
      const askApi = (): string => ask(world, { path: '/api/a' });
      expect(askApi()).toBe('forward web:1');
      const added = { name: 'more', service: { name: 'api', port: 80 } };
      const unseen = { kind: 'error', code, status: 400, message: 'not found' } as const;
      world.fault(operation, unseen, { skip, times: 1 });
      world.edit('shop', {
        backends: [...(SHOP.backends ?? []), added],
        rules: [{ ...RULE, forward: [{ backend: 'more' }] }],
        defaultAction: { fixedResponse: { statusCode: 404 } },
      });
      const answers = new Set<string>();
      for (let i = 0; i < 600; i++) {
        await world.clock.advance(100);
        answers.add(askApi());
      }
      expect([...answers]).toEqual(['forward web:1', 'forward more:1']);
      expect(ask(world, { path: '/' })).toBe('404');
    },
  );

  it('whose object is deleted in spite of its finalizer is not applied any further', async () => {
    const world = await settled();
    await world.clock.advance(3 * MINUTE_MS);
    world.fault('DescribeTags', { kind: 'delay', delayMs: 2_000 });
    world.edit('shop', { rules: [{ ...RULE, name: 'new', forward: [{ backend: 'api' }] }] });
    await world.clock.advance(500);
    const calls = await world.callsDuring(async () => {
      world.kube.deleteInSpite(world.object('shop'));
      await world.clock.advance(10_000);
    });
    expect(calls['CreateRule']).toBe(undefined);
  });

  it('that is taken back before reads show it is undone', async () => {
    const world = await settled();
    const before = targetOf(world);
    expect(before).toMatch(/^shop-api-/);
    world.fault('ModifyRule', { kind: 'lostResponse' }, { times: 3 });
    world.edit('shop', { rules: [{ ...RULE, forward: [{ backend: 'web' }] }] });
    for (let i = 0; i < 50 && targetOf(world) === before; i++) await world.clock.advance(100);
    expect(targetOf(world)).toMatch(/^shop-web-/);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.edited('shop', { rules: [{ ...RULE, forward: [{ backend: 'api' }] }] }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(targetOf(world)).toBe(before);
  });

  it('whose new rule was made without an answer keeps the old one until requests reach the new', async () => {
    const world = await settled();
    const names = (): readonly string[] => listIds(world).filter((id) => id.startsWith('rule/'));
    world.fault('CreateRule', { kind: 'lostResponse' }, { times: 1 });
    world.edit('shop', { rules: [{ ...RULE, name: 'new', forward: [{ backend: 'api' }] }] });
    await world.clock.advance(10_000);
    expect(world.aws.control.calls('CreateRule')).toHaveLength(2);
    expect(names()).toEqual(['rule/80/spec/api/0', 'rule/80/spec/new/0']);
    await world.clock.advance(MINUTE_MS);
    expect(names()).toEqual(['rule/80/spec/new/0']);
  });

  it('whose new rule reaches AWS twice keeps the old one until requests reach the new', async () => {
    const world = await settled();
    const names = (): readonly string[] => listIds(world).filter((id) => id.startsWith('rule/'));
    world.fault('CreateRule', { kind: 'delay', delayMs: 1_000 }, { times: 1 });
    world.edit('shop', { rules: [{ ...RULE, name: 'new', forward: [{ backend: 'api' }] }] });
    await world.clock.advance(500);
    const [, sent] = world.aws.control.calls('CreateRule');
    world.outOfBand('CreateRule', sent?.input ?? {});
    await world.clock.advance(10_000);
    expect(sent?.outcome).toBe('PriorityInUse');
    expect(names()).toEqual(['rule/80/spec/api/0', 'rule/80/spec/new/0']);
    await world.clock.advance(MINUTE_MS);
    expect(names()).toEqual(['rule/80/spec/new/0']);
  });

  it('keeps the old rule while AWS does not know the listener of the new one, and for a window more', async () => {
    const world = await settled();
    const names = (): readonly string[] => listIds(world).filter((id) => id.startsWith('rule/'));
    const unknown = { code: 'ListenerNotFound', status: 400, message: 'not found' } as const;
    world.fault('CreateRule', { kind: 'error', ...unknown }, { times: 3 });
    world.edit('shop', { rules: [{ ...RULE, name: 'new', forward: [{ backend: 'api' }] }] });
    const seen = new Set<string>();
    for (let i = 0; i < 600; i++) {
      await world.clock.advance(100);
      seen.add(names().join(' '));
    }
    const both = 'rule/80/spec/api/0 rule/80/spec/new/0';
    expect([...seen]).toEqual(['rule/80/spec/api/0', both, 'rule/80/spec/new/0']);
  });

  it('that adds a listener writes nothing to one that others have made like it', async () => {
    const world = await settled();
    const { arn } = world.balancer();
    const FixedResponseConfig = { StatusCode: '404', ContentType: 'text/plain', MessageBody: '' };
    world.outOfBand('CreateListener', {
      ...{ LoadBalancerArn: arn, Port: 8080, Protocol: 'HTTP' },
      DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig }],
    });
    const defaultAction = { fixedResponse: { statusCode: 404 } };
    await world.edited(
      'shop',
      {
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP', defaultAction },
        ],
      },
      MINUTE_MS,
    );
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
    const theirs = world.aws.control.snapshot().listeners.find(({ port }) => port === 8080);
    expect(theirs?.rules).toHaveLength(1);
  });

  const more = { ...web, name: 'more' };
  const edited = { backends: [...(SHOP.backends ?? []), more] };
  const listRecorded = (world: World): readonly string[] =>
    world.object('shop').status.owned?.targetGroups ?? [];

  it('that adds a backend puts its target group on record while the tags are read', async () => {
    const world = await settled();
    world.fault('DescribeTags', { kind: 'delay', delayMs: 5_000 }, { times: 1 });
    const calls = await world.callsDuring(async () => {
      await world.edited('shop', edited, 1_000);
    });
    expect(calls).toEqual({ DescribeTags: 1 });
    expect(listRecorded(world)).toContainEqual(expect.stringMatching(/^shop-more-/));
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('that adds a backend creates no target group before it is on record', async () => {
    const world = await settled();
    const release = world.kube.holdNext('applyStatus');
    const before = await world.callsDuring(async () => {
      await world.edited('shop', edited, 1_000);
    });
    expect(before).toEqual({ DescribeTags: 1 });
    release();
    const after = await world.callsDuring(() => world.clock.advance(1_000));
    expect(after).toMatchObject({ CreateTargetGroup: 1 });
  });

  it('that adds a backend is applied although its record could not be stored at first', async () => {
    const world = await settled();
    world.kube.failNext('applyStatus', new OperatorError({ ...UNAVAILABLE }));
    await world.edited('shop', edited, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listRecorded(world)).toContainEqual(expect.stringMatching(/^shop-more-/));
  });
});
