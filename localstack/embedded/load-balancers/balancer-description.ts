import type { ReadableWorld } from '../aws-world.ts';
import type { LoadBalancer, LoadBalancerState, SubnetPlacement } from './balancer-store.ts';

/** A balancer as DescribeLoadBalancers shows it. */
export function describeBalancer(
  world: ReadableWorld,
  balancer: LoadBalancer,
): Record<string, unknown> {
  return {
    LoadBalancerArn: balancer.arn,
    DNSName: balancer.dnsName,
    CanonicalHostedZoneId: world.facts.hostedZoneId,
    CreatedTime: new Date(balancer.createdAtMs),
    LoadBalancerName: balancer.name,
    Scheme: balancer.scheme,
    VpcId: balancer.vpcId,
    State: describeState(stateOf(balancer, world.clock.now())),
    Type: 'application',
    AvailabilityZones: describeZones(balancer.placements),
    SecurityGroups: [...balancer.securityGroups],
    IpAddressType: balancer.ipAddressType,
  };
}

export function stateOf(balancer: LoadBalancer, nowMs: number): LoadBalancerState {
  if (balancer.stateOverride !== undefined) return balancer.stateOverride;
  return { code: nowMs < balancer.activeAtMs ? 'provisioning' : 'active' };
}

export function describeZones(placements: readonly SubnetPlacement[]): unknown[] {
  return placements.map(({ zoneName, subnetId }) => ({
    ZoneName: zoneName,
    SubnetId: subnetId,
    LoadBalancerAddresses: [],
  }));
}

function describeState(state: LoadBalancerState): Record<string, unknown> {
  return state.reason === undefined
    ? { Code: state.code }
    : { Code: state.code, Reason: state.reason };
}
