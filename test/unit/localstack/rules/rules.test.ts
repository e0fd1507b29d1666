import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { call, outcomeOf } from '../seeded-model.ts';
import {
  createListener,
  createRule,
  describeRule,
  expectRefusal,
  forwardTo,
  goneArn,
  NOT_FOUND,
  onPath,
  trafficModel,
} from '../traffic/traffic-model.ts';

function ruled(settings = {}) {
  const model = trafficModel(settings);
  const ListenerArn = createListener(model.aws, model.shop);
  const { Rules } = call(model.aws, 'DescribeRules', { ListenerArn });
  return { ...model, ListenerArn, defaultRule: Rules[0].RuleArn as string };
}

function prioritiesOf(aws: EmbeddedAws, input: object): string[] {
  return call(aws, 'DescribeRules', input)['Rules'].map(
    ({ Priority }: { Priority: string }) => Priority,
  );
}

const rewrite = {
  Type: 'url-rewrite',
  UrlRewriteConfig: { Rewrites: [{ Regex: '^/a/(.*)$', Replace: '/$1' }] },
};

const rewriting = (Regex: string, Replace: string): object => ({
  ...{ Type: 'url-rewrite', UrlRewriteConfig: { Rewrites: [{ Regex, Replace }] } },
});

describe('CreateRule', () => {
  test('answers what AWS answers, the priority as text', () => {
    const { aws, ListenerArn, web } = ruled();
    const input = { ListenerArn, Priority: 7, Conditions: onPath('/a'), Actions: forwardTo(web) };
    const Tags = [{ Key: 'team', Value: 'web' }];
    const { Rules } = call(aws, 'CreateRule', { ...input, Tags, Transforms: [rewrite] });
    expect(Rules).toEqual([
      {
        RuleArn: expect.stringMatching(
          new RegExp(`^${ListenerArn.replace(':listener/', ':listener-rule/')}/[0-9a-f]{16}$`),
        ),
        Priority: '7',
        Conditions: [
          { Field: 'path-pattern', Values: ['/a'], PathPatternConfig: { Values: ['/a'] } },
        ],
        Actions: [expect.objectContaining({ Type: 'forward', TargetGroupArn: web })],
        IsDefault: false,
        Transforms: [rewrite],
      },
    ]);
    expect(describeRule(aws, Rules[0].RuleArn)).toEqual(Rules[0]);
    const ResourceArns = [Rules[0].RuleArn];
    expect(call(aws, 'DescribeTags', { ResourceArns })['TagDescriptions'][0].Tags).toEqual(Tags);
  });

  test('refuses a priority in use, though the rule is the same', () => {
    const { aws, shop, ListenerArn } = ruled();
    createRule(aws, ListenerArn, 7);
    const same = { ListenerArn, Priority: 7, Conditions: onPath('/7'), Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', same], {
      code: 'PriorityInUse',
      message: "Priority '7' is currently in use",
      why: 'a rule is not created twice',
    });
    createRule(aws, createListener(aws, shop, { Port: 81 }), 7);
  });

  test.each([0, 50_001, undefined, 1.5])('refuses the priority %s', (Priority) => {
    const { aws, ListenerArn } = ruled();
    const input = { ListenerArn, Priority, Conditions: onPath('/'), Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', input], { code: 'ValidationError', why: '1 to 50000' });
  });

  test('refuses more rules than the quota, over all listeners, default ones aside', () => {
    const limits = { 'rules-per-application-load-balancer': 2 };
    const { aws, shop, ListenerArn } = ruled({ limits });
    createRule(aws, ListenerArn, 1);
    const second = createListener(aws, shop, { Port: 81 });
    createRule(aws, second, 1);
    const input = { ListenerArn: second, Priority: 2, Conditions: onPath('/'), Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', input], { code: 'TooManyRules', why: 'two is the quota' });
  });

  test('refuses a listener that is gone', () => {
    const { aws, ListenerArn } = ruled();
    const input = { Priority: 1, Conditions: onPath('/'), Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', { ...input, ListenerArn: goneArn(ListenerArn) }], {
      code: 'ListenerNotFound',
      why: 'there is none',
    });
  });

  test.each([
    ['two of a type', [rewrite, rewrite]],
    ['a foreign config', [{ ...rewrite, Type: 'host-header-rewrite' }]],
    ['no rewrite', [{ Type: 'url-rewrite', UrlRewriteConfig: { Rewrites: [] } }]],
    ['an unknown type', [{ Type: 'body-rewrite' }]],
    ['a regex that is none', [rewriting('(a', '/b')]],
    ['a regex that looks ahead', [rewriting('a(?=b)', '/b')]],
    ['a group that the regex lacks', [rewriting('^/(a)$', '/$2')]],
    [
      'a regex of 1025 characters',
      [
        {
          Type: 'url-rewrite',
          UrlRewriteConfig: { Rewrites: [{ Regex: 'x'.repeat(1025), Replace: '' }] },
        },
      ],
    ],
  ])('refuses transforms with %s', (why, Transforms) => {
    const { aws, ListenerArn } = ruled();
    const input = { ListenerArn, Priority: 1, Conditions: onPath('/'), Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', { ...input, Transforms }], { code: 'ValidationError', why });
  });
});

describe('DescribeRules', () => {
  test('orders by priority, the default rule last, in pages', () => {
    const { aws, ListenerArn } = ruled();
    for (const priority of [300, 20, 50_000]) createRule(aws, ListenerArn, priority);
    expect(prioritiesOf(aws, { ListenerArn })).toEqual(['20', '300', '50000', 'default']);
    const first = call(aws, 'DescribeRules', { ListenerArn, PageSize: 2 });
    createRule(aws, ListenerArn, 1);
    const rest = { ListenerArn, PageSize: 2, Marker: first['NextMarker'] };
    expect(prioritiesOf(aws, rest)).toEqual(['50000', 'default']);
  });

  test('finds rules of several listeners by ARN, all or none', () => {
    const { aws, shop, ListenerArn, defaultRule } = ruled();
    const other = createRule(aws, createListener(aws, shop, { Port: 81 }), 9);
    expect(prioritiesOf(aws, { RuleArns: [other, defaultRule, other] })).toEqual(['9', 'default']);
    const cases: readonly (readonly [object, string])[] = [
      [{ RuleArns: [other, goneArn(other)] }, 'RuleNotFound'],
      [{ RuleArns: [ListenerArn] }, 'ValidationError'],
      [{ ListenerArn: goneArn(ListenerArn) }, 'ListenerNotFound'],
      [{ ListenerArn, RuleArns: [other] }, 'ValidationError'],
      [{}, 'ValidationError'],
      [{ ListenerArn, PageSize: 401 }, 'ValidationError'],
    ];
    for (const [input, code] of cases) {
      expect(outcomeOf(aws, 'DescribeRules', input), JSON.stringify(input)).toBe(code);
    }
  });
});

describe('ModifyRule', () => {
  test('replaces the lists that are given; an empty one means unchanged', () => {
    const { aws, ListenerArn, web } = ruled();
    const RuleArn = createRule(aws, ListenerArn, { Priority: 5, Transforms: [rewrite] });
    call(aws, 'ModifyRule', { RuleArn, Actions: forwardTo(web), Conditions: [], Transforms: [] });
    expect(describeRule(aws, RuleArn)).toMatchObject({
      Priority: '5',
      Conditions: [{ Values: ['/5'] }],
      Actions: [{ TargetGroupArn: web }],
      Transforms: [rewrite],
    });
    call(aws, 'ModifyRule', { RuleArn, Conditions: onPath('/x'), Actions: [] });
    expect(describeRule(aws, RuleArn)).toMatchObject({
      Conditions: [{ Values: ['/x'] }],
      Actions: [{ TargetGroupArn: web }],
    });
  });

  test('removes transforms only by ResetTransforms', () => {
    const { aws, ListenerArn } = ruled();
    const RuleArn = createRule(aws, ListenerArn, { Priority: 5, Transforms: [rewrite] });
    const both = { RuleArn, Transforms: [rewrite], ResetTransforms: true };
    expectRefusal(aws, ['ModifyRule', both], { code: 'ValidationError', why: 'one or the other' });
    call(aws, 'ModifyRule', { RuleArn, ResetTransforms: true });
    expect(describeRule(aws, RuleArn)).not.toHaveProperty('Transforms');
  });

  test('is refused for the default rule, a rule that is gone, and what a create refuses', () => {
    const { aws, ListenerArn, defaultRule } = ruled();
    const RuleArn = createRule(aws, ListenerArn, 5);
    const cases: readonly (readonly [object, string])[] = [
      [{ RuleArn: defaultRule, Actions: NOT_FOUND }, 'OperationNotPermitted'],
      [{ RuleArn: goneArn(RuleArn), Actions: NOT_FOUND }, 'RuleNotFound'],
      [{ RuleArn, Actions: [{ Type: 'redirect' }] }, 'InvalidLoadBalancerAction'],
      [{ RuleArn, Conditions: [{ Field: 'cookie' }] }, 'ValidationError'],
    ];
    for (const [input, code] of cases) {
      expectRefusal(aws, ['ModifyRule', input], { code, why: JSON.stringify(input) });
    }
  });
});

describe('DeleteRule', () => {
  test('removes a rule once, and never the default one', () => {
    const { aws, ListenerArn, defaultRule, web } = ruled();
    const RuleArn = createRule(aws, ListenerArn, { Priority: 5, Actions: forwardTo(web) });
    expect(call(aws, 'DeleteRule', { RuleArn })).toEqual({});
    expect(outcomeOf(aws, 'DeleteRule', { RuleArn })).toBe('RuleNotFound');
    expect(outcomeOf(aws, 'DeleteTargetGroup', { TargetGroupArn: web })).toBe('ok');
    expectRefusal(aws, ['DeleteRule', { RuleArn: defaultRule }], {
      code: 'OperationNotPermitted',
      message: `Default rule '${defaultRule}' cannot be deleted`,
      why: 'requests need an answer',
    });
  });
});

describe('SetRulePriorities', () => {
  test('swaps and shifts in one call, and leaves the others', () => {
    const { aws, ListenerArn } = ruled();
    const [one = '', two = '', three = ''] = [1, 2, 3].map((at) =>
      createRule(aws, ListenerArn, at),
    );
    const RulePriorities = [
      { RuleArn: one, Priority: 2 },
      { RuleArn: two, Priority: 1 },
    ];
    expect(call(aws, 'SetRulePriorities', { RulePriorities })['Rules']).toMatchObject([
      { RuleArn: one, Priority: '2' },
      { RuleArn: two, Priority: '1' },
    ]);
    expect(describeRule(aws, three)['Priority']).toBe('3');
    const again = [{ RuleArn: three, Priority: 3 }];
    call(aws, 'SetRulePriorities', { RulePriorities: again });
    expect(prioritiesOf(aws, { ListenerArn })).toEqual(['1', '2', '3', 'default']);
  });

  test('is refused as a whole', () => {
    const { aws, shop, ListenerArn, defaultRule } = ruled();
    const [one = '', two = '', three = ''] = [1, 2, 3].map((at) =>
      createRule(aws, ListenerArn, at),
    );
    const far = createRule(aws, createListener(aws, shop, { Port: 81 }), 9);
    const to = (...pairs: (readonly [string, number])[]): object[] =>
      pairs.map(([RuleArn, Priority]) => ({ RuleArn, Priority }));
    const cases: readonly (readonly [readonly object[], string])[] = [
      [to([one, 8], [two, 3]), 'PriorityInUse'],
      [to([one, 8], [two, 8]), 'ValidationError'],
      [to([one, 8], [one, 9]), 'ValidationError'],
      [to([one, 8], [far, 8]), 'ValidationError'],
      [to([one, 8], [defaultRule, 9]), 'OperationNotPermitted'],
      [to([one, 8], [goneArn(three), 9]), 'RuleNotFound'],
      [to([one, 50_001]), 'ValidationError'],
      [[], 'ValidationError'],
    ];
    for (const [RulePriorities, code] of cases) {
      const why = JSON.stringify(RulePriorities);
      expectRefusal(aws, ['SetRulePriorities', { RulePriorities }], { code, why });
    }
  });
});
