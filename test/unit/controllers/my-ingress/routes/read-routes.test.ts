import { describe, expect, expectTypeOf, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { readRoutes } from '../../../../../src/controllers/my-ingress/routes/read-routes.ts';
import type { Routes } from '../../../../../src/controllers/my-ingress/routes/routes.ts';
import type {
  BackendSpec,
  RuleSpec,
  TrafficSpec,
} from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';

const web = { name: 'web', service: { name: 'web', port: 'http' } };
const api = { name: 'api', service: { name: 'api', port: 8080 } };
const forwardTo = (backend: string): Routes['listeners'][number]['defaultAction'] => ({
  kind: 'forward',
  to: [{ backend: `spec/${backend}`, weight: 1 }],
});
const notFound = { kind: 'fixed-response', statusCode: 404 };
const http = { port: 80, protocol: 'HTTP' as const };
const https = { port: 443, protocol: 'HTTPS' as const, certificates: ['arn:a'] };
const rule = { name: 'r', paths: ['/r'], fixedResponse: { statusCode: 200 } };

interface Case {
  readonly spec: TrafficSpec;
  readonly listeners?: readonly object[];
  readonly rules?: readonly object[];
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  nothing: { spec: {}, listeners: [], rules: [], why: 'a balancer alone stays one' },
  'a single backend': {
    spec: { backends: [web] },
    listeners: [{ ...http, certificates: [], defaultAction: forwardTo('web') }],
    why: 'one listener, HTTP on 80, which forwards to it',
  },
  'two backends': {
    spec: { backends: [web, api], defaultAction: { forward: [{ backend: 'api' }] } },
    listeners: [{ ...http, certificates: [], defaultAction: forwardTo('api') }],
    why: 'a second one never changes where traffic goes',
  },
  'a listener without backends': {
    spec: { listeners: [http] },
    listeners: [{ ...http, certificates: [], defaultAction: notFound }],
    why: 'it answers 404',
  },
  'a redirect to HTTPS': {
    spec: {
      backends: [web],
      listeners: [{ ...http, redirectToHTTPS: true }, https],
      rules: [rule],
    },
    listeners: [
      {
        ...http,
        defaultAction: { kind: 'redirect', statusCode: 301, protocol: 'HTTPS', port: '443' },
      },
      { ...https, defaultAction: forwardTo('web') },
    ],
    rules: [{ source: 'spec', name: 'r', paths: ['/r'], listeners: [443] }],
    why: 'it carries no rules',
  },
  'a redirect to HTTPS on other ports': {
    spec: {
      listeners: [
        { ...http, redirectToHTTPS: true },
        { ...https, port: 9443 },
        { ...https, port: 8443 },
      ],
    },
    listeners: [{ defaultAction: { port: '8443' } }, {}, {}],
    why: 'to the lowest',
  },
  'a default action of a listener': {
    spec: {
      backends: [web],
      listeners: [{ ...http, defaultAction: { fixedResponse: { statusCode: 410 } } }],
    },
    listeners: [{ defaultAction: { kind: 'fixed-response', statusCode: 410 } }],
    why: "it comes before the object's",
  },
  rules: {
    spec: {
      backends: [web, api],
      listeners: [http, https],
      rules: [
        { ...rule, listeners: [80, 81] },
        {
          name: 'split',
          hosts: ['a.b'],
          forward: [
            { backend: 'web', weight: 9 },
            { backend: 'api', weight: 0 },
          ],
        },
        { name: 'moved', methods: ['GET'], redirect: { statusCode: 302, port: 8080, path: '/x' } },
      ],
    },
    rules: [
      { name: 'r', listeners: [80], action: { kind: 'fixed-response', statusCode: 200 } },
      {
        ...{ name: 'split', listeners: [80, 443], hosts: ['a.b'] },
        action: {
          kind: 'forward',
          to: [
            { backend: 'spec/web', weight: 9 },
            { backend: 'spec/api', weight: 0 },
          ],
        },
      },
      {
        name: 'moved',
        methods: ['GET'],
        action: { kind: 'redirect', statusCode: 302, port: '8080', path: '/x' },
      },
    ],
    why: 'in their order, on every listener or on those that they name and that exist',
  },
  'a sticky backend among others': {
    spec: {
      backends: [{ ...web, stickiness: { durationSeconds: 60 } }, api],
      rules: [
        {
          name: 'split',
          paths: ['/'],
          forward: [
            { backend: 'web', weight: 1 },
            { backend: 'api', weight: 1 },
          ],
        },
      ],
      defaultAction: { forward: [{ backend: 'web' }] },
    },
    listeners: [{ defaultAction: forwardTo('web') }],
    rules: [{ action: { stickinessSeconds: 60 } }],
    why: 'the forward must be sticky too, alone it need not',
  },
};

// The compiler is the judge here.
it('routes are read from any spec that was admitted', () => {
  expectTypeOf<Pick<MyIngressSpec, keyof TrafficSpec>>().toExtend<TrafficSpec>();
  type Backend = NonNullable<MyIngressSpec['backends']>[number];
  expectTypeOf<keyof BackendSpec>().toExtend<keyof Backend>();
  type Rule = NonNullable<MyIngressSpec['rules']>[number];
  expectTypeOf<keyof RuleSpec>().toExtend<keyof Rule>();
});

describe('the routes of', () => {
  it.each(Object.entries(cases))('%s', (_, { spec, listeners, rules, why }) => {
    const routes = readRoutes(spec);
    if (listeners !== undefined) expect(routes.listeners, why).toMatchObject(listeners);
    if (rules !== undefined) expect(routes.rules, why).toMatchObject(rules);
    expect(routes.listeners).toHaveLength(listeners?.length ?? routes.listeners.length);
    for (const { defaultAction } of routes.listeners) {
      if (spec.backends === undefined) expect(defaultAction).not.toHaveProperty('to');
    }
  });

  it('an object with a sticky backend alone name no stickiness of the forward', () => {
    const sticky = { ...web, stickiness: { durationSeconds: 60 } };
    const [listener] = readRoutes({ backends: [sticky] }).listeners;
    expect(listener?.defaultAction).toEqual(forwardTo('web'));
  });
});

describe('a backend', () => {
  it('has every default written', () => {
    expect(readRoutes({ backends: [web] }).backends).toEqual([
      {
        ...{ source: 'spec', name: 'web', service: { name: 'web', port: 'http' } },
        ipAddressType: 'ipv4',
        ...{ targetType: 'ip', protocol: 'HTTP', protocolVersion: 'HTTP1', attributes: {} },
        healthCheck: {
          ...{ protocol: 'HTTP', port: 'traffic-port', path: '/', matcher: '200' },
          ...{ intervalSeconds: 15, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 2 },
        },
      },
    ]);
  });

  it('of GRPC is checked as gRPC is, and one of HTTPS by HTTPS', () => {
    const [grpc, secure] = readRoutes({
      backends: [
        { ...web, protocolVersion: 'GRPC' },
        { ...api, protocol: 'HTTPS', healthCheck: { path: '/up' } },
      ],
    }).backends;
    expect(grpc?.healthCheck).toMatchObject({ path: '/AWS.ALB/healthcheck', matcher: '12' });
    expect(secure?.healthCheck).toMatchObject({ protocol: 'HTTPS', path: '/up', matcher: '200' });
  });

  it('that is sticky has the attributes of a cookie', () => {
    const [backend] = readRoutes({
      backends: [{ ...web, stickiness: { durationSeconds: 60 }, attributes: { a: 'b' } }],
    }).backends;
    expect(backend?.attributes).toEqual({
      'stickiness.enabled': 'true',
      'stickiness.type': 'lb_cookie',
      'stickiness.lb_cookie.duration_seconds': '60',
      a: 'b',
    });
  });

  it('without a Service is none', () => {
    expect(readRoutes({ backends: [{ name: 'web' }] }).backends).toEqual([]);
  });
});

it('inbound goes along as it is', () => {
  const inbound = { cidrs: ['10.0.0.0/8'] };
  expect(readRoutes({ backends: [web], inbound }).inbound).toEqual(inbound);
  expect(readRoutes({ backends: [web] })).not.toHaveProperty('inbound');
});
