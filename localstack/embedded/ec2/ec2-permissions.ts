import type { ReadableWorld } from '../aws-world.ts';
import type { Permission } from '../iam/policy-evaluation.ts';
import { type Input, requiredText, structuresOf, textOf, textsOf } from '../input-fields.ts';

type TagPairs = readonly (readonly [string, string])[];

/**
 * The permissions that EC2 checks. Only security groups are told apart; all else is asked for on `*`.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
 */
export function ec2Permissions(
  world: ReadableWorld,
  name: string,
  input: Input,
): readonly Permission[] {
  const action = `ec2:${name}`;
  if (name === 'CreateSecurityGroup') return creation(world, action, input);
  if (name === 'CreateTags' || name === 'DeleteTags') return tagging(world, action, input);
  const id = name.endsWith('SecurityGroup') || name.endsWith('Ingress') ? 'GroupId' : undefined;
  const group = id === undefined ? undefined : textOf(input, id);
  if (group === undefined) return [{ action, resource: '*', context: {} }];
  return [
    {
      action,
      resource: arnOf(world, 'security-group', group),
      context: groupContext(world, group),
    },
  ];
}

/** Of each resource, with its tags and those of the request. */
function tagging(world: ReadableWorld, action: string, input: Input): readonly Permission[] {
  const request = requestContext(pairsOf(input));
  return (textsOf(input, 'Resources') ?? []).map((id) => {
    if (!world.network.securityGroups.has(id)) return { action, resource: '*', context: request };
    const context = { ...groupContext(world, id), ...request };
    return { action, resource: arnOf(world, 'security-group', id), context };
  });
}

/** The group that is to be, the VPC that it is to be in, and its tags on their own. */
function creation(world: ReadableWorld, action: string, input: Input): readonly Permission[] {
  const group = arnOf(world, 'security-group', '*');
  const tags = requestTags(input);
  const vpcId = textOf(input, 'VpcId') ?? '';
  const context = requestContext(tags);
  const vpcTags = [...(world.network.vpcs.get(vpcId)?.tags ?? [])];
  return [
    { action, resource: group, context },
    { action, resource: arnOf(world, 'vpc', vpcId), context: resourceContext(vpcTags) },
    ...(tags.length === 0
      ? []
      : [
          {
            action: 'ec2:CreateTags',
            resource: group,
            context: { ...context, 'ec2:CreateAction': 'CreateSecurityGroup' },
          },
        ]),
  ];
}

function groupContext(world: ReadableWorld, id: string): Permission['context'] {
  const group = world.network.securityGroups.get(id);
  if (group === undefined) return {};
  return { ...resourceContext([...group.tags]), 'ec2:Vpc': arnOf(world, 'vpc', group.vpcId) };
}

function requestTags(input: Input): TagPairs {
  const specifications = structuresOf(input, 'TagSpecifications') ?? [];
  return specifications.flatMap(pairsOf);
}

function pairsOf(input: Input): TagPairs {
  const tags = structuresOf(input, 'Tags') ?? [];
  return tags.map((tag) => [requiredText(tag, 'Key'), textOf(tag, 'Value') ?? ''] as const);
}

function requestContext(tags: TagPairs): Permission['context'] {
  if (tags.length === 0) return {};
  const values = tags.map(([key, value]) => [`aws:RequestTag/${key}`, value] as const);
  return { ...Object.fromEntries(values), 'aws:TagKeys': tags.map(([key]) => key) };
}

function resourceContext(tags: TagPairs): Permission['context'] {
  return Object.fromEntries(
    tags.flatMap(([key, value]) => [
      [`aws:ResourceTag/${key}`, value],
      [`ec2:ResourceTag/${key}`, value],
    ]),
  );
}

function arnOf({ facts, accountId }: ReadableWorld, kind: string, id: string): string {
  return `arn:${facts.partition}:ec2:${facts.region}:${accountId}:${kind}/${id}`;
}
