import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../../src/aws/elbv2/traffic.ts';
import {
  describeConditions,
  normaliseEcho,
} from '../../../../../src/controllers/my-ingress/rules/conditions.ts';

type Pair = readonly [readonly Condition[], readonly Condition[]];

const hosts = (...values: readonly string[]): Condition => ({ field: 'host-header', values });
const paths = (...values: readonly string[]): Condition => ({ field: 'path-pattern', values });

const alike: Readonly<Record<string, Pair>> = {
  'conditions in another order': [
    [hosts('a.b'), paths('/a')],
    [paths('/a'), hosts('a.b')],
  ],
  'values in another order, or twice': [[paths('/b', '/a', '/b')], [paths('/a', '/b')]],
  'hosts in capitals': [[hosts('API.Example.com')], [hosts('api.example.com')]],
  'headers in capitals': [
    [{ field: 'http-header', name: 'X-Test', values: ['Yes'] }],
    [{ field: 'http-header', name: 'x-test', values: ['yes'] }],
  ],
  'pairs of a query in capitals': [
    [{ field: 'query-string', values: [{ value: 'B' }, { key: 'A', value: '1' }] }],
    [{ field: 'query-string', values: [{ key: 'a', value: '1' }, { value: 'b' }] }],
  ],
  'blocks of addresses with bits behind the prefix': [
    [{ field: 'source-ip', values: ['100.68.0.18/18', '2001:DB8:0:0::1/32'] }],
    [{ field: 'source-ip', values: ['2001:db8::/32', '100.68.0.0/18'] }],
  ],
};

const different: Readonly<Record<string, Pair>> = {
  'paths in capitals': [[paths('/A')], [paths('/a')]],
  'methods in small letters': [
    [{ field: 'http-request-method', values: ['GET'] }],
    [{ field: 'http-request-method', values: ['get'] }],
  ],
  'a regular expression and a value': [
    [{ field: 'http-header', name: 'x', values: ['a'], isRegex: true }],
    [{ field: 'http-header', name: 'x', values: ['a'] }],
  ],
  'regular expressions in capitals': [
    [{ field: 'http-header', name: 'x', values: ['\\D'], isRegex: true }],
    [{ field: 'http-header', name: 'x', values: ['\\d'], isRegex: true }],
  ],
  'a regular expression on hosts': [
    [{ field: 'unknown', type: 'host-header by regular expression' }],
    [hosts('a.b')],
  ],
};

describe('conditions mean', () => {
  it.each(Object.entries(alike))('the same: %s', (_, [one, other]) => {
    expect(normaliseEcho(one)).toEqual(normaliseEcho(other));
  });

  it.each(Object.entries(different))('not the same: %s', (_, [one, other]) => {
    expect(normaliseEcho(one)).not.toEqual(normaliseEcho(other));
  });
});

it('conditions in words name field and values', () => {
  const words = describeConditions([
    paths('/a', '/b'),
    { field: 'http-header', name: 'x', values: ['1'] },
    { field: 'query-string', values: [{ value: '2' }, { key: 'k', value: '3' }] },
    { field: 'unknown', type: 'path-pattern by regular expression' },
  ]);
  expect(words).toBe(
    'path-pattern /a, /b; http-header x 1; query-string *=2, k=3; path-pattern by regular expression',
  );
});
