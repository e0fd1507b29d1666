import { type Attribute, type AttributeRule, misfit } from '../load-balancers/attribute-rules.ts';

const flag: AttributeRule = { kind: 'boolean' };
const aWeek: Attribute = {
  rule: { kind: 'integer', min: 1, max: 604_800 },
  default: '86400',
};

/** A number within the bounds, or a word that switches the attribute off. */
type GroupRule =
  | AttributeRule
  | { readonly kind: 'orOff'; readonly off: string; readonly max: number; readonly min: number };

interface GroupAttribute {
  readonly rule: GroupRule;
  readonly default: string;
}

const MINIMUM = 'minimum_healthy_targets';

/**
 * Attributes of a target group of an Application Load Balancer with their ranges and defaults.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupAttribute.html
 */
export const GROUP_ATTRIBUTES: Readonly<Record<string, GroupAttribute>> = {
  'deregistration_delay.timeout_seconds': {
    rule: { kind: 'integer', min: 0, max: 3600 },
    default: '300',
  },
  'stickiness.enabled': { rule: flag, default: 'false' },
  'stickiness.type': {
    rule: { kind: 'choice', values: ['lb_cookie', 'app_cookie'] },
    default: 'lb_cookie',
  },
  'stickiness.lb_cookie.duration_seconds': aWeek,
  'stickiness.app_cookie.duration_seconds': aWeek,
  'stickiness.app_cookie.cookie_name': { rule: { kind: 'text' }, default: '' },
  'slow_start.duration_seconds': {
    rule: { kind: 'orOff', off: '0', min: 30, max: 900 },
    default: '0',
  },
  'load_balancing.algorithm.type': {
    rule: {
      kind: 'choice',
      values: ['round_robin', 'least_outstanding_requests', 'weighted_random'],
    },
    default: 'round_robin',
  },
  'load_balancing.algorithm.anomaly_mitigation': {
    rule: { kind: 'choice', values: ['on', 'off'] },
    default: 'off',
  },
  'load_balancing.cross_zone.enabled': {
    rule: { kind: 'choice', values: ['true', 'false', 'use_load_balancer_configuration'] },
    default: 'use_load_balancer_configuration',
  },
  [`target_group_health.dns_failover.${MINIMUM}.count`]: {
    rule: { kind: 'orOff', off: 'off', min: 1, max: 1000 },
    default: '1',
  },
  [`target_group_health.dns_failover.${MINIMUM}.percentage`]: {
    rule: { kind: 'orOff', off: 'off', min: 1, max: 100 },
    default: 'off',
  },
  [`target_group_health.unhealthy_state_routing.${MINIMUM}.count`]: {
    rule: { kind: 'integer', min: 1, max: 1000 },
    default: '1',
  },
  [`target_group_health.unhealthy_state_routing.${MINIMUM}.percentage`]: {
    rule: { kind: 'orOff', off: 'off', min: 1, max: 100 },
    default: 'off',
  },
};

/** Known to AWS, but for other target types or other kinds of balancers. */
export const FOREIGN_GROUP_ATTRIBUTES: ReadonlySet<string> = new Set([
  'lambda.multi_value_headers.enabled',
  'deregistration_delay.connection_termination.enabled',
  'preserve_client_ip.enabled',
  'proxy_protocol_v2.enabled',
  'target_failover.on_deregistration',
  'target_failover.on_unhealthy',
  'target_health_state.unhealthy.connection_termination.enabled',
  'target_health_state.unhealthy.draining_interval_seconds',
]);

export function defaultGroupAttributes(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(GROUP_ATTRIBUTES).map(([key, attribute]) => [key, attribute.default]),
  );
}

/** Explains why the value does not fit; undefined if it does. */
export function groupMisfit(rule: GroupRule, value: string): string | undefined {
  if (rule.kind !== 'orOff') return misfit(rule, value);
  if (value === rule.off) return undefined;
  const problem = misfit({ kind: 'integer', min: rule.min, max: rule.max }, value);
  return problem === undefined ? undefined : `${problem}, or '${rule.off}'`;
}

/** Explains why the values do not fit together; undefined if they do. AWS's words are unverified. */
export function conflictAmong(attributes: ReadonlyMap<string, string>): string | undefined {
  const algorithm = attributes.get('load_balancing.algorithm.type');
  if (attributes.get('load_balancing.algorithm.anomaly_mitigation') === 'on') {
    if (algorithm !== 'weighted_random') {
      return 'Anomaly mitigation requires the load balancing algorithm weighted_random';
    }
  }
  if (attributes.get('slow_start.duration_seconds') !== '0' && algorithm !== 'round_robin') {
    return `Slow start is not supported with the load balancing algorithm ${algorithm}`;
  }
  return stickinessConflict(attributes) ?? thresholdConflict(attributes);
}

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html, and of the algorithms
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html#modify-routing-algorithm
 */
function stickinessConflict(attributes: ReadonlyMap<string, string>): string | undefined {
  const name = attributes.get('stickiness.app_cookie.cookie_name') ?? '';
  if (name.startsWith('AWSALB')) return `The cookie name '${name}' is reserved`;
  if (attributes.get('stickiness.enabled') !== 'true') return undefined;
  if (attributes.get('stickiness.type') === 'app_cookie' && name === '') {
    return 'A cookie name is required for stickiness of type app_cookie';
  }
  if (attributes.get('load_balancing.algorithm.type') === 'weighted_random') {
    return 'Stickiness is not supported with the load balancing algorithm weighted_random';
  }
  return attributes.get('load_balancing.cross_zone.enabled') === 'false'
    ? 'Stickiness is not supported when cross-zone load balancing is off'
    : undefined;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health.html */
function thresholdConflict(attributes: ReadonlyMap<string, string>): string | undefined {
  for (const unit of ['count', 'percentage']) {
    const dns = Number(attributes.get(`target_group_health.dns_failover.${MINIMUM}.${unit}`));
    const routing = Number(
      attributes.get(`target_group_health.unhealthy_state_routing.${MINIMUM}.${unit}`),
    );
    // Either is NaN where it is off.
    if (dns < routing) return `The DNS failover ${unit} cannot be below that of routing failover`;
  }
  return undefined;
}
