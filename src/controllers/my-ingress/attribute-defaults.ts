const logDefaults = (log: string): Readonly<Record<string, string>> => ({
  [`${log}.s3.enabled`]: 'false',
  // https://github.com/aws/aws-cdk/pull/15149; for logs other than access logs this is unverified.
  [`${log}.s3.prefix`]: '',
});

/**
 * A log bucket has none: a new balancer has an empty one, and AWS takes no empty one back, not even
 * while the log is off: https://github.com/hashicorp/terraform-provider-aws/issues/2072.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerAttribute.html
 */
const DEFAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'deletion_protection.enabled': 'false',
    ...logDefaults('access_logs'),
    ...logDefaults('connection_logs'),
    ...logDefaults('health_check_logs'),
    'idle_timeout.timeout_seconds': '60',
    'client_keep_alive.seconds': '3600',
    'load_balancing.cross_zone.enabled': 'true',
    'routing.http.desync_mitigation_mode': 'defensive',
    'routing.http.drop_invalid_header_fields.enabled': 'false',
    'routing.http.preserve_host_header.enabled': 'false',
    'routing.http.x_amzn_tls_version_and_cipher_suite.enabled': 'false',
    'routing.http.xff_client_port.enabled': 'false',
    'routing.http.xff_header_processing.mode': 'append',
    'routing.http2.enabled': 'true',
    'waf.fail_open.enabled': 'false',
    'zonal_shift.config.enabled': 'false',
  }),
);

/**
 * The value that AWS documents for a new balancer of this scheme; undefined: none is known, or AWS
 * takes none with this address type: https://github.com/aws/aws-cdk/issues/30247. Pure.
 */
export function attributeDefault(
  key: string,
  { scheme, ipAddressType }: { readonly scheme: string; readonly ipAddressType: string },
): string | undefined {
  if (key !== 'ipv6.deny_all_igw_traffic') return DEFAULTS.get(key);
  return ipAddressType === 'ipv4' ? undefined : String(scheme === 'internal');
}
