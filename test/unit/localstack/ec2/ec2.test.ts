import { describe, expect, test } from 'vitest';
import { call, createBalancer, emptyModel, outcomeOf, seededModel } from '../seeded-model.ts';

interface Refusal {
  readonly operation: string;
  readonly input: object;
  readonly code: string;
}

const subnet = (CidrBlock: string, input: object = {}): object => ({
  VpcId: 'vpc-main',
  CidrBlock,
  AvailabilityZone: 'us-east-1a',
  ...input,
});
const custom = (ResourceType: string, Value: string): object => ({
  TagSpecifications: [{ ResourceType, Tags: [{ Key: '_custom_id_', Value }] }],
});

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a VPC larger than /16': {
    operation: 'CreateVpc',
    input: { CidrBlock: '10.0.0.0/15' },
    code: 'InvalidVpc.Range',
  },
  'a VPC without a block': { operation: 'CreateVpc', input: {}, code: 'MissingParameter' },
  'a VPC under a chosen id that is taken': {
    operation: 'CreateVpc',
    input: { CidrBlock: '10.9.0.0/16', ...custom('vpc', 'vpc-main') },
    code: 'InvalidVpc.DuplicateCustomId',
  },
  'tags for another kind of resource': {
    operation: 'CreateVpc',
    input: { CidrBlock: '10.9.0.0/16', ...custom('subnet', 'x') },
    code: 'InvalidParameterValue',
  },
  'a subnet of no VPC': {
    operation: 'CreateSubnet',
    input: subnet('10.0.9.0/24', { VpcId: 'vpc-x' }),
    code: 'InvalidVpcID.NotFound',
  },
  'a subnet outside the VPC': {
    operation: 'CreateSubnet',
    input: subnet('10.5.0.0/24'),
    code: 'InvalidSubnet.Range',
  },
  'a subnet off its boundary': {
    operation: 'CreateSubnet',
    input: subnet('10.0.9.1/24'),
    code: 'InvalidSubnet.Range',
  },
  'a subnet smaller than /28': {
    operation: 'CreateSubnet',
    input: subnet('10.0.9.0/29'),
    code: 'InvalidSubnet.Range',
  },
  'a subnet over another': {
    operation: 'CreateSubnet',
    input: subnet('10.0.0.128/25'),
    code: 'InvalidSubnet.Conflict',
  },
  'a subnet in an unknown zone': {
    operation: 'CreateSubnet',
    input: subnet('10.0.9.0/24', { AvailabilityZone: 'us-east-1z' }),
    code: 'InvalidParameterValue',
  },
  'IPv6 outside the VPC': {
    operation: 'CreateSubnet',
    input: subnet('10.0.9.0/24', { Ipv6CidrBlock: '2001:db8:1:100::/64' }),
    code: 'InvalidSubnet.Range',
  },
  'a subnet under a chosen id that is taken': {
    operation: 'CreateSubnet',
    input: { ...subnet('10.0.9.0/24'), ...custom('subnet', 'subnet-a') },
    code: 'InvalidSubnet.DuplicateCustomId',
  },
  'a second gateway for a gateway': {
    operation: 'AttachInternetGateway',
    input: { InternetGatewayId: 'igw-main', VpcId: 'vpc-other' },
    code: 'Resource.AlreadyAssociated',
  },
  'an unknown gateway': {
    operation: 'AttachInternetGateway',
    input: { InternetGatewayId: 'igw-x', VpcId: 'vpc-main' },
    code: 'InvalidInternetGatewayID.NotFound',
  },
  'deleting an attached gateway': {
    operation: 'DeleteInternetGateway',
    input: { InternetGatewayId: 'igw-main' },
    code: 'DependencyViolation',
  },
  'a group of a name that is taken': {
    operation: 'CreateSecurityGroup',
    input: { VpcId: 'vpc-main', GroupName: 'web', Description: 'again' },
    code: 'InvalidGroup.Duplicate',
  },
  'a group named default': {
    operation: 'CreateSecurityGroup',
    input: { VpcId: 'vpc-main', GroupName: 'default', Description: 'x' },
    code: 'InvalidParameterValue',
  },
  'a group without description': {
    operation: 'CreateSecurityGroup',
    input: { VpcId: 'vpc-main', GroupName: 'x' },
    code: 'MissingParameter',
  },
  'an unknown subnet by id': {
    operation: 'DescribeSubnets',
    input: { SubnetIds: ['subnet-a', 'subnet-x'] },
    code: 'InvalidSubnetID.NotFound',
  },
  'a filter that is not modelled': {
    operation: 'DescribeSubnets',
    input: { Filters: [{ Name: 'outpost-arn', Values: ['x'] }] },
    code: 'InvalidParameterValue',
  },
  'tags for an unknown resource': {
    operation: 'CreateTags',
    input: { Resources: ['subnet-x'], Tags: [{ Key: 'a', Value: 'b' }] },
    code: 'InvalidID',
  },
  'reserved tags': {
    operation: 'CreateTags',
    input: { Resources: ['subnet-a'], Tags: [{ Key: 'aws:a', Value: 'b' }] },
    code: 'InvalidParameterValue',
  },
  'deleting a VPC in use': {
    operation: 'DeleteVpc',
    input: { VpcId: 'vpc-main' },
    code: 'DependencyViolation',
  },
};

describe('EC2', () => {
  test.for(Object.entries(REFUSALS))('refuses %s', ([, { operation, input, code }]) => {
    const { aws } = seededModel();
    const before = { ...aws.control.snapshot(), now: 0 };
    expect(outcomeOf(aws, operation, input)).toBe(code);
    expect({ ...aws.control.snapshot(), now: 0 }).toEqual(before);
  });

  test('selects by filters, all of which must match, with wildcards', () => {
    const { aws } = seededModel();
    call(aws, 'CreateTags', {
      Resources: ['subnet-a', 'subnet-b'],
      Tags: [{ Key: 'Name', Value: 'web-1' }],
    });
    const select = (...Filters: object[]): string[] =>
      call(aws, 'DescribeSubnets', { Filters })['Subnets'].map(
        (found: { SubnetId: string }) => found.SubnetId,
      );

    expect(select({ Name: 'tag:Name', Values: ['web-?'] })).toEqual(['subnet-a', 'subnet-b']);
    expect(select({ Name: 'tag:Name', Values: ['web.1'] })).toEqual([]);
    expect(
      select(
        { Name: 'tag:Name', Values: ['*'] },
        { Name: 'availability-zone', Values: ['us-east-1b'] },
      ),
    ).toEqual(['subnet-b']);
    expect(select({ Name: 'vpc-id', Values: ['vpc-other', 'vpc-x'] })).toEqual([
      'subnet-oa',
      'subnet-ob',
    ]);
  });

  test('keeps what a balancer stands on until the balancer is gone', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { SecurityGroups: ['sg-web'] });
    const removals = (): string[] => [
      outcomeOf(aws, 'DeleteSubnet', { SubnetId: 'subnet-a' }),
      outcomeOf(aws, 'DeleteSecurityGroup', { GroupId: 'sg-web' }),
    ];

    expect(removals()).toEqual(['DependencyViolation', 'DependencyViolation']);
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn });
    expect(removals()).toEqual(['ok', 'ok']);
  });

  test('keeps it for as long as the interfaces of a deleted balancer linger', () => {
    const { aws, clock } = seededModel({ interfacesLingerMs: 60_000 });
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { SecurityGroups: ['sg-web'] });
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn });
    const removals = (): string[] => [
      outcomeOf(aws, 'DeleteSubnet', { SubnetId: 'subnet-a' }),
      outcomeOf(aws, 'DeleteSecurityGroup', { GroupId: 'sg-web' }),
    ];

    clock.advance(59_999);
    expect(removals()).toEqual(['DependencyViolation', 'DependencyViolation']);
    clock.advance(1);
    expect(removals()).toEqual(['ok', 'ok']);
  });

  test('takes a whole network down again', () => {
    const { aws } = seededModel();
    for (const SubnetId of ['a', 'b', 'c', 'a2', 'tiny'].map((end) => `subnet-${end}`)) {
      call(aws, 'DeleteSubnet', { SubnetId });
    }
    for (const GroupId of ['sg-web', 'sg-admin']) call(aws, 'DeleteSecurityGroup', { GroupId });
    call(aws, 'DetachInternetGateway', { InternetGatewayId: 'igw-main', VpcId: 'vpc-main' });
    call(aws, 'DeleteInternetGateway', { InternetGatewayId: 'igw-main' });
    call(aws, 'DeleteVpc', { VpcId: 'vpc-main' });

    const { vpcs, internetGateways } = aws.control.snapshot();
    expect(vpcs).toMatchObject([{ id: 'vpc-other' }]);
    expect(internetGateways).toEqual([]);
  });

  test('has three zones in every region', () => {
    const { aws } = emptyModel();
    expect(call(aws, 'DescribeAvailabilityZones', {})['AvailabilityZones']).toMatchObject([
      { ZoneName: 'us-east-1a', ZoneId: 'use1-az1', State: 'available' },
      { ZoneName: 'us-east-1b', ZoneId: 'use1-az2' },
      { ZoneName: 'us-east-1c', ZoneId: 'use1-az3' },
    ]);
  });
});

test('STS tells the account', () => {
  const { aws } = emptyModel();
  expect(call(aws, 'GetCallerIdentity', {})).toMatchObject({ Account: '000000000000' });
});

test.each([
  ['Vpcs', { CidrBlock: '10.9.0.0/16' }],
  ['InternetGateways', {}],
])('%s are described in pages', (field, input) => {
  const { aws } = emptyModel();
  for (let i = 0; i < 7; i += 1) call(aws, `Create${field.slice(0, -1)}`, input);
  const first = call(aws, `Describe${field}`, { MaxResults: 5 });
  const last = call(aws, `Describe${field}`, { MaxResults: 5, NextToken: first['NextToken'] });
  expect([first[field], last[field]].map(({ length }) => length)).toEqual([5, 2]);
  expect(last['NextToken']).toBeUndefined();
});
