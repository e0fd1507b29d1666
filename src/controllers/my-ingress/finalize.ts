import type {
  LoadBalancer,
  LoadBalancerRef,
  TaggedLoadBalancer,
} from '../../aws/load-balancers.ts';
import { ensureAbsent, type Observation } from '../../core/external-resource.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Waiting, waiting } from '../../core/outcome.ts';
import type { Released } from '../../core/reconciler.ts';
import { tellDeleted, tellLeftAlone, tellRetained } from './announcements.ts';
import { textOf, wantedName } from './desired.ts';
import { isOwnershipTag } from './drift.ts';
import { defaultName } from './identity.ts';
import { ownershipOf } from './ownership.ts';
import { recordedArn } from './record.ts';
import type { ObjectScope } from './scope.ts';

type Seen = Observation<TaggedLoadBalancer, never>;

/** What one place where a balancer of ours may be has shown. `isProof`: looking again is no use. */
type Find =
  | { readonly kind: 'ours'; readonly balancer: TaggedLoadBalancer }
  | { readonly kind: 'nothing'; readonly isProof: boolean }
  | { readonly kind: 'foreign'; readonly loadBalancer: LoadBalancer; readonly isProof: boolean };

const DELETION_PROTECTION = 'deletion_protection.enabled';

/**
 * Deletes the balancer, or lets go of it under `deletionPolicy: Retain`, and proves by a read that
 * nothing of ours is left. Works from tags and names alone: deletion needs no valid spec.
 */
export async function finalizeLoadBalancer(scope: ObjectScope): Promise<Released | Waiting> {
  const outcome = await ensureAbsent<TaggedLoadBalancer, never>(
    {
      observe: (signal) => observe(scope, signal),
      delete: (seen) => (isRetained(scope) ? retain(scope, seen) : deleteOurs(scope, seen)),
    },
    scope.pass,
  );
  if (outcome.kind === 'released') tellReleased(scope);
  return outcome;
}

/** Absent here means: nothing of ours. */
async function observe(scope: ObjectScope, signal: AbortSignal): Promise<Seen> {
  const finds = await Promise.all(placesOf(scope).map((ref) => lookAt(scope, ref, signal)));
  const ours = finds.find((find) => find.kind === 'ours');
  if (ours !== undefined) return present(scope, ours.balancer);
  const isProved = finds.every((find) => find.kind !== 'ours' && find.isProof);
  const doubtMs = isProved ? 0 : scope.memory.doubtAbsenceMs();
  if (doubtMs > 0) {
    const again = `a second look in ${Math.ceil(doubtMs / 1000)} s makes sure`;
    return unconfirmed(`AWS shows no load balancer of ours; ${again}`, doubtMs);
  }
  for (const find of finds) {
    if (find.kind === 'foreign' && !find.isProof) tellLeftAlone(scope, find.loadBalancer);
  }
  return { kind: 'absent' };
}

/**
 * The recorded ARN; without one wherever a create may have put a balancer whose answer was lost,
 * which is another place than the one to adopt where `spec.adopt` came later.
 */
function placesOf({ object, identity }: ObjectScope): readonly LoadBalancerRef[] {
  const recorded = recordedArn(object);
  if (recorded !== undefined) return [{ arn: recorded }];
  const arn = textOf(object.spec?.adopt?.arn);
  const names = new Set([wantedName(object.spec, identity), defaultName(identity)]);
  const named = [...names].map((name) => ({ name }));
  if (arn !== undefined) return [{ arn }, ...named];
  return named.slice(0, 1);
}

async function lookAt(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<Find> {
  const { aws, identity, memory } = scope;
  const loadBalancer = await findOrRefused(scope, ref, signal);
  const tags = loadBalancer && (await aws.tagsOf(loadBalancer.arn, signal));
  if (loadBalancer === undefined || tags === undefined) {
    return { kind: 'nothing', isProof: isProofOfAbsence(memory, ref) };
  }
  if (ownershipOf(tags, identity).kind === 'ours') {
    return { kind: 'ours', balancer: { loadBalancer, tags } };
  }
  return { kind: 'foreign', loadBalancer, isProof: isReleased(memory, loadBalancer.arn) };
}

/**
 * What AWS does not take for the ARN of a balancer, such as a mistyped one in `spec.adopt`, names
 * none of ours: it would have been found before it was adopted. So it does not hold up a deletion.
 * A recorded ARN named one, so its refusal speaks of the region or the account that is asked now.
 */
async function findOrRefused(
  { aws, object }: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<LoadBalancer | undefined> {
  try {
    return await aws.find(ref, signal);
  } catch (error) {
    const isRefused = error instanceof OperatorError && error.reason === 'ValidationError';
    if (isRefused && 'arn' in ref && ref.arn !== recordedArn(object)) return undefined;
    throw error;
  }
}

/**
 * NotFound by ARN is proof, unless the balancer may have been created a moment ago and we have not
 * deleted it since. By name it is not: a create whose answer was lost may become visible yet, so two
 * looks must agree.
 */
function isProofOfAbsence(memory: ObjectScope['memory'], ref: LoadBalancerRef): boolean {
  return 'arn' in ref && (isReleased(memory, ref.arn) || !memory.mayBeFresh(ref.arn));
}

function isReleased(memory: ObjectScope['memory'], arn: string): boolean {
  return memory.released()?.arn === arn;
}

/** What we have just deleted or let go of is not written to again on the word of an old answer. */
function present({ memory }: ObjectScope, observed: TaggedLoadBalancer): Seen {
  memory.wasSeen();
  if (memory.hasJustReleased(observed.loadBalancer.arn)) {
    return unconfirmed('the deletion was accepted and is not visible yet', 2_000);
  }
  return { kind: 'present', observed, drift: [] };
}

function unconfirmed(message: string, againAfterMs: number): Seen {
  return { kind: 'unconfirmed', waiting: waiting('Deleting', message, againAfterMs) };
}

/** Protection is switched off only where the spec says so in words. */
async function deleteOurs(scope: ObjectScope, { loadBalancer }: TaggedLoadBalancer): Promise<void> {
  const { aws, memory, object } = scope;
  const { arn } = loadBalancer;
  try {
    await aws.delete(arn);
  } catch (error) {
    const isBlocked = error instanceof OperatorError && error.reason === 'DeletionBlocked';
    if (!isBlocked || object.spec?.attributes?.[DELETION_PROTECTION] !== 'false') throw error;
    await aws.setAttributes(arn, { [DELETION_PROTECTION]: 'false' });
    await aws.delete(arn);
  }
  memory.hasReleased(loadBalancer);
}

async function retain(
  { aws, memory }: ObjectScope,
  { loadBalancer, tags }: TaggedLoadBalancer,
): Promise<void> {
  await aws.removeTags(loadBalancer.arn, Object.keys(tags).filter(isOwnershipTag));
  memory.hasReleased(loadBalancer);
}

/** The call may lie a pass back: the memory says which balancer it was. */
function tellReleased(scope: ObjectScope): void {
  const balancer = scope.memory.released();
  if (balancer === undefined) return;
  if (isRetained(scope)) tellRetained(scope, balancer);
  else tellDeleted(scope, balancer);
}

function isRetained({ object }: ObjectScope): boolean {
  return object.spec?.deletionPolicy === 'Retain';
}
