import {
  type Draft,
  http,
  https,
  plainRule,
  type RuleTable,
  web,
  withRule,
  withSpec,
  withTraffic,
} from './rule-case.ts';

const rule = { name: 'a', paths: ['/a'], forward: [{ backend: 'web' }] };
const grpc = { ...web, protocolVersion: 'GRPC' };
const redirecting = { ...http, redirectToHTTPS: true };
const listened = (listeners: readonly object[], ports?: readonly number[]): Draft =>
  withTraffic({
    listeners,
    rules: [plainRule, { ...rule, ...(ports === undefined ? {} : { listeners: ports }) }],
  });

const secure = { ...https, port: 8443 };
/** To HTTPS on port 443, but for `parts`. */
const redirected = (
  listeners: readonly object[],
  parts: object,
  ports?: readonly number[],
): Draft => {
  const redirect = { statusCode: 301, protocol: 'HTTPS', port: 443, ...parts };
  const redirecting = { name: 'a', paths: ['/a'], redirect, listeners: ports };
  const rules: unknown = JSON.parse(JSON.stringify([plainRule, redirecting]));
  return withTraffic({ listeners, rules });
};

/** Rules that look at what one part of the spec says about another. */
export const routingCases: RuleTable = {
  'spec: a rule forwards to a backend that': {
    accepts: { 'a backend': { why: 'it is there', object: withRule({}) } },
    rejects: {
      'a name in error': {
        why: 'nobody knows it',
        object: withRule({ forward: [{ backend: 'wep' }] }),
      },
      'no backends at all': {
        why: 'nobody knows it',
        object: withSpec({ listeners: [http], rules: [rule] }),
      },
    },
  },
  'spec: defaultAction forwards to a backend that': {
    accepts: {
      'a backend': {
        why: 'it is there',
        object: withTraffic({ defaultAction: { forward: [{ backend: 'web' }] } }),
      },
    },
    rejects: {
      'a name in error': {
        why: 'nobody knows it',
        object: withTraffic({ defaultAction: { forward: [{ backend: 'wep' }] } }),
      },
    },
  },
  'spec: a rule names a port that': {
    accepts: { 'a listener': { why: 'it is there', object: listened([http, https], [443]) } },
    rejects: {
      'another port': { why: 'nothing listens on it', object: listened([http, https], [80, 8080]) },
      'no listeners': {
        why: 'the one on port 80 is not written down',
        object: withRule({ listeners: [80] }),
      },
    },
  },
  'spec: a rule names a listener that redirects': {
    accepts: {
      'the other one': { why: 'it carries rules', object: listened([redirecting, https], [443]) },
      'left out': { why: 'the rule skips it', object: listened([redirecting, https]) },
    },
    rejects: {
      'that one': {
        why: 'it redirects everything',
        object: listened([redirecting, https], [80, 443]),
      },
    },
  },
  'spec: a rule redirects a listener to itself': {
    accepts: {
      'HTTP to HTTPS': { why: 'another listener', object: redirected([http], {}) },
      'narrowed to HTTP': { why: 'another listener', object: redirected([http, https], {}, [80]) },
      'with a listener that redirects': {
        why: 'it carries no rules',
        object: redirected([{ ...http, port: 443, redirectToHTTPS: true }, secure], {
          protocol: undefined,
        }),
      },
      'to another path': { why: 'a change', object: redirected([https], { path: '/b' }) },
      'to another host': { why: 'a change', object: redirected([https], { host: 'a.b' }) },
      'to another port': { why: 'a change', object: redirected([https], { port: 8443 }) },
    },
    rejects: {
      'on HTTPS too': { why: 'a loop', object: redirected([http, https], {}) },
      'on HTTPS by name': { why: 'a loop', object: redirected([http, https], {}, [443]) },
      'to its own path': { why: 'a loop', object: redirected([https], { path: '/#{path}' }) },
      'HTTP to its own port': {
        why: 'a loop',
        object: redirected([{ ...http, port: 443 }], { protocol: undefined }),
      },
    },
  },
  'spec: a rule forwards from an HTTP listener': {
    accepts: {
      'from HTTPS': {
        why: 'AWS takes it',
        object: withTraffic({ backends: [grpc], listeners: [https], rules: [rule] }),
      },
      'narrowed to HTTPS': {
        why: 'the HTTP listener has another default',
        object: withTraffic({
          backends: [web, { ...grpc, name: 'api' }],
          listeners: [http, https],
          rules: [{ ...rule, listeners: [443], forward: [{ backend: 'api' }] }],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
      'an answer from HTTP': {
        why: 'it forwards to nobody',
        object: withTraffic({
          backends: [web, { ...grpc, name: 'api' }],
          rules: [{ name: 'a', paths: ['/a'], fixedResponse: { statusCode: 404 } }],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
      'with a redirect from HTTP': {
        why: 'it carries no rules',
        object: withTraffic({ backends: [grpc], listeners: [redirecting, https], rules: [rule] }),
      },
    },
    rejects: Object.fromEntries(
      Object.entries({
        'from both': { listeners: [http, https] },
        'from HTTP by name': {
          listeners: [http, https],
          rules: [{ ...rule, listeners: [80], forward: [{ backend: 'api' }] }],
        },
        'from the listener that is not written down': {},
      }).map(([name, fields]) => [
        name,
        {
          why: 'AWS needs HTTPS for HTTP2 and GRPC',
          object: withTraffic({
            backends: [web, { ...grpc, name: 'api' }],
            rules: [plainRule, { ...rule, forward: [{ backend: 'api' }] }],
            defaultAction: { forward: [{ backend: 'web' }] },
            ...fields,
          }),
        },
      ]),
    ),
  },
  'spec: the default action of an HTTP listener': {
    accepts: {
      'HTTPS alone': {
        why: 'AWS takes it',
        object: withTraffic({ backends: [grpc], listeners: [https] }),
      },
      'an action of the HTTP listener itself': {
        why: 'the GRPC backend is not its default',
        object: withTraffic({
          backends: [grpc],
          listeners: [{ ...http, defaultAction: { fixedResponse: { statusCode: 404 } } }, https],
        }),
      },
      'another default': {
        why: 'the GRPC backend is not the default',
        object: withTraffic({
          backends: [web, { ...grpc, name: 'api' }],
          listeners: [http],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
    },
    rejects: {
      'one of two backends': {
        why: 'AWS refuses it',
        object: withTraffic({
          backends: [web, { ...grpc, name: 'api' }],
          defaultAction: { forward: [{ backend: 'api' }] },
        }),
      },
      'of the listener itself': {
        why: 'AWS refuses it',
        object: withTraffic({
          backends: [web, { ...grpc, name: 'api' }],
          listeners: [{ ...http, defaultAction: { forward: [{ backend: 'api' }] } }],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
      'the only backend': {
        why: 'it is the default of port 80',
        object: withTraffic({ backends: [grpc] }),
      },
      'by name': {
        why: 'AWS refuses it',
        object: withTraffic({
          backends: [grpc],
          listeners: [http, https],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
    },
  },
};
