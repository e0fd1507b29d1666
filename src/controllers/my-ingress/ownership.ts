import { createHash } from 'node:crypto';
import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../aws/elbv2/load-balancers.ts';
import type { OperatorError } from '../../core/reconcile/operator-error.ts';
import { createFailure } from './failure.ts';
import type { Identity } from './identity.ts';
import type { Scope } from './scope.ts';
import { readRecordedArn } from './status.ts';

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

type Claim = Pick<Scope, 'identity' | 'object' | 'desired'>;

/**
 * Decides whether this object may write to the balancer; pure.
 *
 * @returns `ours`, `adoptable` (not ours yet, its owner consents), or `foreign`
 * @throws OperatorError SpecMismatch for a balancer that is ours, or would be, and can never match
 */
export function judgeClaim(
  claim: Claim,
  loadBalancer: LoadBalancer,
  tags: Tags,
): Ownership | { readonly kind: 'adoptable' } {
  const isOnRecord = readRecordedArn(claim.object) === loadBalancer.arn;
  const ownership = readOwnership(tags, claim.identity, isOnRecord);
  const isAdoptable =
    loadBalancer.arn === claim.object.spec.adopt?.arn && canAdopt(tags, claim.identity);
  if (ownership.kind === 'foreign' && !isAdoptable) return ownership;
  refuseMismatch(claim, loadBalancer);
  return ownership.kind === 'ours' ? ownership : { kind: 'adoptable' };
}

const HOLDER_IS_LOGGED = "the operator's log names its holder";

/** Builds the error for a foreign balancer; only its log line names the holder. */
export function explainConflict(
  claim: Claim,
  { arn, name }: LoadBalancer,
  tags: Tags,
): OperatorError {
  const details = { arn, holder: describeHolder(tags) };
  const { identity, object } = claim;
  if (arn === object.spec.adopt?.arn) {
    const consent = `albridge.io/cluster=<id of this cluster> and albridge.io/adopt=${composeConsent(identity)}`;
    const observed = `load balancer ${arn} lacks the tags ${consent}, is held by another object, or was released and still has albridge.io/uid (${HOLDER_IS_LOGGED})`;
    return createFailure('AdoptionRefused', observed, { details });
  }
  const lacksOnlyUid = readOwnership(tags, identity, true).kind === 'ours';
  const whose = lacksOnlyUid
    ? `(${arn}) has the ownership tags of this object but no tag albridge.io/uid, so nothing proves that albridge created it`
    : `is held by another object, or has lost its ownership tags (${HOLDER_IS_LOGGED})`;
  return createFailure('NameConflict', `load balancer ${name} ${whose}`, { details });
}

function refuseMismatch({ object, desired }: Claim, loadBalancer: LoadBalancer): void {
  const { arn, name, scheme, type } = loadBalancer;
  // The name of a balancer to adopt is as fixed as one given in words.
  const fixedName = object.spec.adopt === undefined ? object.spec.name : desired.name;
  const differences = [
    ...(type === 'application' ? [] : [`it is of type ${type}, not application`]),
    ...(scheme === desired.scheme
      ? []
      : [`its scheme is ${scheme}, spec.scheme is ${desired.scheme}`]),
    ...(fixedName === undefined || fixedName === name
      ? []
      : [`its name is ${name}, the spec names ${fixedName}`]),
  ];
  if (differences.length === 0) return;
  throw createFailure(
    'SpecMismatch',
    `load balancer ${arn} cannot be changed to match the spec: ${differences.join(', ')}`,
  );
}
