/** Writes of two tenants under examples/guardrails-01-two-tenants.yaml. */

type Fields = Readonly<Record<string, unknown>>;

export interface Attempt {
  readonly why: string;
  readonly namespace: 'team-a' | 'team-a-dev' | 'team-b' | 'lab';
  readonly spec: Fields;
  /** Of a user with every right in guardrails.albridge.io. */
  readonly isTrusted?: true;
}

export interface Refused extends Attempt {
  readonly refusal: string;
}

const SUBNETS = ['subnet-abc', 'subnet-def'];
const BACKENDS = [{ name: 'web', service: { name: 'web', port: 80 } }];
const NOTHING = { fixedResponse: { statusCode: 404 } };
const OWN_CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d';
const FOREIGN_CERTIFICATE = 'arn:aws:acm:us-east-1:999999999999:certificate/0a1b2c3d';

/** What team-a may have: public, with rules for its hosts alone. */
function a(more: Fields = {}): Pick<Attempt, 'namespace' | 'spec'> {
  const spec = { subnets: SUBNETS, backends: BACKENDS, defaultAction: NOTHING, ...more };
  return { namespace: 'team-a', spec };
}

/** What team-b may have: internal, with a range of the VPC. */
function b(more: Fields = {}): Pick<Attempt, 'namespace' | 'spec'> {
  const inbound = { cidrs: ['10.20.0.0/16'] };
  return {
    namespace: 'team-b',
    spec: { subnets: SUBNETS, scheme: 'internal', backends: BACKENDS, inbound, ...more },
  };
}

function hosts(...names: readonly string[]): Fields {
  return { rules: [{ name: 'shop', hosts: names, forward: [{ backend: 'web' }] }] };
}

function https(...certificates: readonly string[]): Fields {
  return { listeners: [{ port: 443, protocol: 'HTTPS', certificates }] };
}

function refusal(
  what: string,
  namespace: string,
  list: readonly [key: string, entries: string],
): string {
  const [key, allowed] = list;
  return `${what} is not allowed in namespace ${namespace}; allowed: ${allowed} (key ${key} of ConfigMap albridge-guardrails/tenants; ask who maintains it)`;
}

function refusedHost(host: string): Refused {
  const allowed = 'team-a.example.com, *.team-a.example.com';
  return {
    why: 'it is not below team-a.example.com',
    ...a(hosts('www.team-a.example.com', host)),
    refusal: refusal(`spec.rules[shop].hosts ${host}`, 'team-a', ['team-a.hosts', allowed]),
  };
}

function refusedUnnamed(what: string, more: Fields): Refused {
  const allowed = 'team-a.example.com, *.team-a.example.com';
  return {
    why: 'it answers to every host',
    ...a(more),
    refusal: refusal(`${what} (every host)`, 'team-a', ['team-a.hosts', allowed]),
  };
}

function refusedSource(source: string, more: Fields): Refused {
  const allowed = '10.20.0.0/16, pl-0123456789abcdef0';
  return {
    why: 'it is not in 10.20.0.0/16',
    ...b(more),
    refusal: refusal(`spec.inbound ${source}`, 'team-b', ['team-b.inbound', allowed]),
  };
}

function needsRight(what: string, right: string, more: Fields): Refused {
  return {
    why: 'it affects more than the namespace',
    ...a(more),
    refusal: `${what} is not allowed to you: it needs the right to use ${right}.guardrails.albridge.io in namespace team-a; ask who grants roles there`,
  };
}

const ADOPT = {
  adopt: {
    arn: 'arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/legacy/0123456789abcdef',
  },
};

export const REFUSED: Readonly<Record<string, Refused>> = {
  'is internet-facing where only internal is allowed': {
    why: 'team-b has the schemes of default',
    ...b({ scheme: 'internet-facing' }),
    refusal: refusal('spec.scheme internet-facing', 'team-b', ['default.schemes', 'internal']),
  },
  'is internet-facing by default where only internal is allowed': {
    why: 'the API server fills in the scheme first',
    ...{ namespace: 'team-b', spec: { subnets: SUBNETS } },
    refusal: refusal('spec.scheme internet-facing', 'team-b', ['default.schemes', 'internal']),
  },
  'is internet-facing in a namespace of no tenant': {
    why: 'default is for it',
    ...{ namespace: 'lab', spec: { subnets: SUBNETS } },
    refusal: refusal('spec.scheme internet-facing', 'lab', ['default.schemes', 'internal']),
  },
  'has a subnet of others': {
    why: 'it is not in the list',
    ...a({ subnets: ['subnet-abc', 'subnet-private'] }),
    refusal: refusal('spec.subnets subnet-private', 'team-a', [
      'default.subnets',
      'subnet-abc, subnet-def',
    ]),
  },
  'has a security group of others': {
    why: 'a right is not enough, the list is for everybody',
    ...a({ securityGroups: ['sg-abc', 'sg-database'] }),
    isTrusted: true,
    refusal: refusal('spec.securityGroups sg-database', 'team-a', [
      'team-a.securityGroups',
      'sg-abc',
    ]),
  },
  'has any security group where no list names one': {
    why: 'neither team-b nor default has the list',
    ...b({ securityGroups: ['sg-abc'], inbound: undefined }),
    isTrusted: true,
    refusal: refusal('spec.securityGroups sg-abc', 'team-b', ['default.securityGroups', 'none']),
  },
  'has a certificate of another account': {
    why: 'the list is of one account',
    ...a(https(OWN_CERTIFICATE, FOREIGN_CERTIFICATE)),
    refusal: refusal(`spec.listeners[443].certificates ${FOREIGN_CERTIFICATE}`, 'team-a', [
      'team-a.certificates',
      'arn:aws:acm:us-east-1:123456789012:certificate/*',
    ]),
  },
  'leaves its certificates to discovery': {
    why: 'the list has one account and region, and not discovered',
    ...a({ listeners: [{ port: 443, protocol: 'HTTPS' }] }),
    refusal: refusal('spec.listeners[443].certificates left out (discovered)', 'team-a', [
      'team-a.certificates',
      'arn:aws:acm:us-east-1:123456789012:certificate/*',
    ]),
  },
  'names the host of another company': refusedHost('evil.com'),
  'names the host of another tenant': refusedHost('www.team-b.example.com'),
  'names a pattern that contains the own names': refusedHost('*.example.com'),
  'names a pattern that contains everything': refusedHost('*.com'),
  'names a host that only ends alike': refusedHost('evilteam-a.example.com'),
  'names a pattern that only ends alike': refusedHost('*team-a.example.com'),
  'names a host that only begins alike': refusedHost('team-a.example.com.evil.com'),
  'names a pattern for the dot of the own names': refusedHost('www?team-a.example.com'),
  'names a pattern inside the own name': refusedHost('team-?.example.com'),
  'has a rule without hosts': refusedUnnamed('spec.rules[all] without hosts', {
    rules: [{ name: 'all', paths: ['/*'], forward: [{ backend: 'web' }] }],
  }),
  'forwards by default': refusedUnnamed('spec.defaultAction', {
    defaultAction: { forward: [{ backend: 'web' }] },
  }),
  'forwards by the default of a listener': refusedUnnamed('spec.listeners[80].defaultAction', {
    listeners: [{ port: 80, protocol: 'HTTP', defaultAction: { forward: [{ backend: 'web' }] } }],
  }),
  'forwards to its only backend': refusedUnnamed(
    'spec.backends without a defaultAction that is a fixedResponse',
    { defaultAction: undefined },
  ),
  'admits the internet': refusedSource('0.0.0.0/0', { inbound: { cidrs: ['0.0.0.0/0'] } }),
  'admits a wider range': refusedSource('10.0.0.0/8', { inbound: { cidrs: ['10.0.0.0/8'] } }),
  'admits a wider range that begins alike': refusedSource('10.20.0.0/15', {
    inbound: { cidrs: ['10.20.0.0/15'] },
  }),
  'admits a range of another family': refusedSource('fd00::/8', {
    inbound: { cidrs: ['fd00::/8'] },
  }),
  'admits a prefix list of others': refusedSource('pl-everybody', {
    inbound: { prefixListIDs: ['pl-everybody'] },
  }),
  'admits a security group of others': refusedSource('sg-bastion', {
    inbound: { securityGroupIDs: ['sg-bastion'] },
  }),
  'admits the default, which is wider': refusedSource('10.0.0.0/8 (the default)', {
    inbound: undefined,
  }),
  'admits the default of dualstack, which is wider': {
    why: 'the list has 0.0.0.0/0 alone',
    ...a({ ipAddressType: 'dualstack' }),
    refusal: refusal('spec.inbound ::/0 (the default)', 'team-a', ['team-a.inbound', '0.0.0.0/0']),
  },
  'sets security groups without the right': needsRight('spec.securityGroups', 'securitygroups', {
    securityGroups: ['sg-abc'],
  }),
  'adopts without the right': needsRight('spec.adopt', 'adoptions', ADOPT),
  'opens its load balancer to all namespaces without the right': needsRight(
    'spec.allowedNamespaces',
    'openings',
    { allowedNamespaces: { from: 'All' } },
  ),
  'opens its load balancer by labels without the right': needsRight(
    'spec.allowedNamespaces',
    'openings',
    { allowedNamespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } } },
  ),
  'retains without the right': needsRight('spec.deletionPolicy Retain', 'retentions', {
    deletionPolicy: 'Retain',
  }),
};

export const ACCEPTED: Readonly<Record<string, Attempt>> = {
  'is internet-facing where that is allowed': { why: 'team-a.schemes', ...a() },
  'is in a namespace that a pattern names': {
    why: 'team-a-*',
    ...{ namespace: 'team-a-dev', spec: a().spec },
  },
  'is internal': { why: 'default.schemes', ...b() },
  'is internal in a namespace of no tenant': {
    why: 'default is for it',
    ...{ namespace: 'lab', spec: { subnets: SUBNETS, scheme: 'internal' } },
  },
  'has a certificate of the own account': { why: 'a prefix', ...a(https(OWN_CERTIFICATE)) },
  'names the own hosts and patterns, in any case': {
    why: 'AWS ignores case',
    ...a(
      hosts(
        'TEAM-a.example.com',
        'WWW.Team-A.example.com',
        '*.team-a.example.com',
        'a?.b*.team-a.example.com',
      ),
    ),
  },
  'has rules for every host where unnamed is allowed': {
    why: 'team-b.hosts',
    ...b({
      ...hosts('team-b.internal.example.com'),
      defaultAction: { forward: [{ backend: 'web' }] },
    }),
  },
  'admits a part of a range, and a prefix list': {
    why: 'team-b.inbound',
    ...b({ inbound: { cidrs: ['10.20.30.0/24'], prefixListIDs: ['pl-0123456789abcdef0'] } }),
  },
  'admits no source without listeners': {
    why: 'there is no managed group',
    ...{ namespace: 'team-b', spec: { subnets: SUBNETS, scheme: 'internal' } },
  },
  'sets security groups with the right': {
    why: 'they are in the list',
    ...a({ securityGroups: ['sg-abc'] }),
    isTrusted: true,
  },
  'adopts with the right': { why: 'a role', ...a(ADOPT), isTrusted: true },
  'opens its load balancer with the right': {
    why: 'a role',
    ...a({ allowedNamespaces: { from: 'All' } }),
    isTrusted: true,
  },
  'opens its load balancer to its own namespace': {
    why: 'that is the default',
    ...a({ allowedNamespaces: { from: 'Same' } }),
  },
  'retains with the right': { why: 'a role', ...a({ deletionPolicy: 'Retain' }), isTrusted: true },
  'is as large as AWS allows': {
    why: '100 rules of 5 hosts, and 26 certificates for each of 5 listeners',
    ...a({
      listeners: [80, 81, 82, 83, 84].map((port) => ({
        port,
        protocol: 'HTTPS',
        certificates: Array.from({ length: 26 }, (_, index) => `${OWN_CERTIFICATE}-${index}`),
      })),
      rules: Array.from({ length: 100 }, (_, rule) => ({
        name: `rule-${rule}`,
        hosts: [1, 2, 3, 4, 5].map((host) => `host-${rule}-${host}.shop.team-a.example.com`),
        forward: [{ backend: 'web' }],
      })),
    }),
  },
};

/** What the platform team gets wrong in the parameters. */
export const MALFORMED: Readonly<Record<string, { readonly data: Fields; readonly says: string }>> =
  {
    'a key without a list': {
      data: { 'team-a': 'internal' },
      says: 'the key team-a is not <tenant>.<list>',
    },
    'a list that does not exist': {
      data: { 'team-a.subnet': 'subnet-abc' },
      says: 'a list is one of namespaces, schemes, subnets, securityGroups, certificates, hosts, inbound',
    },
    'namespaces of default': {
      data: { 'default.namespaces': 'default' },
      says: 'default has no namespaces',
    },
    'a scheme': {
      data: { 'team-a.schemes': 'internal, public' },
      says: '"public" in team-a.schemes is not internal or internet-facing',
    },
    'a subnet': {
      data: { 'team-a.subnets': '10.0.0.0/24' },
      says: '"10.0.0.0/24" in team-a.subnets is not the id of a subnet',
    },
    'a security group': {
      data: { 'team-a.securityGroups': 'web' },
      says: '"web" in team-a.securityGroups is not the id',
    },
    'a certificate': {
      data: { 'team-a.certificates': 'arn:aws:acm:*' },
      says: '"arn:aws:acm:*" in team-a.certificates is not the ARN of a certificate',
    },
    'a host with a wildcard in the middle': {
      data: { 'team-a.hosts': 'api-*.example.com' },
      says: '"api-*.example.com" in team-a.hosts is not a host name in lower case, *. before the end of one',
    },
    'every name of a top-level domain': {
      data: { 'team-a.hosts': '*.com' },
      says: '"*.com" in team-a.hosts is not',
    },
    'a host in upper case': {
      data: { 'team-a.hosts': 'Shop.example.com' },
      says: '"Shop.example.com" in team-a.hosts is not',
    },
    'an address without its length': {
      data: { 'team-a.inbound': '10.0.0.1' },
      says: '"10.0.0.1" in team-a.inbound is not a range in CIDR notation',
    },
    'every namespace': {
      data: { 'team-a.namespaces': '*' },
      says: '"*" in team-a.namespaces is not the name of a namespace',
    },
    'a namespace of two tenants': {
      data: { 'team-c.namespaces': 'team-a' },
      says: 'two tenants have the namespace team-a; name it once',
    },
  };
