// Lives here: every stand-in for AWS: the embedded one, LocalStack's open runtime and moto without Docker, and the seed that they share.
// May import it: localstack/backends. Tests go by differences.ts, the table of what differs from AWS.
// Start with: README.md, then this file; seed.ts makes the network on any of them.

import { dataPlaneDifferences } from './data-plane-differences.ts';
import { type Difference, inMoto } from './difference.ts';
import { ingressDifferences } from './ingress-differences.ts';
import { settingsDifferences } from './settings-differences.ts';
import { tlsDifferences } from './tls-differences.ts';
import { trafficDifferences } from './traffic-differences.ts';

const API = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_';

/**
 * Every known difference between the stand-ins and AWS in what the suite tests, once. Tests skip by
 * it, the comparison of random sequences is judged by it, and the table in README.md is printed
 * from it. A row that has ceased to be true fails its test.
 */
export const differences = {
  'name-rules': {
    aws: 'a name has 1 to 32 letters, digits and hyphens, no hyphen at an end, and does not begin with internal-: else ValidationError',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('accepts any name'),
    unverified: 'the code',
  },
  'two-subnets': {
    aws: 'fewer than two subnets: ValidationError',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto(
      'accepts one on create; refuses it in SetSubnets with InvalidConfigurationRequest',
    ),
    unverified: 'the code',
  },
  'one-subnet-per-zone': {
    aws: 'two subnets of one zone: InvalidConfigurationRequest',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('accepts them on create; refuses them in SetSubnets with SubnetNotFound'),
  },
  'subnet-code': {
    aws: 'a subnet that does not exist: SubnetNotFound',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto(
      "answers with EC2's code InvalidSubnetID.NotFound, which albridge knows as well",
    ),
  },
  'security-group-exists': {
    aws: 'a security group that does not exist: InvalidSecurityGroup',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('accepts it on create'),
  },
  'scheme-values': {
    aws: 'a scheme that does not exist: InvalidScheme',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('stores whatever is given'),
  },
  'default-security-group': {
    aws: 'without security groups the balancer gets the default one of its VPC',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('the balancer has none'),
  },
  'default-scheme': {
    aws: 'without a scheme the balancer is internet-facing, and its description says so',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('its description has no scheme'),
  },
  'internal-dns-name': {
    aws: 'the DNS name of an internal balancer begins with internal-',
    source:
      'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html',
    instead: inMoto('has the form of an internet-facing one'),
  },
  'same-create-again': {
    aws: 'creating again with the same name and settings returns the existing balancer',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('creates another one of that name'),
  },
  'duplicate-name': {
    aws: 'creating with a name in use and other settings: DuplicateLoadBalancerName',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('creates another one of that name'),
  },
  'all-or-nothing-describe': {
    aws: 'one missing name fails the whole DescribeLoadBalancers: LoadBalancerNotFound',
    source: `${API}DescribeLoadBalancers.html`,
    instead: inMoto('answers with those that exist'),
    unverified: 'that one missing name fails the others',
  },
  'tags-of-missing': {
    aws: 'the tags of a balancer that is gone: LoadBalancerNotFound',
    source: `${API}DescribeTags.html`,
    instead: inMoto('answers with the tags that it had'),
    unverified: 'how soon after the deletion',
  },
  'tags-per-call': {
    aws: 'more than 20 balancers in one DescribeTags: ValidationError',
    source: `${API}DescribeTags.html`,
    instead: inMoto('accepts any number'),
    unverified: 'the code',
  },
  'tag-count': {
    aws: 'more than 50 tags: TooManyTags',
    source: `${API}AddTags.html`,
    instead: inMoto('accepts 51 on create'),
  },
  'tag-keys-unique': {
    aws: 'the same tag key twice in one call: DuplicateTagKeys',
    source: `${API}AddTags.html`,
    instead: inMoto('the last one counts'),
  },
  'tag-prefix-reserved': {
    aws: 'a tag key that begins with aws: : ValidationError',
    source: `${API}Tag.html`,
    instead: inMoto('accepts it'),
    unverified: 'the code',
  },
  'deletion-protection': {
    aws: 'deleting a protected balancer: OperationNotPermitted',
    source: `${API}DeleteLoadBalancer.html`,
    instead: inMoto('stores the attribute and deletes the balancer'),
  },
  'attribute-values': {
    aws: 'an attribute value out of its range: ValidationError',
    source: `${API}LoadBalancerAttribute.html`,
    instead: inMoto('stores whatever is given'),
  },
  'empty-log-bucket': {
    aws: 'an empty log bucket, also while the log is off: ValidationError',
    source: 'https://github.com/hashicorp/terraform-provider-aws/issues/2072',
    instead: inMoto('stores it'),
  },
  'log-bucket-policy': {
    aws: 'logs to a bucket whose policy does not let Elastic Load Balancing write: InvalidConfigurationRequest',
    source: 'https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1956',
    instead: {
      embedded: 'accepts any bucket: neither buckets nor their policies are modelled',
      ...inMoto('stores it'),
    },
  },
  'deny-igw-on-ipv4': {
    aws: 'ipv6.deny_all_igw_traffic on a balancer with IPv4 alone: ValidationError',
    source: 'https://github.com/aws/aws-cdk/issues/30247',
    instead: inMoto('stores it'),
    unverified: 'the code; the sentence is from the source',
  },
  'signature-date': {
    aws: 'a signature whose date is more than 5 minutes off: SignatureDoesNotMatch',
    source: 'https://github.com/aws/aws-sdk-js/pull/142',
    instead: inMoto('accepts any date'),
  },
  'resource-in-use': {
    aws: 'deleting a balancer that another service uses: ResourceInUse',
    source: `${API}DeleteLoadBalancer.html`,
    instead: {
      embedded: 'where a test says that one is used: no other service is modelled',
      ...inMoto('deletes it'),
    },
  },
  'prior-request': {
    aws: 'PriorRequestNotComplete while an earlier change is under way; the model declares it for ModifyCapacityReservation alone',
    source: `${API}ModifyCapacityReservation.html`,
    instead: {
      embedded: 'unverified for the operations that it has: only as a scripted fault',
      ...inMoto('never'),
    },
  },
  'interfaces-linger': {
    aws: 'the interfaces of a deleted balancer keep its subnets and security groups from deletion for minutes: DependencyViolation',
    source: 'https://github.com/hashicorp/terraform/issues/3758',
    instead: {
      embedded: 'for as long as the setting interfacesLingerMs says, by default not at all',
      ...inMoto('deletes them, even while the balancer is there'),
    },
  },
  'provisioning-time': {
    aws: 'a new balancer is provisioning for minutes, at times for half an hour, before it is active',
    source: 'https://github.com/hashicorp/terraform/issues/24799',
    instead: {
      embedded:
        'for as long as the setting provisioningMs says, by default 2 s; a usual time of AWS is unverified',
      ...inMoto('active at the first read'),
    },
  },
  'attribute-defaults': {
    aws: 'every attribute of an application balancer has a value from the start',
    source: `${API}LoadBalancerAttribute.html`,
    instead: inMoto('few of them have, and cross-zone balancing begins as false'),
  },
  'unknown-attribute-code': {
    aws: 'an attribute that does not exist: ValidationError',
    source:
      'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/CommonErrors.html',
    instead: inMoto('answers InvalidConfigurationRequest'),
  },
  'all-or-nothing-tags': {
    aws: 'AddTags and RemoveTags with one missing balancer change none',
    source: `${API}AddTags.html`,
    instead: inMoto('changes those that it meets before the missing one'),
    unverified: 'that none is changed',
  },
  'set-subnets-answer': {
    aws: 'the answer to SetSubnets says the address type',
    source: `${API}SetSubnets.html`,
    instead: inMoto('leaves it out'),
  },
  'which-fault-first': {
    aws: 'AWS documents no order in which several faults of one call are found',
    source: `${API}CreateLoadBalancer.html`,
    instead: inMoto('may name another fault of the same call than the embedded stand-in'),
    unverified: 'the order',
  },
  'page-size': {
    aws: 'a page size outside 1 to 400: ValidationError',
    source: `${API}DescribeLoadBalancers.html`,
    instead: inMoto('breaks with an internal error at 0, accepts 401'),
    unverified: 'the code',
  },
  'address-type-without-public-ipv4': {
    aws: 'dualstack-without-public-ipv4 is an address type',
    source: `${API}SetIpAddressType.html`,
    instead: inMoto('refuses it'),
  },
  'no-security-group-left': {
    aws: 'SetSecurityGroups with none: InvalidConfigurationRequest',
    source: `${API}SetSecurityGroups.html`,
    instead: inMoto('leaves the balancer without any'),
  },
  ...trafficDifferences,
  ...settingsDifferences,
  ...tlsDifferences,
  ...ingressDifferences,
  'unknown-region': {
    aws: 'a region that does not exist has no endpoint, and an endpoint refuses a signature for another region',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html',
    instead: { localstack: 'takes it for us-east-1', moto: 'breaks with status 500' },
  },
  ...dataPlaneDifferences,
  'custom-subnet-ids': {
    aws: 'LocalStack lets the tag _custom_id_ choose the id of a subnet',
    source: 'https://docs.localstack.cloud/aws/services/ec2/',
    instead: { moto: 'gives ids of its own: the article applies with other subnets' },
  },
} satisfies Readonly<Record<string, Difference>>;

export type DifferenceId = keyof typeof differences;
