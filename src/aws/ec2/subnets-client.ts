import type { Clock } from '../../core/ports/clock.ts';
import type { AwsCall, Payer } from '../client/aws-call.ts';
import { readPages } from '../client/pages.ts';
import { shapePairs } from '../elbv2/tags.ts';
import { SharedRead } from '../inventory/shared-read.ts';
import type { Ec2Subnet } from './operations.ts';
import type { Subnet, Subnets } from './subnets.ts';

export type TaggedSubnets = SharedRead<readonly Subnet[]>;

/** The subnets of each role, read once for all objects. `vpcs` as of `createSecurityGroups`: an answer fills it. */
export function createTaggedSubnets(
  call: AwsCall,
  clock: Clock,
  vpcs: Map<string, string>,
): TaggedSubnets {
  return new SharedRead({
    clock,
    async load(role, signal, payer) {
      const subnets = await describeTagged(call, role, { signal, ...payer });
      for (const { id, vpcId } of subnets) vpcs.set(id, vpcId);
      return subnets;
    },
  });
}

/** Subnets over EC2. */
export function createSubnets(tagged: TaggedSubnets, payer: Payer): Subnets {
  return {
    listTagged: (role, maxAgeMs, signal) => tagged.read(role, { maxAgeMs, payer }, signal),
  };
}

const LARGEST_PAGE = 1000;

/** The tag counts with either value: https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html */
function describeTagged(
  call: AwsCall,
  role: string,
  how: Payer & { readonly signal: AbortSignal },
): Promise<readonly Subnet[]> {
  const Filters = [{ Name: `tag:kubernetes.io/role/${role}`, Values: ['', '1'] }];
  const options = { ...how, subject: `subnets tagged kubernetes.io/role/${role}` };
  return readPages(async (NextToken) => {
    const input = { Filters, MaxResults: LARGEST_PAGE, ...(NextToken && { NextToken }) };
    const answer = await call('DescribeSubnets', input, options);
    const items = (answer.Subnets ?? []).flatMap((subnet) => shapeSubnet(subnet) ?? []);
    return { items, next: answer.NextToken };
  });
}

function shapeSubnet(from: Ec2Subnet): Subnet | undefined {
  const { SubnetId: id, VpcId: vpcId, AvailabilityZone: zone } = from;
  if (!id || !vpcId || !zone) return undefined;
  return {
    ...{ id, vpcId, zone },
    freeAddresses: from.AvailableIpAddressCount ?? 0,
    isAvailable: from.State === 'available',
    isOnOutpost: Boolean(from.OutpostArn),
    tags: shapePairs(from.Tags ?? []),
  };
}
