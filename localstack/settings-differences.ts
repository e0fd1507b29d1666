import { type Difference, inMoto } from './difference.ts';

const API = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_';
const GUIDE = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/';

/** Rows of the table about conditions of rules, and attributes of target groups. */
export const settingsDifferences = {
  'condition-wildcards': {
    aws: 'the conditions of a rule have up to as many wildcards as DescribeAccountLimits says: else ValidationError',
    source: `${GUIDE}load-balancer-limits.html`,
    instead: inMoto('accepts any number'),
    unverified: 'the code',
  },
  'condition-values': {
    aws: 'the conditions of a rule have up to five values: else ValidationError',
    source: 'https://github.com/aws-cloudformation/cfn-lint/issues/3833',
    instead: inMoto('accepts any number'),
  },
  'conditions-of-one-kind': {
    aws: 'a rule has at most one condition each by host, path, method and source address: else ValidationError',
    source: `${GUIDE}rule-condition-types.html`,
    instead: inMoto('accepts more'),
    unverified: 'the code',
  },
  'condition-required': {
    aws: 'a rule without a condition: ValidationError',
    source: `${API}CreateRule.html`,
    instead: inMoto('accepts it'),
    unverified: 'the code',
  },
  'host-values': {
    aws: 'the host of a condition has a dot, and only letters behind the last: else ValidationError',
    source: `${GUIDE}rule-condition-types.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'path-values': {
    aws: 'the path of a condition has letters, digits and certain characters, no space among them: else ValidationError',
    source: `${API}PathPatternConditionConfig.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'host-as-header': {
    aws: 'a condition on the header Host: ValidationError',
    source: `${API}HttpHeaderConditionConfig.html`,
    instead: inMoto('accepts it'),
    unverified: 'the code',
  },
  'method-values': {
    aws: 'the method of a condition has capital letters, hyphens and underscores alone: else ValidationError',
    source: `${API}HttpRequestMethodConditionConfig.html`,
    instead: inMoto('looks at its first character'),
    unverified: 'the code',
  },
  'source-blocks': {
    aws: 'the source of a condition is a block, and not 255.255.255.255/32: else ValidationError',
    source: `${API}SourceIpConditionConfig.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
  'condition-forms': {
    aws: 'a condition by host or path is shown with its values in both forms',
    source:
      'https://github.com/aws-controllers-k8s/elbv2-controller/blob/main/pkg/resource/rule/hooks.go',
    instead: inMoto('shows the form that was given'),
  },
  'group-attribute-defaults': {
    aws: 'every attribute of a target group has a value from the start, and the answer to a change has all of them',
    source: `${API}TargetGroupAttribute.html`,
    instead: inMoto('few of them have; answers with those that were given'),
    unverified: 'that the answer has those that were not given',
  },
  'group-attribute-values': {
    aws: 'an attribute of a target group that does not exist, or not for its targets, or with a bad value: ValidationError',
    source: `${API}TargetGroupAttribute.html`,
    instead: inMoto('stores most of what is given'),
    unverified: 'the code',
  },
  'group-attributes-together': {
    aws: 'slow start with another algorithm than round robin: InvalidConfigurationRequest',
    source: `${GUIDE}edit-target-group-attributes.html`,
    instead: inMoto('stores both'),
    unverified: 'the code',
  },
  'longest-deregistration-delay': {
    aws: 'a deregistration delay of up to 3600 seconds',
    source: `${API}TargetGroupAttribute.html`,
    instead: inMoto('refuses 3600'),
  },
} satisfies Readonly<Record<string, Difference>>;
