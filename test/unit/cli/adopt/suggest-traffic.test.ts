import { describe, expect, it } from 'vitest';
import type { TargetGroup } from '../../../../src/aws/elbv2/traffic.ts';
import type {
  GroupWithAttributes,
  ListenerWithRules,
} from '../../../../src/cli/adopt/observe-balancer.ts';
import { suggestTraffic } from '../../../../src/cli/adopt/suggest-traffic.ts';
import { readRoutes } from '../../../../src/controllers/my-ingress/routes/read-routes.ts';
import { ARN, balancerOf } from './balancer.ts';

const CHECK = {
  ...{ path: '/', intervalSeconds: 30, timeoutSeconds: 5, healthyThreshold: 5 },
  ...{ unhealthyThreshold: 2, matcher: '200' },
};

function groupOf(
  name: string,
  changes: Partial<TargetGroup> = {},
  attributes: GroupWithAttributes['attributes'] = {},
): GroupWithAttributes {
  const targetGroup = {
    ...{ arn: `arn:${name}`, name, targetType: 'ip', protocol: 'HTTP', protocolVersion: 'HTTP1' },
    ...{ port: 8080, vpcId: 'vpc-1', ipAddressType: 'ipv4', loadBalancerArns: [ARN] },
    healthCheck: { protocol: 'HTTP', port: 'traffic-port', ...CHECK },
    ...changes,
  };
  return { targetGroup, attributes };
}

function forwardTo(...names: readonly string[]) {
  const targetGroups = names.map((name, index) => ({ arn: `arn:${name}`, weight: index + 1 }));
  return { kind: 'forward', targetGroups } as const;
}

function listenerOf(
  changes: Partial<ListenerWithRules['listener']>,
  rules: readonly (Partial<ListenerWithRules['rules'][number]> & {
    readonly priority: number;
  })[] = [],
): ListenerWithRules {
  const listener = {
    ...{ arn: 'arn:listener', loadBalancerArn: ARN, port: 80, protocol: 'HTTP' },
    ...{ certificates: [], defaultActions: [forwardTo('Web')] },
    ...changes,
  };
  const whole = rules.map((rule) => {
    return { arn: 'arn:rule', conditions: [], actions: [], transforms: [], ...rule };
  });
  return { listener, attributes: {}, rules: whole };
}

const WEB = groupOf('Web');

describe('the traffic of a balancer in the words of a spec', () => {
  it('has backends, listeners and rules', () => {
    const certificates = ['arn:acm:1', 'arn:acm:2'];
    const https = { port: 443, protocol: 'HTTPS', sslPolicy: 'P', certificates };
    const redirect = { kind: 'redirect', statusCode: 301, protocol: 'HTTPS', port: '443' } as const;
    const rule = {
      priority: 10,
      conditions: [
        { field: 'host-header', values: ['a.example'] },
        { field: 'http-header', name: 'X', values: ['1'] },
        { field: 'http-header', name: 'Y', values: ['^2'], isRegex: true },
        { field: 'query-string', values: [{ key: 'v', value: '2' }] },
      ],
      actions: [forwardTo('Web', 'api')],
      transforms: [{ kind: 'url', regex: '^/a', replace: '/b' }],
    } as const;
    const listeners = [listenerOf({ defaultActions: [redirect] }), listenerOf(https, [rule])];
    const targetGroups = [WEB, groupOf('api', { targetType: 'instance', protocolVersion: 'GRPC' })];
    const suggested = suggestTraffic(balancerOf({ listeners, targetGroups }));
    expect(suggested.remarks).toEqual([]);
    expect(suggested.spec).toEqual({
      backends: [
        { name: 'web', service: { name: 'web', port: 8080 }, healthCheck: CHECK },
        {
          ...{ name: 'api', service: { name: 'api', port: 8080 }, targetType: 'instance' },
          ...{ protocolVersion: 'GRPC', healthCheck: CHECK },
        },
      ],
      listeners: [
        {
          ...{ port: 80, protocol: 'HTTP' },
          defaultAction: { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } },
        },
        {
          ...{ port: 443, protocol: 'HTTPS', certificates, sslPolicy: 'P' },
          defaultAction: { forward: [{ backend: 'web' }] },
        },
      ],
      rules: [
        {
          ...{ name: 'rule-443-10', listeners: [443], hosts: ['a.example'] },
          headers: [
            { name: 'X', values: ['1'] },
            { name: 'Y', regex: '^2' },
          ],
          queryStrings: [{ key: 'v', value: '2' }],
          forward: [
            { backend: 'web', weight: 1 },
            { backend: 'api', weight: 2 },
          ],
          rewrite: { url: { regex: '^/a', replace: '/b' } },
        },
      ],
      defaultAction: { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } },
    });
  });

  it('has a default certificate once that was added to the list too', () => {
    const certificates = ['arn:acm:1', 'arn:acm:1', 'arn:acm:2'];
    const https = listenerOf({ port: 443, protocol: 'HTTPS', certificates });
    const { spec } = suggestTraffic(balancerOf({ listeners: [https], targetGroups: [WEB] }));
    expect(spec.listeners?.[0]?.certificates).toEqual(['arn:acm:1', 'arn:acm:2']);
  });

  it('has attributes that differ from their defaults, and stickiness', () => {
    const attributes = {
      ...{ 'stickiness.enabled': 'true', 'stickiness.type': 'lb_cookie' },
      'stickiness.lb_cookie.duration_seconds': '3600',
      ...{ 'deregistration_delay.timeout_seconds': '30', 'slow_start.duration_seconds': '0' },
    };
    const { spec } = suggestTraffic(balancerOf({ targetGroups: [groupOf('web', {}, attributes)] }));
    expect(spec.backends?.[0]).toMatchObject({
      stickiness: { durationSeconds: 3600 },
      attributes: { 'deregistration_delay.timeout_seconds': '30' },
    });
  });

  it('leaves out what a redirect keeps, and names a redirect to HTTP', () => {
    const kept = { host: '#{host}', path: '/#{path}', query: '#{query}' };
    const redirect = {
      kind: 'redirect',
      statusCode: 302,
      protocol: '#{protocol}',
      ...kept,
    } as const;
    const listeners = [
      listenerOf({ defaultActions: [{ ...redirect, port: '8443' }] }),
      listenerOf({
        port: 81,
        defaultActions: [{ ...redirect, host: 'a.example', port: '#{port}' }],
      }),
      listenerOf({ port: 82, defaultActions: [{ ...redirect, protocol: 'HTTP', port: '80' }] }),
    ];
    const { spec, remarks } = suggestTraffic(balancerOf({ listeners }));
    expect(spec.listeners?.map(({ defaultAction }) => defaultAction)).toEqual([
      { redirect: { statusCode: 302, port: 8443, ...kept } },
      { redirect: { statusCode: 302, ...kept, host: 'a.example' } },
      { fixedResponse: { statusCode: 404 } },
    ]);
    expect(remarks).toEqual([
      'the default action of listener 82: redirect; in its place the listener answers 404',
    ]);
  });

  it('names what a spec has no words for, and leaves it out', () => {
    const login = [{ kind: 'unknown', type: 'authenticate-oidc' } as const, forwardTo('Web')];
    const conditions = [{ field: 'unknown', type: 'new-field' } as const];
    const hosts = [{ field: 'host-header', values: ['a.example'] } as const];
    const rules = [
      { priority: 1, conditions: hosts, actions: login },
      { priority: 2, conditions, actions: [forwardTo('Web')] },
      { priority: 3, conditions: hosts, actions: [forwardTo('lambda')] },
      {
        priority: 4,
        conditions: hosts,
        actions: [{ kind: 'fixed-response', statusCode: 404 } as const],
      },
    ];
    const listeners = [listenerOf({ defaultActions: login }, rules)];
    const targetGroups = [
      WEB,
      groupOf('lambda', { targetType: 'lambda' }),
      groupOf('sticky', {}, { 'stickiness.enabled': 'true', 'stickiness.type': 'app_cookie' }),
      groupOf('probed', { healthCheck: { protocol: 'HTTP', port: '9000', ...CHECK } }),
    ];
    const { spec, remarks } = suggestTraffic(balancerOf({ listeners, targetGroups }));
    expect(remarks).toEqual([
      'target group lambda: its targets are of type lambda',
      'the stickiness of target group sticky by a cookie of the application',
      'the health check of target group probed on another port or protocol',
      'the default action of listener 80: authenticate-oidc and forward; in its place the listener answers 404',
      'rule 1 of listener 80: host-header, authenticate-oidc and forward; in its place the rule answers 404',
      'rule 2 of listener 80: new-field, forward; without it, what comes next answers its requests',
      'rule 3 of listener 80: host-header, forward; in its place the rule answers 404',
    ]);
    expect(spec.rules?.map(({ name }) => name)).toEqual(['rule-80-1', 'rule-80-3', 'rule-80-4']);
    expect(spec.defaultAction).toEqual({ fixedResponse: { statusCode: 404 } });
  });

  it('forwards nothing of a listener that asks for a login, whatever the others do', () => {
    const login = [{ kind: 'unknown', type: 'authenticate-oidc' } as const, forwardTo('Web')];
    const listeners = [listenerOf({}), listenerOf({ port: 443, defaultActions: login })];
    const { spec, remarks } = suggestTraffic(balancerOf({ listeners, targetGroups: [WEB] }));
    const actions = readRoutes(spec).listeners.map(({ defaultAction }) => defaultAction);
    expect(actions).toEqual([
      { kind: 'forward', to: [{ backend: 'spec/web', weight: 1 }] },
      { kind: 'fixed-response', statusCode: 404 },
    ]);
    expect(remarks).toEqual([
      'the default action of listener 443: authenticate-oidc and forward; in its place the listener answers 404',
    ]);
  });

  it('forwards nothing of a rule that asks for a login, whatever comes after it', () => {
    const login = [{ kind: 'unknown', type: 'authenticate-oidc' } as const, forwardTo('Web')];
    const conditions = [{ field: 'path-pattern', values: ['/admin*'] } as const];
    const listeners = [listenerOf({}, [{ priority: 1, conditions, actions: login }])];
    const { spec, remarks } = suggestTraffic(balancerOf({ listeners, targetGroups: [WEB] }));
    expect(spec.rules).toEqual([
      {
        ...{ name: 'rule-80-1', listeners: [80], paths: ['/admin*'] },
        fixedResponse: { statusCode: 404 },
      },
    ]);
    expect(remarks).toEqual([
      'rule 1 of listener 80: path-pattern, authenticate-oidc and forward; in its place the rule answers 404',
    ]);
  });

  it('has the rules of a listener in the order in which AWS evaluates them', () => {
    const actions = [forwardTo('Web')];
    const rules = [20, 3, 100].map((priority) => ({ priority, actions }));
    const listeners = [listenerOf({}, rules)];
    const { spec } = suggestTraffic(balancerOf({ listeners, targetGroups: [WEB] }));
    expect(spec.rules?.map(({ name }) => name)).toEqual(['rule-80-3', 'rule-80-20', 'rule-80-100']);
  });

  it('names a rule with two query-string conditions, of which a spec can say one', () => {
    const queryOf = (key: string) =>
      ({ field: 'query-string', values: [{ key, value: '1' }] }) as const;
    const conditions = [queryOf('a'), queryOf('b')];
    const rules = [{ priority: 1, conditions, actions: [forwardTo('Web')] }];
    const listeners = [listenerOf({}, rules)];
    const { spec, remarks } = suggestTraffic(balancerOf({ listeners, targetGroups: [WEB] }));
    expect(spec.rules).toBeUndefined();
    expect(remarks).toEqual([
      'rule 1 of listener 80: query-string, query-string, forward; without it, what comes next answers its requests',
    ]);
  });

  it('gives two target groups two names', () => {
    const { spec } = suggestTraffic(balancerOf({ targetGroups: [groupOf('Web'), groupOf('web')] }));
    expect(spec.backends?.map(({ name }) => name)).toEqual(['web', 'web-2']);
    const three = ['web-3', 'Web', 'web'].map((name) => groupOf(name));
    const others = suggestTraffic(balancerOf({ targetGroups: three })).spec.backends;
    expect(others?.map(({ name }) => name)).toEqual(['web-3', 'web', 'web-2']);
  });
});
