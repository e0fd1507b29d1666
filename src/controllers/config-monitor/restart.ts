import type { Rollout } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError, reworded } from '../../core/operator-error.ts';
import type { Eviction } from '../../core/pod-evictor.ts';
import type { Workload } from '../../core/workloads.ts';
import { type Batch, batchOf, ordinalOf } from './batch.ts';
import { controllerOf, type LeanPod } from './lean-pod.ts';
import {
  type Owner,
  orRefused,
  ownersNow,
  unavailableCount,
  type WorkloadsOfPass,
} from './owners.ts';
import type { Scope } from './scope.ts';

/** Why a pod or its owner was not restarted. */
export type Refusal =
  | (Exclude<Eviction, { readonly kind: 'evicted' }> & { readonly pod: string })
  | { readonly kind: 'failed'; readonly error: OperatorError };

/** Restarts what may be restarted now; gives what was refused, one for each owner. */
export async function restartSome(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<readonly Refusal[]> {
  const { byTemplate, refusals } = await restartWorkloads(rollout, workloads, scope);
  // From the count of the pods to counting them as gone nothing else may come between.
  const batches = batchesOf(rollout, byTemplate, scope);
  const unsent = new Set(batches.flatMap(({ pods }) => pods));
  for (const pod of unsent) scope.pods.sendAway(pod);
  try {
    for (const batch of batches) {
      const refusal = await sendBatch(batch, unsent, scope);
      if (refusal !== undefined) refusals.push(refusal);
    }
    return refusals;
  } finally {
    for (const pod of unsent) scope.pods.keep(pod);
  }
}

interface ByTemplate {
  /** Names of the owners whose pods are not evicted. */
  readonly byTemplate: ReadonlySet<string>;
  readonly refusals: Refusal[];
}

/** By the template of their pods, with strategy Rollout. */
async function restartWorkloads(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<ByTemplate> {
  const byTemplate = new Set<string>();
  const refusals: Refusal[] = [];
  if (scope.spec.strategy !== 'Rollout') return { byTemplate, refusals };
  for (const { name, pending } of ownersNow(rollout, scope)) {
    if (name === undefined || pending.length === 0) continue;
    const answer = await orRefused(restartByTemplate(name, { pending, workloads, scope }));
    if (answer !== false) byTemplate.add(name);
    if (answer instanceof OperatorError) refusals.push({ kind: 'failed', error: answer });
  }
  return { byTemplate, refusals };
}

interface RestartByTemplate {
  readonly pending: readonly LeanPod[];
  readonly workloads: WorkloadsOfPass;
  readonly scope: Scope;
}

/**
 * False where the pods do not follow the template. Of a StatefulSet with a partition those above it
 * go first, as it rolls by itself; those below are evicted, and come back with their older template.
 */
async function restartByTemplate(name: string, of: RestartByTemplate): Promise<boolean> {
  const { pending, workloads, scope } = of;
  const workload = await workloads.named(name);
  if (!workload?.followsTemplate) return false;
  const { rollsFromOrdinal } = workload;
  if (rollsFromOrdinal > 0 && pending.every((pod) => ordinalOf(pod) < rollsFromOrdinal))
    return false;
  if (workload.isPaused) throw paused(workload);
  if (!isRestarted(workload, pending)) await restart(workload, scope);
  return true;
}

/** No event comes when it is resumed. */
function paused({ kind, name }: Workload): OperatorError {
  return new OperatorError({
    reason: 'WorkloadPaused' satisfies ConfigMonitorReason,
    message: `${kind} ${name} is paused and replaces no pod; kubectl rollout resume ${kind.toLowerCase()}/${name}`,
    healedBy: 'person',
    retryAfterMs: 10_000,
  });
}

/**
 * Its template has changed since the pods were started: by us before a crash, for another ConfigMonitor,
 * or by hand. It replaces them by itself. The template is copied to each pod, annotations included, so
 * no two clocks are compared
 * (https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template).
 */
function isRestarted({ restartedAt }: Workload, pending: readonly LeanPod[]): boolean {
  return pending.every((pod) => pod.restartedAt !== restartedAt);
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
): readonly Batch[] {
  const owners = ownersNow(rollout, scope);
  const isOwnTurn = isTurnOfOwnPod(owners, scope);
  return owners
    .filter(({ name }) => name === undefined || !byTemplate.has(name))
    .map(({ pending, ...owner }) => {
      const others = pending.filter((pod) => isOwnTurn || !isOwnPod(pod, scope));
      return batchOf({ ...owner, pending: others }, scope.spec.maxUnavailable);
    });
}

/** With the pod that this process runs in the rollout moves to another process, so it goes last. */
function isTurnOfOwnPod(owners: readonly Owner[], scope: Scope): boolean {
  const others = owners.flatMap(({ pending }) => pending).filter((pod) => !isOwnPod(pod, scope));
  return others.length === 0 && owners.every((owner) => unavailableCount(owner) === 0);
}

function isOwnPod({ metadata }: LeanPod, { ownPod }: Scope): boolean {
  return metadata.name === ownPod;
}

/** Of one owner in one pass: a right that is missing refuses all of its pods. */
const MOST_REFUSED = 5;

/**
 * Sends the pods of one owner away, up to the first one that a budget holds or that fails for a reason
 * that time heals. One that a person must see to gives its place to another.
 */
async function sendBatch(
  batch: Batch,
  unsent: Set<LeanPod>,
  scope: Scope,
): Promise<Refusal | undefined> {
  const queue = [...batch.pods];
  const spares = [...batch.spares];
  const refusals: Refusal[] = [];
  for (const pod of queue) {
    scope.pass.signal.throwIfAborted();
    const refusal = await sendPod(pod, unsent, scope);
    if (refusal === undefined) continue;
    refusals.push(refusal);
    if (!isForPerson(refusal) || refusals.length === MOST_REFUSED) break;
    scope.pods.keep(pod);
    unsent.delete(pod);
    const next = pod.state === 'ready' ? nextOf(spares, scope) : undefined;
    if (next === undefined) continue;
    scope.pods.sendAway(next);
    unsent.add(next);
    queue.push(next);
  }
  return refusals[0];
}

function isForPerson(refusal: Refusal): boolean {
  return refusal.kind === 'failed' && refusal.error.healedBy === 'person';
}

/** Some of them may have gone, or be unready, by now. */
function nextOf(spares: LeanPod[], { pods }: Scope): LeanPod | undefined {
  for (let spare = spares.shift(); spare !== undefined; spare = spares.shift()) {
    const pod = pods.withUid(spare.metadata.uid);
    if (pod?.state === 'ready') return pod;
  }
  return undefined;
}

async function sendPod(
  pod: LeanPod,
  unsent: Set<LeanPod>,
  scope: Scope,
): Promise<Refusal | undefined> {
  warnOfUnmanaged(pod, scope);
  try {
    const answer = await sendOne(pod, scope);
    if (answer.kind !== 'evicted') return { ...answer, pod: pod.metadata.name };
  } catch (error) {
    const failure = reworded(error, (why) => `Could not delete ${pod.metadata.name}: ${why}`);
    if (failure instanceof OperatorError) return { kind: 'failed', error: failure };
    throw failure;
  }
  unsent.delete(pod);
  scope.pods.confirm(pod);
  tellRestart(pod, scope);
  return undefined;
}

function sendOne(pod: LeanPod, { evictor, spec }: Scope): Promise<Eviction> {
  return spec.strategy === 'Delete' ? evictor.delete(pod) : evictor.evict(pod);
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
