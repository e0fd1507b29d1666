import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import { dependencyViolation, invalidParameterValue, requiredParameter } from './ec2-faults.ts';
import { selectResources } from './ec2-filters.ts';
import { ec2PageOf } from './ec2-paging.ts';
import { describeTagSet, newResourceId, specifiedTags } from './ec2-tags.ts';
import {
  DEFAULT_GROUP_NAME,
  type IngressRule,
  isHeldByInterface,
  type SecurityGroup,
} from './network.ts';
import { describePermissions } from './security-group-rules.ts';
import { existingVpc } from './vpcs.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
export function createSecurityGroup(world: AwsWorld, input: Input): unknown {
  const name = requiredParameter(input, 'GroupName');
  const description = requiredParameter(input, 'Description');
  const vpc = existingVpc(world, requiredParameter(input, 'VpcId'));
  checkName(world, vpc.id, name);
  checkText('groupDescription', description);
  const tags = specifiedTags(input, 'security-group');
  const id = newResourceId(world, tags, {
    prefix: 'sg',
    existing: world.network.securityGroups,
    duplicateCode: 'InvalidSecurityGroup.DuplicateCustomId',
  });
  const group: SecurityGroup = { id, vpcId: vpc.id, name, description, ingress: [], tags };
  world.network.securityGroups.set(id, group);
  return { GroupId: id, SecurityGroupArn: groupArn(world, id), Tags: describeTagSet(tags) };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroups.html */
export function describeSecurityGroups(world: ReadableWorld, input: Input): unknown {
  const groups = selectResources(input, world.network.securityGroups, {
    idField: 'GroupIds',
    notFoundCode: 'InvalidGroup.NotFound',
    filters: {
      'group-id': (group) => [group.id],
      'group-name': (group) => [group.name],
      'vpc-id': (group) => [group.vpcId],
      description: (group) => [group.description],
      'ip-permission.group-id': ({ ingress }) => ingress.flatMap(listSourceGroup),
      'egress.ip-permission.group-id': ({ outboundGroups = [] }) => outboundGroups,
    },
  });
  const page = ec2PageOf(input, groups, { idField: 'GroupIds' });
  return {
    SecurityGroups: page.items.map((group) => describeGroup(world, group)),
    NextToken: page.nextToken,
  };
}

/** A group stays that a balancer uses, or its interfaces, or a rule of another group. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSecurityGroup.html */
export function deleteSecurityGroup(world: AwsWorld, input: Input): unknown {
  const id = requiredParameter(input, 'GroupId');
  const group = world.network.securityGroups.get(id);
  if (group === undefined) {
    throw new AwsFault('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
  }
  if (group.name === DEFAULT_GROUP_NAME) {
    throw new AwsFault(
      'CannotDelete',
      `the specified group: "${id}" name: "default" cannot be deleted by a user`,
    );
  }
  const isUsed = world.balancers.all().some(({ securityGroups }) => securityGroups.includes(id));
  const isHeld = isHeldByInterface(world.network, id, world.clock.now());
  if (isUsed || isHeld || isReferenced(world, id)) throw dependencyViolation('resource', id);
  world.network.securityGroups.delete(id);
  return { Return: true, GroupId: id };
}

function listSourceGroup({ source }: IngressRule): readonly string[] {
  return source.kind === 'group' ? [source.value] : [];
}

function isReferenced({ network }: AwsWorld, id: string): boolean {
  return [...network.securityGroups.values()].some(({ id: own, ingress, outboundGroups = [] }) => {
    return own !== id && [...ingress.flatMap(listSourceGroup), ...outboundGroups].includes(id);
  });
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html; the words are unverified. */
function checkText(field: string, text: string): void {
  if (/^[a-zA-Z0-9 ._:/()#,@[\]+=&;{}!$*-]{1,255}$/.test(text)) return;
  throw invalidParameterValue(`Value (${text}) for parameter ${field} is invalid.`);
}

/** Names differ by more than their case. */
function checkName(world: AwsWorld, vpcId: string, name: string): void {
  checkText('groupName', name);
  if (name.toLowerCase() === DEFAULT_GROUP_NAME || name.startsWith('sg-')) {
    throw invalidParameterValue(`Cannot use reserved security group name: ${name}`);
  }
  for (const group of world.network.securityGroups.values()) {
    if (group.vpcId === vpcId && group.name.toLowerCase() === name.toLowerCase()) {
      throw new AwsFault(
        'InvalidGroup.Duplicate',
        `The security group '${name}' already exists for VPC '${vpcId}'`,
      );
    }
  }
}

function describeGroup(world: ReadableWorld, group: SecurityGroup): unknown {
  return {
    GroupId: group.id,
    GroupName: group.name,
    Description: group.description,
    VpcId: group.vpcId,
    OwnerId: world.accountId,
    SecurityGroupArn: groupArn(world, group.id),
    IpPermissions: describePermissions(world, group),
    IpPermissionsEgress: [describeEgress(group)],
    Tags: describeTagSet(group.tags),
  };
}

function describeEgress({ outboundGroups = [] }: SecurityGroup): unknown {
  const pairs = outboundGroups.map((GroupId) => ({ GroupId }));
  const range = { IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
  return pairs.length === 0 ? range : { ...range, UserIdGroupPairs: pairs };
}

function groupArn(world: ReadableWorld, id: string): string {
  const { partition, region } = world.facts;
  return `arn:${partition}:ec2:${region}:${world.accountId}:security-group/${id}`;
}
