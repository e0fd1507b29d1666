import type { ReadableWorld } from '../aws-world.ts';
import { ec2Permissions } from '../ec2/ec2-permissions.ts';
import { type Input, requiredText, structuresOf, textOf, textsOf } from '../input-fields.ts';
import { arnPrefix } from '../load-balancers/balancer-arns.ts';
import type { Operation } from '../operations.ts';
import { tagsOf } from '../traffic/tagged-resources.ts';
import type { Permission } from './policy-evaluation.ts';

/**
 * Actions that a caller needs beyond the operation itself.
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
  CreateTargetGroup: [
    'ec2:DescribeInternetGateways',
    'ec2:DescribeVpcs',
    'iam:CreateServiceLinkedRole',
  ],
  RegisterTargets: [
    'ec2:DescribeInstances',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
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
  if (service === 'ec2') return ec2Permissions(world, name, input);
  if (service === 'acm') return [acmPermission(name, input)];
  if (service === 'iam') return [iamPermission(name, input)];
  const own = resourcesOf(world, name, input).map((resource) => ({
    action: `${service}:${name}`,
    resource,
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
    context: name === 'SetRulePriorities' ? {} : contextOf(world, { name, input }, resource),
  }));
  const further = (FURTHER_ACTIONS[name] ?? []).map((action) => furtherPermission(world, action));
  return [...own, ...(name.startsWith('Create') ? taggingOf(name, own) : []), ...further];
}

/** https://docs.aws.amazon.com/service-authorization/latest/reference/list_awscertificatemanager.html */
function acmPermission(name: string, input: Input): Permission {
  const resource = textOf(input, 'CertificateArn') ?? '*';
  return { action: `acm:${name}`, resource, context: {} };
}

/** https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsidentityandaccessmanagementiam.html */
function iamPermission(name: string, input: Input): Permission {
  return { action: `iam:${name}`, resource: requiredText(input, 'PolicySourceArn'), context: {} };
}

/** The input fields that name a resource, the operation's own first. */
const RESOURCE_FIELDS = ['RuleArn', 'ListenerArn', 'TargetGroupArn', 'LoadBalancerArn'] as const;

/** Descriptions know no resources. */
function resourcesOf(world: ReadableWorld, name: string, input: Input): readonly string[] {
  if (name.startsWith('Describe')) return ['*'];
  if (name === 'CreateLoadBalancer') {
    return [`${arnPrefix(world)}loadbalancer/app/${textOf(input, 'Name')}/*`];
  }
  if (name === 'CreateTargetGroup') {
    return [`${arnPrefix(world)}targetgroup/${textOf(input, 'Name')}/*`];
  }
  const moved = structuresOf(input, 'RulePriorities')?.map((one) => textOf(one, 'RuleArn') ?? '*');
  const field = RESOURCE_FIELDS.find((one) => input[one] !== undefined);
  const named = field === undefined ? '*' : (textOf(input, field) ?? '*');
  return textsOf(input, 'ResourceArns') ?? moved ?? [named];
}

/**
 * The keys that AWS's Service Authorization Reference has for these actions.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
function contextOf(
  world: ReadableWorld,
  { name, input }: { readonly name: string; readonly input: Input },
  resource: string,
): Permission['context'] {
  const isOfListener = name === 'CreateListener' || name === 'ModifyListener';
  const tags = structuresOf(input, 'Tags') ?? [];
  const requestTags = tags.map(
    (tag) => [requiredText(tag, 'Key'), textOf(tag, 'Value') ?? ''] as const,
  );
  const lists = {
    'aws:TagKeys': textsOf(input, 'TagKeys') ?? requestTags.map(([key]) => key),
    'elasticloadbalancing:ListenerProtocol': [
      isOfListener ? (textOf(input, 'Protocol') ?? '') : '',
    ].filter(Boolean),
    'elasticloadbalancing:SecurityPolicy': [textOf(input, 'SslPolicy') ?? ''].filter(Boolean),
    'elasticloadbalancing:Scheme': [textOf(input, 'Scheme') ?? ''].filter(Boolean),
    'elasticloadbalancing:SecurityGroup': textsOf(input, 'SecurityGroups') ?? [],
    'elasticloadbalancing:Subnet': textsOf(input, 'Subnets') ?? [],
  };
  const present = Object.entries(lists).filter(([, values]) => values.length > 0);
  const resourceTags = [...tagsOf(world, resource)];
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

/**
 * Asked for on the resource that is to be, which has no tags yet, and not on its parent.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/tagging-resources-during-creation.html
 */
function taggingOf(name: string, creations: readonly Permission[]): readonly Permission[] {
  const tagged = creations.filter(({ context }) => context['aws:TagKeys'] !== undefined);
  return tagged.map(({ resource, context }) => ({
    action: 'elasticloadbalancing:AddTags',
    resource: childPattern(name, resource),
    context: { ...withoutResourceTags(context), 'elasticloadbalancing:CreateAction': name },
  }));
}

function childPattern(name: string, resource: string): string {
  if (name === 'CreateListener') return `${resource.replace(':loadbalancer/', ':listener/')}/*`;
  if (name === 'CreateRule') return `${resource.replace(':listener/', ':listener-rule/')}/*`;
  return resource;
}

function withoutResourceTags(context: Permission['context']): Permission['context'] {
  const rest = Object.entries(context).filter(([key]) => !key.includes(':ResourceTag/'));
  return Object.fromEntries(rest);
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
