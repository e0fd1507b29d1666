import { type MyIngress, type MyIngressSpec, reservedTagKey } from '../../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../../aws/elbv2/load-balancers.ts';
import { createFailure } from '../failure.ts';
import { deriveDefaultName, desireOwnershipTags, type Identity } from '../identity.ts';

/** The balancer that a spec asks for. What is undefined is left as AWS has it. */
export interface DesiredLoadBalancer {
  readonly name: string;
  readonly scheme: string;
  readonly subnets: readonly string[] | undefined;
  readonly securityGroups: readonly string[] | undefined;
  readonly ipAddressType: string | undefined;
  /** The user's tags, the ownership tags and the records. */
  readonly tags: Tags;
  readonly userTags: Tags;
  readonly attributes: Readonly<Record<string, string>>;
}

export function desireLoadBalancer(object: MyIngress, identity: Identity): DesiredLoadBalancer {
  const { spec } = object;
  const userTags = spec.tags ?? {};
  return {
    name: desireName(spec, identity),
    scheme: spec.scheme,
    subnets: spec.subnets,
    securityGroups: spec.securityGroups,
    ipAddressType: spec.ipAddressType ?? (spec.adopt === undefined ? 'ipv4' : undefined),
    tags: { ...userTags, ...desireOwnershipTags(identity) },
    userTags,
    attributes: spec.attributes ?? {},
  };
}

/** The scheme and the address type that the balancer has once the spec is applied. */
export function projectAddressing(
  { ipAddressType }: DesiredLoadBalancer,
  observed: LoadBalancer,
): { readonly scheme: string; readonly ipAddressType: string } {
  return { scheme: observed.scheme, ipAddressType: ipAddressType ?? observed.ipAddressType };
}

/** Admission refuses these keys; an object stored before it did is refused here. */
export function refuseReservedTags({ tags }: MyIngressSpec): void {
  const reserved = Object.keys(tags ?? {}).filter((key) => reservedTagKey.test(key));
  if (reserved.length === 0) return;
  const keys = reserved.join(', ');
  throw createFailure('ValidationError', `spec.tags has reserved keys (${keys}), remove them`);
}

/** `spec.name`, else the name of the balancer to adopt, else the default one. Needs no valid spec. */
export function desireName(spec: Partial<MyIngressSpec> | undefined, identity: Identity): string {
  const adopted = readText(spec?.adopt?.arn);
  return readText(spec?.name) ?? parseName(adopted) ?? deriveDefaultName(identity);
}

/** Reads text from a field that an older CRD may have admitted with another type. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `...:loadbalancer/app/<name>/<id>`; https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html */
export function parseName(arn: string | undefined): string | undefined {
  return arn?.split('/')[2];
}

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
export function findAttributeDefault(
  key: string,
  { scheme, ipAddressType }: { readonly scheme: string; readonly ipAddressType: string },
): string | undefined {
  if (key !== 'ipv6.deny_all_igw_traffic') return DEFAULTS.get(key);
  return ipAddressType === 'ipv4' ? undefined : String(scheme === 'internal');
}
