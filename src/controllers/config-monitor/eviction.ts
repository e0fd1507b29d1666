import type { Rollout } from '../../apis/config-monitor.ts';
import { OperatorError, rewordError } from '../../core/reconcile/operator-error.ts';
import type { Eviction } from '../../pods/pod-ports.ts';
import { isPassing, type Refusal } from './memory.ts';
import { announceEviction, warnOfUnmanaged } from './reports/announce.ts';
import { count, type Scope, throwIfOutdated } from './scope.ts';
import {
  type ByTemplate,
  isIdle,
  isStuck,
  parseOrdinal,
  restartWorkloads,
  throwAsOfOne,
} from './template-restart.ts';
import type { TrimmedPod } from './transforms.ts';
import {
  countUnavailable,
  isOrdered,
  type Owner,
  observeGroups,
  partition,
  type WorkloadReader,
} from './workload-groups.ts';

/** Restarts what may be restarted now; gives what was refused, one for each owner. */
export async function restartPods(
  rollout: Rollout,
  workloads: WorkloadReader,
  scope: Scope,
): Promise<readonly Refusal[]> {
  const { byTemplate, refusals } = await restartWorkloads(rollout, workloads, scope);
  forgetRolled(rollout, byTemplate, scope);
  // From the count of the pods to counting them as gone nothing else may come between.
  const planned = planBatches(rollout, byTemplate, scope);
  const batches = planned.filter(({ pods }) => pods.length > 0);
  const unsent = new Set(batches.flatMap(({ pods }) => pods));
  for (const pod of unsent) scope.pods.markEvicted(pod);
  try {
    return [...refusals, ...(await evictBatches(batches, unsent, scope))];
  } finally {
    for (const pod of unsent) scope.pods.keep(pod);
  }
}

/** A pod that is no longer stuck is replaced by the template, and not requested again. */
function forgetRolled(rollout: Rollout, byTemplate: ByTemplate['byTemplate'], scope: Scope): void {
  const rolled = observeGroups(rollout, scope)
    .filter(({ name }) => byTemplate.get(name) === true)
    .flatMap(({ pending }) => pending.filter((pod) => !isStuck(pod)));
  for (const { metadata } of rolled) scope.refusals.forgetPod(scope.pass.key, metadata.uid);
}

function planBatches(
  rollout: Rollout,
  byTemplate: ByTemplate['byTemplate'],
  scope: Scope,
): readonly Batch[] {
  const owners = observeGroups(rollout, scope);
  const isOwnTurn = isTurnOfOwnPod(owners, scope);
  const mayBeStuck = isIdle(rollout, scope);
  return owners.map((owner) => {
    const isRolling = byTemplate.get(owner.name);
    const isHeld = awaitsOthers(owner, scope);
    const isNext = (pod: TrimmedPod): boolean => isOwnTurn || !isOwnPod(pod, scope);
    const mayGo = (pod: TrimmedPod): boolean => {
      const isEvicted = isRolling === undefined || (isRolling && mayBeStuck && isStuck(pod));
      return isEvicted && !isHeld && isNext(pod);
    };
    return planBatch(owner, { maxUnavailable: scope.spec.maxUnavailable, isNext, mayGo });
  });
}

/** A failed eviction that took longer may do so again, and the count of the others is old by then. */
const PROMPT_MS = 1_000;

/** Until one fails slowly for a reason that time heals. What is not tried in this pass is so first in the next. */
async function evictBatches(
  batches: readonly Batch[],
  unsent: Set<TrimmedPod>,
  scope: Scope,
): Promise<readonly Refusal[]> {
  const { evictions } = scope.progress;
  const { key } = scope.pass;
  const refused = new Map<Batch, Refusal>();
  for (const batch of evictions.sort(key, batches)) {
    const sinceMs = scope.clock.monotonicMs();
    const refusals = await evictBatch(batch, unsent, scope);
    const failure = refusals.find(isPassing);
    evictions.note(key, batch.name, failure?.kind === 'failed' ? failure.error : undefined);
    if (refusals[0] !== undefined) refused.set(batch, refusals[0]);
    if (failure !== undefined && scope.clock.monotonicMs() - sinceMs > PROMPT_MS) break;
  }
  return batches.flatMap((batch) => refused.get(batch) ?? evictions.list(key, [batch]));
}

interface Limits {
  readonly maxUnavailable: number | string;
  /** False for the pod of this process, before all others are restarted. */
  readonly isNext: (pod: TrimmedPod) => boolean;
  /** False also for one that its template replaces: it goes by itself. */
  readonly mayGo: (pod: TrimmedPod) => boolean;
}

/**
 * Whether another object is sending a pod of this StatefulSet away: of two requests on their way together the one for the
 * lower ordinal might take effect first.
 */
function awaitsOthers({ name }: Owner, { object, pods }: Scope): boolean {
  if (name === undefined || !isOrdered(name)) return false;
  const there = pods.listByOwner(object.metadata.namespace, name, 'kept');
  return there.some(({ metadata }) => pods.isUndecided(metadata.uid));
}

/** With the pod that this process runs in the rollout moves to another process, so it is restarted last. */
function isTurnOfOwnPod(owners: readonly Owner[], scope: Scope): boolean {
  const others = owners.flatMap(({ pending }) => pending).filter((pod) => !isOwnPod(pod, scope));
  return others.length === 0 && owners.every((owner) => countUnavailable(owner) === 0);
}

function isOwnPod({ metadata }: TrimmedPod, { ownPod }: Scope): boolean {
  return metadata.name === ownPod;
}

/** The default of the CRD. */
const DEFAULT_MAX_UNAVAILABLE = '25%';

/** Pods of one owner. */
interface Batch {
  /** Of the owner, or of a pod that has none. */
  readonly name: string;
  /** May be restarted now. */
  readonly pods: readonly TrimmedPod[];
  /** Each of them may take the place of one that is refused, and serves: one that is unavailable stays so. */
  readonly spares: readonly TrimmedPod[];
  readonly unavailable: readonly TrimmedPod[];
}

/**
 * Pods that are not ready go first, since they serve nobody; of the ready ones as many go as may
 * still become unavailable, those first that count as unavailable already. A StatefulSet restarts as it
 * rolls by itself: from its highest ordinal down, one after the other
 * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates). Of those that are not ready
 * the lowest goes first: until it is ready no other one is started again
 * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees).
 */
function planBatch(owner: Owner, { maxUnavailable, isNext, mayGo }: Limits): Batch {
  const { name, pending, unavailable } = owner;
  const of = { name: name ?? String(pending[0]?.metadata.name), unavailable };
  if (name === undefined) return { ...of, pods: pending.filter(mayGo), spares: [] };
  const isInOrder = isOrdered(name);
  const [unreadyAll, readyAll] = sortPending(owner, isInOrder);
  const unready = unreadyAll.filter(mayGo);
  const ready = readyAll.filter(mayGo);
  const budget = computeBudget(owner, maxUnavailable, isInOrder);
  const others = countUnavailable(owner) - countLeading(readyAll.filter(isNext), unavailable);
  const room = Math.max(0, budget - others);
  const pods = [...unready, ...ready.slice(0, room)];
  if (!isInOrder) return { ...of, pods, spares: ready.slice(room) };
  const roomInAll = budget - (others - unready.length);
  const roomForLowest = Math.min(1, roomInAll + countMissingAbove(unready[0], owner));
  const most = Math.max(0, roomInAll, roomForLowest);
  return { ...of, pods: pods.slice(0, most), spares: [] };
}

/** Pods of a StatefulSet that are missing above this one, and are not made before it is ready. */
function countMissingAbove(
  lowest: TrimmedPod | undefined,
  { available, firstOrdinal, size, unavailable }: Owner,
): number {
  if (lowest === undefined) return 0;
  const ordinal = parseOrdinal(lowest);
  const above = [...available, ...unavailable].filter((pod) => parseOrdinal(pod) > ordinal);
  return Math.max(0, firstOrdinal + size - 1 - ordinal - above.length);
}

/** Those that are not ready, and those that are, each in the order in which they go. */
function sortPending(
  { pending, unavailable }: Owner,
  isInOrder: boolean,
): readonly [readonly TrimmedPod[], readonly TrimmedPod[]] {
  const isUnready = ({ state }: TrimmedPod): boolean => state !== 'ready';
  if (isInOrder) {
    const [unready, ready] = partition(pending.toSorted(compareOrdinals), isUnready);
    return [unready.toReversed(), ready];
  }
  const [unready, ready] = partition(pending, isUnready);
  const counted = new Set(unavailable);
  return [unready, partition(ready, (pod) => counted.has(pod)).flat()];
}

/** How many at the head of the line are among these. */
function countLeading(line: readonly TrimmedPod[], among: readonly TrimmedPod[]): number {
  const pods = new Set(among);
  const end = line.findIndex((pod) => !pods.has(pod));
  return end === -1 ? line.length : end;
}

/** `25%` of 8 is 2, of 1 is 1: rounded up, at least 1. */
function computeBudget(owner: Owner, maxUnavailable: number | string, isInOrder: boolean): number {
  if (isInOrder && maxUnavailable === DEFAULT_MAX_UNAVAILABLE) return 1;
  const size = Math.max(owner.size, owner.available.length + owner.unavailable.length);
  const text = String(maxUnavailable);
  const number = Number.parseInt(text, 10);
  return Math.max(1, text.endsWith('%') ? Math.ceil((size * number) / 100) : number);
}

/** `db-10` before `db-9`. */
function compareOrdinals(one: TrimmedPod, other: TrimmedPod): number {
  return parseOrdinal(other) - parseOrdinal(one);
}

/** Of one owner in one pass: a right that is missing refuses all of its pods. */
const MOST_REFUSED = 5;

/**
 * Sends the pods of one owner away, up to the first one that a budget holds or that fails for a reason
 * that time heals. One that a person must see to gives its place to another.
 */
async function evictBatch(
  batch: Batch,
  unsent: Set<TrimmedPod>,
  scope: Scope,
): Promise<readonly Refusal[]> {
  const queue = [...batch.pods];
  const spares = [...batch.spares];
  const refusals: Refusal[] = [];
  for (const pod of queue) {
    throwIfOutdated(scope);
    if (isReadyByNow(pod, scope)) continue;
    const refusal = await evictPod(pod, unsent, scope);
    if (refusal === undefined) continue;
    recordRefusal(pod, refusal, { batch, scope, isFirst: refusals.length === 0 });
    refusals.push(refusal);
    if (!needsAction(refusal) || refusals.length === MOST_REFUSED) break;
    scope.pods.keep(pod);
    unsent.delete(pod);
    const isSpared = pod.state === 'ready' && !batch.unavailable.includes(pod);
    const next = isSpared ? takeSpare(spares, scope) : undefined;
    if (next === undefined) continue;
    scope.pods.markEvicted(next);
    unsent.add(next);
    queue.push(next);
  }
  return refusals;
}

/** It has begun to serve while the others were sent away: the next pass counts it. */
function isReadyByNow({ metadata, state }: TrimmedPod, { pods }: Scope): boolean {
  return state !== 'ready' && pods.getByUid(metadata.uid, 'kept')?.state === 'ready';
}

function recordRefusal(
  pod: TrimmedPod,
  refusal: Refusal,
  {
    batch,
    scope,
    isFirst,
  }: { readonly batch: Batch; readonly scope: Scope; readonly isFirst: boolean },
): void {
  const { pass, refusals } = scope;
  const uids = [...batch.pods, ...batch.spares].map(({ metadata }) => metadata.uid);
  if (isFirst && !isPassing(refusal)) refusals.forgetOthers(pass.key, uids, refusal);
  refusals.record(pass.key, pod.metadata.uid, refusal);
}

function needsAction(refusal: Refusal): boolean {
  return refusal.kind === 'failed' && refusal.error.healedBy === 'person';
}

/** Some of them may have gone, or be unready, by now. */
function takeSpare(spares: TrimmedPod[], { pods }: Scope): TrimmedPod | undefined {
  for (let spare = spares.shift(); spare !== undefined; spare = spares.shift()) {
    const pod = pods.getByUid(spare.metadata.uid);
    if (pod?.state === 'ready') return pod;
  }
  return undefined;
}

async function evictPod(
  pod: TrimmedPod,
  unsent: Set<TrimmedPod>,
  scope: Scope,
): Promise<Refusal | undefined> {
  warnOfUnmanaged(pod, scope);
  try {
    const answer = await evictOrDelete(pod, scope).catch(throwAsOfOne);
    if (answer.kind === 'changed') return undefined;
    if (answer.kind !== 'evicted') {
      count({ blocked: 1 }, scope);
      return { ...answer, pod: pod.metadata.name };
    }
  } catch (error) {
    const failure = rewordError(error, (why) => `Could not delete ${pod.metadata.name}: ${why}`);
    if (failure instanceof OperatorError) return { kind: 'failed', error: failure };
    throw failure;
  }
  unsent.delete(pod);
  scope.pods.confirm(pod);
  scope.refusals.forget(scope.pass.key);
  count({ restarted: 1 }, scope);
  announceEviction(pod, scope);
  return undefined;
}

/** One that is not ready goes beyond the limit: only as long as no newer state of it may say otherwise. */
function evictOrDelete(pod: TrimmedPod, { evictor, spec }: Scope): Promise<Eviction> {
  const guard = pod.state === 'ready' ? 'same' : 'unchanged';
  return spec.strategy === 'Delete' ? evictor.delete(pod, guard) : evictor.evict(pod, guard);
}
