import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import {
  type CustomResourceDefinition,
  readFutureMyIngressDefinition,
  readMyIngressDefinition,
} from '../unit/crds/custom-resource-definition.ts';
import { actionCases } from '../unit/crds/my-ingress-action-cases.ts';
import { backendCases } from '../unit/crds/my-ingress-backend-cases.ts';
import { inboundCases } from '../unit/crds/my-ingress-inbound-cases.ts';
import { listenerCases } from '../unit/crds/my-ingress-listener-cases.ts';
import { refusedCases } from '../unit/crds/my-ingress-refused-cases.ts';
import { routingCases } from '../unit/crds/my-ingress-routing-cases.ts';
import { ruleCases } from '../unit/crds/my-ingress-rule-cases.ts';
import { certificate, http, https, subnets, web } from '../unit/crds/rule-case.ts';
import {
  type ApiAnswer,
  callApi,
  createNamespace,
  installDefinition,
  movedTo,
  pathOf,
} from './crd-api.ts';
import { describeRulesOnServer, type FaultTable } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const today = readMyIngressDefinition();
// What is refused today has limits too: they are tried in a group of their own, without the refusals.
const future = movedTo('future.example.com', readFutureMyIngressDefinition());
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, today);
  await installDefinition(cluster, future);
  namespace = await createNamespace(cluster, 'crd-traffic');
});

const rule = { name: 'a', paths: ['/a'], forward: [{ backend: 'web' }] };

function many<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function withRule(fields: object): object {
  return { subnets, backends: [web], rules: [{ ...rule, ...fields }] };
}

function withBackend(fields: object): object {
  return { subnets, backends: [{ ...web, ...fields }] };
}

/** [what, its spec, the API server's own words] */
const faults: readonly (readonly [string, object, string])[] = [
  ['two backends of one name', { subnets, backends: [web, web] }, 'Duplicate value'],
  ['two listeners of one port', { subnets, listeners: [http, http] }, 'Duplicate value'],
  [
    '31 backends',
    { subnets, backends: many(31, (index) => ({ ...web, name: `b${index}` })) },
    'must have at most 30 items',
  ],
  [
    '6 listeners',
    { subnets, listeners: many(6, (port) => ({ ...http, port: port + 1 })) },
    'must have at most 5 items',
  ],
  [
    '101 rules',
    { subnets, backends: [web], rules: many(101, (index) => ({ ...rule, name: `r${index}` })) },
    'must have at most 100 items',
  ],
  [
    '6 backends in a forward',
    withRule({ forward: many(6, (index) => ({ backend: `b${index}`, weight: 1 })) }),
    'must have at most 5 items',
  ],
  ['no backend', { subnets, backends: [] }, 'should have at least 1 items'],
  [
    'a weight of 1000',
    withRule({ forward: [{ backend: 'web', weight: 1000 }] }),
    'less than or equal to 999',
  ],
  [
    'a listener without protocol',
    { subnets, listeners: [{ port: 443 }] },
    'spec.listeners[0].protocol: Required value',
  ],
  ['port 0', { subnets, listeners: [{ ...http, port: 0 }] }, 'greater than or equal to 1'],
  [
    'port 65536',
    withBackend({ service: { name: 'web', port: 65536 } }),
    'less than or equal to 65535',
  ],
  [
    'a port named in capitals',
    withBackend({ service: { name: 'web', port: 'HTTP' } }),
    'spec.backends[0].service.port in body should match',
  ],
  [
    'an interval of 4',
    withBackend({ healthCheck: { intervalSeconds: 4 } }),
    'greater than or equal to 5',
  ],
  [
    'an interval of 301',
    withBackend({ healthCheck: { intervalSeconds: 301 } }),
    'less than or equal to 300',
  ],
  [
    'a timeout of 121',
    withBackend({ healthCheck: { timeoutSeconds: 121 } }),
    'less than or equal to 120',
  ],
  [
    'a threshold of 1',
    withBackend({ healthCheck: { healthyThreshold: 1 } }),
    'greater than or equal to 2',
  ],
  [
    'a threshold of 11',
    withBackend({ healthCheck: { unhealthyThreshold: 11 } }),
    'less than or equal to 10',
  ],
  [
    'a long path of a check',
    withBackend({ healthCheck: { path: `/${'a'.repeat(1024)}` } }),
    'may not be more than 1024 bytes',
  ],
  [
    'a cookie of 604801 s',
    withBackend({ stickiness: { durationSeconds: 604_801 } }),
    'less than or equal to 604800',
  ],
  [
    '21 attributes of a listener',
    {
      subnets,
      listeners: [
        {
          ...http,
          attributes: Object.fromEntries(many(21, (key) => [`routing.http.response.a${key}`, 'x'])),
        },
      ],
    },
    'must have at most 20 items',
  ],
  [
    'mutual TLS of another mode',
    { subnets, listeners: [{ ...https, mutualTLS: { mode: 'on' } }] },
    'supported values: "off", "passthrough", "verify"',
  ],
  [
    'mutual TLS without a mode',
    { subnets, listeners: [{ ...https, mutualTLS: {} }] },
    'spec.listeners[0].mutualTLS.mode: Required value',
  ],
  ['a lambda', withBackend({ targetType: 'lambda' }), 'supported values: "ip", "instance"'],
  [
    'a long host',
    withRule({ hosts: [`${'a'.repeat(125)}.com`] }),
    'may not be more than 128 bytes',
  ],
  ['a long path', withRule({ paths: [`/${'a'.repeat(128)}`] }), 'may not be more than 128 bytes'],
  ['a long method', withRule({ methods: ['A'.repeat(41)] }), 'may not be more than 40 bytes'],
  [
    'a long header',
    withRule({ headers: [{ name: 'a'.repeat(41), values: ['a'] }] }),
    'may not be more than 40 bytes',
  ],
  [
    'a redirect to HTTP',
    withRule({ redirect: { statusCode: 301, protocol: 'HTTP' } }),
    'supported values: "HTTPS"',
  ],
  [
    'status 303',
    withRule({ redirect: { statusCode: 303, path: '/' } }),
    'supported values: "301", "302"',
  ],
  ['status 199', withRule({ fixedResponse: { statusCode: 199 } }), 'greater than or equal to 200'],
  ['status 600', withRule({ fixedResponse: { statusCode: 600 } }), 'less than or equal to 599'],
  [
    'a long body',
    withRule({ fixedResponse: { statusCode: 200, body: 'a'.repeat(1025) } }),
    'may not be more than 1024 bytes',
  ],
  [
    'a type of body that AWS does not know',
    withRule({ fixedResponse: { statusCode: 200, contentType: 'text/xml' } }),
    'supported values: "text/plain"',
  ],
  [
    'allowedNamespaces without from',
    { subnets, allowedNamespaces: {} },
    'spec.allowedNamespaces.from: Required value',
  ],
  [
    'allowedNamespaces from nowhere',
    { subnets, allowedNamespaces: { from: 'None' } },
    'supported values: "Same", "All", "Selector"',
  ],
  [
    'a selector without labels',
    { subnets, allowedNamespaces: { from: 'Selector', selector: {} } },
    'spec.allowedNamespaces.selector.matchLabels: Required value',
  ],
  [
    'a selector by expressions',
    { subnets, allowedNamespaces: { from: 'Selector', selector: { matchExpressions: [] } } },
    'unknown field "spec.allowedNamespaces.selector.matchExpressions"',
  ],
  [
    'a selector with 17 labels',
    {
      subnets,
      allowedNamespaces: {
        from: 'Selector',
        selector: { matchLabels: Object.fromEntries(many(17, (at) => [`l${at}`, 'x'])) },
      },
    },
    'must have at most 16 items',
  ],
  [
    'no listener',
    { subnets, listeners: [] },
    'spec.listeners in body should have at least 1 items',
  ],
  ['a field in error', withRule({ path: '/a' }), 'unknown field "spec.rules[0].path"'],
];

const faultTable: FaultTable = Object.fromEntries(
  faults.map(([name, spec, says]) => [name, { why: 'a limit of AWS or of ours', spec, says }]),
);

describe('what is supported or will be', () => {
  describeRulesOnServer({
    definition: future,
    rules: {
      ...backendCases,
      ...inboundCases,
      ...listenerCases,
      ...routingCases,
      ...ruleCases,
      ...actionCases,
    },
    faults: faultTable,
    namespace: () => namespace,
  });
});

function create(
  definition: CustomResourceDefinition,
  name: string,
  spec: object | undefined,
): Promise<ApiAnswer> {
  const { group, versions, names } = definition.spec;
  const apiVersion = `${group}/${versions[0].name}`;
  const body = { apiVersion, kind: names.kind, metadata: { name }, spec };
  const path = `${pathOf(definition, namespace)}?fieldValidation=Strict`;
  return callApi(cluster, { method: 'POST', path, body });
}

describe('what is not supported yet', () => {
  describeRulesOnServer({
    definition: today,
    rules: refusedCases,
    faults: {
      'authentication, by a client that checks fields': {
        why: 'its own fields are not known, and must not be what the answer is about',
        spec: withRule({ authenticate: { oidc: { issuer: 'https://example.com' } } }),
        says: 'authenticate is not supported yet',
      },
    },
    namespace: () => namespace,
  });
});

const trustStoreARN =
  'arn:aws:elasticloadbalancing:eu-central-1:123456789012:truststore/clients/6d0ecf831eec9f09';
const names = many(30, (index) => `${'b'.repeat(61)}${index + 10}`);

/** As large as the schema allows, as far as an object may be large at all. */
function largestSpec(fields: object): object {
  return {
    subnets: many(20, (index) => `subnet-${index}`),
    backends: names.map((name) => ({
      ...web,
      name,
      attributes: Object.fromEntries(many(40, (key) => [`key.${key}`, 'x'])),
      ...{ protocol: 'HTTPS', protocolVersion: 'GRPC', stickiness: { durationSeconds: 604_800 } },
    })),
    listeners: many(5, (index) => ({
      ...https,
      port: index + 1,
      certificates: many(50, (number) => `${certificate}${'0'.repeat(400)}${number}`),
      attributes: Object.fromEntries(
        many(20, (key) => [
          `routing.http.request.${'a'.repeat(220)}${key + 10}.header_name`,
          'X'.repeat(40),
        ]),
      ),
      mutualTLS: { mode: 'verify', trustStoreARN, ignoreExpiry: true, advertiseCANames: true },
    })),
    rules: many(100, (index) => ({
      name: `${'r'.repeat(60)}${index + 100}`,
      listeners: [1, 2, 3, 4, 5],
      hosts: many(3, (number) => `${'h'.repeat(122)}${number}.com`),
      paths: many(2, (number) => `/${'p'.repeat(126)}${number}`),
      // The last ones, so that looking them up is as long as it can be.
      forward: names.slice(-5).map((backend) => ({ backend, weight: 1 })),
      ...fields,
    })),
    defaultAction: { forward: [{ backend: names[29] }] },
    inbound: { cidrs: many(100, (index) => `2001:db8:${index}::/48`) },
  };
}

describe('the largest object', () => {
  const values = {
    hosts: many(20, (index) => `${'h'.repeat(122)}${index + 10}.com`),
    paths: many(5, (index) => `/${'p'.repeat(126)}${index}`),
  };
  const others = {
    ...{ hosts: undefined, paths: undefined },
    methods: many(20, (index) => `METHOD-${'A'.repeat(index)}`),
    queryStrings: [{ key: 'k'.repeat(128), value: 'v'.repeat(128) }],
    sourceCIDRs: many(5, (index) => `10.${index}.0.0/16`),
    headers: many(2, (index) => ({ name: `X-${index}`, regex: 'r'.repeat(128) })),
  };
  const long = { regex: 'r'.repeat(1024), replace: 'r'.repeat(1024) };
  const redirect = {
    ...{ statusCode: 301, protocol: 'HTTPS', port: 9999, host: 'h'.repeat(128) },
    ...{ path: `/${'p'.repeat(127)}`, query: 'q'.repeat(128) },
  };

  const header = (index: number): object => ({
    name: `${'X'.repeat(39)}${index}`,
    values: [`${index}`.padStart(128, 'v')],
  });
  const headersAlone = { hosts: undefined, paths: undefined, headers: many(5, header) };

  it.each([
    ['with what is supported today', today, {}],
    ['with headers alone', today, headersAlone],
    ['with as many values as can be', today, values],
    ['with all other conditions', today, others],
    ['with rewrites', today, { rewrite: { host: long, url: long } }],
    ['with redirects', today, { forward: undefined, redirect }],
    ['with all of it supported', future, values],
  ])(
    'is within the budget that the API server has for rules: %s',
    async (name, definition, fields) => {
      const object = name.replaceAll(' ', '-');
      const { code, message } = await create(definition, object, largestSpec(fields));
      expect({ code, message }).toEqual({ code: 201, message: '' });
    },
  );
});
