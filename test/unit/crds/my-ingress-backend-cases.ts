import {
  arn,
  casesOf,
  type Draft,
  type RuleTable,
  web,
  withBackend,
  withTraffic,
} from './rule-case.ts';

const named = (name: string): Draft => withTraffic({ backends: [{ ...web, name }] });
const served = (name: string): Draft => withBackend({ service: { name, port: 80 } });
const ported = (port: string): Draft => withBackend({ service: { name: 'web', port } });
const checked = (healthCheck: object): Draft => withBackend({ healthCheck });
const attributed = (key: string, value: string): Draft => {
  return withBackend({ attributes: { [key]: value } });
};
const sticky = (attributes: Readonly<Record<string, string>>): Draft => {
  return withBackend({ stickiness: { durationSeconds: 60 }, attributes });
};
const six = { ipAddressType: 'ipv6' };
const dualstack = { ipAddressType: 'dualstack' };
const DELAY = 'deregistration_delay.timeout_seconds';
const SLOW = 'slow_start.duration_seconds';
const ALGORITHM = 'load_balancing.algorithm.type';
const ANOMALY = 'load_balancing.algorithm.anomaly_mitigation';
const CROSS_ZONE = 'load_balancing.cross_zone.enabled';

/** Rules that look at one backend. */
export const backendCases: RuleTable = {
  'spec.backends[].name: must be lower-case': {
    accepts: casesOf(
      { web: 'the usual', a: 'the least', ['a'.repeat(63)]: 'the most', 'a-1': 'all of it' },
      named,
    ),
    rejects: casesOf(
      { Web: 'a capital', '-web': 'a hyphen first', 'web/api': 'a slash', '': 'empty' },
      named,
    ),
  },
  'spec.backends[].service.name: is not the name of a Service': {
    accepts: casesOf({ web: 'a name', 'web-2': 'digits and hyphens' }, served),
    rejects: casesOf(
      { 'web.shop.svc': 'a domain', 'shop/web': 'a namespace', '': 'empty' },
      served,
    ),
  },
  'spec.backends[].service.port: is not the name of a port': {
    accepts: {
      'a number': {
        why: 'the port of the Service',
        object: withBackend({ service: { name: 'web', port: 65535 } }),
      },
      ...casesOf({ http: 'a name', 'grpc-1': 'digits and hyphens' }, ported),
    },
    rejects: casesOf({ '80': 'a number in quotes', '': 'empty' }, ported),
  },
  'spec.backends[]: ipAddressType ipv6 works with targetType ip': {
    accepts: {
      instances: {
        why: 'they are nodes, with a node port',
        object: withBackend({ targetType: 'instance' }),
      },
      'IPv4 of instances': {
        why: 'it is the default',
        object: withBackend({ targetType: 'instance', ipAddressType: 'ipv4' }),
      },
      'IPv6 of pods': {
        why: 'the load balancer has IPv6',
        object: withBackend({ targetType: 'ip', ipAddressType: 'ipv6' }, dualstack),
      },
    },
    rejects: {
      'IPv6 of instances': {
        why: 'AWS refuses it',
        object: withBackend({ targetType: 'instance', ipAddressType: 'ipv6' }, dualstack),
      },
    },
  },
  'spec: a backend with ipAddressType ipv6 needs': {
    accepts: {
      'dualstack without public IPv4': {
        why: 'it has IPv6 too',
        object: withBackend(six, { ipAddressType: 'dualstack-without-public-ipv4' }),
      },
      'an adopted balancer': {
        why: 'it may be dualstack already',
        object: withBackend(six, { adopt: { arn } }),
      },
    },
    rejects: {
      'ipv4 left out': { why: 'a balancer is ipv4 by default', object: withBackend(six) },
      'ipv4 written': { why: 'the same', object: withBackend(six, { ipAddressType: 'ipv4' }) },
    },
  },
  'spec.backends[]: service is missing': {
    accepts: { 'a Service': { why: 'its endpoints are the targets', object: withTraffic({}) } },
    rejects: {
      'a name alone': {
        why: 'there would be no target',
        object: withTraffic({ backends: [{ name: 'web' }] }),
      },
    },
  },
  'spec.backends[].healthCheck.path: must start with a slash': {
    accepts: casesOf(
      {
        '/': 'the default',
        '/healthz?full=1': 'with a query',
        [`/${'a'.repeat(1023)}`]: 'the most',
      },
      (path) => checked({ path }),
    ),
    rejects: casesOf(
      { healthz: 'no slash', '/a b': 'a space', '/größe': 'not ASCII', '': 'empty' },
      (path) => checked({ path }),
    ),
  },
  'spec.backends[].healthCheck: timeoutSeconds must be less': {
    accepts: {
      'the longest': {
        why: 'AWS allows 120 of 300',
        object: checked({ intervalSeconds: 300, timeoutSeconds: 120 }),
      },
      'one second less': { why: 'less is enough', object: checked({ intervalSeconds: 6 }) },
    },
    rejects: {
      equal: {
        why: 'AWS refuses it',
        object: checked({ intervalSeconds: 10, timeoutSeconds: 10 }),
      },
      'more than the default interval': {
        why: 'left out means 15',
        object: checked({ timeoutSeconds: 20 }),
      },
      'an interval not above the default': {
        why: 'left out means 5',
        object: checked({ intervalSeconds: 5 }),
      },
    },
  },
  'spec.backends[]: matcher lists codes': {
    accepts: {
      'gRPC codes': {
        why: 'GRPC has its own',
        object: withBackend({ protocolVersion: 'GRPC', healthCheck: { matcher: '0-99' } }),
      },
      'HTTP codes of HTTP2': {
        why: 'it is HTTP',
        object: withBackend({ protocolVersion: 'HTTP2', healthCheck: { matcher: '200' } }),
      },
      ...casesOf(
        { '200': 'a code', '200,204': 'a list', '200-399': 'a range', '499': 'the highest' },
        (matcher) => checked({ matcher }),
      ),
    },
    rejects: {
      'HTTP codes of GRPC': {
        why: 'it has its own',
        object: withBackend({ protocolVersion: 'GRPC', healthCheck: { matcher: '200' } }),
      },
      ...casesOf(
        {
          '500': 'AWS takes 200 to 499',
          '2xx': 'no such form',
          '200, 204': 'a space',
          '12': 'a gRPC code',
          '': 'empty',
        },
        (matcher) => checked({ matcher }),
      ),
    },
  },
  'spec.backends[].attributes: an attribute key': {
    accepts: {
      'a key of AWS': { why: 'dots and underscores', object: attributed(DELAY, '30') },
      '256 characters': { why: 'the most', object: attributed('a'.repeat(256), '30') },
    },
    rejects: {
      'a hyphen': { why: 'no key of AWS has one', object: attributed('slow-start', '30') },
      'an empty key': { why: 'it names nothing', object: attributed('', '30') },
      '257 characters': { why: 'one too many', object: attributed('a'.repeat(257), '30') },
      'one of two': {
        why: 'the other does not excuse it',
        object: withBackend({ attributes: { [DELAY]: '30', 'slow-start': '30' } }),
      },
    },
  },
  'spec.backends[].attributes: attributes that start with stickiness.': {
    accepts: {
      'another key': {
        why: 'only stickiness needs an order',
        object: attributed(ALGORITHM, 'weighted_random'),
      },
    },
    rejects: {
      'stickiness switched on': {
        why: 'AWS refuses it while a rule names the group beside others',
        object: withBackend({
          attributes: { [ALGORITHM]: 'round_robin', 'stickiness.enabled': 'true' },
        }),
      },
    },
  },
  'spec.backends[].attributes: deregistration_delay': {
    accepts: casesOf(
      { '0': 'the least', '30': 'usual', '3599': 'nearly', '3600': 'the most' },
      (value) => attributed(DELAY, value),
    ),
    rejects: casesOf(
      { '3601': 'one too many', '-1': 'negative', '30s': 'a unit', '': 'empty' },
      (value) => attributed(DELAY, value),
    ),
  },
  'spec.backends[].attributes: slow_start.duration_seconds must': {
    accepts: casesOf(
      { '0': 'off', '30': 'the least', '899': 'nearly', '900': 'the most' },
      (value) => attributed(SLOW, value),
    ),
    rejects: casesOf({ '29': 'one too few', '901': 'one too many', on: 'a word' }, (value) =>
      attributed(SLOW, value),
    ),
  },
  'spec.backends[].attributes: slow_start.duration_seconds does not work': {
    accepts: {
      off: {
        why: 'AWS takes it',
        object: withBackend({
          attributes: { [SLOW]: '0', [ALGORITHM]: 'least_outstanding_requests' },
        }),
      },
      'round robin': {
        why: 'AWS takes it',
        object: withBackend({ attributes: { [SLOW]: '60', [ALGORITHM]: 'round_robin' } }),
      },
    },
    rejects: {
      'both at once': {
        why: 'AWS refuses it',
        object: withBackend({
          attributes: { [SLOW]: '60', [ALGORITHM]: 'least_outstanding_requests' },
        }),
      },
      'a random order': {
        why: 'AWS refuses it',
        object: withBackend({ attributes: { [SLOW]: '60', [ALGORITHM]: 'weighted_random' } }),
      },
    },
  },
  'spec.backends[]: stickiness does not work': {
    accepts: {
      'all that it works with': {
        why: 'AWS takes it',
        object: sticky({ [ALGORITHM]: 'least_outstanding_requests', [CROSS_ZONE]: 'true' }),
      },
      'other attributes alone': { why: 'AWS takes it', object: sticky({ [DELAY]: '30' }) },
      'a random order without it': {
        why: 'AWS takes it',
        object: attributed(ALGORITHM, 'weighted_random'),
      },
      'zones apart without it': { why: 'AWS takes it', object: attributed(CROSS_ZONE, 'false') },
    },
    rejects: {
      'a random order': {
        why: 'AWS refuses it',
        object: sticky({ [ALGORITHM]: 'weighted_random' }),
      },
      'zones apart': { why: 'AWS refuses it', object: sticky({ [CROSS_ZONE]: 'false' }) },
    },
  },
  'spec.backends[].attributes: load_balancing.algorithm.anomaly_mitigation': {
    accepts: {
      both: {
        why: 'AWS takes it',
        object: withBackend({ attributes: { [ANOMALY]: 'on', [ALGORITHM]: 'weighted_random' } }),
      },
      off: { why: 'it is the default', object: attributed(ANOMALY, 'off') },
    },
    rejects: {
      'the default algorithm': {
        why: 'round_robin does not know it',
        object: attributed(ANOMALY, 'on'),
      },
      'another algorithm': {
        why: 'AWS refuses it',
        object: withBackend({ attributes: { [ANOMALY]: 'on', [ALGORITHM]: 'round_robin' } }),
      },
    },
  },
};
