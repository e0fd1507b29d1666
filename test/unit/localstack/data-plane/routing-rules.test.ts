import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  routingRequest,
  routingRule,
} from '../../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Listener } from '../../../../localstack/embedded/listeners/listener.ts';
import type { Rule } from '../../../../localstack/embedded/rules/rule.ts';
import { createListener, createRule, NOT_FOUND, trafficModel } from '../traffic/traffic-model.ts';

/** What the data plane makes of a rule with these conditions and this action. */
function translated(Conditions: readonly object[], Actions = NOT_FOUND, more: object = {}) {
  const { aws, shop } = trafficModel();
  const listener = createListener(aws, shop);
  const arn = createRule(aws, listener, { Priority: 7, Conditions, Actions, ...more });
  return routingRule(aws.world.traffic.rules.byArn(arn) as Rule);
}

describe('a rule as the data plane decides by it', () => {
  test.each([
    [
      { Field: 'host-header', Values: ['a.b'] },
      { field: 'host-header', values: ['a.b'] },
    ],
    [
      { Field: 'path-pattern', PathPatternConfig: { Values: ['/a', '/b'] } },
      { field: 'path-pattern', values: ['/a', '/b'] },
    ],
    [
      { Field: 'http-request-method', HttpRequestMethodConfig: { Values: ['GET'] } },
      { field: 'http-request-method', values: ['GET'] },
    ],
    [
      { Field: 'source-ip', SourceIpConfig: { Values: ['10.0.0.0/8'] } },
      { field: 'source-ip', values: ['10.0.0.0/8'] },
    ],
    [
      { Field: 'http-header', HttpHeaderConfig: { HttpHeaderName: 'X-A', Values: ['b'] } },
      { field: 'http-header', name: 'X-A', values: ['b'] },
    ],
    [
      {
        Field: 'query-string',
        QueryStringConfig: { Values: [{ Key: 'a', Value: 'b' }, { Value: 'c' }] },
      },
      { field: 'query-string', values: [{ key: 'a', value: 'b' }, { value: 'c' }] },
    ],
  ])('has the condition %j', (condition, expected) => {
    expect(translated([condition])).toMatchObject({ priority: 7, conditions: [expected] });
  });

  test.each([
    ['host', { Field: 'host-header', HostHeaderConfig: { RegexValues: ['^a[.]'] } }],
    ['path', { Field: 'path-pattern', PathPatternConfig: { RegexValues: ['^a[.]'] } }],
    [
      { header: 'X-A' },
      {
        Field: 'http-header',
        HttpHeaderConfig: { HttpHeaderName: 'X-A', RegexValues: ['^a[.]'] },
      },
    ],
  ])('has a regular expression of %j', (of, condition) => {
    const [regexes] = translated([condition]).conditions;
    expect(regexes).toMatchObject({ field: 'regex', of, values: [{ source: '^a[.]' }] });
    const [regex] = regexes?.field === 'regex' ? regexes.values : [];
    expect(['a.b', 'ba.b', 'ab'].map((text) => regex?.matches(text))).toEqual([true, false, false]);
  });

  test('takes linear time for a pattern that costs a backtracking engine years', () => {
    const evil = { HttpHeaderName: 'X-A', RegexValues: ['^(a+)+$'] };
    const [regexes] = translated([{ Field: 'http-header', HttpHeaderConfig: evil }]).conditions;
    const [regex] = regexes?.field === 'regex' ? regexes.values : [];
    expect(regex?.matches(`${'a'.repeat(5_000)}!`)).toBe(false);
  });

  const onPath = { Field: 'path-pattern', Values: ['/'] };

  test('has its redirect, with what stays as it is', () => {
    const RedirectConfig = { StatusCode: 'HTTP_301', Port: '444' };
    expect(translated([onPath], [{ Type: 'redirect', RedirectConfig }] as never).action).toEqual({
      type: 'redirect',
      redirect: {
        ...{ statusCode: 301, protocol: '#{protocol}', host: '#{host}', port: '444' },
        ...{ path: '/#{path}', query: '#{query}' },
      },
    });
  });

  test('has its transforms, which replace the first match', () => {
    const Rewrites = [{ Regex: '([a-z])([0-9])?', Replace: '<$1$2>' }];
    const Transforms = [
      { Type: 'url-rewrite', UrlRewriteConfig: { Rewrites } },
      { Type: 'host-header-rewrite', HostHeaderRewriteConfig: { Rewrites } },
    ];
    const { rewrite } = translated([onPath], NOT_FOUND, { Transforms });
    for (const part of [rewrite?.url, rewrite?.host]) {
      expect(['/a1b2', '/a', '/9'].map((text) => part?.apply(text))).toEqual([
        '/<a1>b2',
        '/<a>',
        '/9',
      ]);
    }
    expect(translated([onPath])).not.toHaveProperty('rewrite');
  });
});

test('a request is seen as it was sent', () => {
  const message = {
    ...{ method: 'POST', url: '/a%20b?x=1?2', headers: { host: 'a.b:80' } },
    ...{ rawHeaders: ['Host', 'a.b:80', 'X-A', '1'], socket: { remoteAddress: '127.0.0.1' } },
  } as unknown as IncomingMessage;
  expect(routingRequest(message, { protocol: 'HTTP', port: 80 } as Listener)).toEqual({
    ...{ protocol: 'HTTP', port: 80, method: 'POST', path: '/a%20b', query: 'x=1?2' },
    ...{
      host: 'a.b:80',
      headers: [
        ['Host', 'a.b:80'],
        ['X-A', '1'],
      ],
      sourceIp: '127.0.0.1',
    },
  });
});
