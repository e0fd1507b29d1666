import { type Difference, inMoto } from './difference.ts';

const API = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_';

/** Rows of the table about calls for security groups and their rules of ingress. */
export const ingressDifferences = {
  'canonical-blocks': {
    aws: 'a block is stored without the bits behind its prefix: 10.1.2.3/16 is 10.1.0.0/16',
    source: `${API}AuthorizeSecurityGroupIngress.html`,
    instead: inMoto('stores it as it is written'),
    unverified: 'that IPv6 is shortened too',
  },
  'same-rule-again': {
    aws: 'a rule with the protocol, ports and source of another is there already, whatever its description: InvalidPermission.Duplicate',
    source: `${API}AuthorizeSecurityGroupIngress.html`,
    instead: inMoto('compares descriptions of groups, and blocks as they are written'),
    unverified: 'that the description does not count',
  },
  'all-or-nothing-ingress': {
    aws: 'a call that is refused adds no rule, and revokes none',
    source: `${API}RevokeSecurityGroupIngress.html`,
    instead: inMoto('changes those that it meets before the fault'),
    unverified: 'that none is added: the source is about revoking',
  },
  'revoked-by-values': {
    aws: 'a rule is revoked by its protocol, ports and source; its description need not be given',
    source: `${API}RevokeSecurityGroupIngress.html`,
    instead: inMoto(
      'compares descriptions of groups, and blocks as they are written: InvalidPermission.NotFound',
    ),
  },
  'port-range-order': {
    aws: 'a range whose first port is above its last: InvalidParameterValue',
    source: `${API}IpPermission.html`,
    instead: inMoto('stores it'),
    unverified: 'the code',
  },
  'ports-required': {
    aws: 'TCP, UDP and ICMP without ports: InvalidParameterValue',
    source: `${API}IpPermission.html`,
    instead: inMoto('breaks off with status 500'),
    unverified: 'the code',
  },
  'icmp-codes': {
    aws: 'all types of ICMP with one code: InvalidParameterValue',
    source: `${API}IpPermission.html`,
    instead: inMoto('stores it'),
    unverified: 'the code',
  },
  'protocol-names': {
    aws: 'a protocol is tcp, udp, icmp, icmpv6, -1 or a number: else InvalidParameterValue',
    source: `${API}IpPermission.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'prefix-list-id': {
    aws: 'a malformed id of a prefix list: InvalidPrefixListId.Malformed',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
    instead: inMoto('stores whatever is given'),
  },
  'prefix-list-exists': {
    aws: 'a prefix list that does not exist: InvalidPrefixListID.NotFound',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html',
    instead: {
      embedded: 'takes any well-formed id: no prefix lists are modelled',
      ...inMoto('stores whatever is given'),
    },
  },
  'prefix-list-entries': {
    aws: 'a source that is a prefix list counts as its maximum number of entries against the quota of rules',
    source: 'https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html',
    instead: {
      embedded: 'each list has 55, as those of CloudFront, and counts in both families',
      ...inMoto('counts it as one rule'),
    },
  },
  'prefix-list-description': {
    aws: 'a source that is a prefix list has its description',
    source: `${API}PrefixListId.html`,
    instead: inMoto('forgets it'),
  },
  'rule-description': {
    aws: 'a description has up to 255 of certain characters, no apostrophe among them: else InvalidParameterValue',
    source: `${API}IpRange.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'rule-source': {
    aws: 'a permission without a source: MissingParameter',
    source: `${API}AuthorizeSecurityGroupIngress.html`,
    instead: inMoto('accepts it, and adds nothing'),
    unverified: 'the refusal: the source says that a rule has a source',
  },
  'rules-of-each-family': {
    aws: 'a security group has up to 60 rules of IPv4 and as many of IPv6',
    source: 'https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html',
    instead: inMoto('counts both together'),
  },
  'referenced-group': {
    aws: 'deleting a security group that a rule of another names: DependencyViolation',
    source: `${API}DeleteSecurityGroup.html`,
    instead: inMoto('deletes it'),
  },
} satisfies Readonly<Record<string, Difference>>;
