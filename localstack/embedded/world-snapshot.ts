import type { AwsSettings, AwsWorld } from './aws-world.ts';
import { stateOf } from './load-balancers/balancer-description.ts';
import type { LoadBalancer } from './load-balancers/balancer-store.ts';
import { snapshotTraffic, type TrafficSnapshot } from './traffic/traffic-snapshot.ts';

/** The whole account as plain data, for people and tests. */
export interface WorldSnapshot extends TrafficSnapshot {
  readonly region: string;
  readonly accountId: string;
  /** Epoch ms. */
  readonly now: number;
  readonly settings: AwsSettings;
  /** Tokens left in AWS's buckets. */
  readonly tokens: Readonly<Record<string, number>>;
  readonly loadBalancers: readonly LoadBalancerSnapshot[];
  readonly vpcs: readonly unknown[];
  readonly subnets: readonly unknown[];
  readonly internetGateways: readonly unknown[];
  readonly securityGroups: readonly unknown[];
}

export interface LoadBalancerSnapshot {
  readonly name: string;
  readonly arn: string;
  readonly dnsName: string;
  readonly state: string;
  readonly scheme: string;
  readonly ipAddressType: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
}

export function snapshotWorld(
  world: AwsWorld,
  tokens: Readonly<Record<string, number>>,
): WorldSnapshot {
  const nowMs = world.clock.now();
  const { vpcs, subnets, internetGateways, securityGroups } = world.network;
  return {
    region: world.facts.region,
    accountId: world.accountId,
    now: nowMs,
    settings: world.settings,
    tokens,
    ...snapshotTraffic(world),
    loadBalancers: world.balancers.all().map((balancer) => snapshotBalancer(balancer, nowMs)),
    vpcs: plain(vpcs),
    subnets: plain(subnets),
    internetGateways: plain(internetGateways),
    securityGroups: plain(securityGroups),
  };
}

export function snapshotBalancer(balancer: LoadBalancer, nowMs: number): LoadBalancerSnapshot {
  return {
    name: balancer.name,
    arn: balancer.arn,
    dnsName: balancer.dnsName,
    state: stateOf(balancer, nowMs).code,
    scheme: balancer.scheme,
    ipAddressType: balancer.ipAddressType,
    subnets: balancer.placements.map((placement) => placement.subnetId),
    securityGroups: [...balancer.securityGroups],
    tags: Object.fromEntries(balancer.tags),
    attributes: Object.fromEntries(balancer.attributes),
  };
}

function plain(
  resources: ReadonlyMap<string, { readonly tags: ReadonlyMap<string, string> }>,
): unknown[] {
  return Array.from(resources.values(), (resource) => ({
    ...resource,
    tags: Object.fromEntries(resource.tags),
  }));
}
