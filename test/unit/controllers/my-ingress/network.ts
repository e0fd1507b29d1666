import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';

interface SubnetPlan {
  readonly id: string;
  readonly vpc: string;
  readonly zone: string;
  readonly cidr: string;
  readonly ipv6?: string;
  /** Tagged for load balancers of either scheme. */
  readonly isTagged?: boolean;
}

/**
 * Two VPCs with a gateway each: `vpc-main` with subnets a, b (IPv6 too) and c, d (without), groups
 * `sg-web` and `sg-admin`; `vpc-other` with subnets oa and ob. Subnets a, b and d are tagged for load balancers.
 */
export function seedNetwork(aws: EmbeddedAws): void {
  const block = createVpc(aws, 'vpc-main', '10.0.0.0/16');
  createVpc(aws, 'vpc-other', '10.1.0.0/16');
  const ipv6 = (index: number): string => block.replace('00::/56', `0${index}::/64`);
  const isTagged = true;
  const plans: readonly SubnetPlan[] = [
    { id: 'subnet-a', vpc: 'vpc-main', zone: 'a', cidr: '10.0.0.0/24', ipv6: ipv6(0), isTagged },
    { id: 'subnet-b', vpc: 'vpc-main', zone: 'b', cidr: '10.0.1.0/24', ipv6: ipv6(1), isTagged },
    { id: 'subnet-c', vpc: 'vpc-main', zone: 'c', cidr: '10.0.2.0/24' },
    { id: 'subnet-d', vpc: 'vpc-main', zone: 'b', cidr: '10.0.3.0/24', isTagged },
    { id: 'subnet-oa', vpc: 'vpc-other', zone: 'a', cidr: '10.1.0.0/24' },
    { id: 'subnet-ob', vpc: 'vpc-other', zone: 'b', cidr: '10.1.1.0/24' },
  ];
  for (const plan of plans) createSubnet(aws, plan);
  for (const group of ['sg-web', 'sg-admin']) createGroup(aws, group);
  aws.control.clearCalls();
}

const ROLES = ['elb', 'internal-elb'].map((role) => ({
  Key: `kubernetes.io/role/${role}`,
  Value: '1',
}));

/** Answers the VPC's IPv6 block. */
function createVpc(aws: EmbeddedAws, id: string, cidr: string): string {
  const gateway = id.replace('vpc', 'igw');
  const answer = aws.handle('CreateVpc', {
    CidrBlock: cidr,
    AmazonProvidedIpv6CidrBlock: true,
    TagSpecifications: customId('vpc', id),
  }) as { Vpc: { Ipv6CidrBlockAssociationSet: { Ipv6CidrBlock: string }[] } };
  aws.handle('CreateInternetGateway', { TagSpecifications: customId('internet-gateway', gateway) });
  aws.handle('AttachInternetGateway', { InternetGatewayId: gateway, VpcId: id });
  return answer.Vpc.Ipv6CidrBlockAssociationSet[0]?.Ipv6CidrBlock ?? '';
}

function createSubnet(aws: EmbeddedAws, plan: SubnetPlan): void {
  const { id, vpc, zone, cidr, ipv6, isTagged } = plan;
  aws.handle('CreateSubnet', {
    VpcId: vpc,
    CidrBlock: cidr,
    AvailabilityZone: `us-east-1${zone}`,
    Ipv6CidrBlock: ipv6,
    TagSpecifications: customId('subnet', id),
  });
  if (isTagged) aws.handle('CreateTags', { Resources: [id], Tags: ROLES });
}

function createGroup(aws: EmbeddedAws, id: string): void {
  aws.handle('CreateSecurityGroup', {
    VpcId: 'vpc-main',
    GroupName: id.replace('sg-', ''),
    Description: 'a group',
    TagSpecifications: customId('security-group', id),
  });
}

function customId(resourceType: string, id: string): unknown[] {
  return [{ ResourceType: resourceType, Tags: [{ Key: '_custom_id_', Value: id }] }];
}
