import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { call, createBalancer, outcomeOf } from '../seeded-model.ts';
import {
  createGroup,
  createListener,
  createRule,
  describeRule,
  expectRefusal,
  forwardTo,
  HTTPS,
  onPath,
  type Refusal,
  trafficModel,
} from '../traffic/traffic-model.ts';

const redirect = (RedirectConfig: object, rest: object = {}): object => ({
  ...{ Type: 'redirect', ...rest },
  RedirectConfig: { StatusCode: 'HTTP_301', ...RedirectConfig },
});
const fixed = (FixedResponseConfig: object): object => ({
  ...{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404', ...FixedResponseConfig } },
});

function creation(aws: EmbeddedAws, shop: string, Actions: readonly object[]): [string, object] {
  const ListenerArn = createListener(aws, shop);
  return ['CreateRule', { ListenerArn, Priority: 1, Conditions: onPath('/'), Actions }];
}

const refused: Readonly<Record<string, Refusal & { readonly actions: readonly object[] }>> = {
  'no action': { actions: [], code: 'ValidationError', why: 'requests need an answer' },
  'an unknown type': { actions: [{ Type: 'drop' }], code: 'ValidationError', why: 'an enum' },
  'two that end a request': {
    actions: [fixed({}), fixed({})],
    code: 'InvalidLoadBalancerAction',
    why: 'only the last may',
  },
  authentication: {
    actions: [{ Type: 'authenticate-oidc' }],
    code: 'InvalidConfigurationRequest',
    message: 'not modelled',
    why: 'refused rather than ignored',
  },
  'order 0': { actions: [{ ...fixed({}), Order: 0 }], code: 'ValidationError', why: '1 to 50000' },
  'a redirect without its config': {
    actions: [{ Type: 'redirect' }],
    code: 'InvalidLoadBalancerAction',
    message:
      "For actions of type 'redirect', you must specify the following fields: 'RedirectConfig'",
    why: 'where to?',
  },
  'a redirect that changes nothing': {
    actions: [redirect({ Query: 'a=b' })],
    code: 'InvalidLoadBalancerAction',
    why: 'a loop',
  },
  'a redirect to its own listener': {
    actions: [redirect({ Protocol: 'HTTP', Port: '80', Path: '/#{path}' })],
    code: 'InvalidLoadBalancerAction',
    message: 'creates a loop',
    why: 'a loop',
  },
  'a redirect with status 303': {
    actions: [redirect({ Port: '81', StatusCode: 'HTTP_303' })],
    code: 'ValidationError',
    why: '301 and 302',
  },
  'a redirect to port 0': {
    actions: [redirect({ Port: '0' })],
    code: 'ValidationError',
    why: "by AWS's reference",
  },
  'a redirect to another protocol': {
    actions: [redirect({ Protocol: 'FTP' })],
    code: 'ValidationError',
    why: 'HTTP and HTTPS',
  },
  'a redirect to a path without its slash': {
    actions: [redirect({ Path: 'a' })],
    code: 'ValidationError',
    why: 'paths are absolute',
  },
  'a redirect to a path of 129 characters': {
    actions: [redirect({ Path: `/${'a'.repeat(128)}` })],
    code: 'ValidationError',
    why: 'the limit is 128',
  },
  'a placeholder where it has no meaning': {
    actions: [redirect({ Host: '#{path}' })],
    code: 'ValidationError',
    message: "The redirect host cannot contain '#{path}'",
    why: 'a host is no path',
  },
  'a fixed response with status 302': {
    actions: [fixed({ StatusCode: '302' })],
    code: 'ValidationError',
    why: '2XX, 4XX and 5XX',
  },
  'a fixed response without a status': {
    actions: [fixed({ StatusCode: undefined })],
    code: 'ValidationError',
    why: 'it is required',
  },
  'a body of 1025 characters': {
    actions: [fixed({ MessageBody: 'x'.repeat(1025) })],
    code: 'ValidationError',
    why: 'the limit is 1024',
  },
  'an image as a body': {
    actions: [fixed({ ContentType: 'image/png' })],
    code: 'InvalidLoadBalancerAction',
    message: 'The ContentType must be one of',
    why: 'five types are known',
  },
  'a forward to nowhere': {
    actions: [{ Type: 'forward' }],
    code: 'InvalidLoadBalancerAction',
    why: 'where to?',
  },
  'a forward without groups': {
    actions: [{ Type: 'forward', ForwardConfig: { TargetGroups: [] } }],
    code: 'InvalidLoadBalancerAction',
    why: 'where to?',
  },
};

describe('an action', () => {
  test('of type redirect is echoed with its placeholders', () => {
    const { aws, shop } = trafficModel();
    const Actions = [redirect({ Protocol: 'HTTPS', Port: '443' }, { Order: 1 })];
    const rule = createRule(aws, createListener(aws, shop), { Priority: 1, Actions });
    expect(describeRule(aws, rule)['Actions']).toEqual([
      {
        Type: 'redirect',
        Order: 1,
        RedirectConfig: {
          Protocol: 'HTTPS',
          Port: '443',
          Host: '#{host}',
          Path: '/#{path}',
          Query: '#{query}',
          StatusCode: 'HTTP_301',
        },
      },
    ]);
  });

  test('of type fixed-response is echoed as given', () => {
    const { aws, shop } = trafficModel();
    const full = fixed({
      StatusCode: '503',
      ContentType: 'text/html',
      MessageBody: '<h1>soon</h1>',
    });
    const rule = createRule(aws, createListener(aws, shop), { Priority: 1, Actions: [full] });
    expect(describeRule(aws, rule)['Actions']).toEqual([full]);
  });

  test.each([
    ['the short form', (arn: string) => ({ TargetGroupArn: arn })],
    [
      'the long form',
      (arn: string) => ({ ForwardConfig: { TargetGroups: [{ TargetGroupArn: arn }] } }),
    ],
    [
      'both',
      (arn: string) => ({
        TargetGroupArn: arn,
        ForwardConfig: { TargetGroups: [{ TargetGroupArn: arn, Weight: 1 }] },
      }),
    ],
  ])('of type forward to one group in %s is echoed in both', (_, formOf) => {
    const { aws, shop, web } = trafficModel();
    const Actions = [{ Type: 'forward', ...formOf(web) }];
    const rule = createRule(aws, createListener(aws, shop), { Priority: 1, Actions });
    expect(describeRule(aws, rule)['Actions']).toEqual([
      {
        Type: 'forward',
        TargetGroupArn: web,
        ForwardConfig: {
          TargetGroups: [{ TargetGroupArn: web, Weight: 1 }],
          TargetGroupStickinessConfig: { Enabled: false },
        },
      },
    ]);
  });

  test('of type forward to several groups has weights, and stickiness if asked for', () => {
    const { aws, shop, web } = trafficModel();
    const api = createGroup(aws, 'api');
    const TargetGroups = [
      { TargetGroupArn: web, Weight: 0 },
      { TargetGroupArn: api, Weight: 999 },
    ];
    const TargetGroupStickinessConfig = { Enabled: true, DurationSeconds: 3600 };
    const ForwardConfig = { TargetGroups, TargetGroupStickinessConfig };
    const Actions = [{ Type: 'forward', ForwardConfig }];
    const rule = createRule(aws, createListener(aws, shop), { Priority: 1, Actions });
    expect(describeRule(aws, rule)['Actions']).toEqual(Actions);
    const { TargetGroups: described } = call(aws, 'DescribeTargetGroups', {});
    for (const group of described) expect(group.LoadBalancerArns).toEqual([shop]);
  });

  test.each(Object.entries(refused))('is never %s', (_, { actions, ...refusal }) => {
    const { aws, shop } = trafficModel();
    expectRefusal(aws, creation(aws, shop, actions), refusal);
  });

  test('of a rule on HTTPS does not lead to HTTP', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const input = { ListenerArn, Priority: 1, Conditions: onPath('/') };
    expectRefusal(aws, ['CreateRule', { ...input, Actions: [redirect({ Protocol: 'HTTP' })] }], {
      code: 'InvalidLoadBalancerAction',
      why: 'AWS refuses the downgrade',
    });
    createRule(aws, ListenerArn, { Priority: 1, Actions: [redirect({ Host: 'www.#{host}' })] });
  });
});

describe('a forward', () => {
  type Group = { TargetGroupArn: string; Weight?: number };
  const to = (groups: readonly Group[], stickiness?: object): object => ({
    Type: 'forward',
    ForwardConfig: { TargetGroups: groups, TargetGroupStickinessConfig: stickiness },
  });

  test('is refused with bad weights, groups and durations', () => {
    const { aws, shop, web } = trafficModel();
    const groups = ['b', 'c', 'd', 'e', 'f'].map((name) => createGroup(aws, name));
    const [api = ''] = groups;
    const one = { TargetGroupArn: web, Weight: 1 };
    const create = creation(aws, shop, []);
    const cases: readonly (readonly [object, string, string])[] = [
      [to([one, { TargetGroupArn: api }]), 'ValidationError', 'a weight is missing'],
      [to([one, { TargetGroupArn: api, Weight: 1000 }]), 'ValidationError', '999 is the most'],
      [to([one, { TargetGroupArn: api, Weight: -1 }]), 'ValidationError', '0 is the least'],
      [to([one, one]), 'InvalidLoadBalancerAction', 'a group named twice'],
      [{ ...to([one]), TargetGroupArn: api }, 'InvalidLoadBalancerAction', 'two different groups'],
      [
        to([web, ...groups].map((arn) => ({ TargetGroupArn: arn, Weight: 1 }))),
        'InvalidLoadBalancerAction',
        'six groups',
      ],
      [to([one], { Enabled: true }), 'ValidationError', 'stickiness without a duration'],
      [to([one], { Enabled: true, DurationSeconds: 604_801 }), 'ValidationError', 'over a week'],
      [to([{ TargetGroupArn: 'arn:aws:x' }]), 'ValidationError', 'no ARN of a group'],
    ];
    for (const [action, code, why] of cases) {
      const [operation, input] = create;
      expectRefusal(aws, [operation, { ...input, Actions: [action] }], { code, why });
    }
  });

  test('is refused to a group of another balancer or VPC', () => {
    const { aws, shop, web } = trafficModel();
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    const other = createBalancer(aws, 'other')['LoadBalancerArn'] as string;
    expectRefusal(aws, creation(aws, other, forwardTo(web)), {
      code: 'TargetGroupAssociationLimit',
      message: `The following target groups cannot be associated with more than one load balancer: ${web}`,
      why: 'a group serves one balancer',
    });
    const far = createGroup(aws, 'far', { VpcId: 'vpc-other' });
    const [operation, input] = creation(aws, other, forwardTo(far));
    expectRefusal(aws, [operation, input], {
      code: 'InvalidConfigurationRequest',
      why: 'it could not reach them',
    });
  });

  test('is refused to HTTP/2 behind HTTP, and to IPv6 behind IPv4', () => {
    const { aws, shop } = trafficModel();
    const groups = ['HTTP2', 'GRPC'].map((ProtocolVersion) =>
      createGroup(aws, ProtocolVersion, { ProtocolVersion }),
    );
    const six = createGroup(aws, 'six', { IpAddressType: 'ipv6' });
    const [operation, input] = creation(aws, shop, []);
    for (const arn of groups) {
      expectRefusal(aws, [operation, { ...input, Actions: forwardTo(arn) }], {
        code: 'IncompatibleProtocols',
        why: 'HTTP/2 is on HTTPS only',
      });
    }
    expectRefusal(aws, [operation, { ...input, Actions: forwardTo(six) }], {
      code: 'InvalidConfigurationRequest',
      why: 'the balancer has no IPv6',
    });
    createRule(aws, createListener(aws, shop, HTTPS), {
      Priority: 1,
      Actions: forwardTo(...groups),
    });
  });

  test('is refused to more groups than the quota of the balancer; one used twice counts once', () => {
    const limits = { 'target-groups-per-application-load-balancer': 2 };
    const { aws, shop, web } = trafficModel({ limits });
    const ListenerArn = createListener(aws, shop, { DefaultActions: forwardTo(web) });
    const api = createGroup(aws, 'api');
    createRule(aws, ListenerArn, { Priority: 1, Actions: forwardTo(web, api) });
    const third = createGroup(aws, 'third');
    const rule = createRule(aws, ListenerArn, { Priority: 2, Actions: forwardTo(api) });
    const input = { ListenerArn, Priority: 3, Conditions: onPath('/'), Actions: forwardTo(third) };
    expectRefusal(aws, ['CreateRule', input], {
      code: 'TooManyUniqueTargetGroupsPerLoadBalancer',
      why: 'two is the quota',
    });
    expect(outcomeOf(aws, 'ModifyRule', { RuleArn: rule, Actions: forwardTo(third) })).toBe(
      'TooManyUniqueTargetGroupsPerLoadBalancer',
    );
    expect(outcomeOf(aws, 'CreateRule', { ...input, Actions: forwardTo(api) })).toBe('ok');
  });

  test('keeps a client at one of several groups where a group keeps it at a target', () => {
    const { aws, shop, web } = trafficModel();
    const api = createGroup(aws, 'api');
    const Attributes = [{ Key: 'stickiness.enabled', Value: 'true' }];
    call(aws, 'ModifyTargetGroupAttributes', { TargetGroupArn: api, Attributes });
    const [operation, input] = creation(aws, shop, forwardTo(web, api));
    expectRefusal(aws, [operation, input], {
      code: 'InvalidLoadBalancerAction',
      why: 'the client would change the group and lose its target',
    });
    expect(outcomeOf(aws, operation, { ...input, Actions: forwardTo(api) })).toBe('ok');
  });
});
