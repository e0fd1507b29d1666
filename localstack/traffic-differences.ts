import { type Difference, inMoto } from './difference.ts';

const API = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_';

/** Rows of the table about calls for listeners, rules and target groups. */
export const trafficDifferences = {
  'sticky-actions-first': {
    aws: 'stickiness of a group that an action without stickiness names beside others: InvalidConfigurationRequest',
    source: 'https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/2734',
    instead: inMoto('accepts it'),
  },
  'instance-exists': {
    aws: 'a target that is no running instance of the VPC: InvalidTarget',
    source: `${API}RegisterTargets.html`,
    instead: inMoto('accepts any id'),
    unverified: 'whether one refuses the others of its call',
  },
  'header-regex': {
    aws: 'a condition on a header may have regular expressions in place of values',
    source: `${API}HttpHeaderConditionConfig.html`,
    instead: inMoto('breaks off: KeyError'),
  },
  'rule-transforms': {
    aws: 'a rule has up to two transforms, of host and of URL, and shows them; ResetTransforms takes them off',
    source: `${API}ModifyRule.html`,
    instead: inMoto('takes them and does not show them'),
  },
  'mutual-tls': {
    aws: 'a listener shows its mode of mutual authentication, which can be switched off',
    source: `${API}MutualAuthenticationAttributes.html`,
    instead: inMoto('takes it and does not show it'),
  },
  'listener-attribute-defaults': {
    aws: 'every attribute of an application listener has a value from the start',
    source: `${API}ListenerAttribute.html`,
    instead: inMoto('has those that were set'),
    unverified: 'that the API shows the defaults',
  },
  'same-target-group-again': {
    aws: 'creating a target group again with the same name and settings returns the existing one',
    source: `${API}CreateTargetGroup.html`,
    instead: inMoto('refuses it: DuplicateTargetGroupName'),
  },
  'one-listener-per-port': {
    aws: 'a second listener on a port: DuplicateListener, or with the same settings the first one',
    source: `${API}CreateListener.html`,
    instead: inMoto('makes another one'),
  },
  'group-of-one-balancer': {
    aws: 'a target group that an action of another balancer names: TargetGroupAssociationLimit',
    source: `${API}CreateListener.html`,
    instead: inMoto('accepts it'),
  },
  'groups-of-balancer-without': {
    aws: 'the target groups of a balancer that uses none are an empty list',
    source: `${API}DescribeTargetGroups.html`,
    instead: inMoto('refuses to list them: TargetGroupNotFound'),
    unverified: 'the empty list',
  },
  'balancers-of-group': {
    aws: 'a target group names each balancer once, and only while an action of that balancer names the group',
    source: `${API}TargetGroup.html`,
    instead: inMoto('repeats them, and goes on naming them'),
  },
  'missing-target-group-deleted': {
    aws: 'deleting a target group that is gone succeeds',
    source: `${API}DeleteTargetGroup.html`,
    instead: inMoto('refuses it: TargetGroupNotFound'),
    unverified: 'that it succeeds: the page declares no error for it',
  },
  'missing-rule-deleted': {
    aws: 'deleting a rule that is gone: RuleNotFound',
    source: `${API}DeleteRule.html`,
    instead: inMoto('accepts it'),
  },
  'unregistered-target': {
    aws: 'deregistering a target that is not registered succeeds',
    source: `${API}DeregisterTargets.html`,
    instead: inMoto('refuses it: InvalidTarget'),
  },
  'target-in-vpc': {
    aws: 'a target outside the VPC and the private ranges: InvalidTarget, or ValidationError',
    source: `${API}RegisterTargets.html`,
    instead: inMoto('accepts any address'),
    unverified: 'which of the two',
  },
  'health-check-values': {
    aws: 'health checks every 5 to 300 seconds: else ValidationError',
    source: `${API}CreateTargetGroup.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'weight-values': {
    aws: 'a weight of 0 to 999: else ValidationError',
    source: `${API}TargetGroupTuple.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'priority-values': {
    aws: 'a priority of 1 to 50,000: else ValidationError',
    source: `${API}CreateRule.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'groups-of-one-action': {
    aws: 'at most five target groups in an action: else InvalidLoadBalancerAction',
    source:
      'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html',
    instead: inMoto('accepts more'),
    unverified: 'the code',
  },
  'listener-actions-checked': {
    aws: 'ModifyListener with a target group that does not exist: TargetGroupNotFound',
    source: `${API}ModifyListener.html`,
    instead: inMoto('accepts it'),
  },
  'own-priority-again': {
    aws: 'SetRulePriorities may give a rule the priority that it has',
    source: `${API}SetRulePriorities.html`,
    instead: inMoto('refuses it: PriorityInUse'),
    unverified: 'the success',
  },
  'tags-of-missing-traffic': {
    aws: 'the tags of a listener, rule or target group that does not exist: its NotFound',
    source: `${API}DescribeTags.html`,
    instead: inMoto('answers with none'),
  },
  'tag-missing-traffic-code': {
    aws: 'AddTags and RemoveTags for a listener or rule that does not exist: its NotFound',
    source: `${API}AddTags.html`,
    instead: inMoto('answers LoadBalancerNotFound'),
  },
} satisfies Readonly<Record<string, Difference>>;
