import {
  type Draft,
  type RuleTable,
  withBackend,
  withRule,
  withSpec,
  withTraffic,
} from './rule-case.ts';

const rule = (fields: Readonly<Record<string, unknown>>): Draft => withRule(fields);
const http = { port: 80, protocol: 'HTTP' };
const byDefault = (action: object): Draft => withTraffic({ defaultAction: action });

/** [beginning of the rule, what is accepted instead, what is refused] */
const refused: readonly (readonly [string, Draft, readonly [Draft, ...Draft[]]])[] = [
  ['webACLARN', withTraffic({}), [withSpec({ webACLARN: 'arn:aws:wafv2:a' })]],
  [
    'backends[].targetGroupARN',
    withTraffic({}),
    [withBackend({ service: undefined, targetGroupARN: 'arn:aws:a' })],
  ],
  [
    'authenticate',
    byDefault({ forward: [{ backend: 'web' }] }),
    [
      rule({ authenticate: {} }),
      rule({ authenticate: { oidc: { issuer: 'a' } } }),
      byDefault({ forward: [{ backend: 'web' }], authenticate: {} }),
      withTraffic({
        listeners: [
          { ...http, defaultAction: { forward: [{ backend: 'web' }], authenticate: {} } },
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
