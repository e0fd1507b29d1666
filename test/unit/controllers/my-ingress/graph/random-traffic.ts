import fc from 'fast-check';
import type {
  ActionSpec,
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
      sourceCIDRs: someOf(['10.0.0.9/8', '2001:DB8::/32']),
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

const backend = (name: string): fc.Arbitrary<NonNullable<TrafficSpec['backends']>[number]> =>
  fc.record(
    {
      name: fc.constant(name),
      service: fc.constant({ name, port: 80 }),
      protocol: fc.constantFrom('HTTP' as const, 'HTTPS' as const),
      healthCheck: fc.record({ path: fc.constantFrom('/', '/healthz') }, { requiredKeys: [] }),
      attributes: fc.constantFrom({}, { 'deregistration_delay.timeout_seconds': '30' }),
      stickiness: fc.constantFrom({ durationSeconds: 60 }, { durationSeconds: 120 }),
    },
    { requiredKeys: ['name', 'service', 'protocol', 'healthCheck', 'attributes'] },
  );

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

const listeners: fc.Arbitrary<NonNullable<TrafficSpec['listeners']>> = fc.oneof(
  fc.constant([{ port: 80, protocol: 'HTTP' as const }]),
  attributes.map((some) => [{ port: 80, protocol: 'HTTP' as const, attributes: some }]),
  fc
    .tuple(
      fc.boolean(),
      fc.shuffledSubarray(CERTIFICATES, { minLength: 1 }),
      fc.record({ mutualTLS, attributes: secureAttributes }, { requiredKeys: [] }),
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
    .shuffledSubarray(CERTIFICATES, { minLength: 1 })
    .map((certificates) => [{ port: 80, protocol: 'HTTPS' as const, certificates }]),
);

const rule = (name: string): fc.Arbitrary<RuleSpec> =>
  fc.tuple(conditions, ruleAction).map(([when, then]) => ({ name, ...when, ...then }));

const rules: fc.Arbitrary<readonly RuleSpec[]> = fc
  .shuffledSubarray(RULES)
  .chain((names) => fc.tuple(...names.map(rule)));

const versions = fc.tuple(
  ...BACKENDS.map(() => fc.constantFrom('HTTP1' as const, 'HTTP2' as const, 'GRPC' as const)),
);

/** Versions of backends, which need HTTPS on every listener that takes requests. */
const versioned = fc
  .record({ backends, listeners, rules, defaultAction: action, versions })
  .map(({ versions: drawn, ...one }): TrafficSpec => {
    const isSecure = one.listeners.every((listener) => {
      return listener.protocol === 'HTTPS' || listener.redirectToHTTPS === true;
    });
    if (!isSecure) return one;
    const given = one.backends.map((each, at) => ({
      ...each,
      protocolVersion: drawn[at] ?? 'HTTP1',
    }));
    return { ...one, backends: given };
  });

/** Anything that can be written. */
export const spec: fc.Arbitrary<TrafficSpec> = fc.oneof(
  { weight: 9, arbitrary: versioned },
  { weight: 1, arbitrary: fc.constant({}) },
);

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
  sourceIp: fc.constantFrom('10.1.2.3', '2001:db8::1', '192.0.2.1'),
});
