import { type MyIngress, type MyIngressSpec, reservedTagKey } from '../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../aws/load-balancers.ts';
import { failure } from './failure.ts';
import { defaultName, type Identity, ownershipTags } from './identity.ts';

/** The balancer that a spec asks for. What is undefined is left as AWS has it. */
export interface DesiredLoadBalancer {
  readonly name: string;
  readonly scheme: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[] | undefined;
  readonly ipAddressType: string | undefined;
  /** The user's tags, the ownership tags and the records. */
  readonly tags: Tags;
  readonly userTags: Tags;
  readonly attributes: Readonly<Record<string, string>>;
}

export function desiredLoadBalancer(object: MyIngress, identity: Identity): DesiredLoadBalancer {
  const { spec } = object;
  const userTags = spec.tags ?? {};
  return {
    name: wantedName(spec, identity),
    scheme: spec.scheme,
    subnets: spec.subnets,
    securityGroups: spec.securityGroups,
    ipAddressType: spec.ipAddressType ?? (spec.adopt === undefined ? 'ipv4' : undefined),
    tags: { ...userTags, ...ownershipTags(identity) },
    userTags,
    attributes: spec.attributes ?? {},
  };
}

/** The scheme and the address type of the balancer once its other settings are as the spec wants. */
export function settledAs(
  { ipAddressType }: DesiredLoadBalancer,
  found: LoadBalancer,
): { readonly scheme: string; readonly ipAddressType: string } {
  return { scheme: found.scheme, ipAddressType: ipAddressType ?? found.ipAddressType };
}

/** Admission refuses these keys; an object stored before it did is refused here. */
export function refuseReservedTags({ tags }: MyIngressSpec): void {
  const reserved = Object.keys(tags ?? {}).filter((key) => reservedTagKey.test(key));
  if (reserved.length === 0) return;
  const keys = reserved.join(', ');
  throw failure('ValidationError', `spec.tags has reserved keys (${keys}), remove them`);
}

/** `spec.name`, else the name of the balancer to adopt, else the default one. Needs no valid spec. */
export function wantedName(spec: Partial<MyIngressSpec> | undefined, identity: Identity): string {
  const adopted = textOf(spec?.adopt?.arn);
  return textOf(spec?.name) ?? nameInArn(adopted) ?? defaultName(identity);
}

/** What an older CRD has admitted need not be of the type that this one demands. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `...:loadbalancer/app/<name>/<id>`; https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html */
export function nameInArn(arn: string | undefined): string | undefined {
  return arn?.split('/')[2];
}
