import type { MyIngress } from '../../apis/my-ingress.ts';
import type {
  LoadBalancer,
  LoadBalancerRef,
  TaggedLoadBalancer,
} from '../../aws/elbv2/load-balancers.ts';
import { ensureAbsent, type Observation } from '../../core/reconcile/external-resource.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { type Waiting, waiting } from '../../core/reconcile/outcome.ts';
import type { Released } from '../../core/reconcile/reconciler.ts';
import { recordDeleted, recordLeftAlone, recordRetained } from './events.ts';
import type { Step } from './graph/planned-step.ts';
import { LOAD_BALANCER_ID } from './graph/resource-id.ts';
import { deriveDefaultName, type Identity } from './identity.ts';
import { desireName, readText } from './load-balancer/desired.ts';
import { isOwnershipTag } from './load-balancer/diff.ts';
import {
  mayBeFresh,
  mayHideCreate,
  measureAbsenceDoubtMs,
  rememberAbsence,
  rememberPresence,
  rememberRelease,
  wasJustReleased,
} from './memory.ts';
import { readOwnership } from './ownership.ts';
import { beginTearDown, type Held, observeHeld } from './record.ts';
import type { ObjectScope } from './scope.ts';
import { explainRefusedRecord, readRecordedArn } from './status.ts';
import { previewTeardown, releaseTraffic, tearDownTraffic } from './traffic/finalize.ts';

type ReleaseObservation = Observation<TaggedLoadBalancer, never>;

/** The result of reading one place. `isProof`: no second read is needed. */
type PlaceRead =
  | { readonly kind: 'ours'; readonly balancer: TaggedLoadBalancer }
  | { readonly kind: 'nothing'; readonly isProof: boolean }
  | { readonly kind: 'foreign'; readonly loadBalancer: LoadBalancer; readonly isProof: boolean }
  /** AWS does not take the ref for that of a balancer. */
  | { readonly kind: 'refused'; readonly arn: string; readonly error: OperatorError };

/** The read that proves a deletion: of a balancer that had this name by its name. */
const PROOF = ['DescribeLoadBalancers'] as const;
const DELETION_PROTECTION = 'deletion_protection.enabled';

/**
 * Deletes the balancer, or releases it under `deletionPolicy: Retain`, and proves by a read that
 * nothing of ours is left. Works from tags and names alone: deletion needs no valid spec.
 */
export async function finalizeLoadBalancer(scope: ObjectScope): Promise<Released | Waiting> {
  const known = isRetained(scope) ? undefined : beginTearDown(scope);
  let held: Held | undefined;
  const outcome = await ensureAbsent<TaggedLoadBalancer, never>(
    {
      observe: (signal) => observe(scope, signal),
      delete: async (ours) => {
        if (isRetained(scope)) return retain(scope, ours);
        held = (await known) ?? (await observeHeld(scope, ours.loadBalancer));
        return deleteOurs(scope, ours);
      },
    },
    scope.pass,
  );
  if (outcome.kind === 'waiting') return outcome;
  scope.targets.withdraw(scope.pass.key);
  const left = await finalizeTraffic(scope, held);
  if (left !== undefined) return left;
  recordReleased(scope);
  return outcome;
}

/** Reads as a deletion does, and plans it. Under `deletionPolicy: Retain` it is a release. */
export async function previewFinalize(
  scope: ObjectScope,
): Promise<Waiting | { readonly kind: 'steps'; readonly steps: readonly Step[] }> {
  const observation = await observe(scope, scope.pass.signal);
  if (observation.kind === 'unconfirmed') return observation.waiting;
  const held = observation.kind === 'present' ? observation.observed : undefined;
  const beside = await previewTeardown(scope, {
    ...(held && { loadBalancer: held.loadBalancer }),
    isRetained: isRetained(scope),
  });
  if (held === undefined) return { kind: 'steps', steps: beside };
  const id = LOAD_BALANCER_ID;
  const own: Step = isRetained(scope)
    ? { id, operation: 'RemoveTags', why: 'deletionPolicy is Retain', needs: [] }
    : { id, operation: 'DeleteLoadBalancer', why: 'the object is being deleted', needs: [] };
  return { kind: 'steps', steps: isRetained(scope) ? [...beside, own] : [own, ...beside] };
}

/** What stood beside the balancer, which is gone or released. */
async function finalizeTraffic(
  scope: ObjectScope,
  held: Held | undefined,
): Promise<Waiting | undefined> {
  if (!isRetained(scope)) return tearDownTraffic(scope, held);
  await releaseTraffic(scope, undefined);
  return undefined;
}

/** Absent here means: nothing of ours. */
async function observe(scope: ObjectScope, signal: AbortSignal): Promise<ReleaseObservation> {
  const readMs = scope.clock.monotonicMs();
  const reads = await observePlaces(scope, signal);
  const ours = reads.find((read) => read.kind === 'ours');
  if (ours !== undefined) return confirmPresence(scope, ours.balancer);
  refuseUnknownRegion(scope, reads);
  const isProved = reads.every((read) => 'isProof' in read && read.isProof);
  return isProved ? concludeAbsence(scope, reads) : doubtAbsence(scope, reads, readMs);
}

/**
 * A status can be forged, so its ARN alone proves nothing: the names are read as well, unless that
 * balancer is ours and is deleted first. One that was read by its ARN is not read by its name again.
 */
async function observePlaces(
  scope: ObjectScope,
  signal: AbortSignal,
): Promise<readonly PlaceRead[]> {
  const [first, ...others] = omitReleased(scope, listPlaces(scope.object, scope.identity)) as [
    LoadBalancerRef,
    ...LoadBalancerRef[],
  ];
  const read = await observePlace(scope, first, signal);
  if (read.kind === 'ours') return [read];
  const known = read.kind === 'foreign' ? read.loadBalancer.name : undefined;
  const rest = others.filter((ref) => 'arn' in ref || ref.name !== known);
  return [read, ...(await Promise.all(rest.map((ref) => observePlace(scope, ref, signal))))];
}

/** No balancer changes its name: where the name of the one that was deleted is free, its ARN is, too. */
function omitReleased(
  { memory }: ObjectScope,
  places: readonly LoadBalancerRef[],
): readonly LoadBalancerRef[] {
  const { release } = memory.facts;
  const isRead = places.some((ref) => 'name' in ref && ref.name === release?.name);
  return places.filter((ref) => !(isRead && 'arn' in ref && ref.arn === release?.arn));
}

async function observePlace(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<PlaceRead> {
  try {
    return await classifyPlace(scope, ref, signal);
  } catch (error) {
    const isRefused = error instanceof OperatorError && error.reason === 'ValidationError';
    if (isRefused && 'arn' in ref) return { kind: 'refused', arn: ref.arn, error };
    throw error;
  }
}

async function classifyPlace(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<PlaceRead> {
  const { aws, identity, object } = scope;
  const arn = 'arn' in ref && !wasReleased(scope, ref.arn) ? ref.arn : undefined;
  const [loadBalancer, tagsByArn] = await Promise.all([
    aws.find(ref, signal),
    arn === undefined ? undefined : aws.tagsOf(arn, signal),
  ]);
  const tags = loadBalancer && (tagsByArn ?? (await aws.tagsOf(loadBalancer.arn, signal)));
  if (loadBalancer === undefined || tags === undefined) {
    return { kind: 'nothing', isProof: isProofOfAbsence(scope, ref) };
  }
  const isOnRecord = readRecordedArn(object) === loadBalancer.arn;
  if (readOwnership(tags, identity, isOnRecord).kind === 'ours') {
    return { kind: 'ours', balancer: { loadBalancer, tags } };
  }
  return { kind: 'foreign', loadBalancer, isProof: wasReleased(scope, loadBalancer.arn) };
}

/**
 * A text that AWS refuses as the ARN of a balancer, such as a mistyped one in `spec.adopt`, names
 * none of ours: a read precedes each adoption. So it does not hold up a deletion.
 * A recorded ARN may have named one, so its refusal is about the region or the account that is asked
 * now, unless ours was observed elsewhere: then the record was forged.
 */
function refuseUnknownRegion({ memory, object }: ObjectScope, reads: readonly PlaceRead[]): void {
  const refused = reads.find((read) => read.kind === 'refused');
  if (refused === undefined || memory.facts.release !== undefined) return;
  const { arn, error } = refused;
  const unknown = arn === readRecordedArn(object) ? explainRefusedRecord(arn, error) : undefined;
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
  if (readRecordedArn(object) === undefined) return false;
  return memory.facts.release?.name === ref.name || !mayHideCreate(memory.facts, nowMs);
}

function wasReleased({ memory }: ObjectScope, arn: string): boolean {
  return memory.facts.release?.arn === arn;
}

/** A balancer just deleted or released is not written to again because of a stale read. */
function confirmPresence(
  { clock, memory }: ObjectScope,
  observed: TaggedLoadBalancer,
): ReleaseObservation {
  memory.facts = rememberPresence(memory.facts);
  if (wasJustReleased(memory.facts, observed.loadBalancer.arn, clock.monotonicMs())) {
    return awaitConfirmation('the deletion was accepted and is not visible yet', 2_000);
  }
  return { kind: 'present', observed, drift: [] };
}

function doubtAbsence(
  scope: ObjectScope,
  reads: readonly PlaceRead[],
  readMs: number,
): ReleaseObservation {
  const { memory } = scope;
  memory.facts = rememberAbsence(memory.facts, readMs);
  const doubtMs = measureAbsenceDoubtMs(memory.facts, readMs);
  if (doubtMs === 0) return concludeAbsence(scope, reads);
  const again = `verifying again in ${Math.ceil(doubtMs / 1000)} s`;
  return awaitConfirmation(`AWS shows no load balancer of ours; ${again}`, doubtMs);
}

function concludeAbsence(scope: ObjectScope, reads: readonly PlaceRead[]): ReleaseObservation {
  for (const read of reads) {
    if (read.kind === 'foreign' && !read.isProof) recordLeftAlone(scope, read.loadBalancer);
  }
  return { kind: 'absent' };
}

function awaitConfirmation(message: string, requeueAfterMs: number): ReleaseObservation {
  return { kind: 'unconfirmed', waiting: waiting('Deleting', message, requeueAfterMs) };
}

/**
 * Protection is switched off only where the spec states it. A balancer that AWS does not delete serves on,
 * and its targets are followed.
 */
async function deleteOurs(scope: ObjectScope, { loadBalancer }: TaggedLoadBalancer): Promise<void> {
  const { aws, clock, memory, object, pass, targets, tokens } = scope;
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
  targets.withdraw(pass.key);
  memory.facts = rememberRelease(memory.facts, loadBalancer, clock.monotonicMs());
}

async function retain(
  scope: ObjectScope,
  { loadBalancer, tags }: TaggedLoadBalancer,
): Promise<void> {
  const { aws, clock, memory, pass, targets, tokens } = scope;
  targets.withdraw(pass.key);
  await releaseTraffic(scope, loadBalancer);
  await tokens.reserve(['RemoveTags', ...PROOF]);
  await aws.removeTags(loadBalancer.arn, Object.keys(tags).filter(isOwnershipTag));
  memory.facts = rememberRelease(memory.facts, loadBalancer, clock.monotonicMs());
}

/** An earlier pass may have sent the call: the memory names the balancer. */
function recordReleased(scope: ObjectScope): void {
  const balancer = scope.memory.facts.release;
  if (balancer === undefined) return;
  if (isRetained(scope)) recordRetained(scope, balancer);
  else recordDeleted(scope, balancer);
}

function isRetained({ object }: ObjectScope): boolean {
  return object.spec?.deletionPolicy === 'Retain';
}

/**
 * Lists where a deletion reads for the balancer of an object; pure. The recorded ARN, and wherever a
 * create may have put a balancer: under the name of the spec, and under the default one where
 * `spec.adopt` may have been added later.
 */
export function listPlaces(object: MyIngress, identity: Identity): readonly LoadBalancerRef[] {
  const adopted = readText(object.spec?.adopt?.arn);
  const arn = readRecordedArn(object) ?? adopted;
  const names = new Set([
    desireName(object.spec, identity),
    ...(adopted === undefined ? [] : [deriveDefaultName(identity)]),
  ]);
  return [...(arn === undefined ? [] : [{ arn }]), ...[...names].map((name) => ({ name }))];
}
