import {
  type Draft,
  type RuleTable,
  withBackend,
  withRule,
  withSpec,
  withTraffic,
} from './rule-case.ts';

const rule = (fields: Readonly<Record<string, unknown>>): Draft => withRule(fields);
const byDefault = (action: object): Draft => withTraffic({ defaultAction: action });
const six = ['/1', '/2', '/3', '/4', '/5', '/6'];

/** [beginning of the rule, what is accepted instead, what is refused] */
const refused: readonly (readonly [string, Draft, readonly [Draft, ...Draft[]]])[] = [
  ['webACLARN', withTraffic({}), [withSpec({ webACLARN: 'arn:aws:wafv2:a' })]],
  [
    'backends[].targetGroupARN',
    withTraffic({}),
    [withBackend({ service: undefined, targetGroupARN: 'arn:aws:a' })],
  ],
  [
    'backends[].targetType',
    withBackend({ targetType: 'ip' }),
    [withBackend({ targetType: 'instance' })],
  ],
  [
    'authenticate',
    byDefault({ forward: [{ backend: 'web' }] }),
    [
      rule({ authenticate: {} }),
      rule({ authenticate: { oidc: { issuer: 'a' } } }),
      byDefault({ forward: [{ backend: 'web' }], authenticate: {} }),
    ],
  ],
  ['rules[].rewrite', rule({}), [rule({ rewrite: { path: '/' } })]],
  [
    'rules[].headers[].regex',
    rule({ headers: [{ name: 'a', values: ['b'] }] }),
    [
      rule({ headers: [{ name: 'a', regex: 'b' }] }),
      rule({
        headers: [
          { name: 'a', values: ['b'] },
          { name: 'c', regex: 'd' },
        ],
      }),
    ],
  ],
  [
    'redirect is',
    byDefault({ forward: [{ backend: 'web' }] }),
    [
      rule({ forward: undefined, redirect: { statusCode: 301, path: '/b' } }),
      byDefault({ redirect: { statusCode: 301, path: '/b' } }),
    ],
  ],
  [
    'fixedResponse is',
    byDefault({ forward: [{ backend: 'web' }] }),
    [
      rule({ forward: undefined, fixedResponse: { statusCode: 200 } }),
      byDefault({ fixedResponse: { statusCode: 200 } }),
    ],
  ],
  [
    'a rule with more than five',
    rule({
      ...{ hosts: ['a.b'], paths: undefined, methods: ['GET'], sourceCIDRs: ['10.0.0.0/8'] },
      ...{ queryStrings: [{ value: 'a' }], headers: [{ name: 'a', values: ['b'] }] },
    }),
    [
      rule({ paths: six }),
      rule({ hosts: ['a.b'], paths: six.slice(1) }),
      rule({ paths: six.slice(1), methods: ['GET'] }),
      rule({ paths: six.slice(1), sourceCIDRs: ['10.0.0.0/8'] }),
      rule({ paths: six.slice(1), queryStrings: [{ value: 'a' }] }),
      rule({
        headers: [
          { name: 'a', values: ['1', '2', '3'] },
          { name: 'b', values: ['1', '2'] },
        ],
      }),
    ],
  ],
];

/** The rules that refuse what nothing implements yet. */
export const refusedCases: RuleTable = Object.fromEntries(
  refused.map(([beginning, accepted, rejected]) => [
    `spec: ${beginning}`,
    {
      accepts: { 'what is supported': { why: 'it works', object: accepted } },
      rejects: Object.fromEntries(
        rejected.map((object, index) => [
          `form ${index + 1}`,
          { why: 'it would be ignored silently', object },
        ]),
      ),
    },
  ]),
);
