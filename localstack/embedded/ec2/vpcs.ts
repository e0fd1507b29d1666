import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import { parseCidr } from './cidr.ts';
import { dependencyViolation, notFound, requiredParameter } from './ec2-faults.ts';
import { selectResources } from './ec2-filters.ts';
import { ec2PageOf } from './ec2-paging.ts';
import { describeTagSet, generatedId, newResourceId, specifiedTags } from './ec2-tags.ts';
import { DEFAULT_GROUP_NAME, hasInternetGateway, type Vpc } from './network.ts';

/** A new VPC comes with its default security group. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpc.html */
export function createVpc(world: AwsWorld, input: Input): unknown {
  const cidr = requiredParameter(input, 'CidrBlock');
  const prefix = parseCidr(cidr)?.prefix ?? 0;
  if (prefix < 16 || prefix > 28) {
    throw new AwsFault('InvalidVpc.Range', `The CIDR '${cidr}' is invalid.`);
  }
  const tags = specifiedTags(input, 'vpc');
  const id = newResourceId(world, tags, {
    prefix: 'vpc',
    existing: world.network.vpcs,
    duplicateCode: 'InvalidVpc.DuplicateCustomId',
  });
  const ipv6 =
    input['AmazonProvidedIpv6CidrBlock'] === true ? { ipv6Cidr: newIpv6Cidr(world) } : {};
  const vpc: Vpc = { id, cidr, tags, ...ipv6 };
  world.network.vpcs.set(id, vpc);
  createDefaultGroup(world, id);
  return { Vpc: describeVpc(world, vpc) };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcs.html */
export function describeVpcs(world: ReadableWorld, input: Input): unknown {
  const vpcs = selectResources(input, world.network.vpcs, {
    idField: 'VpcIds',
    notFoundCode: 'InvalidVpcID.NotFound',
    filters: {
      'vpc-id': (vpc) => [vpc.id],
      cidr: (vpc) => [vpc.cidr],
      state: () => ['available'],
      'is-default': () => ['false'],
      isDefault: () => ['false'],
    },
  });
  const page = ec2PageOf(input, vpcs, { idField: 'VpcIds' });
  return {
    Vpcs: page.items.map((vpc) => describeVpc(world, vpc)),
    NextToken: page.nextToken,
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpc.html */
export function deleteVpc(world: AwsWorld, input: Input): unknown {
  const { id } = existingVpc(world, requiredParameter(input, 'VpcId'));
  const { subnets, securityGroups, vpcs } = world.network;
  const isUsed =
    hasInternetGateway(world.network, id) ||
    [...subnets.values()].some((subnet) => subnet.vpcId === id) ||
    [...securityGroups.values()].some(
      (group) => group.vpcId === id && group.name !== DEFAULT_GROUP_NAME,
    );
  if (isUsed) throw dependencyViolation('vpc', id);
  for (const group of securityGroups.values()) {
    if (group.vpcId === id) securityGroups.delete(group.id);
  }
  vpcs.delete(id);
  return {};
}

/** Throws InvalidVpcID.NotFound. */
export function existingVpc(world: ReadableWorld, id: string): Vpc {
  const vpc = world.network.vpcs.get(id);
  if (vpc === undefined) throw notFound('InvalidVpcID.NotFound', 'vpc', id);
  return vpc;
}

function newIpv6Cidr(world: AwsWorld): string {
  return `2600:1f18:${world.ids.hex(4)}:${world.ids.hex(2).replace(/^0/, '1')}00::/56`;
}

function createDefaultGroup(world: AwsWorld, vpcId: string): void {
  const id = generatedId(world, 'sg');
  world.network.securityGroups.set(id, {
    id,
    vpcId,
    name: DEFAULT_GROUP_NAME,
    description: 'default VPC security group',
    ingress: [],
    tags: new Map(),
  });
}

function describeVpc(world: ReadableWorld, vpc: Vpc): Record<string, unknown> {
  return {
    VpcId: vpc.id,
    OwnerId: world.accountId,
    State: 'available',
    CidrBlock: vpc.cidr,
    CidrBlockAssociationSet: [
      {
        AssociationId: `vpc-cidr-assoc-${vpc.id}`,
        CidrBlock: vpc.cidr,
        CidrBlockState: { State: 'associated' },
      },
    ],
    Ipv6CidrBlockAssociationSet: describeIpv6(vpc.id, vpc.ipv6Cidr),
    DhcpOptionsId: 'default',
    InstanceTenancy: 'default',
    IsDefault: false,
    Tags: describeTagSet(vpc.tags),
  };
}

export function describeIpv6(ownerId: string, cidr: string | undefined): unknown[] {
  if (cidr === undefined) return [];
  return [
    {
      AssociationId: `ipv6-cidr-assoc-${ownerId}`,
      Ipv6CidrBlock: cidr,
      Ipv6CidrBlockState: { State: 'associated' },
    },
  ];
}
