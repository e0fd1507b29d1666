import type { Permission } from '../../../localstack/embedded/iam/policy-evaluation.ts';

/** Requests, and by which statement of the shipped policy for `cluster-1` each is allowed. */

export const ARN =
  'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/web/50dc6c495c0c9188';
export const OURS = { 'albridge.io/cluster': 'cluster-1', team: 'web' };
const ANOTHERS = { 'albridge.io/cluster': 'another', team: 'web' };
const SERVICE_LINKED_ROLE = 'iam:CreateServiceLinkedRole';

interface Tagging {
  readonly requestTags?: Readonly<Record<string, string>>;
  readonly resourceTags?: Readonly<Record<string, string>>;
  readonly context?: Permission['context'];
}

export function onBalancer(action: string, tagging: Tagging = {}): Permission {
  const { requestTags = {}, resourceTags = {}, context = {} } = tagging;
  const tags = (key: string, all: Tagging['requestTags'] = {}): Permission['context'] =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [`${key}/${name}`, value]));
  return {
    action: `elasticloadbalancing:${action}`,
    resource: ARN,
    context: {
      ...context,
      ...tags('aws:RequestTag', requestTags),
      ...tags('aws:ResourceTag', resourceTags),
    },
  };
}

function onGroup(action: string, tags: Readonly<Record<string, string>>): Permission {
  const { context } = onBalancer(action, { resourceTags: tags });
  const resource = 'arn:aws:ec2:us-east-1:000000000000:security-group/sg-web';
  return { action: `ec2:${action}`, resource, context };
}

interface Case {
  readonly why: string;
  readonly access: Permission;
  readonly by: string | undefined;
}

const createAction = { 'elasticloadbalancing:CreateAction': 'CreateLoadBalancer' };

export const iamCases: Readonly<Record<string, Case>> = {
  'look at everything': {
    why: 'describe calls know no conditions, and foreign balancers must be seen to be left alone',
    access: { action: 'elasticloadbalancing:DescribeTags', resource: '*', context: {} },
    by: 'Look',
  },
  'create with our tag': {
    why: 'name and tags travel in the create call',
    access: onBalancer('CreateLoadBalancer', { requestTags: OURS }),
    by: 'CreateWithOurTag',
  },
  'create without tags': {
    why: 'nobody could tell whose it is',
    access: onBalancer('CreateLoadBalancer'),
    by: undefined,
  },
  'create in the name of another cluster': {
    why: "the value counts, not only the key's presence",
    access: onBalancer('CreateLoadBalancer', { requestTags: ANOTHERS }),
    by: undefined,
  },
  'create a listener on a balancer of another cluster': {
    why: 'the tag of the request alone would be in the hands of whoever calls',
    access: onBalancer('CreateListener', { requestTags: OURS, resourceTags: ANOTHERS }),
    by: undefined,
  },
  'create a listener on ours': {
    why: 'what carries traffic',
    access: onBalancer('CreateListener', { requestTags: OURS, resourceTags: OURS }),
    by: 'CreateOnOurs',
  },
  'order rules': {
    why: 'AWS has no condition for it, on any rule of the account and region',
    access: {
      ...onBalancer('SetRulePriorities'),
      resource: ARN.replace(':loadbalancer/', ':listener-rule/').concat('/1/2'),
    },
    by: 'OrderRules',
  },
  'open a security group of another': {
    why: 'it would admit anybody to what the group protects',
    access: onGroup('AuthorizeSecurityGroupIngress', ANOTHERS),
    by: undefined,
  },
  'open a security group of ours': {
    why: 'the managed one admits the sources of spec.inbound',
    access: onGroup('AuthorizeSecurityGroupIngress', OURS),
    by: 'ChangeAndDeleteOurGroups',
  },
  'create a network load balancer': {
    why: 'albridge makes application load balancers alone',
    access: {
      ...onBalancer('CreateLoadBalancer', { requestTags: OURS }),
      resource: ARN.replace('/app/', '/net/'),
    },
    by: undefined,
  },
  'tag in the create call': {
    why: 'AWS asks for AddTags too when a create carries tags',
    access: onBalancer('AddTags', { requestTags: OURS, context: createAction }),
    by: 'TagInTheCreateCall',
  },
  'take a balancer by tagging it': {
    why: 'who could add our tag could then delete it',
    access: onBalancer('AddTags', { requestTags: OURS, resourceTags: { team: 'web' } }),
    by: undefined,
  },
  'repair tags of ours': {
    why: 'drift of tags is mended',
    access: onBalancer('AddTags', { requestTags: { team: 'web' }, resourceTags: OURS }),
    by: 'TagOurs',
  },
  'adopt by consent': {
    why: 'the consent is our cluster tag, put there by the owner',
    access: onBalancer('AddTags', {
      requestTags: OURS,
      resourceTags: { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' },
    }),
    by: 'TagOurs',
  },
  'give ours to another cluster': {
    why: 'ownership is given up by removing the tag, never by handing it over',
    access: onBalancer('AddTags', { requestTags: ANOTHERS, resourceTags: OURS }),
    by: undefined,
  },
  'release ours': {
    why: 'deletionPolicy Retain takes our tags off',
    access: onBalancer('RemoveTags', { resourceTags: OURS }),
    by: 'ChangeAndDeleteOurs',
  },
  "remove another's tags": {
    why: 'what is not ours is not touched',
    access: onBalancer('RemoveTags', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'delete ours': {
    why: 'the end of an object',
    access: onBalancer('DeleteLoadBalancer', { resourceTags: OURS }),
    by: 'ChangeAndDeleteOurs',
  },
  'delete one of another cluster': {
    why: 'two clusters share an account',
    access: onBalancer('DeleteLoadBalancer', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'delete one without tags': {
    why: "somebody's balancer",
    access: onBalancer('DeleteLoadBalancer'),
    by: undefined,
  },
  'set the subnets of one of another cluster': {
    why: 'a change is a write too',
    access: onBalancer('SetSubnets', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'create in another region': {
    why: 'a role that leaks is of use in one region alone',
    access: {
      ...onBalancer('CreateLoadBalancer', { requestTags: OURS }),
      resource: ARN.replace('us-east-1', 'eu-west-1'),
    },
    by: undefined,
  },
  'have ELB check the subnets': {
    why: 'ELB asks EC2 on behalf of its caller',
    access: { action: 'ec2:DescribeSubnets', resource: '*', context: {} },
    by: 'ElbAsksEc2',
  },
  'create the service-linked role': {
    why: 'the first balancer of an account needs it',
    access: {
      action: SERVICE_LINKED_ROLE,
      resource:
        'arn:aws:iam::000000000000:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing',
      context: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' },
    },
    by: 'FirstBalancerOfTheAccount',
  },
  'create another service-linked role': {
    why: 'only the one of Elastic Load Balancing',
    access: {
      action: SERVICE_LINKED_ROLE,
      resource: 'arn:aws:iam::000000000000:role/aws-service-role/spot.amazonaws.com/x',
      context: { 'iam:AWSServiceName': 'spot.amazonaws.com' },
    },
    by: undefined,
  },
};
