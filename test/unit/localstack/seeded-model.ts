import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { AwsSettings } from '../../../localstack/embedded/aws-world.ts';
import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { AwsFault } from '../../../localstack/embedded/http/aws-fault.ts';

/** A clock that moves only when told. */
export class ManualClock {
  nowMs = Date.UTC(2026, 0, 1);

  now(): number {
    return this.nowMs;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }
}

export interface ModelUnderTest {
  readonly aws: EmbeddedAws;
  readonly clock: ManualClock;
}

/**
 * A model with two VPCs: `vpc-main` has a gateway, subnets a, b, c (a and b with IPv6), a second
 * one in zone a, and a tiny one; `vpc-other` has no gateway and subnets a and b.
 */
export function seededModel(settings: Partial<AwsSettings> = {}): ModelUnderTest {
  const model = emptyModel(settings);
  const { aws } = model;
  const ipv6 = createVpc(aws, 'vpc-main', '10.0.0.0/16');
  createVpc(aws, 'vpc-other', '10.1.0.0/16');
  const gateway = call(aws, 'CreateInternetGateway', {
    TagSpecifications: customId('internet-gateway', 'igw-main'),
  });
  expect(gateway).toMatchObject({ InternetGateway: { InternetGatewayId: 'igw-main' } });
  call(aws, 'AttachInternetGateway', { InternetGatewayId: 'igw-main', VpcId: 'vpc-main' });
  createSubnet(aws, 'subnet-a', {
    zone: 'a',
    cidr: '10.0.0.0/24',
    ipv6: ipv6.replace('00::/56', '00::/64'),
  });
  createSubnet(aws, 'subnet-b', {
    zone: 'b',
    cidr: '10.0.1.0/24',
    ipv6: ipv6.replace('00::/56', '01::/64'),
  });
  createSubnet(aws, 'subnet-c', { zone: 'c', cidr: '10.0.2.0/24' });
  createSubnet(aws, 'subnet-a2', { zone: 'a', cidr: '10.0.3.0/24' });
  createSubnet(aws, 'subnet-tiny', { zone: 'c', cidr: '10.0.4.0/28' });
  createSubnet(aws, 'subnet-oa', { vpc: 'vpc-other', zone: 'a', cidr: '10.1.0.0/24' });
  createSubnet(aws, 'subnet-ob', { vpc: 'vpc-other', zone: 'b', cidr: '10.1.1.0/24' });
  createGroup(aws, 'sg-web', 'vpc-main');
  createGroup(aws, 'sg-admin', 'vpc-main');
  createGroup(aws, 'sg-other', 'vpc-other');
  aws.control.clearCalls();
  return model;
}

export function emptyModel(settings: Partial<AwsSettings> = {}): ModelUnderTest {
  const clock = new ManualClock();
  const aws = createEmbeddedAws({
    clock,
    random: seededRandom(7),
    settings: { budget: 'off', ...settings },
  });
  return { aws, clock };
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the answer it looks into
export type Answer = Record<string, any>;

/** One operation, with an answer loose enough to look into. */
export function call(aws: EmbeddedAws, operation: string, input: object): Answer {
  return aws.handle(operation, input as Record<string, unknown>) as Answer;
}

/** Creates a balancer in subnets a and b unless told otherwise; returns its description. */
export function createBalancer(aws: EmbeddedAws, name: string, input: object = {}): Answer {
  const answer = call(aws, 'CreateLoadBalancer', {
    Name: name,
    Subnets: ['subnet-a', 'subnet-b'],
    ...input,
  });
  return answer['LoadBalancers'][0];
}

/** The error code an operation ends in; `ok` if it succeeds. */
export function outcomeOf(aws: EmbeddedAws, operation: string, input: object): string {
  try {
    call(aws, operation, input);
    return 'ok';
  } catch (error) {
    if (error instanceof AwsFault) return error.code;
    throw error;
  }
}

/** Wire codes that AWS's model declares for an ELBv2 operation, as its SDK documents them. */
export function declaredCodes(operation: string): readonly string[] {
  const require = createRequire(import.meta.url);
  const main = require.resolve('@aws-sdk/client-elastic-load-balancing-v2');
  const types = main.replace(/dist-cjs.*$/, `dist-types/commands/${operation}Command.d.ts`);
  const documented = readFileSync(types, 'utf8').matchAll(/@throws \{@link (\w+)Exception\}/g);
  return Array.from(documented, ([, code = '']) => code).filter(
    (code) => code !== 'ElasticLoadBalancingV2Service',
  );
}

function createVpc(aws: EmbeddedAws, id: string, cidr: string): string {
  const answer = call(aws, 'CreateVpc', {
    CidrBlock: cidr,
    AmazonProvidedIpv6CidrBlock: true,
    TagSpecifications: customId('vpc', id),
  });
  return answer['Vpc'].Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock;
}

function createSubnet(
  aws: EmbeddedAws,
  id: string,
  plan: {
    readonly zone: string;
    readonly cidr: string;
    readonly vpc?: string;
    readonly ipv6?: string;
  },
): void {
  call(aws, 'CreateSubnet', {
    VpcId: plan.vpc ?? 'vpc-main',
    CidrBlock: plan.cidr,
    AvailabilityZone: `us-east-1${plan.zone}`,
    Ipv6CidrBlock: plan.ipv6,
    TagSpecifications: customId('subnet', id),
  });
}

function createGroup(aws: EmbeddedAws, id: string, vpcId: string): void {
  call(aws, 'CreateSecurityGroup', {
    VpcId: vpcId,
    GroupName: id.replace('sg-', ''),
    Description: 'a group',
    TagSpecifications: customId('security-group', id),
  });
}

function customId(resourceType: string, id: string): unknown[] {
  return [{ ResourceType: resourceType, Tags: [{ Key: '_custom_id_', Value: id }] }];
}
