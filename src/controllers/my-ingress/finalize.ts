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
import { isOwnershipTag } from './drift.ts';
import {
  absenceDoubtMs,
  mayBeFresh,
  mayHideCreate,
  recordAbsence,
  recordPresence,
  recordRelease,
  wasJustReleased,
} from './facts.ts';
import { ownershipOf } from './ownership.ts';
import { placesOf } from './places.ts';
import { recordedArn, refusedRecord } from './record.ts';
import type { ObjectScope } from './scope.ts';

type Seen = Observation<TaggedLoadBalancer, never>;

/** What a read of one place has shown. `isProof`: no second read is needed. */
type Find =
  | { readonly kind: 'ours'; readonly balancer: TaggedLoadBalancer }
  | { readonly kind: 'nothing'; readonly isProof: boolean }
  | { readonly kind: 'foreign'; readonly loadBalancer: LoadBalancer; readonly isProof: boolean }
  /** AWS does not take the ref for that of a balancer. */
  | { readonly kind: 'refused'; readonly arn: string; readonly error: OperatorError };

/** What is read behind a deletion: the balancer by its ARN, and by its name. */
const PROOF = ['DescribeLoadBalancers', 'DescribeLoadBalancers'] as const;
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
  const readMs = scope.clock.monotonicMs();
  const finds = await observePlaces(scope, signal);
  const ours = finds.find((find) => find.kind === 'ours');
  if (ours !== undefined) return present(scope, ours.balancer);
  refuseUnknownRegion(scope, finds);
  const isProved = finds.every((find) => 'isProof' in find && find.isProof);
  return isProved ? absent(scope, finds) : doubt(scope, finds, readMs);
}

/**
 * A status can be forged, so its ARN alone proves nothing: the names are read as well, unless that
 * balancer is ours and goes first. One that was read by its ARN is not read by its name again.
 */
async function observePlaces(scope: ObjectScope, signal: AbortSignal): Promise<readonly Find[]> {
  const [first, ...others] = placesOf(scope.object, scope.identity) as [
    LoadBalancerRef,
    ...LoadBalancerRef[],
  ];
  const find = await observeAt(scope, first, signal);
  if (find.kind === 'ours') return [find];
  const known = find.kind === 'foreign' ? find.loadBalancer.name : undefined;
  const rest = others.filter((ref) => 'arn' in ref || ref.name !== known);
  return [find, ...(await Promise.all(rest.map((ref) => observeAt(scope, ref, signal))))];
}

async function observeAt(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<Find> {
  try {
    return await judgeAt(scope, ref, signal);
  } catch (error) {
    const isRefused = error instanceof OperatorError && error.reason === 'ValidationError';
    if (isRefused && 'arn' in ref) return { kind: 'refused', arn: ref.arn, error };
    throw error;
  }
}

async function judgeAt(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<Find> {
  const { aws, identity, object } = scope;
  const loadBalancer = await aws.find(ref, signal);
  const tags = loadBalancer && (await aws.tagsOf(loadBalancer.arn, signal));
  if (loadBalancer === undefined || tags === undefined) {
    return { kind: 'nothing', isProof: isProofOfAbsence(scope, ref) };
  }
  const isOnRecord = recordedArn(object) === loadBalancer.arn;
  if (ownershipOf(tags, identity, isOnRecord).kind === 'ours') {
    return { kind: 'ours', balancer: { loadBalancer, tags } };
  }
  return { kind: 'foreign', loadBalancer, isProof: wasReleased(scope, loadBalancer.arn) };
}

/**
 * What AWS does not take for the ARN of a balancer, such as a mistyped one in `spec.adopt`, names
 * none of ours: it would have been found before it was adopted. So it does not hold up a deletion.
 * A recorded ARN may have named one, so its refusal is about the region or the account that is asked
 * now, unless ours was found elsewhere: then the record was forged.
 */
function refuseUnknownRegion({ memory, object }: ObjectScope, finds: readonly Find[]): void {
  const refused = finds.find((find) => find.kind === 'refused');
  if (refused === undefined || memory.facts.release !== undefined) return;
  const { arn, error } = refused;
  const unknown = arn === recordedArn(object) ? refusedRecord(arn, error) : undefined;
  if (unknown !== undefined) throw unknown;
}

/**
 * NotFound by ARN is proof, unless the balancer may have been created a moment ago and we have not
 * deleted it since. By name it is only where an ARN is on record: otherwise a create whose answer was
 * lost may become visible yet, so two reads must agree.
 */
function isProofOfAbsence(scope: ObjectScope, ref: LoadBalancerRef): boolean {
  const { clock, memory, object } = scope;
  const nowMs = clock.monotonicMs();
  if ('arn' in ref) {
    return wasReleased(scope, ref.arn) || !mayBeFresh(memory.facts, ref.arn, nowMs);
  }
  if (recordedArn(object) === undefined) return false;
  return memory.facts.release?.name === ref.name || !mayHideCreate(memory.facts, nowMs);
}

function wasReleased({ memory }: ObjectScope, arn: string): boolean {
  return memory.facts.release?.arn === arn;
}

/** What we have just deleted or let go of is not written to again on the word of an old answer. */
function present({ clock, memory }: ObjectScope, observed: TaggedLoadBalancer): Seen {
  memory.facts = recordPresence(memory.facts);
  if (wasJustReleased(memory.facts, observed.loadBalancer.arn, clock.monotonicMs())) {
    return unconfirmed('the deletion was accepted and is not visible yet', 2_000);
  }
  return { kind: 'present', observed, drift: [] };
}

function doubt(scope: ObjectScope, finds: readonly Find[], readMs: number): Seen {
  const { memory } = scope;
  memory.facts = recordAbsence(memory.facts, readMs);
  const doubtMs = absenceDoubtMs(memory.facts, readMs);
  if (doubtMs === 0) return absent(scope, finds);
  const again = `a second read in ${Math.ceil(doubtMs / 1000)} s makes sure`;
  return unconfirmed(`AWS shows no load balancer of ours; ${again}`, doubtMs);
}

function absent(scope: ObjectScope, finds: readonly Find[]): Seen {
  for (const find of finds) {
    if (find.kind === 'foreign' && !find.isProof) tellLeftAlone(scope, find.loadBalancer);
  }
  return { kind: 'absent' };
}

function unconfirmed(message: string, againAfterMs: number): Seen {
  return { kind: 'unconfirmed', waiting: waiting('Deleting', message, againAfterMs) };
}

/** Protection is switched off only where the spec says so in words. */
async function deleteOurs(scope: ObjectScope, { loadBalancer }: TaggedLoadBalancer): Promise<void> {
  const { aws, clock, memory, object, tokens } = scope;
  const { arn } = loadBalancer;
  await tokens.reserve(['DeleteLoadBalancer', ...PROOF]);
  try {
    await aws.delete(arn);
  } catch (error) {
    const isBlocked = error instanceof OperatorError && error.reason === 'DeletionBlocked';
    if (!isBlocked || object.spec?.attributes?.[DELETION_PROTECTION] !== 'false') throw error;
    await aws.setAttributes(arn, { [DELETION_PROTECTION]: 'false' });
    await aws.delete(arn);
  }
  memory.facts = recordRelease(memory.facts, loadBalancer, clock.monotonicMs());
}

async function retain(
  { aws, clock, memory, tokens }: ObjectScope,
  { loadBalancer, tags }: TaggedLoadBalancer,
): Promise<void> {
  await tokens.reserve(['RemoveTags', ...PROOF]);
  await aws.removeTags(loadBalancer.arn, Object.keys(tags).filter(isOwnershipTag));
  memory.facts = recordRelease(memory.facts, loadBalancer, clock.monotonicMs());
}

/** The call may lie a pass back: the memory says which balancer it was. */
function tellReleased(scope: ObjectScope): void {
  const balancer = scope.memory.facts.release;
  if (balancer === undefined) return;
  if (isRetained(scope)) tellRetained(scope, balancer);
  else tellDeleted(scope, balancer);
}

function isRetained({ object }: ObjectScope): boolean {
  return object.spec?.deletionPolicy === 'Retain';
}
