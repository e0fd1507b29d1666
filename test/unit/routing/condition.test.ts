import { describe, expect, it } from 'vitest';
import { meetsCondition } from '../../../src/routing/condition.ts';
import type { Condition, Regex, Request } from '../../../src/routing/rule.ts';
import { request } from './request.ts';

interface Case {
  readonly condition: Condition;
  readonly meets: readonly Partial<Request>[];
  readonly misses: readonly Partial<Request>[];
}

/** Without a pattern of somebody else's, the engine of JavaScript will do. */
const regex = (source: string): Regex => ({
  source,
  matches: (text) => new RegExp(source).test(text),
});

const cases: Readonly<Record<string, Case>> = {
  'a regular expression of the host, without its port': {
    condition: { field: 'regex', of: 'host', values: [regex('^[a-c][.]example[.]com$')] },
    meets: [{ host: 'b.example.com' }, { host: 'b.example.com:8080' }],
    misses: [{ host: 'd.example.com' }],
  },
  'a regular expression of the path, anywhere in it': {
    condition: { field: 'regex', of: 'path', values: [regex('v[0-9]+/')] },
    meets: [{ path: '/api/v10/a' }],
    misses: [{ path: '/api', query: '/v1/' }],
  },
  'regular expressions of a header': {
    condition: {
      ...{ field: 'regex', of: { header: 'X-Team' } },
      values: [regex('^blue'), regex('^red')],
    },
    meets: [{ headers: [['x-team', 'redder']] }, { headers: [['X-TEAM', 'bluebell']] }],
    misses: [{ headers: [['x-team', 'Blue']] }, { headers: [['x-other', 'blue']] }, {}],
  },
  'a host, in any case, with a port or without': {
    condition: { field: 'host-header', values: ['Shop.example.com'] },
    meets: [{ host: 'shop.EXAMPLE.com' }, { host: 'shop.example.com:8080' }],
    misses: [{ host: 'example.com' }, { host: 'shop.example.com.evil.org' }],
  },
  'a wildcard host, but not the domain itself': {
    condition: { field: 'host-header', values: ['*.example.com'] },
    meets: [{ host: 'a.example.com' }, { host: 'a.b.example.com' }],
    misses: [{ host: 'example.com' }],
  },
  'one of several values': {
    condition: { field: 'host-header', values: ['a.example.com', 'b.example.com'] },
    meets: [{ host: 'a.example.com' }, { host: 'b.example.com' }],
    misses: [{ host: 'c.example.com' }],
  },
  'a path, with regard to case': {
    condition: { field: 'path-pattern', values: ['/Img/*'] },
    meets: [{ path: '/Img/' }, { path: '/Img/a/b.png' }],
    misses: [{ path: '/img/a' }, { path: '/Img' }],
  },
  'a path without its query': {
    condition: { field: 'path-pattern', values: ['/tea'] },
    meets: [{ path: '/tea', query: 'milk=no' }],
    misses: [{ path: '/', query: '/tea' }],
  },
  'a method, with regard to case and without wildcards': {
    condition: { field: 'http-request-method', values: ['GET', 'P*'] },
    meets: [{ method: 'GET' }, { method: 'P*' }],
    misses: [{ method: 'get' }, { method: 'POST' }],
  },
  'a header, name and value in any case, repeated or not': {
    condition: { field: 'http-header', name: 'User-Agent', values: ['*Chrome*'] },
    meets: [
      {
        headers: [
          ['user-agent', 'curl'],
          ['USER-AGENT', 'a chrome b'],
        ],
      },
    ],
    misses: [{ headers: [['accept', 'chrome']] }, { headers: [] }],
  },
  'a query by key and value': {
    condition: { field: 'query-string', values: [{ key: 'version', value: 'v?' }] },
    meets: [{ query: 'VERSION=V1' }, { query: 'a=b&version=v2' }],
    misses: [{ query: 'version=v10' }, { query: 'v1' }, { query: 'other=v1' }],
  },
  'a query by value alone': {
    condition: { field: 'query-string', values: [{ value: '*tea*' }] },
    meets: [{ query: 'drink=green-tea' }],
    misses: [{ query: 'tea=no' }, { query: '' }],
  },
  'a star in a query that stands for itself': {
    condition: { field: 'query-string', values: [{ key: 'q', value: String.raw`\*\?\\` }] },
    meets: [{ query: String.raw`q=*?\ `.trim() }],
    misses: [{ query: String.raw`q=xy\ `.trim() }],
  },
  'the address of the connection, not the one that is claimed': {
    condition: { field: 'source-ip', values: ['10.1.0.0/16', '2001:db8::/32'] },
    meets: [{ sourceIp: '10.1.255.1' }, { sourceIp: '2001:db8:1::1' }],
    misses: [
      { sourceIp: '10.2.0.1', headers: [['x-forwarded-for', '10.1.0.1']] },
      { sourceIp: '2001:db9::1' },
      { sourceIp: 'unknown' },
    ],
  },
};

describe('a condition', () => {
  it.each(Object.entries(cases))('fits %s', (_, { condition, meets, misses }) => {
    for (const one of meets) expect(meetsCondition(condition, request(one)), text(one)).toBe(true);
    for (const one of misses)
      expect(meetsCondition(condition, request(one)), text(one)).toBe(false);
  });
});

function text(what: Partial<Request>): string {
  return JSON.stringify(what);
}
