import type { CustomResource } from './custom-resource.ts';
import type { MyIngressSpec, MyIngressStatus } from './types/my-ingress.ts';

/** Names the API resource, in the form in which the core takes it. */
export const myIngressKind = {
  group: 'demo.rtfm.co.ua',
  version: 'v1',
  kind: 'MyIngress',
  plural: 'myingresses',
} as const;

/** Guards the load balancer of an object that is being deleted. Frozen for good. */
export const loadBalancerFinalizer = 'albridge.io/load-balancer';

/**
 * Keys of the tags that say whose a load balancer is. `cluster`, `namespace` and `name` prove
 * ownership; `uid` and `managedBy` are records; `adopt` is the consent of a balancer's owner to its
 * adoption. Frozen for good: balancers out there carry them. The CRD refuses them in `spec.tags`.
 */
export const ownershipTagKeys = {
  cluster: 'albridge.io/cluster',
  namespace: 'albridge.io/namespace',
  name: 'albridge.io/name',
  uid: 'albridge.io/uid',
  adopt: 'albridge.io/adopt',
  managedBy: 'albridge.io/managed-by',
} as const;

/** Key of the tag that says which resource of its object a target group, listener, rule or security group is. */
export const resourceTagKey = 'albridge.io/resource';

/**
 * Key of the tag that says which transforms of a rule albridge has written, such as `host+url`. Another one is
 * somebody else's, and may be what protects an application.
 */
export const rewriteTagKey = 'albridge.io/rewrite';

/**
 * Keys of the tags in which the managed security group of an adopted balancer records the groups that it has replaced:
 * their ids with spaces in between, the first twelve and the rest.
 */
export const previousGroupsTagKeys = [
  'albridge.io/previous-groups',
  'albridge.io/previous-groups-2',
] as const;

/**
 * Tag keys that no spec may set: AWS's own, ours, and those by which other controllers know their
 * load balancers (`kubernetes.io/cluster/<name>`, `elbv2.k8s.aws/cluster`). Without regard to case,
 * because IAM compares tag keys so; the CRD has the same patterns.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-resourcetag
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/1469
 */
export const reservedTagKey =
  /^(?:aws:|albridge[.]io\/|kubernetes[.]io\/|([0-9a-z-]+[.])*k8s[.]aws\/)/iu;

/** Value of the tag `albridge.io/managed-by`. */
export const managedByValue = 'albridge';

export type { MyIngressSpec, MyIngressStatus };

/** `status.alb`: the load balancer that an object holds. */
export type HeldLoadBalancer = NonNullable<MyIngressStatus['alb']>;

/** `status.applied`: what is taken off the balancer again when it leaves the spec. */
export type AppliedSettings = NonNullable<MyIngressStatus['applied']>;

/**
 * A stored MyIngress. `spec` is there in every object created under this CRD; one that an older CRD
 * admitted without it keeps taking status writes and finalizer removal, nothing more.
 */
export type MyIngress = CustomResource<typeof myIngressKind, MyIngressSpec, MyIngressStatus>;
