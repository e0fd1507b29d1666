import type { OperationTraits } from '../client/operation-traits.ts';

const GROUPS = ['security-group/*'] as const;

const READ = {
  service: 'ec2',
  bucket: 'ec2Reads',
  isIdempotent: true,
  grant: { onlyIf: 'nothing' },
} as const;

const CHANGE = {
  service: 'ec2',
  bucket: 'ec2Writes',
  isIdempotent: true,
  absent: ['InvalidSecurityGroup'],
  grant: { onlyIf: 'taggedResource', on: GROUPS },
} as const;

export const ec2Operations = {
  DescribeSubnets: { ...READ, absent: ['SubnetNotFound'], step: 'describe' },
  DescribeSecurityGroups: { ...READ, absent: ['InvalidSecurityGroup'], step: 'describe' },
  // A second one of this name is refused, so a lost answer needs a look.
  CreateSecurityGroup: {
    ...CHANGE,
    isIdempotent: false,
    absent: [],
    step: 'create',
    grant: { onlyIf: 'taggedRequest', on: GROUPS, in: ['vpc/*'] },
  },
  AuthorizeSecurityGroupIngress: { ...CHANGE, step: 'allow ingress of' },
  RevokeSecurityGroupIngress: { ...CHANGE, step: 'revoke ingress of' },
  // IAM allows it by the group's tags: the repetition of what was carried out may be denied.
  DeleteSecurityGroup: { ...CHANGE, isIdempotent: false, step: 'delete' },
  CreateTags: {
    ...CHANGE,
    step: 'add tags to',
    grant: { onlyIf: 'tagging', on: GROUPS },
  },
  DeleteTags: { ...CHANGE, isIdempotent: false, step: 'remove tags from' },
} as const satisfies Readonly<Record<string, OperationTraits>>;

export type Ec2Operation = keyof typeof ec2Operations;

interface TagPair {
  readonly Key?: string;
  readonly Value?: string;
}

export interface IpPermission {
  readonly IpProtocol?: string;
  readonly FromPort?: number;
  readonly ToPort?: number;
  readonly UserIdGroupPairs?: readonly { readonly GroupId?: string }[];
  readonly IpRanges?: readonly { readonly CidrIp?: string }[];
  readonly Ipv6Ranges?: readonly { readonly CidrIpv6?: string }[];
  readonly PrefixListIds?: readonly { readonly PrefixListId?: string }[];
}

export interface Ec2Subnet {
  readonly SubnetId?: string;
  readonly VpcId?: string;
  readonly State?: string;
  readonly AvailabilityZone?: string;
  readonly AvailableIpAddressCount?: number;
  readonly OutpostArn?: string;
  readonly Tags?: readonly TagPair[];
}

export interface Ec2SecurityGroup {
  readonly GroupId?: string;
  readonly GroupName?: string;
  readonly Description?: string;
  readonly VpcId?: string;
  readonly IpPermissions?: readonly IpPermission[];
  readonly Tags?: readonly TagPair[];
}

interface Page {
  readonly NextToken?: string;
}

/** By ids, or a page of those that match the filters. */
interface Selection extends Page {
  readonly Filters?: readonly { readonly Name: string; readonly Values: readonly string[] }[];
  readonly MaxResults?: number;
}

interface Ingress {
  readonly GroupId: string;
  readonly IpPermissions: readonly IpPermission[];
}

interface Tagging {
  readonly Resources: readonly string[];
  readonly Tags: readonly TagPair[];
}

type Nothing = Readonly<Record<never, never>>;

/** The part of EC2's messages in use, spelled as in its SDK; src/aws/ec2/ec2-commands.ts has the schemas. */
export interface Ec2Messages {
  DescribeSubnets: [
    Selection & { readonly SubnetIds?: readonly string[] },
    Page & { readonly Subnets?: readonly Ec2Subnet[] },
  ];
  DescribeSecurityGroups: [
    Selection & { readonly GroupIds?: readonly string[] },
    Page & { readonly SecurityGroups?: readonly Ec2SecurityGroup[] },
  ];
  CreateSecurityGroup: [
    {
      readonly GroupName: string;
      readonly Description: string;
      readonly VpcId: string;
      readonly TagSpecifications: readonly {
        readonly ResourceType: 'security-group';
        readonly Tags: readonly TagPair[];
      }[];
    },
    { readonly GroupId?: string },
  ];
  AuthorizeSecurityGroupIngress: [Ingress, Nothing];
  RevokeSecurityGroupIngress: [Ingress, Nothing];
  DeleteSecurityGroup: [{ readonly GroupId: string }, Nothing];
  CreateTags: [Tagging, Nothing];
  DeleteTags: [Tagging, Nothing];
}
