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

/** [its field, what is accepted instead, what is refused] */
const refused: readonly (readonly [string, Draft, readonly [Draft, ...Draft[]]])[] = [
  ['spec.webACLARN', withTraffic({}), [withSpec({ webACLARN: 'arn:aws:wafv2:a' })]],
  [
    'spec.backends[].targetGroupARN',
    withTraffic({}),
    [withBackend({ service: undefined, targetGroupARN: 'arn:aws:a' })],
  ],
  [
    'spec.rules[].authenticate',
    withTraffic({}),
    [rule({ authenticate: {} }), rule({ authenticate: { oidc: { issuer: 'a' } } })],
  ],
  [
    'spec.defaultAction.authenticate',
    byDefault({ forward: [{ backend: 'web' }] }),
    [byDefault({ forward: [{ backend: 'web' }], authenticate: {} })],
  ],
  [
    'spec.listeners[].defaultAction.authenticate',
    withTraffic({ listeners: [{ ...http, defaultAction: { forward: [{ backend: 'web' }] } }] }),
    [
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
  refused.map(([field, accepted, rejected]) => [
    `${field}: `,
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
