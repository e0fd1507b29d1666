const MINIMUM = 'minimum_healthy_targets';

/**
 * AWS's documented attributes of a new group of an Application Load Balancer. Desired where the spec has nothing
 * else to say, so that what leaves the spec goes back. Left out is what has no default that AWS takes back
 * (the name of a cookie), and the count of dns_failover, on which AWS's texts differ.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupAttribute.html
 */
export const attributeDefaults: Readonly<Record<string, string>> = {
  'deregistration_delay.timeout_seconds': '300',
  'slow_start.duration_seconds': '0',
  'load_balancing.algorithm.type': 'round_robin',
  'load_balancing.algorithm.anomaly_mitigation': 'off',
  'load_balancing.cross_zone.enabled': 'use_load_balancer_configuration',
  'stickiness.enabled': 'false',
  'stickiness.type': 'lb_cookie',
  'stickiness.lb_cookie.duration_seconds': '86400',
  'stickiness.app_cookie.duration_seconds': '86400',
  [`target_group_health.dns_failover.${MINIMUM}.percentage`]: 'off',
  [`target_group_health.unhealthy_state_routing.${MINIMUM}.count`]: '1',
  [`target_group_health.unhealthy_state_routing.${MINIMUM}.percentage`]: 'off',
};
