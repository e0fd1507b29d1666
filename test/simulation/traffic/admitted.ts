import { definedKind } from '../served-definition.ts';
import type { TrafficSpec } from './spec-answers.ts';

/** What of a spec's traffic the CRD admits: a field that is refused today is drawn from the day on which it is not. */
export interface Admitted {
  readonly traffic: boolean;
  readonly redirect: boolean;
  readonly fixedResponse: boolean;
  /** `listeners[].defaultAction` */
  readonly ownDefault: boolean;
  readonly headerRegex: boolean;
  readonly rewrite: boolean;
  readonly manyValues: boolean;
  readonly secureBackends: boolean;
  readonly stickiness: boolean;
  /** HTTP2 and GRPC. */
  readonly versions: boolean;
  readonly mutualTls: boolean;
  readonly listenerAttributes: boolean;
}

const SERVICE = { name: 'web', port: 80 };
const ONE = { backends: [{ name: 'web', service: SERVICE }] } as const;

const REWRITE = { regex: '^/a', replace: '/b' };
const SECURE = {
  port: 443,
  protocol: 'HTTPS',
  certificates: [
    'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
  ],
} as const;

let known: Admitted | undefined;

export function listAdmitted(): Admitted {
  const rule = { name: 'one', paths: ['/'] };
  known ??= {
    traffic: isAdmitted(ONE),
    redirect: isAdmitted({
      ...ONE,
      rules: [{ ...rule, redirect: { statusCode: 301, path: '/x' } }],
    }),
    fixedResponse: isAdmitted({ ...ONE, rules: [{ ...rule, fixedResponse: { statusCode: 200 } }] }),
    ownDefault: isAdmitted({
      ...ONE,
      listeners: [
        { port: 80, protocol: 'HTTP', defaultAction: { fixedResponse: { statusCode: 404 } } },
      ],
    }),
    headerRegex: isAdmitted({
      ...ONE,
      rules: [
        {
          ...{ name: 'one', headers: [{ name: 'X-Team', regex: '^blue' }] },
          forward: [{ backend: 'web' }],
        },
      ],
    }),
    rewrite: isAdmitted({
      ...ONE,
      rules: [{ ...rule, forward: [{ backend: 'web' }], rewrite: { url: REWRITE } }],
    }),
    manyValues: isAdmitted({
      ...ONE,
      rules: [
        { ...rule, paths: ['/1', '/2', '/3', '/4', '/5', '/6'], forward: [{ backend: 'web' }] },
      ],
    }),
    secureBackends: isAdmitted({ backends: [{ ...ONE.backends[0], protocol: 'HTTPS' }] }),
    versions: isAdmitted({
      ...{ backends: [{ ...ONE.backends[0], protocolVersion: 'GRPC' }], listeners: [SECURE] },
    }),
    mutualTls: isAdmitted({ listeners: [{ ...SECURE, mutualTLS: { mode: 'passthrough' } }] }),
    listenerAttributes: isAdmitted({
      listeners: [{ ...SECURE, attributes: { 'routing.http.response.server.enabled': 'false' } }],
    }),
    stickiness: isAdmitted({
      backends: [{ ...ONE.backends[0], stickiness: { durationSeconds: 60 } }],
    }),
  };
  return known;
}

function isAdmitted(traffic: TrafficSpec): boolean {
  const spec = { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing', ...traffic };
  const { faultsOf, withDefaults } = definedKind('MyIngress');
  const object = { metadata: { name: 'shop' }, spec };
  return (faultsOf?.(withDefaults?.(object) ?? object, undefined) ?? []).length === 0;
}
