import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall } from '../client/aws-call.ts';
import { allowAbsence, createUnreadableError, expectPart } from '../client/aws-errors.ts';
import { readPages } from '../client/pages.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import { readAttributes } from './attributes.ts';
import { toPairs } from './tags.ts';
import type { HealthCheck, TargetGroup, TargetGroupSettings, TargetGroups } from './traffic.ts';

/** TargetGroups over AWS; every write is entered in the ledger that the inventory goes by. */
export function createTargetGroups(call: AwsCall, ledger: WriteLedger): TargetGroups {
  return {
    find: async (names, signal) => {
      if (names.length === 0) return [];
      return (await findThese(call, names, signal)).flat();
    },
    async listForBalancer(loadBalancerArn, signal) {
      const reading = describeGroups(call, { LoadBalancerArn: loadBalancerArn }, signal);
      return (await allowAbsence('DescribeTargetGroups', reading)) ?? [];
    },
    readAttributes(arn, signal) {
      const step = { operation: 'DescribeTargetGroupAttributes', ...refer(arn) } as const;
      const input = { TargetGroupArn: arn };
      return readAttributes(step, call(step.operation, input, { ...refer(arn), signal }));
    },
    create: (settings) => ledger.during(settings.name, () => create(call, ledger, settings)),
    async setHealthCheck(arn, healthCheck, protocolVersion) {
      const input = { TargetGroupArn: arn, ...toHealthCheck(healthCheck, protocolVersion) };
      await ledger.during(arn, () => call('ModifyTargetGroup', input, refer(arn)));
    },
    async setAttributes(arn, attributes) {
      if (Object.keys(attributes).length === 0) return;
      const input = { TargetGroupArn: arn, Attributes: toPairs(attributes) };
      await ledger.during(arn, () => call('ModifyTargetGroupAttributes', input, refer(arn)));
    },
    async delete(arn) {
      const input = { TargetGroupArn: arn };
      await ledger.during(arn, () =>
        allowAbsence('DeleteTargetGroup', call('DeleteTargetGroup', input, refer(arn))),
      );
    },
  };
}

/** Every group of the account and region. */
export function describeAllGroups(
  call: AwsCall,
  pageSize: number,
  signal: AbortSignal,
): Promise<readonly TargetGroup[]> {
  return describeGroups(call, { PageSize: pageSize }, signal);
}

const MOST_NAMES = 20;

/** One that is missing fails the whole call, and AWS does not say which: the halves are asked. */
async function findThese(
  call: AwsCall,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly TargetGroup[]> {
  if (names.length > MOST_NAMES) {
    const rest = await findThese(call, names.slice(MOST_NAMES), signal);
    return [...(await findThese(call, names.slice(0, MOST_NAMES), signal)), ...rest];
  }
  const found = await allowAbsence('DescribeTargetGroups', describeNamed(call, names, signal));
  if (found !== undefined || names.length === 1) return found ?? [];
  const half = Math.ceil(names.length / 2);
  const parts = [names.slice(0, half), names.slice(half)];
  return (await Promise.all(parts.map((part) => findThese(call, part, signal)))).flat();
}

/** An answer that leaves one out without a word proves nothing of it. That AWS heeds the case of a name is unverified. */
async function describeNamed(
  call: AwsCall,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly TargetGroup[]> {
  const found = await describeGroups(call, { Names: [...names] }, signal);
  const answered = new Set(found.map(({ name }) => name.toLowerCase()));
  const missing = names.find((name) => !answered.has(name.toLowerCase()));
  if (missing === undefined) return found;
  const said = 'the answer lacks the target group and does not say that it is not found';
  throw createUnreadableError({ operation: 'DescribeTargetGroups', ...refer(missing) }, said);
}

function describeGroups(
  call: AwsCall,
  selection: elb.DescribeTargetGroupsCommandInput,
  signal: AbortSignal,
): Promise<readonly TargetGroup[]> {
  const [name, ...others] = selection.Names ?? [];
  const several = selection.LoadBalancerArn
    ? `the target groups of load balancer ${selection.LoadBalancerArn}`
    : `${others.length === 0 ? 'all' : others.length + 1} target groups`;
  const subject = name !== undefined && others.length === 0 ? `target group ${name}` : several;
  return readPages(async (Marker) => {
    const page = Marker === undefined ? {} : { Marker };
    const answer = await call(
      'DescribeTargetGroups',
      { ...selection, ...page },
      { subject, signal },
    );
    const groups = (answer.TargetGroups ?? []).flatMap((group) => shapeTargetGroup(group) ?? []);
    return { items: groups, next: answer.NextMarker };
  });
}

async function create(
  call: AwsCall,
  ledger: WriteLedger,
  settings: TargetGroupSettings,
): Promise<TargetGroup> {
  const { name, protocolVersion } = settings;
  const input: elb.CreateTargetGroupCommandInput = {
    Name: name,
    TargetType: settings.targetType as 'ip',
    Protocol: settings.protocol as 'HTTP',
    ProtocolVersion: protocolVersion,
    Port: settings.port,
    VpcId: settings.vpcId,
    IpAddressType: settings.ipAddressType as 'ipv4',
    ...toHealthCheck(settings.healthCheck, protocolVersion),
    Tags: toPairs(settings.tags),
  };
  const answer = await call('CreateTargetGroup', input, refer(name));
  const [first] = answer.TargetGroups ?? [];
  const step = { operation: 'CreateTargetGroup', ...refer(name) } as const;
  const created = expectPart(first && shapeTargetGroup(first), step, 'target group');
  ledger.touch(created.arn);
  return created;
}

type HealthCheckInput = Pick<
  elb.CreateTargetGroupCommandInput,
  | 'HealthCheckProtocol'
  | 'HealthCheckPort'
  | 'HealthCheckPath'
  | 'HealthCheckIntervalSeconds'
  | 'HealthCheckTimeoutSeconds'
  | 'HealthyThresholdCount'
  | 'UnhealthyThresholdCount'
  | 'Matcher'
>;

function toHealthCheck(from: HealthCheck, protocolVersion: string): HealthCheckInput {
  const { matcher } = from;
  return {
    HealthCheckProtocol: from.protocol as 'HTTP',
    HealthCheckPort: from.port,
    HealthCheckPath: from.path,
    HealthCheckIntervalSeconds: from.intervalSeconds,
    HealthCheckTimeoutSeconds: from.timeoutSeconds,
    HealthyThresholdCount: from.healthyThreshold,
    UnhealthyThresholdCount: from.unhealthyThreshold,
    Matcher: protocolVersion === 'GRPC' ? { GrpcCode: matcher } : { HttpCode: matcher },
  };
}

/**
 * AWS's TargetGroup; undefined where it lacks what every one has. Groups of Network Load Balancers are
 * in the account too, and have less.
 */
function shapeTargetGroup(from: elb.TargetGroup): TargetGroup | undefined {
  const { TargetGroupArn: arn, TargetGroupName: name } = from;
  if (!arn || !name) return undefined;
  return {
    arn,
    name,
    targetType: from.TargetType ?? '',
    protocol: from.Protocol ?? '',
    protocolVersion: from.ProtocolVersion ?? '',
    port: from.Port ?? 0,
    vpcId: from.VpcId ?? '',
    ipAddressType: from.IpAddressType ?? 'ipv4',
    healthCheck: shapeHealthCheck(from),
    loadBalancerArns: from.LoadBalancerArns ?? [],
  };
}

function shapeHealthCheck(from: elb.TargetGroup): HealthCheck {
  const text = (value: string | undefined): string => value ?? '';
  const count = (value: number | undefined): number => value ?? 0;
  const { GrpcCode, HttpCode } = from.Matcher ?? {};
  return {
    protocol: text(from.HealthCheckProtocol),
    port: text(from.HealthCheckPort),
    path: text(from.HealthCheckPath),
    intervalSeconds: count(from.HealthCheckIntervalSeconds),
    timeoutSeconds: count(from.HealthCheckTimeoutSeconds),
    healthyThreshold: count(from.HealthyThresholdCount),
    unhealthyThreshold: count(from.UnhealthyThresholdCount),
    matcher: text(GrpcCode || HttpCode),
  };
}

function refer(nameOrArn: string): { readonly subject: string } {
  return { subject: `target group ${nameOrArn}` };
}
