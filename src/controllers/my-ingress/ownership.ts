import { createHash } from 'node:crypto';
import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { Tags } from '../../aws/load-balancers.ts';
import type { Identity } from './identity.ts';

/** What a balancer's tags say about whose it is; pure. */
export type Ownership =
  /** `previousUid` is set where another object of this namespace and name made it. */
  { readonly kind: 'ours'; readonly previousUid?: string } | { readonly kind: 'foreign' };

/**
 * `isOnRecord`: status.alb names this very balancer. Without that record and without a tag for the
 * UID it is not ours, whatever its other tags: every create of ours carries one.
 */
export function ownershipOf(tags: Tags, identity: Identity, isOnRecord = false): Ownership {
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
    tags[ownershipTagKeys.adopt] === consentFor(identity) &&
    tags[ownershipTagKeys.uid] === undefined &&
    isUnsetOr(tags[ownershipTagKeys.namespace], identity.namespace) &&
    isUnsetOr(tags[ownershipTagKeys.name], identity.name)
  );
}

/** AWS's bound on the value of a tag; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html */
const LONGEST_VALUE = 256;

/** The value of the tag by which an owner agrees; a name that would not fit is given by its SHA-256. */
export function consentFor({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string {
  const consent = `${namespace}/${name}`;
  if (consent.length <= LONGEST_VALUE) return consent;
  return `${namespace}/sha256:${createHash('sha256').update(name).digest('hex')}`;
}

/** Who holds the balancer, for a message. */
export function holderOf(tags: Tags): string {
  const cluster = tags[ownershipTagKeys.cluster];
  const namespace = tags[ownershipTagKeys.namespace];
  const name = tags[ownershipTagKeys.name];
  if (cluster === undefined && namespace === undefined && name === undefined) {
    return 'somebody who does not use albridge, or it has lost its ownership tags';
  }
  const object = `${namespace ?? '(no namespace tag)'}/${name ?? '(no name tag)'}`;
  return `MyIngress ${object} of cluster ${cluster ?? '(no cluster tag)'}`;
}

function isUnsetOr(value: string | undefined, wanted: string): boolean {
  return value === undefined || value === wanted;
}
