import type { MyIngress, MyIngressSpec } from '../../apis/my-ingress.ts';
import type { Tags } from '../../aws/load-balancers.ts';
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

/** `spec.name`, else the name of the balancer to adopt, else the default one. Needs no valid spec. */
export function wantedName(spec: Partial<MyIngressSpec> | undefined, identity: Identity): string {
  const adopted = spec?.adopt === undefined ? undefined : nameInArn(spec.adopt.arn);
  return spec?.name ?? adopted ?? defaultName(identity);
}

/** `...:loadbalancer/app/<name>/<id>`; https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html */
function nameInArn(arn: string): string | undefined {
  return arn.split('/')[2];
}
