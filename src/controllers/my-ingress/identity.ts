import { createHash } from 'node:crypto';
import { type MyIngress, managedByValue, ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { Tags } from '../../aws/elbv2/load-balancers.ts';
import { createFailure } from './failure.ts';

/**
 * The owner of a load balancer: one object of one cluster. The tag for `uid` proves that albridge created
 * or adopted it; its value is a record of which object of that name did.
 */
export interface Identity {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function identify(cluster: string, object: MyIngress): Identity {
  const { namespace, name, uid } = object.metadata;
  return { cluster, namespace, name, uid };
}

/** The three tags that prove ownership, and beside them the two records. */
export function desireOwnershipTags(identity: Identity): Tags {
  return {
    [ownershipTagKeys.cluster]: identity.cluster,
    [ownershipTagKeys.namespace]: identity.namespace,
    [ownershipTagKeys.name]: identity.name,
    [ownershipTagKeys.uid]: identity.uid,
    [ownershipTagKeys.managedBy]: managedByValue,
  };
}

/** The owner of a balancer by its tags. */
export type Ownership =
  /** `previousUid` is set where another object of this namespace and name made it. */
  { readonly kind: 'ours'; readonly previousUid?: string } | { readonly kind: 'foreign' };

/**
 * `isOnRecord`: status.alb names this very balancer. Without that record and without a tag for the
 * UID it is not ours, whatever its other tags: every create of ours carries one.
 */
export function readOwnership(tags: Tags, identity: Identity, isOnRecord = false): Ownership {
  const isOurs =
    tags[ownershipTagKeys.cluster] === identity.cluster &&
    tags[ownershipTagKeys.namespace] === identity.namespace &&
    tags[ownershipTagKeys.name] === identity.name;
  if (!isOurs) return { kind: 'foreign' };
  const uid = tags[ownershipTagKeys.uid];
  if (uid === undefined && !isOnRecord) return { kind: 'foreign' };
  if (uid === undefined || uid === identity.uid) return { kind: 'ours' };
  return { kind: 'ours', previousUid: uid };
}

/**
 * True when the balancer's owner has agreed in AWS that this object takes it, and nobody holds it:
 * tags albridge.io/cluster=<id> and albridge.io/adopt=<namespace>/<name>. With a tag for a UID it was
 * held once, and who has taken another of our tags off since has released it.
 */
export function canAdopt(tags: Tags, identity: Identity): boolean {
  return (
    tags[ownershipTagKeys.cluster] === identity.cluster &&
    tags[ownershipTagKeys.adopt] === composeConsent(identity) &&
    tags[ownershipTagKeys.uid] === undefined &&
    isUnsetOr(tags[ownershipTagKeys.namespace], identity.namespace) &&
    isUnsetOr(tags[ownershipTagKeys.name], identity.name)
  );
}

/** AWS's bound on the value of a tag; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html */
const LONGEST_VALUE = 256;

/** The value of the tag by which an owner agrees; a name that would not fit is given by its SHA-256. */
export function composeConsent({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string {
  const consent = `${namespace}/${name}`;
  if (consent.length <= LONGEST_VALUE) return consent;
  return `${namespace}/sha256:${createHash('sha256').update(name).digest('hex')}`;
}

/** Names the holder of the balancer, for the log. */
export function describeHolder(tags: Tags): string {
  const cluster = tags[ownershipTagKeys.cluster];
  const namespace = tags[ownershipTagKeys.namespace];
  const name = tags[ownershipTagKeys.name];
  if (cluster === undefined && namespace === undefined && name === undefined) {
    return 'another tool, or an object of albridge whose ownership tags were removed';
  }
  const object = `${namespace ?? '(no namespace tag)'}/${name ?? '(no name tag)'}`;
  return `MyIngress ${object} of cluster ${cluster ?? '(no cluster tag)'}`;
}

function isUnsetOr(value: string | undefined, desired: string): boolean {
  return value === undefined || value === desired;
}

/**
 * The name that a balancer gets when the spec gives none: `<head>-alb-<8 hex digits>`, at most 32
 * characters. Frozen for good, a golden test holds it: after a crash reads find the balancer by it.
 * The head `internal` alone would, before `-alb-`, read as the beginning that AWS keeps for itself.
 * Rules for names: https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 */
export function deriveDefaultName(identity: Omit<Identity, 'uid'>): string {
  const head = identity.name
    .replace(/[^A-Za-z0-9-]+/g, '-')
    .replace(/^internal(?=-|$)/, 'int')
    .slice(0, 19)
    .replace(/^-+|-+$/g, '');
  return `${head}-alb-${digest([identity.cluster, identity.namespace, identity.name])}`;
}

/** Whether names are case-sensitive in AWS is unverified. */
const DEFAULT_NAME = /-alb-[0-9a-f]{8}$/i;

/**
 * A balancer is not created under a name that may be another object's default one: that object
 * would be locked out of it. The CRD cannot check it, because CEL has no SHA-256.
 */
export function refuseNameOfOthers(name: string, identity: Identity): void {
  if (!DEFAULT_NAME.test(name) || name === deriveDefaultName(identity)) return;
  throw createFailure(
    'ValidationError',
    `the name ${name} in spec.name or spec.adopt ends like a default name and may be another object's: ` +
      'create another MyIngress without it, since it cannot be edited, and delete this one',
  );
}

/** Eight hex digits. The parts are length-prefixed, so that no two different lists of them read alike. */
export function digest(parts: readonly string[]): string {
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
