import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import type { LoadBalancer, LoadBalancerState } from './load-balancers.ts';

/**
 * AWS's LoadBalancer, flattened; undefined where it lacks what every balancer has. The other fields
 * may be missing: a Gateway Load Balancer has no DNS name, a Network one no security groups.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancer.html
 */
export function shapeLoadBalancer(from: elb.LoadBalancer): LoadBalancer | undefined {
  const state = shapeState(from.State);
  if (!from.LoadBalancerArn || !from.LoadBalancerName || !state) return undefined;
  const text = (key: TextKey): string => from[key] ?? '';
  return {
    arn: from.LoadBalancerArn,
    name: from.LoadBalancerName,
    state,
    dns: text('DNSName'),
    hostedZoneId: text('CanonicalHostedZoneId'),
    vpcId: text('VpcId'),
    type: text('Type'),
    scheme: text('Scheme'),
    ipAddressType: text('IpAddressType'),
    subnets: subnetsOf(from),
    securityGroups: from.SecurityGroups ?? [],
  };
}

function subnetsOf({ AvailabilityZones }: elb.LoadBalancer): readonly string[] {
  return (AvailabilityZones ?? []).flatMap(({ SubnetId }) => SubnetId ?? []);
}

function shapeState(from: elb.LoadBalancerState | undefined): LoadBalancerState | undefined {
  if (!from?.Code) return undefined;
  return from.Reason ? { code: from.Code, reason: from.Reason } : { code: from.Code };
}

type TextKey = 'DNSName' | 'CanonicalHostedZoneId' | 'VpcId' | 'Type' | 'Scheme' | 'IpAddressType';

/** A list of tags or attributes as a record; entries without a key are none. */
export function shapePairs(
  pairs: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.flatMap(({ Key, Value }) => (Key ? [[Key, Value ?? '']] : [])));
}

export function toPairs(
  record: Readonly<Record<string, string>>,
): { readonly Key: string; readonly Value: string }[] {
  return Object.entries(record).map(([Key, Value]) => ({ Key, Value }));
}
