import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeAvailabilityZonesCommand,
  DescribeInternetGatewaysCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
  type InternetGateway,
  type ResourceType,
  type TagSpecification,
  type Vpc,
} from '@aws-sdk/client-ec2';
import { isCalledPlainly } from '../deploy/no-arguments.ts';
import { POD_BLOCK } from './pod-block.ts';
import { explainSeedFailure, readEndpoint } from './seed-failure.ts';

export interface SeedOptions {
  /** Address of the stand-in for AWS. Required, so that no real account is seeded by accident. */
  readonly endpoint: string;
  /** Default us-east-1. */
  readonly region?: string;
  /** Default: the SDK's credential chain. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** A network to try load balancers in. */
export interface SeededNetwork {
  readonly vpcId: string;
  /** One in each of three zones, tagged for load balancers, with IPv6 where the backend gives the VPC a block. */
  readonly subnets: readonly string[];
  /** Two in one zone, which no load balancer may have together. */
  readonly sameZoneSubnets: readonly string[];
  /** subnet-abc and subnet-def of the article, where the backend honours `_custom_id_`. */
  readonly articleSubnets: readonly string[];
  readonly securityGroups: readonly string[];
  /** sg-abc of our examples; another id where the backend does not honour `_custom_id_`. */
  readonly exampleSecurityGroup: string;
}

const PREFIX = 'albridge';
const EXAMPLE_SECURITY_GROUP = 'sg-abc';
const ARTICLE_SUBNETS = ['subnet-abc', 'subnet-def'] as const;

interface SubnetPlan {
  readonly name: string;
  readonly block: string;
  readonly zone: string;
  /** Which part of the VPC's block, if any. */
  readonly ipv6Part?: number;
  readonly customId?: string;
  /** Tagged for load balancers of either scheme. */
  readonly isTagged?: boolean;
}

/**
 * Makes sure that the network exists: everything is looked up by its Name tag first, so that a
 * second run creates nothing. Works against any AWS_ENDPOINT_URL that speaks EC2.
 */
export async function seedNetwork(options: SeedOptions): Promise<SeededNetwork> {
  const { endpoint, region = 'us-east-1', credentials } = options;
  const ec2 = new EC2Client({ endpoint, region, ...(credentials ? { credentials } : {}) });
  try {
    return await ensureNetwork(ec2);
  } finally {
    ec2.destroy();
  }
}

/** The lines of an env file. */
export function envLines(network: SeededNetwork): string {
  const variables = {
    ALBRIDGE_VPC: [network.vpcId],
    ALBRIDGE_SUBNETS: network.subnets,
    ALBRIDGE_SAME_ZONE_SUBNETS: network.sameZoneSubnets,
    ALBRIDGE_ARTICLE_SUBNETS: network.articleSubnets,
    ALBRIDGE_SECURITY_GROUPS: network.securityGroups,
  };
  return Object.entries(variables)
    .map(([name, values]) => `${name}=${values.join(',')}\n`)
    .join('');
}

async function ensureNetwork(ec2: EC2Client): Promise<SeededNetwork> {
  const zones = await firstZones(ec2);
  const vpc = await ensureVpc(ec2);
  const vpcId = required(vpc.VpcId, 'VPC');
  await ensureGateway(ec2, vpcId);
  const [zoneA, zoneB] = zones;
  const plans = zones.map((zone, index) => ({
    name: `${PREFIX}-${index + 1}`,
    block: blockOf(index),
    zone,
    ipv6Part: index,
    isTagged: true,
  }));
  const subnets = await ensureSubnets(ec2, vpc, plans);
  const twins = await ensureSubnets(ec2, vpc, [
    { name: `${PREFIX}-1-twin`, block: blockOf(10), zone: zoneA },
  ]);
  const article = await ensureSubnets(ec2, vpc, [
    { name: `${PREFIX}-article-1`, block: blockOf(20), zone: zoneA, customId: ARTICLE_SUBNETS[0] },
    { name: `${PREFIX}-article-2`, block: blockOf(21), zone: zoneB, customId: ARTICLE_SUBNETS[1] },
  ]);
  await ensureSubnets(ec2, vpc, [{ name: `${PREFIX}-pods`, block: POD_BLOCK, zone: zoneA }]);
  return {
    vpcId,
    subnets,
    sameZoneSubnets: [...subnets.slice(0, 1), ...twins],
    articleSubnets: article.every((id, index) => id === ARTICLE_SUBNETS[index]) ? article : [],
    securityGroups: [
      await ensureSecurityGroup(ec2, vpcId, { name: `${PREFIX}-web` }),
      await ensureSecurityGroup(ec2, vpcId, { name: `${PREFIX}-internal` }),
    ],
    exampleSecurityGroup: await ensureSecurityGroup(ec2, vpcId, {
      name: `${PREFIX}-examples`,
      customId: EXAMPLE_SECURITY_GROUP,
    }),
  };
}

async function firstZones(ec2: EC2Client): Promise<readonly [string, string, string]> {
  const answer = await ec2.send(
    new DescribeAvailabilityZonesCommand({ Filters: [{ Name: 'state', Values: ['available'] }] }),
  );
  const names = (answer.AvailabilityZones ?? []).flatMap((zone) => zone.ZoneName ?? []).sort();
  const [first, second, third] = names;
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error(`the region has ${names.length} availability zones; three are needed`);
  }
  return [first, second, third];
}

async function ensureVpc(ec2: EC2Client): Promise<Vpc> {
  const name = `${PREFIX}-vpc`;
  const found = await ec2.send(new DescribeVpcsCommand({ Filters: [nameFilter(name)] }));
  const existing = found.Vpcs?.[0];
  if (existing !== undefined) return existing;
  const created = await ec2.send(
    new CreateVpcCommand({
      CidrBlock: '10.87.0.0/16',
      AmazonProvidedIpv6CidrBlock: true,
      TagSpecifications: [named('vpc', name)],
    }),
  );
  return required(created.Vpc, 'VPC');
}

/** Internet-facing load balancers need a gateway on their VPC. */
async function ensureGateway(ec2: EC2Client, vpcId: string): Promise<void> {
  const name = `${PREFIX}-gateway`;
  const found = await ec2.send(
    new DescribeInternetGatewaysCommand({ Filters: [nameFilter(name)] }),
  );
  const gateway = found.InternetGateways?.[0] ?? (await createGateway(ec2, name));
  // A run may have died between the two steps.
  if ((gateway.Attachments ?? []).some((attachment) => attachment.VpcId === vpcId)) return;
  await ec2.send(
    new AttachInternetGatewayCommand({
      InternetGatewayId: required(gateway.InternetGatewayId, 'internet gateway'),
      VpcId: vpcId,
    }),
  );
}

async function createGateway(ec2: EC2Client, name: string): Promise<InternetGateway> {
  const created = await ec2.send(
    new CreateInternetGatewayCommand({ TagSpecifications: [named('internet-gateway', name)] }),
  );
  return required(created.InternetGateway, 'internet gateway');
}

function blockOf(octet: number): string {
  return `10.87.${octet}.0/24`;
}

async function ensureSubnets(
  ec2: EC2Client,
  vpc: Vpc,
  plans: readonly SubnetPlan[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const plan of plans) ids.push(await ensureSubnet(ec2, vpc, plan));
  return ids;
}

async function ensureSubnet(ec2: EC2Client, vpc: Vpc, plan: SubnetPlan): Promise<string> {
  const VpcId = required(vpc.VpcId, 'VPC');
  const found = await ec2.send(
    new DescribeSubnetsCommand({
      Filters: [nameFilter(plan.name), { Name: 'vpc-id', Values: [VpcId] }],
    }),
  );
  const existing = found.Subnets?.[0]?.SubnetId;
  if (existing !== undefined) return existing;
  const ipv6 = plan.ipv6Part === undefined ? undefined : ipv6Block(vpc, plan.ipv6Part);
  const created = await ec2.send(
    new CreateSubnetCommand({
      VpcId,
      CidrBlock: plan.block,
      AvailabilityZone: plan.zone,
      ...(ipv6 === undefined ? {} : { Ipv6CidrBlock: ipv6 }),
      TagSpecifications: [named('subnet', plan.name, plan)],
    }),
  );
  return required(created.Subnet?.SubnetId, `subnet ${plan.name}`);
}

/** 2600:1f18:1:2300::/56 and 1 -> 2600:1f18:1:2301::/64 */
function ipv6Block(vpc: Vpc, number: number): string | undefined {
  const block = vpc.Ipv6CidrBlockAssociationSet?.[0]?.Ipv6CidrBlock;
  const head = block?.match(/^(.+)00::\/56$/)?.[1];
  return head === undefined ? undefined : `${head}0${number}::/64`;
}

async function ensureSecurityGroup(
  ec2: EC2Client,
  vpcId: string,
  { name, customId }: { readonly name: string; readonly customId?: string },
): Promise<string> {
  const found = await ec2.send(
    new DescribeSecurityGroupsCommand({
      Filters: [nameFilter(name), { Name: 'vpc-id', Values: [vpcId] }],
    }),
  );
  const existing = found.SecurityGroups?.[0]?.GroupId;
  if (existing !== undefined) return existing;
  const created = await ec2.send(
    new CreateSecurityGroupCommand({
      VpcId: vpcId,
      GroupName: name,
      Description: `${name}: load balancers of the tests of albridge`,
      TagSpecifications: [named('security-group', name, { customId })],
    }),
  );
  return required(created.GroupId, `security group ${name}`);
}

function nameFilter(name: string): { Name: string; Values: string[] } {
  return { Name: 'tag:Name', Values: [name] };
}

/** By them albridge finds subnets for a MyIngress that names none. */
const ROLE_TAGS = ['elb', 'internal-elb'].map((role) => ({
  Key: `kubernetes.io/role/${role}`,
  Value: '1',
}));

interface Marks {
  readonly customId?: string | undefined;
  readonly isTagged?: boolean;
}

function named(
  resourceType: ResourceType,
  name: string,
  { customId, isTagged = false }: Marks = {},
): TagSpecification {
  const Tags = [{ Key: 'Name', Value: name }, ...(isTagged ? ROLE_TAGS : [])];
  // LocalStack's convention for choosing an id: https://docs.localstack.cloud/aws/services/ec2/
  if (customId !== undefined) Tags.push({ Key: '_custom_id_', Value: customId });
  return { ResourceType: resourceType, Tags };
}

function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`the backend answered without the id of the ${what}`);
  return value;
}

async function main(): Promise<void> {
  const { AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const endpoint = readEndpoint(AWS_ENDPOINT_URL);
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  try {
    const network = await seedNetwork({ endpoint, ...(region ? { region } : {}) });
    process.stdout.write(envLines(network));
  } catch (error) {
    throw new Error(explainSeedFailure(error, endpoint));
  }
}

const WHAT = 'makes the network of the examples in the stand-in at AWS_ENDPOINT_URL';

if (import.meta.main && isCalledPlainly('seed', WHAT, 'node localstack/seed.ts')) {
  main().catch((error: unknown) => {
    process.stderr.write(`seed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
