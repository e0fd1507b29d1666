import type { AwsWorld } from '../aws-world.ts';
import { invalidConfiguration, notModelled } from '../http/aws-fault.ts';
import { type Input, requiredText, textOf, textsOf } from '../input-fields.ts';
import { forwardedArns } from '../rules/rule.ts';
import { targetGroupWithArn } from '../traffic/traffic-arns.ts';
import { balancerOf } from './balancer-arns.ts';
import { describeZones } from './balancer-description.ts';
import { checkedGroups } from './balancer-security-groups.ts';
import type { LoadBalancer } from './balancer-store.ts';
import { parseIpAddressType } from './load-balancer-enums.ts';
import { checkIpv6, placeInSubnets, subnetIdsOf } from './subnet-placement.ts';

/** Replaces the subnets; the VPC stays. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetSubnets.html */
export function setSubnets(world: AwsWorld, input: Input): unknown {
  const balancer = balancerOf(world, input);
  if (input['EnablePrefixForIpv6SourceNat'] !== undefined) {
    throw notModelled('EnablePrefixForIpv6SourceNat');
  }
  const ipAddressType = parseIpAddressType(
    textOf(input, 'IpAddressType') ?? balancer.ipAddressType,
  );
  const { vpcId, placements } = placeInSubnets(world, subnetIdsOf(input), {
    scheme: balancer.scheme,
    ipAddressType,
  });
  checkIpv6Groups(world, balancer, ipAddressType);
  if (vpcId !== balancer.vpcId) {
    throw invalidConfiguration(
      `The specified subnets do not belong to the VPC '${balancer.vpcId}' of the load balancer`,
    );
  }
  replace(world, { ...balancer, placements, ipAddressType });
  return { AvailabilityZones: describeZones(placements), IpAddressType: ipAddressType };
}

/** Replaces the groups. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetSecurityGroups.html */
export function setSecurityGroups(world: AwsWorld, input: Input): unknown {
  const balancer = balancerOf(world, input);
  if (input['EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic'] !== undefined) {
    throw notModelled('EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic');
  }
  const wanted = textsOf(input, 'SecurityGroups') ?? [];
  if (wanted.length === 0) {
    throw invalidConfiguration(
      'An Application Load Balancer must have at least one security group',
    );
  }
  const securityGroups = checkedGroups(world.network, balancer.vpcId, wanted);
  replace(world, { ...balancer, securityGroups });
  return { SecurityGroupIds: [...securityGroups] };
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetIpAddressType.html */
export function setIpAddressType(world: AwsWorld, input: Input): unknown {
  const balancer = balancerOf(world, input);
  const ipAddressType = parseIpAddressType(requiredText(input, 'IpAddressType'));
  const subnets = balancer.placements.map(({ subnetId }) => world.network.subnets.get(subnetId));
  checkIpv6(subnets, ipAddressType);
  checkIpv6Groups(world, balancer, ipAddressType);
  replace(world, { ...balancer, ipAddressType });
  return { IpAddressType: ipAddressType };
}

/**
 * Unverified: only the reverse is known, an action that names such a group behind a balancer without IPv6.
 * https://github.com/zalando-incubator/kube-ingress-aws-controller/pull/752
 */
function checkIpv6Groups(world: AwsWorld, { arn }: LoadBalancer, ipAddressType: string): void {
  if (ipAddressType !== 'ipv4') return;
  const used = world.traffic.rules.byKey(arn).flatMap(({ actions }) => forwardedArns(actions));
  const ipv6 = used.find((one) => targetGroupWithArn(world, one).ipAddressType === 'ipv6');
  if (ipv6 !== undefined) {
    throw invalidConfiguration(`The load balancer needs IPv6 addresses for target group '${ipv6}'`);
  }
}

function replace(world: AwsWorld, balancer: LoadBalancer): void {
  world.balancers.put(balancer, world.clock.now());
}
