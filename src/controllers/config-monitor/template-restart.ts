import type { Rollout } from '../../apis/config-monitor.ts';
import { configMonitorReasons } from '../../apis/config-monitor-reasons.ts';
import { DeadlineExceeded } from '../../core/ports/clock.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { isOfOneObject, OperatorError, restateError } from '../../core/reconcile/operator-error.ts';
import type { Workload } from '../../pods/workloads.ts';
import type { Refusal } from './memory.ts';
import { concerns, selects } from './pod-index.ts';
import { count, type Scope, throwIfOutdated } from './scope.ts';
import { listRestartedFor } from './sources/watched-source.ts';
import { nameOwner, type TrimmedPod } from './transforms.ts';
import { isOrdered, observeGroups, type WorkloadReader } from './workload-groups.ts';

export interface ByTemplate {
  /** By name of an owner that replaces its pods by itself: whether it has begun to. */
  readonly byTemplate: ReadonlyMap<string | undefined, boolean>;
  readonly refusals: readonly Refusal[];
}

/** In one pass, and an eviction: a webhook may take 30 s to fail, and a pass has 120 s. */
const MOST_FAILED = 2;

/** By the template of their pods, with strategy Auto or Rollout. What is not tried in this pass is so first in the next. */
export async function restartWorkloads(
  rollout: Rollout,
  workloads: WorkloadReader,
  scope: Scope,
): Promise<ByTemplate> {
  const byTemplate = new Map<string, boolean>();
  let failed = 0;
  const { pass, progress, spec } = scope;
  if (spec.strategy !== 'Auto' && spec.strategy !== 'Rollout') return { byTemplate, refusals: [] };
  const owners = observeGroups(rollout, scope).filter(({ name, pending }) => {
    return name !== undefined && pending.length > 0;
  });
  for (const { name = '', pending } of progress.templates.sort(pass.key, owners)) {
    if (failed === MOST_FAILED) {
      byTemplate.set(name, false);
      continue;
    }
    const isFew =
      isRevertForFew({ name, pending }, rollout, scope) || hasOtherPods(name, rollout, scope);
    const answer = await tryRestart(name, { rollout, pending, isFew, workloads, scope });
    if (answer !== false) byTemplate.set(name, answer === true);
    if (answer instanceof OperatorError && answer.healedBy === 'time') failed++;
  }
  return { byTemplate, refusals: progress.templates.list(pass.key, owners) };
}

interface RestartByTemplate {
  readonly rollout: Rollout;
  readonly pending: readonly TrimmedPod[];
  /** A restart of the template would replace pods that have the data. */
  readonly isFew: boolean;
  readonly workloads: WorkloadReader;
  readonly scope: Scope;
}

async function tryRestart(name: string, of: RestartByTemplate): Promise<boolean | OperatorError> {
  const { pass, progress } = of.scope;
  try {
    const answer = await restartByTemplate(name, of);
    progress.templates.note(pass.key, name, undefined);
    return answer;
  } catch (error) {
    progress.templates.note(pass.key, name, error);
    if (error instanceof OperatorError && isOfOneObject(error)) return error;
    throw error;
  }
}

/**
 * False where the pods do not follow the template. Of a StatefulSet with a partition those above it
 * go first, as it rolls by itself; those below are evicted, and come back with their older template.
 */
async function restartByTemplate(name: string, of: RestartByTemplate): Promise<boolean> {
  const { isFew, workloads, scope } = of;
  const workload = await workloads.named(name);
  if (!workload || !(await areReplacedBy(workload, of))) return false;
  const isUnderWay = await isRolling(workload, of);
  if (isFew && !isUnderWay) return false;
  if (workload.isPaused && scope.spec.strategy === 'Auto') return false;
  if (workload.isPaused) throw createPausedFailure(workload);
  return isUnderWay || restartOnce(workload, of);
}

async function areReplacedBy(workload: Workload, of: RestartByTemplate): Promise<boolean> {
  if (!workload.followsTemplate || isBelowPartition(workload, of.pending)) return false;
  return !(await areOrphans(workload, of));
}

/**
 * False where the rollout has restarted it, and its template is that of the pods again: something has reset it, and would
 * do so after each further restart.
 */
async function restartOnce(workload: Workload, of: RestartByTemplate): Promise<boolean> {
  const { rollout, scope } = of;
  const { pass, progress } = scope;
  if (!progress.hasRestarted(pass.key, workload.uid, rollout.startTime)) {
    await restartWorkload(workload, of);
    progress.noteRestarted(pass.key, workload.uid, rollout.startTime);
    return true;
  }
  // Its controller has yet to observe the template, which may be a new one. A DaemonSet never shows it.
  if (workload.revision === undefined && workload.kind !== 'DaemonSet') return true;
  if (mayEvict(workload, scope)) return false;
  throw createResetFailure(workload);
}

/** Not the only pod of one that starts the new pod first: it was to be restarted without a gap. */
function mayEvict({ desiredPods, surges }: Workload, { spec }: Scope): boolean {
  return spec.strategy === 'Auto' && !(surges && desiredPods === 1);
}

/** The data was taken back, and of the owner's pods only some may have been started in between. */
function isRevertForFew(
  { name, pending }: { readonly name: string; readonly pending: readonly TrimmedPod[] },
  { hash, between = [] }: Rollout,
  { object, pods }: Scope,
): boolean {
  const { metadata, status } = object;
  return (
    hash === status.configHash &&
    pending.every(({ metadata: { uid } }) => between.includes(uid)) &&
    pending.length < pods.listByOwner(metadata.namespace, name).length
  );
}

function isBelowPartition({ rollsFromOrdinal }: Workload, pending: readonly TrimmedPod[]): boolean {
  return rollsFromOrdinal > 0 && pending.every((pod) => parseOrdinal(pod) < rollsFromOrdinal);
}

/**
 * Some of the owner's pods do not use what has changed, since its revisions differ, or labels do not select them:
 * the others are evicted by themselves. Whoever sets Rollout has labels stand for the whole owner.
 */
function hasOtherPods(name: string, rollout: Rollout, scope: Scope): boolean {
  const { object, pods, selection, spec, watched } = scope;
  const { metadata, status } = object;
  const own = pods.listByOwner(metadata.namespace, name);
  if (selection.kind === 'labels') {
    return spec.strategy === 'Auto' && own.some((pod) => !selects(selection, pod));
  }
  const changed = listRestartedFor(rollout, status, watched);
  return own.some((pod) => !concerns(selection, pod, changed));
}

/** No event arrives when it is resumed. */
function createPausedFailure({ kind, name }: Workload): OperatorError {
  return createFailure(configMonitorReasons, 'WorkloadPaused', {
    observed: `${kind} ${name} is paused and replaces no pods`,
    fill: { workload: `${kind.toLowerCase()}/${name}` },
    retryAfterMs: 10_000,
  });
}

function createResetFailure({ kind, name }: Workload): OperatorError {
  return createFailure(configMonitorReasons, 'TemplateReset', {
    observed: `the template of ${kind} ${name} was reset after its restart`,
    fill: { workload: `${kind.toLowerCase()}/${name}` },
  });
}

async function isRolling(workload: Workload, of: RestartByTemplate): Promise<boolean> {
  return isRestarted(workload, of.pending) || isUpgraded(workload, of);
}

/**
 * Its template has changed since the pods were started: by us before a crash, for another ConfigMonitor,
 * or by hand. It replaces them by itself. The template is copied to each pod, annotations included, so
 * no two clocks are compared
 * (https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template).
 */
function isRestarted({ restartedAt }: Workload, pending: readonly TrimmedPod[]): boolean {
  return pending.every((pod) => pod.restartedAt !== restartedAt);
}

/** Its template has changed otherwise since the pods were started, as an upgrade of a Helm chart changes it. */
async function isUpgraded(
  { kind, revision }: Workload,
  { pending, workloads }: RestartByTemplate,
): Promise<boolean> {
  if (revision === undefined) return false;
  const revisions =
    kind === 'StatefulSet'
      ? pending.map(({ metadata }) => metadata.labels?.['controller-revision-hash'])
      : (await workloads.replicaSetsOf(pending)).map((set) => set?.revision);
  return revisions.every((one) => one !== undefined && one !== revision);
}

/**
 * An earlier Deployment of this name has left them to their ReplicaSets, which do not follow this one's template
 * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#orphaned-dependents).
 */
async function areOrphans(
  { kind, uid }: Workload,
  { rollout, pending, workloads, scope }: RestartByTemplate,
): Promise<boolean> {
  if (kind !== 'Deployment' || !isIdle(rollout, scope)) return false;
  const sets = (await workloads.replicaSetsOf(pending)).filter((set) => set !== undefined);
  return sets.length > 0 && sets.every(({ controllerUid }) => controllerUid !== uid);
}

/** Before, pods that hold a rollout up may get ready by themselves, and a Deployment replaces its own. */
const IDLE_AFTER_MS = 30_000;

export function isIdle({ progressTime }: Rollout, { pass, progress }: Scope): boolean {
  return progress.idleMs(pass.key, progressTime) >= IDLE_AFTER_MS;
}

async function restartWorkload(
  workload: Workload,
  { pending, scope }: RestartByTemplate,
): Promise<void> {
  const { clock, pass, workloads } = scope;
  throwIfOutdated(scope);
  await workloads.restart(workload, new Date(clock.now()).toISOString()).catch(throwAsOfOne);
  const note = `restarted ${workload.kind} ${workload.name}`;
  const rolled = pending.filter(
    (pod) => !isStuck(pod) && !(parseOrdinal(pod) < workload.rollsFromOrdinal),
  );
  count({ restarted: rolled.length }, scope);
  pass.log.info('Restarted workload', { kind: workload.kind, name: workload.name });
  pass.recordEvent({ type: 'Normal', reason: 'WorkloadRestarted', action: 'Restart', note });
}

/**
 * A webhook may take as long as a call of ours
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts). Where it is the
 * API server that hangs, the next read does so too and ends the pass.
 */
export function throwAsOfOne(error: unknown): never {
  const hangs = error instanceof OperatorError && error.cause instanceof DeadlineExceeded;
  throw hangs ? restateError(error) : error;
}

/**
 * A StatefulSet replaces none of its pods while one is not ready, and waits also for one that never gets ready
 * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback).
 */
export function isStuck(pod: TrimmedPod): boolean {
  return isOrdered(nameOwner(pod)) && pod.state !== 'ready';
}

export function parseOrdinal({ metadata: { name } }: TrimmedPod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
