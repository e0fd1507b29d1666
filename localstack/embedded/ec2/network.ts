// Lives here: EC2, as far as load balancers need it: VPCs, subnets, gateways, security groups, addresses.
// May import it: localstack/embedded.
// Start with: this file, the records; one file for each resource has its operations.

import { PastMap } from './past-map.ts';

/** The EC2 resources that load balancers stand on. Records are replaced, never changed in place. */
export interface Network {
  readonly vpcs: Map<string, Vpc>;
  readonly subnets: Map<string, Subnet>;
  readonly internetGateways: Map<string, InternetGateway>;
  readonly securityGroups: Map<string, SecurityGroup>;
  /** Of balancers that are gone, by their ARN. */
  readonly lingering: Map<string, LingeringInterfaces>;
  /** Put there over the control interface. */
  readonly instances: Map<string, Instance>;
}

/** Network interfaces outlive their balancer by minutes: https://github.com/hashicorp/terraform/issues/3758 */
interface LingeringInterfaces {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly untilMs: number;
}

export type Tags = ReadonlyMap<string, string>;

export interface Vpc {
  readonly id: string;
  readonly cidr: string;
  /** A /56, if the VPC has IPv6. */
  readonly ipv6Cidr?: string;
  readonly tags: Tags;
}

export interface Subnet {
  readonly id: string;
  readonly vpcId: string;
  readonly cidr: string;
  /** A /64 of the VPC's, if the subnet has IPv6. */
  readonly ipv6Cidr?: string;
  readonly zoneName: string;
  readonly zoneId: string;
  readonly tags: Tags;
}

export interface InternetGateway {
  readonly id: string;
  readonly attachedVpcId?: string;
  readonly tags: Tags;
}

export interface SecurityGroup {
  readonly id: string;
  readonly vpcId: string;
  readonly name: string;
  readonly description: string;
  /** In the order in which they were added. */
  readonly ingress: readonly IngressRule[];
  /** Groups that outbound rules of any port lead to, besides the rule for everything; nothing sends such a call. */
  readonly outboundGroups?: readonly string[];
  readonly tags: Tags;
}

/** Access to the members of a group: one protocol, one range of ports, one source. */
export interface IngressRule {
  /** sgr-… */
  readonly id: string;
  /** A name in small letters, a number, or -1 for all. */
  readonly protocol: string;
  /** Absent for protocols without ports. */
  readonly ports?: { readonly from: number; readonly to: number };
  readonly source: IngressSource;
  readonly description?: string;
}

export interface IngressSource {
  readonly kind: 'ipv4' | 'ipv6' | 'group' | 'prefixList';
  /** A canonical block or an id. */
  readonly value: string;
}

export interface Instance {
  readonly id: string;
  readonly subnetId: string;
  readonly state: 'running' | 'stopped';
  readonly tags: Tags;
}

export function createNetwork(clock: { now(): number }): Network {
  return {
    vpcs: new Map(),
    subnets: new Map(),
    internetGateways: new Map(),
    securityGroups: new PastMap(() => clock.now()),
    lingering: new Map(),
    instances: new Map(),
  };
}

/**
 * The network as a stale read shows it: security groups as they were. The rest is only changed by tests.
 * https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
export function networkAsOf(network: Network, atMs: number): Network {
  const { securityGroups } = network;
  if (!(securityGroups instanceof PastMap)) return network;
  return { ...network, securityGroups: securityGroups.asOf(atMs) };
}

/** True while interfaces of a deleted balancer hold this subnet or security group. */
export function isHeldByInterface({ lingering }: Network, id: string, nowMs: number): boolean {
  return [...lingering.values()].some(
    ({ subnets, securityGroups, untilMs }) =>
      nowMs < untilMs && (subnets.includes(id) || securityGroups.includes(id)),
  );
}

export function clearNetwork(network: Network): void {
  for (const resources of Object.values(network)) resources.clear();
}

export function hasInternetGateway(network: Network, vpcId: string): boolean {
  for (const gateway of network.internetGateways.values()) {
    if (gateway.attachedVpcId === vpcId) return true;
  }
  return false;
}

/** Name of the security group that every VPC is born with. */
export const DEFAULT_GROUP_NAME = 'default';

export function defaultSecurityGroup(network: Network, vpcId: string): SecurityGroup | undefined {
  for (const group of network.securityGroups.values()) {
    if (group.vpcId === vpcId && group.name === DEFAULT_GROUP_NAME) return group;
  }
  return undefined;
}
