import type { LoadBalancer, Tags } from '../../aws/load-balancers.ts';
import type { OperatorError } from '../../core/operator-error.ts';
import { failure } from './failure.ts';
import { canAdopt, consentFor, holderOf, type Ownership, ownershipOf } from './ownership.ts';
import { recordedArn } from './record.ts';
import type { Scope } from './scope.ts';

type Claim = Pick<Scope, 'identity' | 'object' | 'desired'>;

/**
 * May this object write to the balancer? Pure.
 *
 * @returns `ours`, `adoptable` (not ours yet, its owner consents), or `foreign`
 * @throws OperatorError SpecMismatch for a balancer that is ours, or would be, and can never match
 */
export function judge(
  claim: Claim,
  loadBalancer: LoadBalancer,
  tags: Tags,
): Ownership | { readonly kind: 'adoptable' } {
  const isOnRecord = recordedArn(claim.object) === loadBalancer.arn;
  const ownership = ownershipOf(tags, claim.identity, isOnRecord);
  const isAdoptable =
    loadBalancer.arn === claim.object.spec.adopt?.arn && canAdopt(tags, claim.identity);
  if (ownership.kind === 'foreign' && !isAdoptable) return ownership;
  refuseMismatch(claim, loadBalancer);
  return ownership.kind === 'ours' ? ownership : { kind: 'adoptable' };
}

const HOLDER_IS_LOGGED = "the operator's log names its holder";

/** The error for a balancer that is somebody else's; whose it is, its log line alone names. */
export function conflictOf(claim: Claim, { arn, name }: LoadBalancer, tags: Tags): OperatorError {
  const details = { arn, holder: holderOf(tags) };
  const { identity, object } = claim;
  if (arn === object.spec.adopt?.arn) {
    const consent = `albridge.io/cluster=<id of this cluster> and albridge.io/adopt=${consentFor(identity)}`;
    const seen = `load balancer ${arn} lacks the tags ${consent}, is held by another object, or was released and still has albridge.io/uid (${HOLDER_IS_LOGGED})`;
    return failure('AdoptionRefused', seen, { details });
  }
  const lacksOnlyUid = ownershipOf(tags, identity, true).kind === 'ours';
  const whose = lacksOnlyUid
    ? `(${arn}) has the ownership tags of this object but no tag albridge.io/uid, so albridge did not create it`
    : `is held by another object, or has lost its ownership tags (${HOLDER_IS_LOGGED})`;
  return failure('NameConflict', `load balancer ${name} ${whose}`, { details });
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
  throw failure(
    'SpecMismatch',
    `load balancer ${arn} cannot become what the spec wants: ${differences.join(', ')}`,
  );
}
