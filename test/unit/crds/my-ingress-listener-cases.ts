import { listenerSettingCases } from './my-ingress-listener-setting-cases.ts';
import {
  casesOf,
  certificate,
  type Draft,
  http,
  https,
  type RuleTable,
  withSpec,
  withTraffic,
} from './rule-case.ts';

const listening = (...listeners: readonly object[]): Draft => withTraffic({ listeners });
const redirecting = { ...http, redirectToHTTPS: true };
const gone = { fixedResponse: { statusCode: 410 } };
const to = (parts: object): object => ({ redirect: { statusCode: 302, ...parts } });

/** Rules that look at listeners. */
export const listenerCases: RuleTable = {
  'spec.listeners[].certificates: each certificate': {
    accepts: {
      two: {
        why: 'the second is for other hosts',
        object: listening({ ...https, certificates: [certificate, `${certificate}6`] }),
      },
    },
    rejects: {
      repeated: {
        why: 'AWS knows it once',
        object: listening({
          ...https,
          certificates: [certificate, certificate, `${certificate}6`],
        }),
      },
    },
  },
  'spec.listeners[].certificates[]: is not the ARN': {
    accepts: casesOf(
      {
        [certificate]: 'of AWS Certificate Manager',
        [certificate.replace('aws', 'aws-cn')]: 'in China',
        'arn:aws:iam::123456789012:server-certificate/cloudfront/shop': 'of IAM, with a path',
      },
      (arn) => listening({ ...https, certificates: [arn] }),
    ),
    rejects: casesOf(
      {
        'shop.example.com': 'a host',
        'arn:aws:acm:eu-central-1:123456789012:certificate/': 'without an id',
        'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tls': 'another service',
        '': 'empty',
      },
      (arn) => listening({ ...https, certificates: [arn] }),
    ),
  },
  'spec.listeners[].sslPolicy: is not the name': {
    accepts: casesOf({ 'ELBSecurityPolicy-TLS13-1-2-2021-06': 'a policy of AWS' }, (sslPolicy) =>
      listening({ ...https, sslPolicy }),
    ),
    rejects: casesOf(
      { 'TLS13-1-2': 'no prefix', 'ELBSecurityPolicy-': 'no name', '': 'empty' },
      (sslPolicy) => listening({ ...https, sslPolicy }),
    ),
  },
  'spec.listeners[]: certificates belong to HTTPS': {
    accepts: {
      'an HTTP listener without': { why: 'it needs none', object: listening(http) },
      'an HTTPS listener with one': { why: 'the least', object: listening(https) },
      'an HTTPS listener without': {
        why: 'they are found by hosts, of rules that may come later',
        object: listening({ port: 443, protocol: 'HTTPS' }),
      },
    },
    rejects: {
      'an HTTP listener with one': {
        why: 'AWS refuses it',
        object: listening({ ...http, certificates: [certificate] }),
      },
    },
  },
  'spec.listeners[]: sslPolicy belongs to HTTPS': {
    accepts: { 'an HTTP listener without': { why: 'it needs none', object: listening(http) } },
    rejects: {
      'an HTTP listener with one': {
        why: 'AWS refuses it',
        object: listening({ ...http, sslPolicy: 'ELBSecurityPolicy-2016-08' }),
      },
    },
  },
  ...listenerSettingCases,
  'spec.listeners[]: redirectToHTTPS on an HTTPS': {
    accepts: {
      'on HTTP': { why: 'it leads to the other listener', object: listening(redirecting, https) },
      'false on HTTPS': {
        why: 'it says nothing',
        object: listening({ ...https, redirectToHTTPS: false }),
      },
    },
    rejects: {
      'on HTTPS': { why: 'a loop', object: listening({ ...https, redirectToHTTPS: true }) },
    },
  },
  'spec.listeners[]: redirectToHTTPS is what': {
    accepts: {
      'false with a default action': {
        why: 'it says nothing',
        object: listening({ ...http, redirectToHTTPS: false, defaultAction: gone }),
      },
    },
    rejects: {
      'true with a default action': {
        why: 'no request would ever get it',
        object: listening({ ...redirecting, defaultAction: gone }, https),
      },
    },
  },
  'spec.listeners[]: its defaultAction redirects': {
    accepts: {
      'to another port': {
        why: 'a change',
        object: listening({ ...http, defaultAction: to({ port: 8080 }) }),
      },
      'to HTTPS': {
        why: 'a change',
        object: listening({ ...http, defaultAction: to({ protocol: 'HTTPS', port: 80 }) }),
      },
      'to another path': {
        why: 'a change',
        object: listening({ ...https, defaultAction: to({ protocol: 'HTTPS', path: '/a' }) }),
      },
      'to another host': {
        why: 'a change',
        object: listening({ ...https, defaultAction: to({ port: 443, host: 'www.#{host}' }) }),
      },
    },
    rejects: {
      'HTTPS to HTTPS': {
        why: 'a loop',
        object: listening({ ...https, defaultAction: to({ protocol: 'HTTPS', port: 443 }) }),
      },
      'port 80 to port 80': {
        why: 'a loop',
        object: listening({ ...http, defaultAction: to({ port: 80, path: '/#{path}' }) }),
      },
    },
  },
  'spec: the defaultAction of a listener forwards': {
    accepts: {
      'a backend': {
        why: 'it is there',
        object: listening({ ...http, defaultAction: { forward: [{ backend: 'web' }] } }),
      },
      'no backend': {
        why: 'it answers itself',
        object: withSpec({ listeners: [{ ...http, defaultAction: gone }] }),
      },
    },
    rejects: {
      'a name in error': {
        why: 'nobody knows it',
        object: listening({ ...http, defaultAction: { forward: [{ backend: 'wep' }] } }),
      },
      'no backends at all': {
        why: 'nobody knows it',
        object: withSpec({
          listeners: [{ ...http, defaultAction: { forward: [{ backend: 'web' }] } }],
        }),
      },
    },
  },
  'spec: defaultAction redirects a listener': {
    accepts: {
      'HTTP to HTTPS': {
        why: 'another listener',
        object: withTraffic({ listeners: [http], defaultAction: to({ protocol: 'HTTPS' }) }),
      },
      'a listener with an action of its own': {
        why: 'the loop is not its own',
        object: withTraffic({
          listeners: [http, { ...https, defaultAction: gone }],
          defaultAction: to({ protocol: 'HTTPS', port: 443 }),
        }),
      },
      'a listener that redirects to HTTPS': {
        why: 'it has another action',
        object: withTraffic({
          listeners: [{ ...redirecting, port: 8080 }, https],
          defaultAction: to({ port: 8080 }),
        }),
      },
      'to another host': {
        why: 'a change',
        object: withTraffic({ listeners: [https], defaultAction: to({ port: 443, host: 'a.b' }) }),
      },
    },
    rejects: {
      'HTTPS to HTTPS': {
        why: 'a loop on the second',
        object: withTraffic({
          listeners: [http, https],
          defaultAction: to({ protocol: 'HTTPS', port: 443 }),
        }),
      },
    },
  },
  'spec.listeners: redirectToHTTPS needs a listener': {
    accepts: {
      'HTTPS on another port': {
        why: 'the redirect names the port',
        object: listening(redirecting, { ...https, port: 8443 }),
      },
      'false without HTTPS': {
        why: 'nothing is redirected',
        object: listening({ ...http, redirectToHTTPS: false }),
      },
    },
    rejects: {
      'no HTTPS listener': { why: 'the redirect leads nowhere', object: listening(redirecting) },
      'HTTP on 443': {
        why: 'a port is no protocol',
        object: listening(redirecting, { ...http, port: 443 }),
      },
    },
  },
};
