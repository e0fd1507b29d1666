/**
 * The operations of EC2 that albridge uses, over the SDK's own protocol and signer: its client for
 * EC2 costs 25 MB of memory for some 700 operations (docs/decisions/0013-ec2-without-its-client.md).
 * https://smithy.io/2.0/aws/protocols/aws-ec2-query-protocol.html
 */
import { AwsEc2QueryProtocol } from '@aws-sdk/core/protocols';
import {
  chooseEndpoint,
  defineService,
  type EndpointParameters,
  type MessageSchemas,
  NUMBER,
  type Schema,
  TEXT,
} from '../client/sdk-commands.ts';
import type { Ec2Operation } from './operations.ts';

const NAMESPACE = 'com.amazonaws.ec2';

/** Turns any client of the SDK into one of EC2. */
export const ec2Service = {
  serviceId: 'EC2',
  signingName: 'ec2',
  protocol: AwsEc2QueryProtocol,
  protocolSettings: {
    defaultNamespace: NAMESPACE,
    xmlNamespace: 'http://ec2.amazonaws.com/doc/2016-11-15',
    version: '2016-11-15',
    serviceTarget: 'AmazonEC2',
  },
  /** https://docs.aws.amazon.com/general/latest/gr/ec2-service.html */
  endpointProvider: (parameters: EndpointParameters) => chooseEndpoint('ec2', parameters),
} as const;

const { defineStructure, defineList, createCommand } = defineService({
  namespace: NAMESPACE,
  name: 'AmazonEC2',
  client: 'EC2Client',
});

const list = (of: Schema, item = 'item'): Schema => defineList(of, item);

const Tag = defineStructure('Tag', { Key: [TEXT, 'Key', 'key'], Value: [TEXT, 'Value', 'value'] });
const Tags = list(Tag);
const TagSpecification = defineStructure('TagSpecification', {
  ResourceType: [TEXT, 'ResourceType', 'resourceType'],
  Tags: [Tags, 'Tag'],
});
const Filter = defineStructure('Filter', { Name: TEXT, Values: [list(TEXT), 'Value'] });
const Filters = list(Filter, 'Filter');

function defineSource(key: string, sent: string): Schema {
  return defineStructure(sent, {
    Description: [TEXT, 'Description', 'description'],
    [key]: [TEXT, sent, lowerFirst(sent)],
  });
}

const IpPermission = defineStructure('IpPermission', {
  IpProtocol: [TEXT, 'IpProtocol', 'ipProtocol'],
  FromPort: [NUMBER, 'FromPort', 'fromPort'],
  ToPort: [NUMBER, 'ToPort', 'toPort'],
  UserIdGroupPairs: [list(defineSource('GroupId', 'GroupId')), 'Groups', 'groups'],
  IpRanges: [list(defineSource('CidrIp', 'CidrIp')), 'IpRanges', 'ipRanges'],
  Ipv6Ranges: [list(defineSource('CidrIpv6', 'CidrIpv6')), 'Ipv6Ranges', 'ipv6Ranges'],
  PrefixListIds: [
    list(defineSource('PrefixListId', 'PrefixListId')),
    'PrefixListIds',
    'prefixListIds',
  ],
});
const IpPermissions = list(IpPermission);

const SecurityGroup = defineStructure('SecurityGroup', {
  GroupId: [TEXT, 'GroupId', 'groupId'],
  GroupName: [TEXT, 'GroupName', 'groupName'],
  Description: [TEXT, 'GroupDescription', 'groupDescription'],
  VpcId: [TEXT, 'VpcId', 'vpcId'],
  IpPermissions: [IpPermissions, 'IpPermissions', 'ipPermissions'],
  Tags: [Tags, 'TagSet', 'tagSet'],
});
const Subnet = defineStructure('Subnet', {
  SubnetId: [TEXT, 'SubnetId', 'subnetId'],
  VpcId: [TEXT, 'VpcId', 'vpcId'],
  State: [TEXT, 'State', 'state'],
  AvailabilityZone: [TEXT, 'AvailabilityZone', 'availabilityZone'],
  AvailableIpAddressCount: [NUMBER, 'AvailableIpAddressCount', 'availableIpAddressCount'],
  OutpostArn: [TEXT, 'OutpostArn', 'outpostArn'],
  Tags: [Tags, 'TagSet', 'tagSet'],
});

const ingress = defineStructure('IngressRequest', { GroupId: TEXT, IpPermissions });
const nothing = defineStructure('Nothing', {});
const tagging = defineStructure('TagsRequest', {
  Resources: [list(TEXT, 'ResourceId'), 'ResourceId'],
  Tags: [Tags, 'Tag'],
});
const page = { NextToken: TEXT, MaxResults: NUMBER } as const;

const schemas: Readonly<Record<Ec2Operation, MessageSchemas>> = {
  DescribeSubnets: [
    defineStructure('DescribeSubnetsRequest', {
      SubnetIds: [list(TEXT, 'SubnetId'), 'SubnetId'],
      Filters: [Filters, 'Filter'],
      ...page,
    }),
    defineStructure('DescribeSubnetsResult', {
      NextToken: [TEXT, 'NextToken', 'nextToken'],
      Subnets: [list(Subnet), 'SubnetSet', 'subnetSet'],
    }),
  ],
  DescribeSecurityGroups: [
    defineStructure('DescribeSecurityGroupsRequest', {
      GroupIds: [list(TEXT, 'groupId'), 'GroupId'],
      Filters: [Filters, 'Filter'],
      ...page,
    }),
    defineStructure('DescribeSecurityGroupsResult', {
      NextToken: [TEXT, 'NextToken', 'nextToken'],
      SecurityGroups: [list(SecurityGroup), 'SecurityGroupInfo', 'securityGroupInfo'],
    }),
  ],
  CreateSecurityGroup: [
    defineStructure('CreateSecurityGroupRequest', {
      GroupName: TEXT,
      Description: [TEXT, 'GroupDescription'],
      VpcId: TEXT,
      TagSpecifications: [list(TagSpecification), 'TagSpecification'],
    }),
    defineStructure('CreateSecurityGroupResult', { GroupId: [TEXT, 'GroupId', 'groupId'] }),
  ],
  AuthorizeSecurityGroupIngress: [ingress, nothing],
  RevokeSecurityGroupIngress: [ingress, nothing],
  DeleteSecurityGroup: [defineStructure('DeleteSecurityGroupRequest', { GroupId: TEXT }), nothing],
  CreateTags: [tagging, nothing],
  DeleteTags: [tagging, nothing],
};

/** A command for the SDK's client, as of a client of its own. */
export function createEc2Command(operation: Ec2Operation, input: object): object {
  return createCommand(operation, schemas[operation], input);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
