import type { ReadableWorld } from './aws-world.ts';
import { arnPrefix } from './balancer-arns.ts';
import { type Input, requiredText, structuresOf, textOf, textsOf } from './input-fields.ts';
import type { Operation } from './operations.ts';
import type { Permission } from './policy-evaluation.ts';

/**
 * What a caller needs beyond the right to the operation itself.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html
 */
const FURTHER_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  CreateLoadBalancer: [
    'ec2:DescribeAccountAttributes',
    'ec2:DescribeAddresses',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
    'iam:CreateServiceLinkedRole',
  ],
  SetIpAddressType: ['ec2:DescribeSubnets'],
  SetSubnets: ['ec2:DescribeSubnets'],
};

const ELB = 'elasticloadbalancing.amazonaws.com';

/**
 * Every permission that AWS asks for before it carries the request out, in the order in which it is
 * denied here; in which order AWS asks is not documented. Throws AwsFault for a field of the wrong type.
 */
export function requiredPermissions(
  world: ReadableWorld,
  { service, name }: Pick<Operation, 'service' | 'name'>,
  input: Input,
): readonly Permission[] {
  // It needs none: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
  if (name === 'GetCallerIdentity') return [];
  const resources = resourcesOf(world, name, input);
  const own = resources.map((resource) => ({
    action: `${service}:${name}`,
    resource,
    context: contextOf(world, input, resource),
  }));
  const further = (FURTHER_ACTIONS[name] ?? []).map((action) => furtherPermission(world, action));
  return [...own, ...(name === 'CreateLoadBalancer' ? taggingOf(own) : []), ...further];
}

/** Descriptions know no resources, and those of EC2 are not modelled. */
function resourcesOf(world: ReadableWorld, name: string, input: Input): readonly string[] {
  if (name.startsWith('Describe')) return ['*'];
  if (name === 'CreateLoadBalancer') {
    return [`${arnPrefix(world)}loadbalancer/app/${textOf(input, 'Name')}/*`];
  }
  return textsOf(input, 'ResourceArns') ?? [textOf(input, 'LoadBalancerArn') ?? '*'];
}

/**
 * The keys that AWS's Service Authorization Reference has for these actions.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
function contextOf(world: ReadableWorld, input: Input, resource: string): Permission['context'] {
  const tags = structuresOf(input, 'Tags') ?? [];
  const requestTags = tags.map(
    (tag) => [requiredText(tag, 'Key'), textOf(tag, 'Value') ?? ''] as const,
  );
  const lists = {
    'aws:TagKeys': textsOf(input, 'TagKeys') ?? requestTags.map(([key]) => key),
    'elasticloadbalancing:Scheme': [textOf(input, 'Scheme') ?? ''].filter(Boolean),
    'elasticloadbalancing:SecurityGroup': textsOf(input, 'SecurityGroups') ?? [],
    'elasticloadbalancing:Subnet': textsOf(input, 'Subnets') ?? [],
  };
  const present = Object.entries(lists).filter(([, values]) => values.length > 0);
  const resourceTags = [...(world.balancers.byArn(resource)?.tags ?? [])];
  return {
    ...Object.fromEntries(present),
    ...prefixed('aws:RequestTag/', requestTags),
    ...prefixed('aws:ResourceTag/', resourceTags),
    ...prefixed('elasticloadbalancing:ResourceTag/', resourceTags),
  };
}

function prefixed(
  prefix: string,
  tags: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(tags.map(([key, value]) => [prefix + key, value]));
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/tagging-resources-during-creation.html */
function taggingOf(creations: readonly Permission[]): readonly Permission[] {
  const tagged = creations.filter(({ context }) => context['aws:TagKeys'] !== undefined);
  return tagged.map(({ resource, context }) => ({
    action: 'elasticloadbalancing:AddTags',
    resource,
    context: { ...context, 'elasticloadbalancing:CreateAction': 'CreateLoadBalancer' },
  }));
}

function furtherPermission({ facts, accountId }: ReadableWorld, action: string): Permission {
  if (action !== 'iam:CreateServiceLinkedRole') return { action, resource: '*', context: {} };
  const role = `role/aws-service-role/${ELB}/AWSServiceRoleForElasticLoadBalancing`;
  return {
    action,
    resource: `arn:${facts.partition}:iam::${accountId}:${role}`,
    context: { 'iam:AWSServiceName': ELB },
  };
}
