import { describe, expect, test } from 'vitest';
import {
  createListener,
  createRule,
  describeRule,
  expectRefusal,
  NOT_FOUND,
  onPath,
  type Refusal,
  trafficModel,
} from '../traffic/traffic-model.ts';

const host = (...Values: string[]): object => ({
  Field: 'host-header',
  HostHeaderConfig: { Values },
});
const path = (...Values: string[]): object => ({
  Field: 'path-pattern',
  PathPatternConfig: { Values },
});
const method = (...Values: string[]): object => ({
  ...{ Field: 'http-request-method', HttpRequestMethodConfig: { Values } },
});
const source = (...Values: string[]): object => ({
  Field: 'source-ip',
  SourceIpConfig: { Values },
});
const header = (HttpHeaderName: string, ...Values: string[]): object => ({
  ...{ Field: 'http-header', HttpHeaderConfig: { HttpHeaderName, Values } },
});
const query = (...Values: object[]): object => ({
  Field: 'query-string',
  QueryStringConfig: { Values },
});

const accepted: Readonly<Record<string, readonly [readonly object[], readonly object[]]>> = {
  'a host in the short form, echoed in both': [
    [{ Field: 'host-header', Values: ['a.example.com'] }],
    [{ ...host('a.example.com'), Values: ['a.example.com'] }],
  ],
  'a path in the long form, echoed in both': [
    [path('/a', '/a/*')],
    [{ ...path('/a', '/a/*'), Values: ['/a', '/a/*'] }],
  ],
  'one of each kind, as given': [
    [method('GET', 'PURGE-IT'), source('10.0.0.0/8', '2001:db8::/32'), query({ Value: 'x' })],
    [method('GET', 'PURGE-IT'), source('10.0.0.0/8', '2001:db8::/32'), query({ Value: 'x' })],
  ],
  'several headers and queries': [
    [
      header('X-A', 'a*'),
      header('X-A', 'b?'),
      query({ Key: 'k', Value: 'v' }),
      query({ Value: 'w' }),
    ],
    [
      header('X-A', 'a*'),
      header('X-A', 'b?'),
      query({ Key: 'k', Value: 'v' }),
      query({ Value: 'w' }),
    ],
  ],
  'an escaped wildcard, which is none': [
    [query({ Value: '\\*\\*\\*\\*\\*\\*' })],
    [query({ Value: '\\*\\*\\*\\*\\*\\*' })],
  ],
  'a regular expression': [
    [{ Field: 'host-header', HostHeaderConfig: { RegexValues: ['^[^.]+\\.foo\\.com$'] } }],
    [{ Field: 'host-header', HostHeaderConfig: { RegexValues: ['^[^.]+\\.foo\\.com$'] } }],
  ],
  'five wildcards and five values': [
    [path('/*', '/*', '/*', '/*', '/?')],
    [{ ...path('/*', '/*', '/*', '/*', '/?'), Values: ['/*', '/*', '/*', '/*', '/?'] }],
  ],
};

const refused: Readonly<Record<string, Refusal & { readonly conditions: readonly object[] }>> = {
  'no condition': {
    conditions: [],
    code: 'ValidationError',
    message: 'A condition must be specified',
    why: 'that is the default rule',
  },
  'an unknown field': {
    conditions: [{ Field: 'cookie', Values: ['a'] }],
    code: 'ValidationError',
    message: "Condition field 'cookie' must be one of",
    why: 'six are known',
  },
  'a field that objects inherit': {
    conditions: [{ Field: 'constructor', Values: ['a'] }],
    code: 'ValidationError',
    why: 'six are known',
  },
  'both forms at once': {
    conditions: [{ ...host('a.example.com'), Values: ['a.example.com'] }],
    code: 'ValidationError',
    message:
      "You cannot provide both Values and 'HostHeaderConfig' for a condition of type 'host-header'",
    why: 'as a Describe answers it',
  },
  'two values in the short form': {
    conditions: [{ Field: 'path-pattern', Values: ['/a', '/b'] }],
    code: 'ValidationError',
    message: "The 'path-pattern' field contains too many values; the limit is '1'",
    why: 'several need the long form',
  },
  'six values in a rule': {
    conditions: [path('/1', '/2', '/3'), host('a.b.com', 'c.d.com', 'e.f.com')],
    code: 'ValidationError',
    message: "A rule can only have '5' condition values",
    why: 'a fixed quota',
  },
  'six wildcards in a rule': {
    conditions: [path('/*/*/*', '/?/?/?')],
    code: 'ValidationError',
    message: 'wildcards',
    why: 'a fixed quota',
  },
  'two paths': {
    conditions: [path('/a'), path('/b')],
    code: 'ValidationError',
    why: 'values are the or, conditions the and',
  },
  'no value': { conditions: [path()], code: 'ValidationError', why: 'it matches nothing' },
  'a host without a dot': {
    conditions: [host('localhost')],
    code: 'ValidationError',
    why: "by AWS's reference",
  },
  'a host that ends in a digit': {
    conditions: [host('a.b1')],
    code: 'ValidationError',
    why: "by AWS's reference",
  },
  'a host with a port': {
    conditions: [host('a.b.com:80')],
    code: 'ValidationError',
    why: 'no colon',
  },
  'a host of 129 characters': {
    conditions: [host(`${'a'.repeat(125)}.com`)],
    code: 'ValidationError',
    message: "The 'host-header' value is too long; the limit is '128'",
    why: 'the limit is 128',
  },
  'a path with a space': { conditions: [path('/a b')], code: 'ValidationError', why: 'not listed' },
  'a path with a query': {
    conditions: [path('/a?b=c%20')],
    code: 'ValidationError',
    why: 'neither = nor % is listed',
  },
  'the Host header': {
    conditions: [header('Host', 'a')],
    code: 'ValidationError',
    why: 'hosts have their own condition',
  },
  'a header name of 41 characters': {
    conditions: [header('x'.repeat(41), 'a')],
    code: 'ValidationError',
    why: 'the limit is 40',
  },
  'a header without its name': {
    conditions: [{ Field: 'http-header', HttpHeaderConfig: { Values: ['a'] } }],
    code: 'ValidationError',
    why: 'which one?',
  },
  'a method in small letters': {
    conditions: [method('get')],
    code: 'ValidationError',
    message: 'the allowed characters are A-Z, hyphen and underscore',
    why: 'methods have a case',
  },
  'an address without a prefix': {
    conditions: [source('10.0.0.1')],
    code: 'ValidationError',
    why: 'blocks only',
  },
  'the limited broadcast address': {
    conditions: [source('255.255.255.255/32')],
    code: 'ValidationError',
    why: 'AWS refuses it by name',
  },
  'a query without a value': {
    conditions: [query({ Key: 'k' })],
    code: 'ValidationError',
    message: "A 'Value' must be specified in 'QueryStringKeyValuePair'",
    why: 'only the key may be left out',
  },
  'the short form for a method': {
    conditions: [{ Field: 'http-request-method', Values: ['GET'] }],
    code: 'ValidationError',
    message: "The 'Values' field is not compatible with 'http-request-method'",
    why: 'it has none',
  },
  'a field without its config': {
    conditions: [{ Field: 'source-ip' }],
    code: 'ValidationError',
    message: "A 'SourceIpConfig' must be specified with 'source-ip'",
    why: 'it has no short form',
  },
  "another field's config": {
    conditions: [{ ...path('/a'), HostHeaderConfig: { Values: ['a.b.com'] } }],
    code: 'ValidationError',
    why: 'one field a condition',
  },
  'values and regular expressions': {
    conditions: [
      { Field: 'path-pattern', PathPatternConfig: { Values: ['/a'], RegexValues: ['a'] } },
    ],
    code: 'ValidationError',
    why: 'one of them',
  },
  'a look-ahead': {
    conditions: [{ Field: 'path-pattern', PathPatternConfig: { RegexValues: ['^/(?!a)'] } }],
    code: 'ValidationError',
    why: "AWS's engine has none",
  },
  'an unfinished group': {
    conditions: [{ Field: 'path-pattern', PathPatternConfig: { RegexValues: ['^/(a'] } }],
    code: 'ValidationError',
    why: 'it does not compile',
  },
};

describe('the conditions of a rule', () => {
  test.each(Object.entries(accepted))('are %s', (_, [Conditions, echo]) => {
    const { aws, shop } = trafficModel();
    const rule = createRule(aws, createListener(aws, shop), { Priority: 1, Conditions });
    expect(describeRule(aws, rule)['Conditions']).toEqual(echo);
  });

  test.each(Object.entries(refused))('cannot be %s', (_, { conditions, ...refusal }) => {
    const { aws, shop } = trafficModel();
    const input = { ListenerArn: createListener(aws, shop), Priority: 1, Actions: NOT_FOUND };
    expectRefusal(aws, ['CreateRule', { ...input, Conditions: conditions }], refusal);
  });

  test('follow the quotas of the account', () => {
    const limits = { 'condition-values-per-alb-rule': 1, 'condition-wildcards-per-alb-rule': 0 };
    const { aws, shop } = trafficModel({ limits });
    const input = { ListenerArn: createListener(aws, shop), Priority: 1, Actions: NOT_FOUND };
    for (const Conditions of [onPath('/a', '/b'), onPath('/*')]) {
      const why = JSON.stringify(Conditions);
      expectRefusal(aws, ['CreateRule', { ...input, Conditions }], {
        code: 'ValidationError',
        why,
      });
    }
  });
});
