import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../../src/core/reconcile/operator-error.ts';
import { certificateArn } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { ask } from './asked.ts';
import { settleShop } from './settle.ts';
import { listIds, SHOP, web } from './specs.ts';

const UNAVAILABLE = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
const REFUSED = { kind: 'error', code: 'ValidationError', status: 400, message: 'no' } as const;
const FIXED = { name: 'api', paths: ['/api/*'], fixedResponse: { statusCode: 410 } };
const PLAIN = [{ port: 80, protocol: 'HTTP' as const }];
const TLS = { port: 80, protocol: 'HTTPS' as const, certificates: [1, 2].map(certificateArn) };
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

  it.each([
    { what: 'changes', tags: { team: 'b' } },
    { what: 'removes', tags: {} },
  ])('that $what a tag and is taken back before reads show it is undone', async ({ tags }) => {
    const world = await settleShop({ ...SHOP, tags: { team: 'a' } });
    const teams = (): readonly (string | undefined)[] => {
      const { listeners, securityGroups, targetGroups } = world.aws.control.snapshot();
      const all = [...listeners, ...targetGroups, ...(securityGroups as typeof targetGroups)];
      return all.flatMap(({ tags }) => (tags['albridge.io/name'] ? [tags['team']] : []));
    };
    await world.clock.advance(3 * MINUTE_MS);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 20_000 });
    await world.edited('shop', { tags }, 300);
    await world.edited('shop', { tags: { team: 'a' } }, 1_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(new Set(teams())).toEqual(new Set(['a']));
  });

  it.each([
    { what: 'switches to HTTPS', change: { listeners: [TLS] } },
    {
      what: 'is refused in part',
      change: { rules: [FIXED, { ...FIXED, name: 'bad', hosts: ['?'] }] },
    },
  ])('that $what and is taken back before reads show it is undone', async ({ change }) => {
    const world = await settleShop({ ...SHOP, listeners: PLAIN });
    world.aws.control.setCertificates(TLS.certificates);
    await world.clock.advance(3 * MINUTE_MS);
    const before = world.aws.control.snapshot().listeners;
    world.fault('CreateRule', REFUSED, { forMs: 10_000 });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 20_000 });
    await world.edited('shop', change, 300);
    expect(world.aws.control.snapshot().listeners).not.toEqual(before);
    await world.edited('shop', { rules: SHOP.rules ?? [], listeners: PLAIN }, 1_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.aws.control.snapshot().listeners).toEqual(before);
  });

  it.each([
    { what: 'gives', given: ['sg-web'], next: undefined },
    { what: 'takes away', given: undefined, next: ['sg-web'] },
  ])(
    'that $what the managed security group and is taken back before reads show it is undone',
    async ({ given, next }) => {
      const securityGroups = (groups: readonly string[] | undefined): void => {
        if (groups === undefined) world.unset('shop', 'securityGroups');
        else world.edit('shop', { securityGroups: groups });
      };
      const world = await settleShop({ ...SHOP, ...(given && { securityGroups: given }) });
      await world.clock.advance(3 * MINUTE_MS);
      const before = world.balancer().securityGroups;
      world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 20_000 });
      securityGroups(next);
      await world.clock.advance(1_000);
      expect(world.balancer().securityGroups).not.toEqual(before);
      securityGroups(given);
      await world.clock.advance(1_000);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer().securityGroups).toEqual(before);
    },
  );

  it('whose further certificate is refused for a moment has it at once, though reads are old', async () => {
    const world = await settleShop({ ...SHOP, listeners: PLAIN });
    world.aws.control.setCertificates(TLS.certificates);
    await world.clock.advance(3 * MINUTE_MS);
    const away = { kind: 'error', code: 'ServiceUnavailable', status: 503, message: 'no' } as const;
    world.fault('AddListenerCertificates', away, { forMs: 1_500 });
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 20_000 });
    await world.edited('shop', { listeners: [TLS] }, 3_000);
    expect(world.condition('shop')).toBe('True Available');
    const [listener] = world.aws.world.traffic.listeners.all();
    expect(listener?.extraCertificateArns).toEqual(TLS.certificates.slice(1));
  });

  it.each([
    {
      operation: 'ModifyRule',
      pick: (n: number) => ({ rules: [{ ...FIXED, fixedResponse: { statusCode: 409 + n } }] }),
    },
    { operation: 'AddTags', pick: (n: number) => ({ tags: { team: `${n}` } }) },
  ])(
    'that AWS carries out without an answer is undone: $operation',
    async ({ operation, pick }) => {
      const world = await settleShop({ ...SHOP, ...pick(1) });
      await world.clock.advance(3 * MINUTE_MS);
      await world.edited('shop', pick(2), 500);
      const before = world.aws.control.snapshot().listeners;
      // The first AddTags is the balancer's.
      const skip = operation === 'AddTags' ? 1 : 0;
      world.fault(operation, { kind: 'lostResponse' }, { skip, forMs: 1_500 });
      await world.edited('shop', pick(1), 500);
      expect(world.aws.control.snapshot().listeners).not.toEqual(before);
      await world.edited('shop', pick(2), 3_000);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.aws.control.snapshot().listeners).toEqual(before);
    },
  );

  it('of its security groups that is made, taken back and made again has the last one', async () => {
    const world = await settled();
    await world.clock.advance(3 * MINUTE_MS);
    const given = world.balancer().securityGroups;
    world.unset('shop', 'securityGroups');
    await world.clock.advance(1_500);
    const managed = world.balancer().securityGroups;
    expect(managed).not.toEqual(given);
    await world.edited('shop', { securityGroups: ['sg-web'] }, 1_500);
    expect(world.balancer().securityGroups).toEqual(given);
    world.unset('shop', 'securityGroups');
    await world.clock.advance(1_500);
    expect(world.balancer().securityGroups).toEqual(managed);
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

  it('whose new rule was made without an answer, and changed by others, keeps its target group for its time', async () => {
    const world = await settleShop({ ...SHOP, rules: [] });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(10 * MINUTE_MS);
    world.fault('CreateRule', { kind: 'lostResponse' }, { times: 1 });
    world.edit('shop', { rules: [{ ...RULE, forward: [{ backend: 'api' }] }] });
    const { rules, targetGroups } = world.aws.world.traffic;
    await world.clock.advance(50);
    const [{ arn: RuleArn } = { arn: '' }] = rules
      .all()
      .filter(({ tags }) => tags.get('albridge.io/resource')?.startsWith('rule/'));
    const other = targetGroups.all().find(({ name }) => name.startsWith('shop-web-'));
    const Actions = [{ Type: 'forward', TargetGroupArn: other?.arn }];
    world.outOfBand('ModifyRule', { RuleArn, Actions });
    await world.edited('shop', { backends: [web], rules: [] }, 4 * MINUTE_MS);
    expect(world.writesToAws).not.toContain('DeleteTargetGroup');
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.writesToAws).toContain('DeleteTargetGroup');
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
