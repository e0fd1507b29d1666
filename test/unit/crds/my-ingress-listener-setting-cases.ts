import {
  casesOf,
  certificate,
  type Draft,
  http,
  https,
  type RuleTable,
  withTraffic,
} from './rule-case.ts';

const listening = (...listeners: readonly object[]): Draft => withTraffic({ listeners });
const HSTS = 'routing.http.response.strict_transport_security.header_value';
const SERVER = 'routing.http.response.server.enabled';
const TLS_VERSION = 'routing.http.request.x_amzn_tls_version.header_name';
const trustStoreARN =
  'arn:aws:elasticloadbalancing:eu-central-1:123456789012:truststore/clients/6d0ecf831eec9f09';
const verifying = { mode: 'verify', trustStoreARN };
const mutual = (mutualTLS: object): Draft => listening({ ...https, mutualTLS });

/** Rules that look at what a listener may have besides: attributes, and mutual TLS. */
export const listenerSettingCases: RuleTable = {
  'spec.listeners[].attributes: an attribute key of a listener': {
    accepts: casesOf(
      { [HSTS]: 'a header of answers', 'routing.http.response.of.tomorrow': 'AWS may add some' },
      (key) => listening({ ...http, attributes: { [key]: 'x' } }),
    ),
    rejects: casesOf(
      {
        'tcp.idle_timeout.seconds': 'of other balancers',
        'idle_timeout.timeout_seconds': 'of the balancer',
        'routing.http.response.X-Frame-Options': 'a header, not a key',
        [`routing.http.response.${'a'.repeat(240)}`]: 'too long',
      },
      (key) => listening({ ...http, attributes: { [HSTS]: 'x', [key]: 'x' } }),
    ),
  },
  'spec.listeners[].attributes: routing.http.response.server.enabled': {
    accepts: casesOf({ true: 'on', false: 'off' }, (value) =>
      listening({ ...http, attributes: { [SERVER]: value } }),
    ),
    rejects: casesOf({ off: 'another word', '': 'empty' }, (value) =>
      listening({ ...http, attributes: { [SERVER]: value } }),
    ),
  },
  'spec.listeners[].attributes: is not the name of a header': {
    accepts: casesOf({ 'X-Tls': 'a name', [`${'a'.repeat(40)}`]: 'the most' }, (value) =>
      listening({ ...https, attributes: { [TLS_VERSION]: value } }),
    ),
    rejects: casesOf(
      { 'X-Tls:': 'a colon', 'two words': 'a space', '': 'empty', ['a'.repeat(41)]: 'too long' },
      (value) => listening({ ...https, attributes: { [HSTS]: '', [TLS_VERSION]: value } }),
    ),
  },
  'spec.listeners[]: attributes that start with': {
    accepts: {
      'of requests on HTTPS': {
        why: 'they are about TLS',
        object: listening({ ...https, attributes: { [TLS_VERSION]: 'X-Tls' } }),
      },
      'of answers on HTTP': {
        why: 'every answer can have them',
        object: listening({ ...http, attributes: { [HSTS]: 'max-age=1' } }),
      },
    },
    rejects: {
      'of requests on HTTP': {
        why: 'there is no TLS',
        object: listening({ ...http, attributes: { [HSTS]: '', [TLS_VERSION]: 'X-Tls' } }),
      },
    },
  },
  'spec.listeners[]: mutualTLS belongs to HTTPS': {
    accepts: {
      'an HTTPS listener': { why: 'it has TLS', object: mutual({ mode: 'passthrough' }) },
    },
    rejects: {
      'an HTTP listener': {
        why: 'nobody shows a certificate there',
        object: listening({ ...http, mutualTLS: { mode: 'passthrough' } }),
      },
    },
  },
  'spec.listeners[].mutualTLS: mode verify needs': {
    accepts: { 'a trust store': { why: 'it says whom to trust', object: mutual(verifying) } },
    rejects: { none: { why: 'nobody would be trusted', object: mutual({ mode: 'verify' }) } },
  },
  'spec.listeners[].mutualTLS: trustStoreARN, ignoreExpiry': {
    accepts: {
      'all of them with verify': {
        why: 'it verifies',
        object: mutual({ ...verifying, ignoreExpiry: true, advertiseCANames: true }),
      },
      'none with off': { why: 'it says enough', object: mutual({ mode: 'off' }) },
    },
    rejects: {
      'a trust store with passthrough': {
        why: 'nothing is verified',
        object: mutual({ mode: 'passthrough', trustStoreARN }),
      },
      'expiry with off': {
        why: 'nothing is verified',
        object: mutual({ mode: 'off', ignoreExpiry: false }),
      },
      'names with passthrough': {
        why: 'there is no trust store',
        object: mutual({ mode: 'passthrough', advertiseCANames: true }),
      },
    },
  },
  'spec.listeners[].mutualTLS.trustStoreARN: is not': {
    accepts: casesOf(
      { [trustStoreARN]: 'of a trust store', [trustStoreARN.replace('aws', 'aws-cn')]: 'in China' },
      (arn) => mutual({ mode: 'verify', trustStoreARN: arn }),
    ),
    rejects: casesOf({ clients: 'a name', [certificate]: 'a certificate', '': 'empty' }, (arn) =>
      mutual({ mode: 'verify', trustStoreARN: arn }),
    ),
  },
};
