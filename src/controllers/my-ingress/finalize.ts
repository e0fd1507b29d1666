import type { LoadBalancer, TaggedLoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { ensureAbsent, type Observation } from '../../core/reconcile/external-resource.ts';
import { hasReason } from '../../core/reconcile/operator-error.ts';
import { type Waiting, waiting } from '../../core/reconcile/outcome.ts';
import type { Released } from '../../core/reconcile/reconciler.ts';
import { recordDeleted, recordLeftAlone, recordLeftGroups, recordRetained } from './events.ts';
import { explainUse } from './failure.ts';
import type { Step } from './graph/planned-step.ts';
import { LOAD_BALANCER_ID } from './graph/resource-id.ts';
import { observePlaces, type PlaceRead } from './load-balancer/places.ts';
import { isOwnershipTag } from './load-balancer/plan.ts';
import {
  measureAbsenceDoubtMs,
  rememberAbsence,
  rememberPresence,
  rememberRelease,
  wasJustReleased,
} from './memory.ts';
import {
  beginTearDown,
  type Held,
  mayHaveTraffic,
  observeHeld,
  recall,
  recordFound,
} from './record.ts';
import type { ObjectScope } from './scope.ts';
import { explainRefusedRecord, readRecordedArn } from './status.ts';
import {
  type Balancers,
  doubtPresence,
  previewTeardown,
  releaseTraffic,
  tearDownTraffic,
} from './traffic/finalize.ts';
import { listReleased, planListenerRelease, releaseListeners } from './traffic/left-alone.ts';

type ReleaseObservation =
  | Exclude<Observation<TaggedLoadBalancer, never>, Absent>
  | (Absent & {
      /** That are not ours, or not any more, where ours was to be. */
      readonly leftAlone: readonly LoadBalancer[];
    });

interface Absent {
  readonly kind: 'absent';
}

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
  let leftAlone: readonly LoadBalancer[] = [];
  const outcome = await ensureAbsent<TaggedLoadBalancer, never>(
    {
      observe: async (signal) => {
        const observation = await observe(scope, signal);
        if (observation.kind === 'absent') leftAlone = recordLeft(scope, observation);
        const isShown = observation.kind !== 'present' || !isRetained(scope);
        return isShown ? observation : (doubtPresence(scope) ?? observation);
      },
      delete: async (ours) => {
        if (isRetained(scope)) return retain(scope, ours);
        held = (await known) ?? (await observeHeld(scope, ours.loadBalancer));
        await recordFound(scope);
        const released = held ? await listReleased(scope, ours.loadBalancer, held) : [];
        await deleteOurs(scope, ours);
        recordLeftGroups(scope, released);
      },
    },
    scope.pass,
  );
  if (outcome.kind === 'waiting') return outcome;
  scope.targets.withdraw(scope.pass.key);
  const left = await finalizeTraffic(recall(scope), { held, leftAlone });
  if (left !== undefined) return left;
  await releaseListeners(scope, leftAlone);
  recordReleased(scope);
  return outcome;
}

/** Reads as a deletion does, and plans it. Under `deletionPolicy: Retain` it is a release. */
export async function previewFinalize(
  scope: ObjectScope,
): Promise<Waiting | { readonly kind: 'steps'; readonly steps: readonly Step[] }> {
  const observation = await observe(scope, scope.pass.signal);
  if (observation.kind === 'unconfirmed') return observation.waiting;
  const ours = observation.kind === 'present' ? observation.observed : undefined;
  const isKnown = readRecordedArn(scope.object) !== undefined;
  const held = ours && !isKnown ? await observeHeld(scope, ours.loadBalancer) : undefined;
  const beside = await previewTeardown(recall(scope), {
    ...{ loadBalancer: ours?.loadBalancer, held, isRetained: isRetained(scope) },
  });
  const leftAlone = observation.kind === 'absent' ? observation.leftAlone : [];
  const listeners = await planListenerRelease(scope, leftAlone);
  if (ours === undefined) return { kind: 'steps', steps: [...beside, ...listeners] };
  const id = LOAD_BALANCER_ID;
  const own: Step = isRetained(scope)
    ? { id, operation: 'RemoveTags', why: 'deletionPolicy is Retain', needs: [] }
    : { id, operation: 'DeleteLoadBalancer', why: 'the object is being deleted', needs: [] };
  return { kind: 'steps', steps: isRetained(scope) ? [...beside, own] : [own, ...beside] };
}

/** The resources beside a balancer that is gone or released. */
async function finalizeTraffic(
  scope: ObjectScope,
  balancers: Balancers,
): Promise<Waiting | undefined> {
  if (!isRetained(scope)) return tearDownTraffic(scope, balancers);
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
  return isProved ? concludeAbsence(reads) : doubtAbsence(scope, reads, readMs);
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
  if (doubtMs === 0) return concludeAbsence(reads);
  const again = `verifying again in ${Math.ceil(doubtMs / 1000)} s`;
  return awaitConfirmation(`AWS shows no load balancer of ours; ${again}`, doubtMs);
}

function concludeAbsence(reads: readonly PlaceRead[]): ReleaseObservation {
  const leftAlone = reads.flatMap((read) => {
    return read.kind === 'foreign' && !read.isProof ? [read.loadBalancer] : [];
  });
  return { kind: 'absent', leftAlone };
}

function recordLeft(
  scope: ObjectScope,
  { leftAlone }: Extract<ReleaseObservation, Absent>,
): readonly LoadBalancer[] {
  for (const one of leftAlone) {
    if (isFirstEnd(scope, 'left', one)) recordLeftAlone(scope, one);
  }
  return leftAlone;
}

function awaitConfirmation(message: string, requeueAfterMs: number): ReleaseObservation {
  return { kind: 'unconfirmed', waiting: waiting('Deleting', message, requeueAfterMs) };
}

/** A balancer that AWS does not delete serves on, and its targets are followed. */
async function deleteOurs(scope: ObjectScope, { loadBalancer }: TaggedLoadBalancer): Promise<void> {
  const { clock, memory, pass, targets, tokens } = scope;
  await tokens.reserve(['DeleteLoadBalancer', ...PROOF]);
  await deleteUnprotected(scope, loadBalancer.arn).catch((error) => {
    throw explainUse(error);
  });
  targets.withdraw(pass.key);
  const atMs = clock.monotonicMs();
  memory.facts = rememberRelease(memory.facts, loadBalancer, { how: 'deleted', atMs });
}

/** Protection is switched off only where the spec states it. */
async function deleteUnprotected({ aws, object }: ObjectScope, arn: string): Promise<void> {
  try {
    await aws.delete(arn);
  } catch (error) {
    const isProtected = hasReason(error, 'DeletionBlocked');
    if (!isProtected || object.spec?.attributes?.[DELETION_PROTECTION] !== 'false') throw error;
    await aws.setAttributes(arn, { [DELETION_PROTECTION]: 'false' });
    await aws.delete(arn);
  }
}

async function retain(
  scope: ObjectScope,
  { loadBalancer, tags }: TaggedLoadBalancer,
): Promise<void> {
  const { aws, clock, memory, pass, targets, tokens } = scope;
  targets.withdraw(pass.key);
  if (!mayHaveTraffic(scope) || readRecordedArn(scope.object) === undefined) {
    await observeHeld(scope, loadBalancer);
    await recordFound(scope);
  }
  await releaseTraffic(recall(scope), loadBalancer);
  await tokens.reserve(['RemoveTags', ...PROOF]);
  await aws.removeTags(loadBalancer.arn, Object.keys(tags).filter(isOwnershipTag));
  const atMs = clock.monotonicMs();
  memory.facts = rememberRelease(memory.facts, loadBalancer, { how: 'retained', atMs });
}

/** An earlier pass may have sent the call, by another spec: the memory names the balancer, and what became of it. */
function recordReleased(scope: ObjectScope): void {
  const balancer = scope.memory.facts.release;
  if (balancer === undefined || !isFirstEnd(scope, balancer.how, balancer)) return;
  if (balancer.how === 'retained') recordRetained(scope, balancer);
  else recordDeleted(scope, balancer);
}

/** A deletion is tried again while others hold something of it, or its finalizer cannot be removed. */
function isFirstEnd(
  { memory }: ObjectScope,
  how: string,
  { arn }: Pick<LoadBalancer, 'arn'>,
): boolean {
  const { ends = [] } = memory;
  const end = `${how} ${arn}`;
  if (ends.includes(end)) return false;
  memory.ends = [...ends, end];
  return true;
}

function isRetained({ object }: ObjectScope): boolean {
  return object.spec?.deletionPolicy === 'Retain';
}
