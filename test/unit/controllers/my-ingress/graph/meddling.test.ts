import { describe, expect, it } from 'vitest';
import type { ObservedListener } from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import { printPlan } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import { API, meddleRules, rule, settled, shop, tls, web, withRules } from './samples.ts';
import type { TrafficWorld } from './traffic-world.ts';

const planned = (world: TrafficWorld): readonly string[] => printPlan(world.plan());

describe('what others have done', () => {
  const conditions = [{ field: 'path-pattern' as const, values: ['/x'] }];
  const foreignRule = (priority: number): ObservedListener['rules'][number] => ({
    rule: {
      ...{ arn: `arn:foreign-${priority}`, priority, conditions, transforms: [] },
      actions: [{ kind: 'fixed-response', statusCode: 200 }],
    },
    tags: {},
  });

  it('keeps its priority, and ours avoids it', () => {
    const { world, aws } = settled(withRules('a', 'b'));
    meddleRules(aws, ({ rules }) => [...rules, foreignRule(150), foreignRule(300)]);
    world.spec = withRules('b', 'new', 'a');
    world.converge();
    const priorities = aws.observed().listeners[0]?.rules.map(({ rule: { priority } }) => priority);
    expect(priorities?.toSorted((a, b) => Number(a) - Number(b))).toEqual([
      100, 150, 200, 300, 301,
    ]);
  });

  it('holds a port, and everything else is applied', () => {
    const { world, aws } = settled({ ...shop, listeners: [{ port: 81, protocol: 'HTTP' }] });
    aws.meddle(({ listeners }) => ({
      listeners: listeners.map((one) => ({ ...one, tags: {} })),
    }));
    world.spec = {
      ...shop,
      listeners: [
        { port: 80, protocol: 'HTTP' },
        { port: 81, protocol: 'HTTP' },
      ],
    };
    const plan = world.plan();
    expect(plan.problems).toEqual([
      {
        ...{ id: 'listener/81', reason: 'PortConflict' },
        message: expect.stringMatching(/^port 81 is held by arn:/),
        next: expect.stringMatching(/albridge\.io\/adopt=web\/shop/),
      },
    ]);
    expect(plan.steps.map(({ id }) => id)).toContain('rule/80/spec/api/0');
    expect(plan.steps.map(({ id }) => id)).not.toContain('rule/81/spec/api/0');
  });

  it.each(['an action', 'a transform'])('to a rule of ours: %s is never dropped', (what) => {
    const { world, aws } = settled(shop);
    const actions = [{ kind: 'unknown' as const, type: 'authenticate-oidc' }];
    const transforms = [{ kind: 'url' as const, regex: '^/a', replace: '/b' }];
    meddleRules(aws, ({ rules }) =>
      rules.map(({ rule: one, tags }) => ({
        rule: what === 'an action' ? { ...one, actions } : { ...one, transforms },
        tags,
      })),
    );
    for (const spec of [shop, { ...shop, rules: [] }]) {
      world.spec = spec;
      const { steps, postponed, problems } = world.plan();
      expect({ steps, postponed }).toEqual({ steps: [], postponed: [] });
      expect(problems).toMatchObject([{ id: 'rule/80/spec/api/0', reason: 'UnknownSetting' }]);
    }
  });

  it('to the default action of a listener of ours is never dropped, and the rest goes on', () => {
    const { world, aws } = settled({ ...shop, listeners: [tls] });
    aws.meddle(({ listeners }) => ({
      listeners: listeners.map((one) => ({
        ...one,
        listener: {
          ...one.listener,
          defaultActions: [{ kind: 'unknown', type: 'jwt-validation' }],
        },
      })),
    }));
    world.spec = { ...shop, listeners: [{ ...tls, sslPolicy: 'ELBSecurityPolicy-FS-2018-06' }] };
    const { steps, problems } = world.plan();
    expect(steps.map(({ input }) => Object.keys(input))).toEqual([['arn', 'sslPolicy']]);
    expect(problems).toMatchObject([{ id: 'listener/443', reason: 'UnknownSetting' }]);
  });

  it('leaves a second rule of one id, which is deleted', () => {
    const { world, aws } = settled(shop);
    meddleRules(aws, ({ rules }) => [
      ...rules,
      ...rules.map(({ rule: one, tags }) => ({
        rule: { ...one, arn: 'arn:second', priority: 900 },
        tags,
      })),
    ]);
    const { steps } = world.plan();
    expect(steps.map(({ input }) => input)).toEqual([{ arn: 'arn:second' }]);
  });

  it('keeps a listener of ours that is not desired, if its rules are theirs', () => {
    const { world, aws } = settled({ ...shop, listeners: [tls] });
    meddleRules(aws, ({ rules }) => [...rules, foreignRule(1)]);
    world.spec = shop;
    world.converge();
    expect(world.plan().problems).toMatchObject([{ id: 'listener/443', reason: 'ResourceInUse' }]);
    expect(aws.observed().listeners).toHaveLength(2);
  });

  it('takes the name of a target group: its rules wait, all others are applied', () => {
    const { world, aws } = settled({ ...shop, backends: [web], rules: [] });
    aws.meddle(({ targetGroups }) => {
      const copies = targetGroups.map(({ targetGroup, ...rest }) => ({
        ...{ ...rest, tags: {}, targetGroup: { ...targetGroup, arn: 'arn:theirs', name: API } },
      }));
      return { targetGroups: [...targetGroups, ...copies] };
    });
    world.spec = {
      ...shop,
      rules: [...(shop.rules ?? []), { ...rule('web'), forward: [{ backend: 'web' }] }],
    };
    const { steps, problems } = world.plan();
    expect(steps.map(({ id }) => id)).toEqual(['rule/80/spec/web/0']);
    expect(problems).toMatchObject([
      { id: 'target-group/spec/api', reason: 'NameConflict' },
      { id: 'rule/80/spec/api/0', reason: 'BackendUnavailable' },
    ]);
  });

  it('to tags is repaired, and tags of theirs stay', () => {
    const { world, aws } = settled(shop);
    aws.meddle(({ listeners }) => ({
      listeners: listeners.map((one) => ({ ...one, tags: { ...one.tags, team: 'x', cost: '1' } })),
    }));
    expect(planned(world)).toEqual([
      'add tags to listener/80  (tag team: observed x, desired web)',
    ]);
  });
});
