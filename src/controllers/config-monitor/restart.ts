import type { Rollout } from '../../apis/config-monitor.ts';
import { OperatorError } from '../../core/operator-error.ts';
import type { Eviction } from '../../core/pod-evictor.ts';
import type { Workload } from '../../core/workloads.ts';
import { batchOf } from './batch.ts';
import { controllerOf, type LeanPod } from './lean-pod.ts';
import { type Owner, ownersNow, unreadyCount, type WorkloadsOfPass } from './owners.ts';
import type { Scope } from './scope.ts';
import { othersBegan } from './vouching.ts';

export type Refusal = Exclude<Eviction, { readonly kind: 'evicted' }> & { readonly pod: string };

/** Restarts what may be restarted now; gives what the eviction API refused, one for each owner. */
export async function restartSome(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<readonly Refusal[]> {
  const byTemplate = await restartWorkloads(rollout, workloads, scope);
  // From looking at the pods to counting them as gone nothing else may come between.
  const batches = batchesOf(rollout, byTemplate, scope);
  for (const pod of batches.flat()) scope.pods.sendAway(pod);
  const unsent = new Set(batches.flat());
  const refusals: Refusal[] = [];
  try {
    for (const batch of batches) {
      const refusal = await sendAway(batch, unsent, scope);
      if (refusal !== undefined) refusals.push(refusal);
    }
    return refusals;
  } finally {
    for (const pod of unsent) scope.pods.keep(pod);
  }
}

/** By the template of their pods, where that is what is wanted; gives the names of those owners. */
async function restartWorkloads(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (scope.spec.strategy !== 'Rollout') return names;
  for (const { name, pending } of ownersNow(rollout, scope)) {
    const workload = pending.length > 0 ? await workloads.named(name) : undefined;
    if (name === undefined || !workload?.followsTemplate) continue;
    names.add(name);
    if (!workload.isPaused && !isRestarted(workload, rollout, scope)) {
      await restart(workload, scope);
    }
  }
  return names;
}

/**
 * For this change, by whomever: by us before a crash, for another ConfigMonitor, or by hand. A time
 * that is still to come is of a clock ahead of this one's, and says nothing.
 */
function isRestarted({ restartedAt }: Workload, rollout: Rollout, scope: Scope): boolean {
  if (restartedAt === undefined) return false;
  const { hash, startTime } = rollout;
  const { lastChangeTime = startTime } = scope.object.status;
  const atMs = Date.parse(restartedAt);
  if (atMs > scope.clock.now()) return false;
  // Another one may have begun before this one took note of the change.
  const begun = [startTime, ...othersBegan(hash, scope)].map((time) => Date.parse(time));
  return atMs > Date.parse(lastChangeTime) || begun.some((time) => atMs >= time);
}

async function restart(workload: Workload, { clock, pass, workloads }: Scope): Promise<void> {
  await workloads.restart(workload, new Date(clock.now()).toISOString());
  const note = `${workload.kind} ${workload.name} is restarted`;
  pass.log.info(note);
  pass.event({ type: 'Normal', reason: 'WorkloadRestarted', action: 'Restart', note });
}

function batchesOf(
  rollout: Rollout,
  byTemplate: ReadonlySet<string>,
  scope: Scope,
): readonly (readonly LeanPod[])[] {
  const owners = ownersNow(rollout, scope);
  const isOwnTurn = isTurnOfOwnPod(owners, scope);
  return owners
    .filter(({ name }) => name === undefined || !byTemplate.has(name))
    .map((owner) => batchOf(owner, scope.spec.maxUnavailable))
    .map((batch) => batch.filter((pod) => isOwnTurn || !isOwnPod(pod, scope)));
}

/** With the pod that this process runs in the rollout moves to another process, so it goes last. */
function isTurnOfOwnPod(owners: readonly Owner[], scope: Scope): boolean {
  const others = owners.flatMap(({ pending }) => pending).filter((pod) => !isOwnPod(pod, scope));
  return others.length === 0 && owners.every((owner) => !owner.name || unreadyCount(owner) === 0);
}

function isOwnPod({ metadata }: LeanPod, { ownPod }: Scope): boolean {
  return metadata.name === ownPod;
}

/** Sends the pods of one owner away, up to the first one that is refused. */
async function sendAway(
  batch: readonly LeanPod[],
  unsent: Set<LeanPod>,
  scope: Scope,
): Promise<Refusal | undefined> {
  for (const pod of batch) {
    warnOfUnmanaged(pod, scope);
    const answer = await sendOne(pod, scope);
    if (answer.kind !== 'evicted') return { ...answer, pod: pod.metadata.name };
    unsent.delete(pod);
    scope.pods.confirm(pod);
    tellRestart(pod, scope);
  }
  return undefined;
}

async function sendOne(pod: LeanPod, { evictor, spec }: Scope): Promise<Eviction> {
  try {
    return await (spec.strategy === 'Delete' ? evictor.delete(pod) : evictor.evict(pod));
  } catch (error) {
    throw notDeleted(pod, error);
  }
}

/** The article's sentence, in log and events. */
function tellRestart({ metadata }: LeanPod, { pass, spec }: Scope): void {
  const note = `${metadata.name} was deleted successfully`;
  const isDeleted = spec.strategy === 'Delete';
  pass.log.info(note);
  pass.event({
    type: 'Normal',
    reason: isDeleted ? 'PodDeleted' : 'PodEvicted',
    action: isDeleted ? 'Delete' : 'Evict',
    note,
  });
}

function warnOfUnmanaged(pod: LeanPod, { pass }: Scope): void {
  if (controllerOf(pod) !== undefined) return;
  const note = `pod ${pod.metadata.name} has no controller: nothing will start it again; spec.unmanagedPods: Skip leaves such pods alone`;
  pass.event({ type: 'Warning', reason: 'UnmanagedPod', action: 'Evict', note });
}

/** The article's words before the reason. */
function notDeleted({ metadata }: LeanPod, error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { reason, healedBy, retryAfterMs } = error;
  const message = `Could not delete ${metadata.name}: ${error.message}`;
  const options = { reason, message, healedBy, cause: error };
  return new OperatorError(retryAfterMs === undefined ? options : { ...options, retryAfterMs });
}
