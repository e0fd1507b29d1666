import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import { type Input, textOf } from '../input-fields.ts';
import { contains, freeAddresses, isIpv6SubnetOf, overlaps, parseCidr } from './cidr.ts';
import {
  dependencyViolation,
  invalidParameterValue,
  notFound,
  requiredParameter,
} from './ec2-faults.ts';
import { selectResources } from './ec2-filters.ts';
import { ec2PageOf } from './ec2-paging.ts';
import { describeTagSet, newResourceId, specifiedTags } from './ec2-tags.ts';
import { isHeldByInterface, type Subnet, type Vpc } from './network.ts';
import type { AvailabilityZoneFacts } from './region-facts.ts';
import { describeIpv6, existingVpc } from './vpcs.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html */
export function createSubnet(world: AwsWorld, input: Input): unknown {
  const vpc = existingVpc(world, requiredParameter(input, 'VpcId'));
  const cidr = requiredParameter(input, 'CidrBlock');
  checkCidr(world, vpc, cidr);
  const zone = chosenZone(world, input);
  const ipv6 = ipv6CidrOf(vpc, input);
  const tags = specifiedTags(input, 'subnet');
  const id = newResourceId(world, tags, {
    prefix: 'subnet',
    existing: world.network.subnets,
    duplicateCode: 'InvalidSubnet.DuplicateCustomId',
  });
  const subnet: Subnet = {
    id,
    vpcId: vpc.id,
    cidr,
    zoneName: zone.name,
    zoneId: zone.id,
    tags,
    ...ipv6,
  };
  world.network.subnets.set(id, subnet);
  return { Subnet: describeSubnet(world, subnet) };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html */
export function describeSubnets(world: ReadableWorld, input: Input): unknown {
  const subnets = selectResources(input, world.network.subnets, {
    idField: 'SubnetIds',
    notFoundCode: 'InvalidSubnetID.NotFound',
    filters: {
      'subnet-id': (subnet) => [subnet.id],
      'vpc-id': (subnet) => [subnet.vpcId],
      'availability-zone': (subnet) => [subnet.zoneName],
      'availability-zone-id': (subnet) => [subnet.zoneId],
      'cidr-block': (subnet) => [subnet.cidr],
      state: () => ['available'],
    },
  });
  const page = ec2PageOf(input, subnets, { idField: 'SubnetIds' });
  return {
    Subnets: page.items.map((subnet) => describeSubnet(world, subnet)),
    NextToken: page.nextToken,
  };
}

/** A subnet in which a balancer stands, or its interfaces, stays. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSubnet.html */
export function deleteSubnet(world: AwsWorld, input: Input): unknown {
  const id = requiredParameter(input, 'SubnetId');
  if (!world.network.subnets.has(id)) throw notFound('InvalidSubnetID.NotFound', 'subnet', id);
  const isUsed = world.balancers
    .all()
    .some((balancer) => balancer.placements.some((placement) => placement.subnetId === id));
  if (isUsed || isHeldByInterface(world.network, id, world.clock.now())) {
    throw dependencyViolation('subnet', id);
  }
  world.network.subnets.delete(id);
  return {};
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html */
export function describeAvailabilityZones(world: ReadableWorld, input: Input): unknown {
  const zones = world.facts.zones.map((zone) => ({ ...zone, tags: new Map<string, string>() }));
  const byName = new Map(zones.map((zone) => [zone.name, zone]));
  const chosen = selectResources(input, byName, {
    idField: 'ZoneNames',
    notFoundCode: 'InvalidParameterValue',
    filters: {
      state: () => ['available'],
      'region-name': () => [world.facts.region],
      'zone-name': (zone) => [zone.name],
      'zone-id': (zone) => [zone.id],
      'zone-type': () => ['availability-zone'],
      'opt-in-status': () => ['opt-in-not-required'],
    },
  });
  return { AvailabilityZones: chosen.map((zone) => describeZone(world, zone)) };
}

function checkCidr(world: AwsWorld, vpc: Vpc, text: string): void {
  const cidr = parseCidr(text);
  const outer = parseCidr(vpc.cidr);
  if (cidr === undefined || cidr.prefix < 16 || cidr.prefix > 28 || outer === undefined) {
    throw new AwsFault('InvalidSubnet.Range', `The CIDR '${text}' is invalid.`);
  }
  if (!contains(outer, cidr)) {
    throw new AwsFault('InvalidSubnet.Range', `The CIDR '${text}' is invalid.`);
  }
  for (const other of world.network.subnets.values()) {
    const taken = parseCidr(other.cidr);
    if (other.vpcId === vpc.id && taken !== undefined && overlaps(taken, cidr)) {
      throw new AwsFault(
        'InvalidSubnet.Conflict',
        `The CIDR '${text}' conflicts with another subnet`,
      );
    }
  }
}

function chosenZone(world: AwsWorld, input: Input): AvailabilityZoneFacts {
  const name = textOf(input, 'AvailabilityZone');
  const id = textOf(input, 'AvailabilityZoneId');
  const zone = world.facts.zones.find(
    (candidate) =>
      (name === undefined || candidate.name === name) && (id === undefined || candidate.id === id),
  );
  if (zone !== undefined) return zone;
  throw invalidParameterValue(`Value (${name ?? id}) for parameter availabilityZone is invalid.`);
}

function ipv6CidrOf(vpc: Vpc, input: Input): { readonly ipv6Cidr?: string } {
  const ipv6Cidr = textOf(input, 'Ipv6CidrBlock');
  if (ipv6Cidr === undefined) return {};
  if (vpc.ipv6Cidr !== undefined && isIpv6SubnetOf(vpc.ipv6Cidr, ipv6Cidr)) return { ipv6Cidr };
  throw new AwsFault('InvalidSubnet.Range', `The CIDR '${ipv6Cidr}' is invalid.`);
}

function describeSubnet(world: ReadableWorld, subnet: Subnet): Record<string, unknown> {
  const { partition, region } = world.facts;
  return {
    SubnetId: subnet.id,
    SubnetArn: `arn:${partition}:ec2:${region}:${world.accountId}:subnet/${subnet.id}`,
    VpcId: subnet.vpcId,
    OwnerId: world.accountId,
    State: 'available',
    CidrBlock: subnet.cidr,
    Ipv6CidrBlockAssociationSet: describeIpv6(subnet.id, subnet.ipv6Cidr),
    AvailabilityZone: subnet.zoneName,
    AvailabilityZoneId: subnet.zoneId,
    AvailableIpAddressCount: freeAddresses(subnet.cidr),
    DefaultForAz: false,
    MapPublicIpOnLaunch: false,
    AssignIpv6AddressOnCreation: false,
    Tags: describeTagSet(subnet.tags),
  };
}

function describeZone(world: ReadableWorld, zone: AvailabilityZoneFacts): unknown {
  return {
    ZoneName: zone.name,
    ZoneId: zone.id,
    RegionName: world.facts.region,
    GroupName: world.facts.region,
    NetworkBorderGroup: world.facts.region,
    ZoneType: 'availability-zone',
    OptInStatus: 'opt-in-not-required',
    State: 'available',
    Messages: [],
  };
}
