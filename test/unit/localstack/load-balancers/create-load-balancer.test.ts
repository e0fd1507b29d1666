import { describe, expect, test } from 'vitest';
import { call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';

interface Rule {
  readonly accepts: object;
  readonly rejects: object;
  readonly code: string;
  readonly why: string;
}

const name = (Name: string): object => ({ Name });
const subnets = (...Subnets: string[]): object => ({ Subnets });
const ipv6Subnets = subnets('subnet-a', 'subnet-b');

const RULES: Readonly<Record<string, Rule>> = {
  'a name is at most 32 characters': {
    accepts: name('x'.repeat(32)),
    rejects: name('x'.repeat(33)),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name is not empty': {
    accepts: name('x'),
    rejects: name(''),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name is required': {
    accepts: name('named'),
    rejects: { Name: undefined },
    code: 'ValidationError',
    why: 'required in the model',
  },
  'a name has letters, digits and hyphens only': {
    accepts: name('My-Shop-2'),
    rejects: name('my_shop'),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name has no dot': {
    accepts: name('my-shop'),
    rejects: name('my.shop'),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name does not begin with a hyphen': {
    accepts: name('s-hop'),
    rejects: name('-shop'),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name does not end with a hyphen': {
    accepts: name('sho-p'),
    rejects: name('shop-'),
    code: 'ValidationError',
    why: 'API_CreateLoadBalancer, Name',
  },
  'a name does not begin with internal-': {
    accepts: name('internals'),
    rejects: name('internal-shop'),
    code: 'ValidationError',
    why: 'AWS puts that prefix on DNS names of internal balancers itself',
  },
  'two subnets are the fewest': {
    accepts: subnets('subnet-a', 'subnet-b'),
    rejects: subnets('subnet-a'),
    code: 'ValidationError',
    why: 'At least two subnets in two different Availability Zones',
  },
  'subnets are required': {
    accepts: subnets('subnet-b', 'subnet-c'),
    rejects: { Subnets: undefined },
    code: 'ValidationError',
    why: 'either Subnets or SubnetMappings',
  },
  'subnets come one way, not both': {
    accepts: {
      Subnets: undefined,
      SubnetMappings: [{ SubnetId: 'subnet-a' }, { SubnetId: 'subnet-b' }],
    },
    rejects: { SubnetMappings: [{ SubnetId: 'subnet-a' }, { SubnetId: 'subnet-b' }] },
    code: 'ValidationError',
    why: 'either Subnets or SubnetMappings, but not both',
  },
  'one subnet per zone': {
    accepts: subnets('subnet-a', 'subnet-b', 'subnet-c'),
    rejects: subnets('subnet-a', 'subnet-a2'),
    code: 'InvalidConfigurationRequest',
    why: 'cannot be attached to multiple subnets in the same Availability Zone',
  },
  'a subnet is named once': {
    accepts: subnets('subnet-a', 'subnet-c'),
    rejects: subnets('subnet-a', 'subnet-a'),
    code: 'InvalidConfigurationRequest',
    why: 'the same subnet twice is the same zone twice',
  },
  'subnets exist': {
    accepts: subnets('subnet-a', 'subnet-b'),
    rejects: subnets('subnet-a', 'subnet-nowhere'),
    code: 'SubnetNotFound',
    why: 'modelled error of CreateLoadBalancer',
  },
  'subnets are of one VPC': {
    accepts: { ...subnets('subnet-oa', 'subnet-ob'), Scheme: 'internal' },
    rejects: { ...subnets('subnet-a', 'subnet-ob'), Scheme: 'internal' },
    code: 'InvalidConfigurationRequest',
    why: 'a balancer stands in one VPC',
  },
  'subnets have room': {
    accepts: subnets('subnet-a', 'subnet-c'),
    rejects: subnets('subnet-a', 'subnet-tiny'),
    code: 'InvalidSubnet',
    why: 'at least a /27 with eight free addresses',
  },
  'internet-facing needs a gateway on the VPC': {
    accepts: { ...subnets('subnet-a', 'subnet-b'), Scheme: 'internet-facing' },
    rejects: subnets('subnet-oa', 'subnet-ob'),
    code: 'InvalidSubnet',
    why: 'VPC ... has no internet gateway',
  },
  'a scheme is known': {
    accepts: { Scheme: 'internal' },
    rejects: { Scheme: 'public' },
    code: 'InvalidScheme',
    why: 'modelled error of CreateLoadBalancer',
  },
  'a type is known': {
    accepts: { Type: 'application' },
    rejects: { Type: 'classic' },
    code: 'ValidationError',
    why: 'enum of the model',
  },
  'other types are refused, not faked': {
    accepts: { Type: undefined },
    rejects: { Type: 'network' },
    code: 'InvalidConfigurationRequest',
    why: 'only Application Load Balancers are modelled',
  },
  'an address type is known': {
    accepts: { IpAddressType: 'ipv4' },
    rejects: { IpAddressType: 'ipv6' },
    code: 'ValidationError',
    why: 'enum of the model',
  },
  'dualstack needs IPv6 in each subnet': {
    accepts: { ...ipv6Subnets, IpAddressType: 'dualstack' },
    rejects: { ...subnets('subnet-a', 'subnet-c'), IpAddressType: 'dualstack' },
    code: 'ValidationError',
    why: 'You must specify subnets with an associated IPv6 CIDR block',
  },
  'dualstack without public IPv4 needs it too': {
    accepts: { ...ipv6Subnets, IpAddressType: 'dualstack-without-public-ipv4' },
    rejects: {
      ...subnets('subnet-a', 'subnet-c'),
      IpAddressType: 'dualstack-without-public-ipv4',
    },
    code: 'ValidationError',
    why: 'its nodes have public IPv6 addresses',
  },
  'security groups exist': {
    accepts: { SecurityGroups: ['sg-web', 'sg-admin'] },
    rejects: { SecurityGroups: ['sg-web', 'sg-nowhere'] },
    code: 'InvalidSecurityGroup',
    why: 'modelled error of CreateLoadBalancer',
  },
  'a security group is an id': {
    accepts: { SecurityGroups: ['sg-web'] },
    rejects: { SecurityGroups: ['web'] },
    code: 'ValidationError',
    why: "Security group 'web' is not valid",
  },
  'security groups are of the VPC': {
    accepts: { SecurityGroups: ['sg-admin'] },
    rejects: { SecurityGroups: ['sg-other'] },
    code: 'InvalidConfigurationRequest',
    why: 'Security group ... does not belong to VPC ...',
  },
  'elastic IPs are for network balancers': {
    accepts: {
      Subnets: undefined,
      SubnetMappings: [{ SubnetId: 'subnet-a' }, { SubnetId: 'subnet-c' }],
    },
    rejects: {
      Subnets: undefined,
      SubnetMappings: [{ SubnetId: 'subnet-a', AllocationId: 'eip-1' }, { SubnetId: 'subnet-c' }],
    },
    code: 'InvalidConfigurationRequest',
    why: 'API_CreateLoadBalancer, SubnetMappings',
  },
  'what is not modelled is refused': {
    accepts: {},
    rejects: { IpamPools: { Ipv4IpamPoolId: 'ipam-pool-1' } },
    code: 'InvalidConfigurationRequest',
    why: 'a silently ignored field would hide a defect of the client',
  },
};

describe('CreateLoadBalancer', () => {
  test.for(Object.entries(RULES))('%s', ([, rule]) => {
    const { aws } = seededModel();
    const input = { Name: 'shop', Subnets: ['subnet-a', 'subnet-b'] };

    expect(outcomeOf(aws, 'CreateLoadBalancer', { ...input, ...rule.rejects }), rule.why).toBe(
      rule.code,
    );
    expect(aws.control.snapshot().loadBalancers, 'a refusal creates nothing').toEqual([]);
    expect(outcomeOf(aws, 'CreateLoadBalancer', { ...input, ...rule.accepts }), rule.why).toBe(
      'ok',
    );
    expect(aws.control.snapshot().loadBalancers).toHaveLength(1);
  });

  test('answers in full, with the defaults filled in', () => {
    const { aws, clock } = seededModel();
    const group = call(aws, 'DescribeSecurityGroups', {
      Filters: [
        { Name: 'vpc-id', Values: ['vpc-main'] },
        { Name: 'group-name', Values: ['default'] },
      ],
    });

    expect(createBalancer(aws, 'shop', { Subnets: ['subnet-b', 'subnet-a'] })).toEqual({
      LoadBalancerArn: expect.stringMatching(
        /^arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer\/app\/shop\/[0-9a-f]{16}$/,
      ),
      DNSName: expect.stringMatching(/^shop-\d{8,10}\.us-east-1\.elb\.amazonaws\.com$/),
      CanonicalHostedZoneId: 'Z35SXDOTRQ7X7K',
      CreatedTime: new Date(clock.nowMs),
      LoadBalancerName: 'shop',
      Scheme: 'internet-facing',
      VpcId: 'vpc-main',
      State: { Code: 'provisioning' },
      Type: 'application',
      AvailabilityZones: [
        { ZoneName: 'us-east-1a', SubnetId: 'subnet-a', LoadBalancerAddresses: [] },
        { ZoneName: 'us-east-1b', SubnetId: 'subnet-b', LoadBalancerAddresses: [] },
      ],
      SecurityGroups: [group['SecurityGroups'][0].GroupId],
      IpAddressType: 'ipv4',
    });
  });

  test('marks the DNS name of an internal balancer', () => {
    const { aws } = seededModel();
    expect(createBalancer(aws, 'shop', { Scheme: 'internal' })['DNSName']).toMatch(
      /^internal-shop-\d+\.us-east-1\./,
    );
  });

  test('takes an empty list of security groups for the default group', () => {
    const { aws } = seededModel();
    expect(createBalancer(aws, 'shop', { SecurityGroups: [] })['SecurityGroups']).toHaveLength(1);
  });

  test('is provisioning until its time has come, then active', () => {
    const { aws, clock } = seededModel({ provisioningMs: 5000 });
    createBalancer(aws, 'shop');
    const state = (): string =>
      call(aws, 'DescribeLoadBalancers', { Names: ['shop'] })['LoadBalancers'][0].State.Code;

    clock.advance(4999);
    expect(state()).toBe('provisioning');
    clock.advance(1);
    expect(state()).toBe('active');
  });

  test('gives another ARN and DNS name to a balancer that is created again', () => {
    const { aws } = seededModel();
    const first = createBalancer(aws, 'shop');
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn: first['LoadBalancerArn'] });
    const second = createBalancer(aws, 'shop');

    expect(second['LoadBalancerArn']).not.toBe(first['LoadBalancerArn']);
    expect(second['DNSName']).not.toBe(first['DNSName']);
  });

  describe('under a name that is taken', () => {
    const same: Readonly<Record<string, { readonly input: object; readonly why: string }>> = {
      'the same input': { input: {}, why: 'the operation is idempotent' },
      'subnets in another order': { input: subnets('subnet-b', 'subnet-a'), why: 'they are a set' },
      'defaults spelled out': {
        input: { Scheme: 'internet-facing', Type: 'application', IpAddressType: 'ipv4' },
        why: 'settings are compared, not inputs',
      },
      'other tags': {
        input: { Tags: [{ Key: 'owner', Value: 'somebody-else' }] },
        why: 'tags are no setting: a foreign balancer comes back, which callers must notice',
      },
    };
    test.for(Object.entries(same))('returns the existing one for %s', ([, { input, why }]) => {
      const { aws } = seededModel();
      const first = createBalancer(aws, 'shop', { Tags: [{ Key: 'owner', Value: 'me' }] });
      const again = createBalancer(aws, 'shop', input);

      expect(again, why).toEqual(first);
      expect(aws.control.snapshot().loadBalancers).toHaveLength(1);
      expect(aws.control.snapshot().loadBalancers[0]?.tags).toEqual({ owner: 'me' });
    });

    const different: Readonly<Record<string, object>> = {
      'another subnet': subnets('subnet-a', 'subnet-c'),
      'one subnet more': subnets('subnet-a', 'subnet-b', 'subnet-c'),
      'another scheme': { Scheme: 'internal' },
      'another security group': { SecurityGroups: ['sg-web'] },
      'another address type': { IpAddressType: 'dualstack' },
    };
    test.for(Object.entries(different))('refuses %s', ([, input]) => {
      const { aws } = seededModel();
      createBalancer(aws, 'shop');
      const before = aws.control.snapshot().loadBalancers;

      const again = { Name: 'shop', Subnets: ['subnet-a', 'subnet-b'], ...input };
      expect(outcomeOf(aws, 'CreateLoadBalancer', again)).toBe('DuplicateLoadBalancerName');
      expect(aws.control.snapshot().loadBalancers).toEqual(before);
    });
  });

  test('keeps the quota, which an existing name does not use up', () => {
    const { aws } = seededModel({ quota: 2 });
    createBalancer(aws, 'one');
    createBalancer(aws, 'two');
    const create = (Name: string): string =>
      outcomeOf(aws, 'CreateLoadBalancer', { Name, Subnets: ['subnet-a', 'subnet-b'] });

    expect(create('three')).toBe('TooManyLoadBalancers');
    expect(create('two')).toBe('ok');
    aws.control.changeSettings({ quota: 3 });
    expect(create('three')).toBe('ok');
  });
});
