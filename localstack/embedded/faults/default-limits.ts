/**
 * Defaults of https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 * The names are those of https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Limit.html
 */
export const DEFAULT_LIMITS = {
  'target-groups': 3000,
  'targets-per-application-load-balancer': 1000,
  'listeners-per-application-load-balancer': 50,
  'rules-per-application-load-balancer': 100,
  'target-groups-per-action-on-application-load-balancer': 5,
  'target-groups-per-application-load-balancer': 100,
  'certificates-per-application-load-balancer': 25,
  'condition-values-per-alb-rule': 5,
  'condition-wildcards-per-alb-rule': 5,
} as const;

export type LimitName = keyof typeof DEFAULT_LIMITS;
