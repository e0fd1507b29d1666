import { BlockList, isIP } from 'node:net';
import type { ReadableWorld } from '../aws-world.ts';
import type { Subnet } from '../ec2/network.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import type { TargetGroup } from './target-group.ts';

/** A target as the input names it. */
export interface AskedTarget {
  readonly id: string;
  readonly port: number;
  readonly zone: string | undefined;
}

/**
 * Where addresses may lie beside the VPC's own.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);

/** Throws ValidationError for what cannot be the id of a target of this group. */
export function checkTargetId({ targetType, ipAddressType }: TargetGroup, id: string): void {
  if (targetType === 'instance') {
    // https://github.com/ansible/ansible/issues/30962
    if (!/^i-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id)) {
      throw validationError(`Instance ID '${id}' is not valid`);
    }
    return;
  }
  const family = ipAddressType === 'ipv4' ? 4 : 6;
  // The words are unverified.
  if (isIP(id) !== family) throw validationError(`'${id}' is not a valid IPv${family} address`);
}

/**
 * The zone in which this target takes requests. Throws InvalidTarget for one that can never be
 * reached, and ValidationError where the asked zone does not fit.
 */
export function zoneOf(world: ReadableWorld, group: TargetGroup, asked: AskedTarget): string {
  return group.targetType === 'instance'
    ? zoneOfInstance(world, group, asked)
    : zoneOfAddress(world, group, asked);
}

/** The words but the state's are unverified. */
function zoneOfInstance(
  world: ReadableWorld,
  { vpcId }: TargetGroup,
  { id, zone }: AskedTarget,
): string {
  if (zone !== undefined) {
    throw validationError(
      "An Availability Zone cannot be specified for targets of type 'instance'",
    );
  }
  const instance = world.network.instances.get(id);
  const subnet = world.network.subnets.get(instance?.subnetId ?? '');
  if (instance === undefined || subnet === undefined) {
    throw invalidTarget(`The following targets do not exist: '${id}'`);
  }
  if (subnet.vpcId !== vpcId) {
    throw invalidTarget(
      `The following targets are not in the target group VPC '${vpcId}': '${id}'`,
    );
  }
  if (instance.state !== 'running') {
    // As moto 5.2 has it.
    const why = 'The following targets are not in a running state and cannot be registered';
    throw invalidTarget(`${why}: '${id}'`);
  }
  return subnet.zoneName;
}

function zoneOfAddress(world: ReadableWorld, group: TargetGroup, asked: AskedTarget): string {
  const subnets = [...world.network.subnets.values()].filter(({ vpcId }) => vpcId === group.vpcId);
  const own = subnets.find((subnet) => holds(subnet, asked.id));
  if (own !== undefined) return zoneInside(own, asked);
  if (isIP(asked.id) === 6 || !PRIVATE.check(asked.id)) {
    // Of IPv6 AWS takes peered VPCs too, which are not modelled. The code is unverified.
    throw invalidTarget(
      `The IP address '${asked.id}' is not within a range that can be registered`,
    );
  }
  return zoneOutside(group, subnets, asked);
}

/** https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/561 */
function zoneInside({ zoneName }: Subnet, { id, zone = zoneName }: AskedTarget): string {
  if (zone === zoneName) return zoneName;
  throw validationError(
    `The IP address '${id}' is within the VPC, and cannot have its Availability Zone overridden to '${zone}' from '${zoneName}'`,
  );
}

/**
 * The VPC's subnets count, not its block.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3714
 */
function zoneOutside(
  { attributes }: TargetGroup,
  subnets: readonly Subnet[],
  { id, zone }: AskedTarget,
): string {
  if (zone === undefined) {
    throw validationError(
      `The Availability Zone is required for IP address '${id}' because it is not in the VPC`,
    );
  }
  const isCrossZone = attributes.get('load_balancing.cross_zone.enabled') !== 'false';
  const isFit = isCrossZone ? zone === 'all' : subnets.some(({ zoneName }) => zoneName === zone);
  if (isFit) return zone;
  // https://github.com/aws/containers-roadmap/issues/1107
  const wanted = isCrossZone
    ? "'all' for Application Load Balancer target groups"
    : 'one of the VPC';
  throw validationError(
    `The Availability Zone for IP address '${id}' must be ${wanted}, when not within the VPC`,
  );
}

function holds({ cidr, ipv6Cidr }: Subnet, address: string): boolean {
  const [network = '', prefix = ''] = (isIP(address) === 6 ? ipv6Cidr : cidr)?.split('/') ?? [];
  if (network === '') return false;
  const block = new BlockList();
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  block.addSubnet(network, Number(prefix), family);
  return block.check(address, family);
}

function invalidTarget(message: string): AwsFault {
  return new AwsFault('InvalidTarget', message);
}
