import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import { type Input, textsOf } from '../input-fields.ts';
import { missingParameter, requiredParameter } from './ec2-faults.ts';
import { generatedId } from './ec2-tags.ts';
import type { IngressRule, SecurityGroup } from './network.ts';
import {
  describePorts,
  type IngressSpec,
  isSameRule,
  readPermissions,
} from './security-group-rules.ts';

/**
 * Rules of IPv4 and of IPv6 count apart, and those of groups with both. So do prefix lists here, each as its maximum
 * number of entries; on AWS a list is of one family.
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 */
const MAX_RULES = 60;

/** All or nothing. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html */
export function authorizeSecurityGroupIngress(world: AwsWorld, input: Input): unknown {
  const group = existingGroup(world, input);
  const added: IngressRule[] = [];
  for (const spec of readPermissions(world, input)) {
    if ([...group.ingress, ...added].some((rule) => isSameRule(rule, spec))) throw duplicate(spec);
    added.push({ ...spec, id: generatedId(world, 'sgr') });
  }
  const ingress = [...group.ingress, ...added];
  checkCount(world, ingress, 'ipv4');
  checkCount(world, ingress, 'ipv6');
  world.network.securityGroups.set(group.id, { ...group, ingress });
  return {
    Return: true,
    SecurityGroupRules: added.map((rule) => describeRule(world, group, rule)),
  };
}

/** By properties or by ids; all or nothing. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RevokeSecurityGroupIngress.html */
export function revokeSecurityGroupIngress(world: AwsWorld, input: Input): unknown {
  const group = existingGroup(world, input);
  const ids = textsOf(input, 'SecurityGroupRuleIds') ?? [];
  const revoked = ids.length > 0 ? rulesById(group, ids) : rulesLike(world, group, input);
  const ingress = group.ingress.filter((rule) => !revoked.includes(rule));
  world.network.securityGroups.set(group.id, { ...group, ingress });
  return {
    Return: true,
    RevokedSecurityGroupRules: revoked.map((rule) => describeRevoked(group, rule)),
  };
}

function existingGroup({ network }: ReadableWorld, input: Input): SecurityGroup {
  // AWS takes GroupName too, but only in the default VPC, which is not modelled.
  if (input['GroupId'] === undefined) throw missingParameter('groupId');
  const id = requiredParameter(input, 'GroupId');
  const group = network.securityGroups.get(id);
  if (group !== undefined) return group;
  throw new AwsFault('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
}

function rulesById({ ingress }: SecurityGroup, ids: readonly string[]): readonly IngressRule[] {
  return ids.map((id) => {
    const rule = ingress.find((one) => one.id === id);
    if (rule !== undefined) return rule;
    throw new AwsFault(
      'InvalidSecurityGroupRuleId.NotFound',
      `The security group rule ID '${id}' does not exist`,
    );
  });
}

function rulesLike(
  world: ReadableWorld,
  { ingress }: SecurityGroup,
  input: Input,
): readonly IngressRule[] {
  return readPermissions(world, input).map((spec) => {
    const rule = ingress.find((one) => isSameRule(one, spec));
    if (rule !== undefined) return rule;
    throw new AwsFault(
      'InvalidPermission.NotFound',
      'The specified rule does not exist in this security group.',
    );
  });
}

function checkCount(
  { settings }: ReadableWorld,
  ingress: readonly IngressRule[],
  family: 'ipv4' | 'ipv6',
): void {
  const other = family === 'ipv4' ? 'ipv6' : 'ipv4';
  const kinds = ingress.map(({ source }) => source.kind).filter((kind) => kind !== other);
  const lists = kinds.filter((kind) => kind === 'prefixList').length;
  if (kinds.length + lists * (settings.prefixListEntries - 1) <= MAX_RULES) return;
  throw new AwsFault(
    'RulesPerSecurityGroupLimitExceeded',
    'The maximum number of rules per security group has been reached.',
  );
}

/** https://github.com/hashicorp/terraform/pull/2376 shows the words. */
function duplicate({ protocol, ports, source }: IngressSpec): AwsFault {
  const range = ports === undefined ? 'ALL' : `from port: ${ports.from}, to port: ${ports.to}`;
  const rule = `peer: ${source.value}, ${protocol.toUpperCase()}, ${range}, ALLOW`;
  return new AwsFault('InvalidPermission.Duplicate', `the specified rule "${rule}" already exists`);
}

function describeRule(world: ReadableWorld, group: SecurityGroup, rule: IngressRule): unknown {
  const { partition, region } = world.facts;
  return {
    ...describeCommon(group, rule),
    GroupOwnerId: world.accountId,
    ...(rule.source.kind === 'group' && {
      ReferencedGroupInfo: { GroupId: rule.source.value, UserId: world.accountId },
    }),
    Tags: [],
    SecurityGroupRuleArn: `arn:${partition}:ec2:${region}:${world.accountId}:security-group-rule/${rule.id}`,
  };
}

function describeRevoked(group: SecurityGroup, rule: IngressRule): unknown {
  return {
    ...describeCommon(group, rule),
    ...(rule.source.kind === 'group' && { ReferencedGroupId: rule.source.value }),
  };
}

const SOURCE_FIELDS = { ipv4: 'CidrIpv4', ipv6: 'CidrIpv6', prefixList: 'PrefixListId' } as const;

function describeCommon(group: SecurityGroup, rule: IngressRule): Record<string, unknown> {
  const { kind, value } = rule.source;
  return {
    SecurityGroupRuleId: rule.id,
    GroupId: group.id,
    IsEgress: false,
    IpProtocol: rule.protocol,
    ...describePorts(rule.ports),
    ...(kind !== 'group' && { [SOURCE_FIELDS[kind]]: value }),
    ...(rule.description !== undefined && { Description: rule.description }),
  };
}
