/** AWS's default; it allows TLS 1.0. */
export const DEFAULT_POLICY = 'ELBSecurityPolicy-2016-08';

/**
 * Security policies of Application Load Balancers by name; what they contain is not modelled.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
 */
export const SSL_POLICIES: ReadonlySet<string> = new Set([
  DEFAULT_POLICY,
  'ELBSecurityPolicy-2015-05',
  'ELBSecurityPolicy-TLS-1-0-2015-04',
  'ELBSecurityPolicy-TLS-1-1-2017-01',
  'ELBSecurityPolicy-TLS-1-2-2017-01',
  'ELBSecurityPolicy-TLS-1-2-Ext-2018-06',
  'ELBSecurityPolicy-FS-2018-06',
  'ELBSecurityPolicy-FS-1-1-2019-08',
  'ELBSecurityPolicy-FS-1-2-2019-08',
  'ELBSecurityPolicy-FS-1-2-Res-2019-08',
  'ELBSecurityPolicy-FS-1-2-Res-2020-10',
  'ELBSecurityPolicy-TLS13-1-0-2021-06',
  'ELBSecurityPolicy-TLS13-1-1-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext0-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext1-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext2-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Res-2021-06',
  'ELBSecurityPolicy-TLS13-1-3-2021-06',
  'ELBSecurityPolicy-TLS13-1-0-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-1-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-Res-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-3-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09',
  'ELBSecurityPolicy-TLS13-1-2-PQ-2025-09',
  'ELBSecurityPolicy-TLS13-1-3-PQ-2025-09',
]);
