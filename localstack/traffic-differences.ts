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
} satisfies Readonly<Record<string, Difference>>;
