import {
  CreateSecurityGroupCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  type EC2Client,
  type Subnet,
} from '@aws-sdk/client-ec2';
import { type AccountRun, namePrefix, RUN_TAG } from './run.ts';

export interface Place {
  readonly vpc?: string | undefined;
  readonly subnets?: readonly string[] | undefined;
}

type Network = Pick<AccountRun, 'vpcId' | 'subnets' | 'sameZoneSubnets' | 'hasIpv6'>;

/** Subnets in three zones of the given VPC, or the default one. Throws an Error in words for a person. */
export async function findNetwork(ec2: EC2Client, place: Place): Promise<Network> {
  const given = place.subnets ?? [];
  const filters =
    given.length > 0 ? { SubnetIds: [...given] } : inVpc(place.vpc ?? (await defaultVpc(ec2)));
  const { Subnets: subnets = [] } = await ec2.send(new DescribeSubnetsCommand(filters));
  const byZone = [...Map.groupBy(subnets, ({ AvailabilityZone }) => AvailabilityZone).values()];
  const chosen = byZone.map(bestOf).slice(0, 3);
  if (chosen.length < 3) {
    throw new Error(
      `${chosen.length} zones have a subnet, three are needed: give others by --vpc or --subnets`,
    );
  }
  const vpcIds = new Set(chosen.map(({ VpcId }) => VpcId));
  if (vpcIds.size > 1) throw new Error('the subnets are of several VPCs: give those of one');
  return {
    vpcId: String(chosen[0]?.VpcId),
    subnets: chosen.map(idOf),
    sameZoneSubnets: (byZone.find((zone) => zone.length > 1) ?? []).slice(0, 2).map(idOf),
    hasIpv6: chosen.every(hasIpv6),
  };
}

/** Two, without rules. */
export async function createGroups(
  ec2: EC2Client,
  vpcId: string,
  runId: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const created = await ec2.send(
      new CreateSecurityGroupCommand({
        VpcId: vpcId,
        GroupName: `${namePrefix(runId)}${name}`,
        Description: 'a test run of albridge, may be deleted',
        TagSpecifications: [
          { ResourceType: 'security-group', Tags: [{ Key: RUN_TAG, Value: runId }] },
        ],
      }),
    );
    ids.push(String(created.GroupId));
  }
  return ids;
}

async function defaultVpc(ec2: EC2Client): Promise<string> {
  const isDefault = { Filters: [{ Name: 'is-default', Values: ['true'] }] };
  const id = (await ec2.send(new DescribeVpcsCommand(isDefault))).Vpcs?.[0]?.VpcId;
  if (id === undefined) throw new Error('the region has no default VPC: give one by --vpc');
  return id;
}

function inVpc(vpcId: string): { Filters: { Name: string; Values: string[] }[] } {
  return { Filters: [{ Name: 'vpc-id', Values: [vpcId] }] };
}

function bestOf(zone: readonly Subnet[]): Subnet {
  return zone.find(hasIpv6) ?? (zone[0] as Subnet);
}

function hasIpv6(subnet: Subnet): boolean {
  return (subnet.Ipv6CidrBlockAssociationSet ?? []).length > 0;
}

function idOf({ SubnetId }: Subnet): string {
  return String(SubnetId);
}
