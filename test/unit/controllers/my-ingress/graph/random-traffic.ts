import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Inbound } from '../../../../../src/controllers/my-ingress/routes/routes.ts';
import type {
  ActionSpec,
  BackendSpec,
  MutualTlsSpec,
  RuleSpec,
  TrafficSpec,
} from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { Request } from '../../../../../src/routing/rule.ts';

const BACKENDS = ['web', 'api', 'api-next'] as const;
const HOSTS = ['a.example.com', '*.example.com', 'b.example.org'];
const PATHS = ['/a', '/a/*', '/b', '/*', '/a/?'];
const HEADERS = [
  { name: 'X-Team', values: ['Blue*'] },
  { name: 'accept', values: ['text/html'] },
  { name: 'X-Team', regex: '^blue(bell|bird)$' },
  { name: 'x-team', regex: 'Bell' },
];
const PAIRS = [{ key: 'Preview', value: '1' }, { value: 'a\\*' }];
const RULES = ['one', 'two', 'three', 'four', 'five', 'six'];

const someOf = (values: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.subarray([...values], { minLength: 1, maxLength: 2 });

const forward: fc.Arbitrary<ActionSpec> = fc
  .subarray([...BACKENDS], { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((backend) => fc.record({ backend: fc.constant(backend), weight: fc.nat(9) })),
    ),
  )
  .map((to) => ({ forward: to }));

const redirect: fc.Arbitrary<ActionSpec> = fc
  .record(
    {
      statusCode: fc.constantFrom(301 as const, 302 as const),
      // AWS refuses a redirect from HTTPS to HTTP.
      protocol: fc.constant('HTTPS'),
      port: fc.constantFrom(443, 8443),
      host: fc.constantFrom('x.example.com', '#{host}'),
      query: fc.constantFrom('', 'a=1'),
      path: fc.constantFrom('/x', '/y/#{path}'),
    },
    { requiredKeys: ['statusCode', 'path'] },
  )
  .map((parts) => ({ redirect: parts }));

const fixedResponse: fc.Arbitrary<ActionSpec> = fc
  .record(
    {
      statusCode: fc.constantFrom(200, 404, 503),
      contentType: fc.constantFrom('text/plain', 'text/html'),
      body: fc.constantFrom('', 'hello'),
    },
    { requiredKeys: ['statusCode'] },
  )
  .map((response) => ({ fixedResponse: response }));

const rewrite: fc.Arbitrary<Pick<RuleSpec, 'rewrite'>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc
    .record(
      {
        host: fc.constant({ regex: '^(.+)[.]example[.]com$', replace: '$1.internal' }),
        url: fc.constantFrom(
          { regex: '^/a/(.*)$', replace: '/$1' },
          { regex: '^/(.*)$', replace: '/b/$1' },
        ),
      },
      { requiredKeys: [] },
    )
    .filter((parts) => Object.keys(parts).length > 0)
    .map((parts) => ({ rewrite: parts })),
);

const action: fc.Arbitrary<ActionSpec> = fc.oneof(forward, forward, redirect, fixedResponse);

/** Of a rule: what it forwards, it may rewrite. */
const ruleAction: fc.Arbitrary<Omit<RuleSpec, 'name'>> = fc
  .tuple(action, rewrite)
  .map(([then, change]) => ({ ...then, ...(then.forward && change) }));

const fewValues: fc.Arbitrary<Omit<RuleSpec, 'name'>> = fc
  .record(
    {
      hosts: someOf(HOSTS),
      paths: someOf(PATHS),
      methods: someOf(['GET', 'POST']),
      sourceCIDRs: someOf(['10.0.0.9/8', '2001:DB8::/32', '2001:db8::/64']),
      headers: fc.subarray(HEADERS, { minLength: 1 }),
      queryStrings: fc.subarray(PAIRS, { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter(
    (one) =>
      Object.keys(one).length > 0 &&
      Object.values(one).reduce((sum, values) => sum + values.length, 0) <= 4,
  );

/** More than AWS takes in one rule. */
const manyValues: fc.Arbitrary<Omit<RuleSpec, 'name'>> = fc.record(
  {
    paths: fc.subarray([...PATHS, '/a/b', '/a/bc', '/c', '/d/*', '/e', '/f/?'], { minLength: 5 }),
    hosts: someOf(HOSTS),
  },
  { requiredKeys: ['paths'] },
);

const conditions: fc.Arbitrary<Omit<RuleSpec, 'name'>> = fc.oneof(
  { weight: 5, arbitrary: fewValues },
  { weight: 1, arbitrary: manyValues },
);

/** AWS refuses stickiness with either of them. */
const WITHOUT_STICKINESS = [
  { 'load_balancing.cross_zone.enabled': 'false' },
  {
    'load_balancing.algorithm.type': 'weighted_random',
    'load_balancing.algorithm.anomaly_mitigation': 'on',
  },
];

const healthCheck: fc.Arbitrary<NonNullable<BackendSpec['healthCheck']>> = fc.record(
  {
    path: fc.constantFrom('/', '/healthz'),
    intervalSeconds: fc.constantFrom(10, 30),
    timeoutSeconds: fc.constantFrom(3, 9),
    healthyThreshold: fc.constantFrom(3, 10),
    unhealthyThreshold: fc.constantFrom(3, 10),
    matcher: fc.constantFrom('200', '200-399', '200,204'),
  },
  { requiredKeys: [] },
);

/** `ipAddressType` is of addresses alone. */
const targets: fc.Arbitrary<Pick<BackendSpec, 'targetType' | 'ipAddressType'>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...([{ targetType: 'ip' }, { targetType: 'instance' }, { ipAddressType: 'ipv6' }] as const),
      { targetType: 'ip', ipAddressType: 'ipv4' } as const,
    ),
  },
);

const backend = (name: string): fc.Arbitrary<BackendSpec> =>
  fc
    .record(
      {
        name: fc.constant(name),
        service: fc.constant({ name, port: 80 }),
        protocol: fc.constantFrom('HTTP' as const, 'HTTPS' as const),
        healthCheck,
        attributes: fc.constantFrom<Readonly<Record<string, string>>>(
          ...[{}, {}, { 'deregistration_delay.timeout_seconds': '30' }],
          { 'slow_start.duration_seconds': '30' },
          { 'load_balancing.algorithm.type': 'least_outstanding_requests' },
          ...WITHOUT_STICKINESS,
        ),
        stickiness: fc.constantFrom({ durationSeconds: 60 }, { durationSeconds: 120 }),
        targets,
      },
      { requiredKeys: ['name', 'service', 'protocol', 'healthCheck', 'attributes', 'targets'] },
    )
    .filter(({ attributes: set, stickiness }) => {
      return (
        stickiness === undefined || !WITHOUT_STICKINESS.some((one) => isDeepStrictEqual(one, set))
      );
    })
    .map(({ targets: kind, ...rest }) => ({ ...rest, ...kind }));

const backends = fc.tuple(...BACKENDS.map(backend)).map((list) => [...list]);

export const CERTIFICATES = [1, 2, 3].map(
  (n) => `arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-00000000000${n}`,
);

export const TRUST_STORE =
  'arn:aws:elasticloadbalancing:us-east-1:000000000000:truststore/clients/6d0ecf831eec9f09';

const mutualTLS: fc.Arbitrary<MutualTlsSpec> = fc.oneof(
  fc.constantFrom<MutualTlsSpec>({ mode: 'off' }, { mode: 'passthrough' }),
  fc
    .record({ ignoreExpiry: fc.boolean(), advertiseCANames: fc.boolean() }, { requiredKeys: [] })
    .map((more) => ({ mode: 'verify' as const, trustStoreARN: TRUST_STORE, ...more })),
);

const ofAnswers = {
  'routing.http.response.server.enabled': fc.constantFrom('true', 'false'),
  'routing.http.response.x_frame_options.header_value': fc.constantFrom('DENY', 'SAMEORIGIN'),
};
const ofRequests = {
  'routing.http.request.x_amzn_tls_version.header_name': fc.constantFrom('X-Tls', 'X-Tls-Version'),
};
const attributes = fc.record(ofAnswers, { requiredKeys: [] });
const secureAttributes = fc.record({ ...ofAnswers, ...ofRequests }, { requiredKeys: [] });

const sslPolicy = fc.constantFrom(
  'ELBSecurityPolicy-TLS13-1-2-2021-06',
  'ELBSecurityPolicy-TLS13-1-3-2021-06',
  'ELBSecurityPolicy-FS-1-2-Res-2020-10',
);

const listeners: fc.Arbitrary<NonNullable<TrafficSpec['listeners']>> = fc.oneof(
  fc.constant([{ port: 80, protocol: 'HTTP' as const }]),
  attributes.map((some) => [{ port: 80, protocol: 'HTTP' as const, attributes: some }]),
  fc
    .tuple(
      fc.boolean(),
      fc.shuffledSubarray(CERTIFICATES, { minLength: 1 }),
      fc.record({ mutualTLS, attributes: secureAttributes, sslPolicy }, { requiredKeys: [] }),
    )
    .map(([redirectToHTTPS, certificates, more]) => [
      { port: 80, protocol: 'HTTP' as const, redirectToHTTPS },
      { port: 443, protocol: 'HTTPS' as const, certificates, ...more },
    ]),
  fc.constant([
    { port: 80, protocol: 'HTTP' as const, defaultAction: { fixedResponse: { statusCode: 403 } } },
    { port: 8080, protocol: 'HTTP' as const },
  ]),
  fc
    .tuple(
      fc.shuffledSubarray(CERTIFICATES, { minLength: 1 }),
      fc.record({ sslPolicy }, { requiredKeys: [] }),
    )
    .map(([certificates, more]) => [
      { port: 80, protocol: 'HTTPS' as const, certificates, ...more },
    ]),
  fc
    .tuple(fc.shuffledSubarray(CERTIFICATES, { minLength: 1 }), secureAttributes)
    .map(([certificates, some]) => [
      { port: 80, protocol: 'HTTP' as const },
      { port: 8080, protocol: 'HTTP' as const },
      { port: 443, protocol: 'HTTPS' as const, certificates, attributes: some },
    ]),
);

/** Some of the same range as AWS keeps it. */
const inbound: fc.Arbitrary<Inbound> = fc
  .record(
    {
      cidrs: fc.subarray(
        ['0.0.0.0/0', '10.0.0.9/8', '10.1.2.3/8', '203.0.113.7/32', '2001:DB8::/32', '::/0'],
        { minLength: 1 },
      ),
      prefixListIDs: fc.subarray(['pl-0123456789abcdef0', 'pl-0123456789abcdef1'], {
        minLength: 1,
      }),
      securityGroupIDs: fc.subarray(['sg-admin', 'sg-web'], { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter((sources) => Object.keys(sources).length > 0);

const rule = (name: string): fc.Arbitrary<RuleSpec> =>
  fc.tuple(conditions, ruleAction).map(([when, then]) => ({ name, ...when, ...then }));

const rules: fc.Arbitrary<readonly RuleSpec[]> = fc
  .shuffledSubarray(RULES)
  .chain((names) => fc.tuple(...names.map(rule)));

const versions = fc.tuple(
  ...BACKENDS.map(() => fc.constantFrom('HTTP1' as const, 'HTTP2' as const, 'GRPC' as const)),
);

/** Which of the listeners take each rule; undefined: all of them. */
const places = fc.tuple(
  ...RULES.map(() => fc.option(fc.subarray([0, 1, 2], { minLength: 1 }), { nil: undefined })),
);

const drafts = fc.record(
  { backends, listeners, rules, defaultAction: action, versions, places, inbound },
  { requiredKeys: ['backends', 'listeners', 'rules', 'defaultAction', 'versions', 'places'] },
);

/** Anything that can be written. */
export const spec: fc.Arbitrary<TrafficSpec> = fc.oneof(
  {
    weight: 9,
    arbitrary: drafts.map(({ versions: drawn, places: where, ...one }): TrafficSpec => {
      return { ...one, backends: giveVersions(one, drawn), rules: narrowRules(one, where) };
    }),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);

type Drawn = Required<Pick<TrafficSpec, 'backends' | 'listeners' | 'rules'>>;

/** Versions of backends need HTTPS on every listener that takes requests. */
function giveVersions(
  one: Pick<Drawn, 'backends' | 'listeners'>,
  drawn: readonly NonNullable<BackendSpec['protocolVersion']>[],
): readonly BackendSpec[] {
  const isSecure = one.listeners.every((listener) => {
    return listener.protocol === 'HTTPS' || listener.redirectToHTTPS === true;
  });
  if (!isSecure) return one.backends;
  return one.backends.map((each, at) => {
    const { matcher: _ofHttp, ...check } = each.healthCheck ?? {};
    const protocolVersion = drawn[at] ?? 'HTTP1';
    return { ...each, protocolVersion, ...(protocolVersion === 'GRPC' && { healthCheck: check }) };
  });
}

function narrowRules(
  one: Pick<Drawn, 'listeners' | 'rules'>,
  where: readonly (readonly number[] | undefined)[],
): readonly RuleSpec[] {
  const taking = one.listeners.filter(({ redirectToHTTPS }) => redirectToHTTPS !== true);
  return one.rules.map((each, at) => {
    const ports = taking.map(({ port }) => port).filter((_, nth) => where[at]?.includes(nth));
    return ports.length === 0 ? each : { ...each, listeners: ports };
  });
}

/** Specs whose rules of one name differ in their actions alone. */
export const specsOfSteadyConditions = (
  count: number,
  { keepsOrder }: { readonly keepsOrder: boolean },
): fc.Arbitrary<readonly TrafficSpec[]> =>
  fc.tuple(...RULES.map(() => conditions)).chain((pool) => {
    const names = keepsOrder ? fc.subarray(RULES) : fc.shuffledSubarray(RULES);
    const list = names.chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          ruleAction.map((then): RuleSpec => ({ name, ...pool[RULES.indexOf(name)], ...then })),
        ),
      ),
    );
    const one = fc.record({ backends, rules: list, defaultAction: action });
    return fc.array(one, { minLength: count, maxLength: count });
  });

/** Of every host and path that the rule of `specsOfOneRule` may have. */
export const listRequests = (): readonly Request[] =>
  ASKED.hosts.flatMap((host) =>
    ASKED.paths.map((path) => ({
      ...{ protocol: 'HTTP' as const, port: 80, method: 'GET', host, path, query: '' },
      ...{ headers: [], sourceIp: '192.0.2.1' },
    })),
  );

/** One rule that answers, before one that takes everything. */
export function specOfOneRule(when: Omit<RuleSpec, 'name'>): TrafficSpec {
  const one: RuleSpec = { name: 'one', ...when, fixedResponse: { statusCode: 200 } };
  const rest: RuleSpec = { name: 'rest', paths: ['/*'], fixedResponse: { statusCode: 503 } };
  return { listeners: [{ port: 80, protocol: 'HTTP' }], rules: [one, rest] };
}

export const specsOfOneRule = (count: number): fc.Arbitrary<readonly TrafficSpec[]> => {
  const hosts = fc.subarray([...ASKED.hosts, 'f1.example.net', 'f2.example.net'], { minLength: 1 });
  const paths = fc.subarray([...ASKED.paths, '/f1', '/f2', '/f3'], { minLength: 1 });
  const one = fc.record({ hosts, paths }).map(specOfOneRule);
  return fc.array(one, { minLength: count, maxLength: count });
};

const ASKED = {
  hosts: ['a.example.com', 'c.example.com', 'b.example.org', 'z.example.net'],
  paths: ['/a', '/a/b', '/a/bc', '/b', '/'],
} as const;

export const request: fc.Arbitrary<Request> = fc.record({
  protocol: fc.constant('HTTP' as const),
  port: fc.constant(80),
  method: fc.constantFrom('GET', 'POST'),
  host: fc.constantFrom(...ASKED.hosts),
  path: fc.constantFrom(...ASKED.paths),
  query: fc.constantFrom('', 'preview=1', 'b=a*'),
  headers: fc.constantFrom([], [['x-team', 'bluebell'] as const]),
  sourceIp: fc.constantFrom('10.1.2.3', '2001:db8::1', '2001:db8:0:1::7', '192.0.2.1'),
});

/** The prefix lists of a random spec fit into the quota of rules on each of its ports. */
export const SMALL_LISTS = { settings: { prefixListEntries: 1 } } as const;
