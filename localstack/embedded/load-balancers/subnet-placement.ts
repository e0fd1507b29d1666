import type { ReadableWorld } from '../aws-world.ts';
import { freeAddresses, parseCidr } from '../ec2/cidr.ts';
import { hasInternetGateway, type Network, type Subnet } from '../ec2/network.ts';
import { AwsFault, invalidConfiguration, notModelled, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textsOf } from '../input-fields.ts';
import type { SubnetPlacement } from './balancer-store.ts';
import type { IpAddressType, Scheme } from './load-balancer-enums.ts';

/** Where a balancer is asked to stand. */
export interface Placement {
  readonly vpcId: string;
  readonly placements: readonly SubnetPlacement[];
}

const FEWEST_FREE_ADDRESSES = 8;
const LONGEST_PREFIX = 27;

/** Subnet ids from `Subnets` or `SubnetMappings`, whichever is given. */
export function subnetIdsOf(input: Input): readonly string[] {
  const subnets = textsOf(input, 'Subnets');
  const mappings = structuresOf(input, 'SubnetMappings');
  if (subnets !== undefined && mappings !== undefined) {
    throw validationError('You must specify either subnets or subnet mappings, but not both');
  }
  if (mappings !== undefined) return mappings.map(subnetIdOfMapping);
  if (subnets === undefined) throw validationError('You must specify subnets or subnet mappings');
  return subnets;
}

/**
 * The rules for the subnets of an Application Load Balancer, in the order in which they are judged:
 * at least two, all existing, in one VPC, one per zone, large enough, reachable as the scheme needs,
 * with IPv6 where the address type needs it.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#subnets-load-balancer
 */
export function placeInSubnets(
  world: ReadableWorld,
  subnetIds: readonly string[],
  wanted: { readonly scheme: Scheme; readonly ipAddressType: IpAddressType },
): Placement {
  if (subnetIds.length < 2) {
    throw validationError(
      'At least two subnets in two different Availability Zones must be specified',
    );
  }
  const subnets = subnetIds.map((id) => findSubnet(world.network, id));
  const vpcId = singleVpc(subnets);
  checkOnePerZone(subnets);
  for (const subnet of subnets) checkRoom(subnet);
  if (wanted.scheme === 'internet-facing' && !hasInternetGateway(world.network, vpcId)) {
    throw invalidSubnet(`VPC ${vpcId} has no internet gateway`);
  }
  checkIpv6(subnets, wanted.ipAddressType);
  return { vpcId, placements: subnets.map(placementOf).sort(byZone) };
}

/** Throws ValidationError if the address type needs IPv6 and a subnet has none. */
export function checkIpv6(
  subnets: readonly (Subnet | undefined)[],
  ipAddressType: IpAddressType,
): void {
  if (ipAddressType === 'ipv4') return;
  if (subnets.every((subnet) => subnet?.ipv6Cidr !== undefined)) return;
  // The wording was reported in kubernetes-sigs/aws-load-balancer-controller pull request 4865.
  throw validationError('You must specify subnets with an associated IPv6 CIDR block.');
}

function subnetIdOfMapping(mapping: Input): string {
  for (const field of [
    'AllocationId',
    'PrivateIPv4Address',
    'IPv6Address',
    'SourceNatIpv6Prefix',
  ]) {
    if (mapping[field] !== undefined) throw notModelled(`subnet mapping with ${field}`);
  }
  return requiredText(mapping, 'SubnetId');
}

function findSubnet(network: Network, id: string): Subnet {
  const subnet = network.subnets.get(id);
  if (subnet !== undefined) return subnet;
  throw new AwsFault('SubnetNotFound', `The subnet ID '${id}' does not exist`);
}

function singleVpc(subnets: readonly Subnet[]): string {
  const [vpcId = '', ...others] = new Set(subnets.map((subnet) => subnet.vpcId));
  if (others.length === 0) return vpcId;
  throw invalidConfiguration('All subnets must belong to the same VPC');
}

function checkOnePerZone(subnets: readonly Subnet[]): void {
  if (new Set(subnets.map((subnet) => subnet.zoneName)).size === subnets.length) return;
  throw invalidConfiguration(
    'A load balancer cannot be attached to multiple subnets in the same Availability Zone',
  );
}

function checkRoom(subnet: Subnet): void {
  const prefix = parseCidr(subnet.cidr)?.prefix ?? 32;
  if (prefix > LONGEST_PREFIX || freeAddresses(subnet.cidr) < FEWEST_FREE_ADDRESSES) {
    throw invalidSubnet(
      `Not enough IP space available in ${subnet.id}. ELB requires at least ${FEWEST_FREE_ADDRESSES} free IP addresses in each subnet.`,
    );
  }
}

function placementOf(subnet: Subnet): SubnetPlacement {
  return { zoneName: subnet.zoneName, subnetId: subnet.id };
}

function byZone(left: SubnetPlacement, right: SubnetPlacement): number {
  return left.zoneName < right.zoneName ? -1 : 1;
}

function invalidSubnet(message: string): AwsFault {
  return new AwsFault('InvalidSubnet', message);
}
