/** The values that one attribute accepts. */
export type AttributeRule =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text'; readonly isRequired?: boolean }
  | { readonly kind: 'fixed'; readonly value: string };

export interface Attribute {
  readonly rule: AttributeRule;
  readonly default: string;
}

const flag = (initial: 'true' | 'false'): Attribute => ({
  rule: { kind: 'boolean' },
  default: initial,
});
const text: Attribute = { rule: { kind: 'text' }, default: '' };
const logs = (name: string): Readonly<Record<string, Attribute>> => ({
  [`${name}.s3.enabled`]: flag('false'),
  // Empty from the start, and never again: https://github.com/hashicorp/terraform-provider-aws/issues/2072
  [`${name}.s3.bucket`]: { rule: { kind: 'text', isRequired: true }, default: '' },
  [`${name}.s3.prefix`]: text,
});

/**
 * Attributes of an Application Load Balancer with their ranges and defaults.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerAttribute.html
 */
export const APPLICATION_ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  'deletion_protection.enabled': flag('false'),
  ...logs('access_logs'),
  ...logs('connection_logs'),
  ...logs('health_check_logs'),
  'idle_timeout.timeout_seconds': { rule: { kind: 'integer', min: 1, max: 4000 }, default: '60' },
  'client_keep_alive.seconds': {
    rule: { kind: 'integer', min: 60, max: 604_800 },
    default: '3600',
  },
  'load_balancing.cross_zone.enabled': { rule: { kind: 'fixed', value: 'true' }, default: 'true' },
  'routing.http.desync_mitigation_mode': {
    rule: { kind: 'choice', values: ['monitor', 'defensive', 'strictest'] },
    default: 'defensive',
  },
  'routing.http.drop_invalid_header_fields.enabled': flag('false'),
  'routing.http.preserve_host_header.enabled': flag('false'),
  'routing.http.x_amzn_tls_version_and_cipher_suite.enabled': flag('false'),
  'routing.http.xff_client_port.enabled': flag('false'),
  'routing.http.xff_header_processing.mode': {
    rule: { kind: 'choice', values: ['append', 'preserve', 'remove'] },
    default: 'append',
  },
  'routing.http2.enabled': flag('true'),
  'waf.fail_open.enabled': flag('false'),
  'zonal_shift.config.enabled': flag('false'),
  // Balancers of scheme internal start with true.
  'ipv6.deny_all_igw_traffic': flag('false'),
};

/** Known to AWS, but for Network Load Balancers only. */
export const NETWORK_ONLY_ATTRIBUTES: ReadonlySet<string> = new Set([
  'dns_record.client_routing_policy',
  'secondary_ips.auto_assigned.per_subnet',
]);

/** Explains why the value does not fit; undefined if it does. */
export function misfit(rule: AttributeRule, value: string): string | undefined {
  switch (rule.kind) {
    case 'boolean':
      return misfit({ kind: 'choice', values: ['true', 'false'] }, value);
    case 'integer':
      return isIntegerBetween(value, rule.min, rule.max)
        ? undefined
        : `must be between ${rule.min} and ${rule.max}`;
    case 'choice':
      return rule.values.includes(value) ? undefined : `must be one of ${rule.values.join(', ')}`;
    case 'fixed':
      return value === rule.value ? undefined : `cannot be changed from '${rule.value}'`;
    case 'text':
      return misfitOfText(value, rule.isRequired ?? false);
  }
}

function misfitOfText(value: string, isRequired: boolean): string | undefined {
  if (isRequired && value === '') return 'cannot be empty';
  return value.length <= 1024 ? undefined : 'cannot be longer than 1024 characters';
}

function isIntegerBetween(value: string, min: number, max: number): boolean {
  return /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max;
}
