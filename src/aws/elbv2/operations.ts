import type { OperationTraits } from '../client/operation-traits.ts';

/** Resources of the shipped policy, as the end of an ARN. */
const BALANCERS = ['loadbalancer/app/*/*'] as const;
const LISTENERS = ['listener/app/*/*/*'] as const;
const RULES = ['listener-rule/app/*/*/*/*'] as const;
const GROUPS = ['targetgroup/*/*'] as const;
const ALL = [...BALANCERS, ...LISTENERS, ...RULES, ...GROUPS] as const;

const READ = {
  service: 'elbv2',
  bucket: 'reads',
  isIdempotent: true,
  grant: { onlyIf: 'nothing' },
} as const;

/** A change of what carries our tag; repeated it ends the same. */
const CHANGE = { service: 'elbv2', bucket: 'writes', isIdempotent: true } as const;

/** Its answer is the only source of the ARN, and what it finds of that name may be another's. */
const CREATE = { ...CHANGE, isIdempotent: false, step: 'create' } as const;

/**
 * IAM allows it by the resource's tags: the repetition of what was carried out may be denied.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-resourcetag
 */
const DELETE = { ...CHANGE, isIdempotent: false, step: 'delete' } as const;

const OF_BALANCER = {
  absent: ['LoadBalancerNotFound'],
  grant: { onlyIf: 'taggedResource', on: BALANCERS },
} as const;

const OF_LISTENER = {
  absent: ['ListenerNotFound'],
  grant: { onlyIf: 'taggedResource', on: LISTENERS },
} as const;

const OF_RULE = {
  absent: ['RuleNotFound'],
  grant: { onlyIf: 'taggedResource', on: RULES },
} as const;

const OF_GROUP = {
  absent: ['TargetGroupNotFound'],
  grant: { onlyIf: 'taggedResource', on: GROUPS },
} as const;

const OF_ANY = [
  'LoadBalancerNotFound',
  'ListenerNotFound',
  'RuleNotFound',
  'TargetGroupNotFound',
] as const;

/** A rule or a balancer that is just gone may count for a while: time heals it. */
const STILL_IN_USE = { reasons: { ResourceInUse: 'StillInUse' } } as const;

export const elbv2Operations = {
  // A second create with the same name and settings answers with the first one's balancer, whoever
  // owns it by then, so the next pass observes before it creates again.
  CreateLoadBalancer: {
    ...CREATE,
    bucket: 'intensive',
    absent: [],
    grant: { onlyIf: 'taggedRequest', on: BALANCERS },
    alsoNeeds: [
      'ec2:DescribeAccountAttributes',
      'ec2:DescribeAddresses',
      'ec2:DescribeInternetGateways',
      'ec2:DescribeSecurityGroups',
      'ec2:DescribeSubnets',
      'ec2:DescribeVpcs',
      'iam:CreateServiceLinkedRole',
    ],
  },
  DescribeLoadBalancers: { ...READ, absent: OF_BALANCER.absent, step: 'describe' },
  DeleteLoadBalancer: {
    ...DELETE,
    ...OF_BALANCER,
    // Deletion protection answers OperationNotPermitted, a balancer in use ResourceInUse.
    // https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteLoadBalancer.html
    reasons: { OperationNotPermitted: 'DeletionBlocked' },
  },
  DescribeLoadBalancerAttributes: {
    ...READ,
    absent: OF_BALANCER.absent,
    step: 'describe attributes of',
  },
  ModifyLoadBalancerAttributes: { ...CHANGE, ...OF_BALANCER, step: 'set attributes of' },
  SetSubnets: {
    ...CHANGE,
    ...OF_BALANCER,
    bucket: 'intensive',
    step: 'set subnets of',
    alsoNeeds: ['ec2:DescribeSubnets'],
  },
  SetSecurityGroups: { ...CHANGE, ...OF_BALANCER, step: 'set security groups of' },
  SetIpAddressType: {
    ...CHANGE,
    ...OF_BALANCER,
    step: 'set ip address type of',
    alsoNeeds: ['ec2:DescribeSubnets'],
  },

  DescribeTargetGroups: {
    ...READ,
    // Asked for the groups of a balancer it answers that the balancer is gone.
    absent: ['TargetGroupNotFound', 'LoadBalancerNotFound'],
    step: 'describe',
  },
  // Answers with the group of this name that has the same settings, whoever owns it.
  CreateTargetGroup: {
    ...CREATE,
    absent: [],
    grant: { onlyIf: 'taggedRequest', on: GROUPS },
    alsoNeeds: ['ec2:DescribeInternetGateways', 'ec2:DescribeVpcs', 'iam:CreateServiceLinkedRole'],
  },
  ModifyTargetGroup: { ...CHANGE, ...OF_GROUP, step: 'set health check of' },
  DescribeTargetGroupAttributes: {
    ...READ,
    absent: OF_GROUP.absent,
    step: 'describe attributes of',
  },
  ModifyTargetGroupAttributes: { ...CHANGE, ...OF_GROUP, step: 'set attributes of' },
  // AWS declares no error for a group that is gone; moto answers TargetGroupNotFound.
  DeleteTargetGroup: { ...DELETE, ...OF_GROUP, ...STILL_IN_USE },

  DescribeTargetHealth: { ...READ, absent: OF_GROUP.absent, step: 'describe health of' },
  // Registering what is registered, and deregistering what is not, succeeds.
  RegisterTargets: {
    ...CHANGE,
    ...OF_GROUP,
    bucket: 'registrations',
    step: 'register targets in',
    alsoNeeds: [
      'ec2:DescribeInstances',
      'ec2:DescribeInternetGateways',
      'ec2:DescribeSubnets',
      'ec2:DescribeVpcs',
    ],
  },
  DeregisterTargets: {
    ...CHANGE,
    ...OF_GROUP,
    bucket: 'registrations',
    step: 'deregister targets from',
  },

  DescribeListeners: {
    ...READ,
    absent: ['ListenerNotFound', 'LoadBalancerNotFound'],
    step: 'describe listeners of',
  },
  DescribeListenerCertificates: {
    ...READ,
    absent: OF_LISTENER.absent,
    step: 'describe certificates of',
  },
  CreateListener: {
    ...CREATE,
    absent: OF_BALANCER.absent,
    grant: { onlyIf: 'taggedRequestOnOurs', on: BALANCERS },
  },
  ModifyListener: { ...CHANGE, ...OF_LISTENER, step: 'modify' },
  DescribeListenerAttributes: {
    ...READ,
    absent: OF_LISTENER.absent,
    step: 'describe attributes of',
  },
  ModifyListenerAttributes: { ...CHANGE, ...OF_LISTENER, step: 'set attributes of' },
  AddListenerCertificates: { ...CHANGE, ...OF_LISTENER, step: 'add a certificate to' },
  RemoveListenerCertificates: { ...CHANGE, ...OF_LISTENER, step: 'remove a certificate from' },
  DeleteListener: { ...DELETE, ...OF_LISTENER, ...STILL_IN_USE },

  DescribeRules: {
    ...READ,
    absent: ['RuleNotFound', 'ListenerNotFound'],
    step: 'describe rules of',
  },
  // A second one of the same priority is refused, so a lost answer needs a look.
  CreateRule: {
    ...CREATE,
    absent: OF_LISTENER.absent,
    grant: { onlyIf: 'taggedRequestOnOurs', on: LISTENERS },
  },
  ModifyRule: { ...CHANGE, ...OF_RULE, step: 'modify' },
  SetRulePriorities: {
    ...CHANGE,
    absent: OF_RULE.absent,
    step: 'set priorities of rules of',
    // AWS's Service Authorization Reference has no condition key for it: a condition would deny it.
    grant: { onlyIf: 'resource', on: RULES },
  },
  DeleteRule: { ...DELETE, ...OF_RULE },

  // After a refusal alone, for the number of the quota that is full.
  DescribeAccountLimits: { ...READ, absent: [], step: 'describe limits of' },

  DescribeTags: { ...READ, absent: OF_ANY, step: 'describe tags of' },
  AddTags: {
    ...CHANGE,
    absent: OF_ANY,
    step: 'add tags to',
    grant: { onlyIf: 'tagging', on: ALL },
  },
  // As DELETE: it may have removed the very tag.
  RemoveTags: {
    ...DELETE,
    absent: OF_ANY,
    step: 'remove tags from',
    grant: { onlyIf: 'taggedResource', on: ALL },
  },
} as const satisfies Readonly<Record<string, OperationTraits>>;
