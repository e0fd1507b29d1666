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
