import type { ChildrenGate } from '../children/children.ts';
import { isPaused, isPlanOnly } from '../objects/annotations.ts';
import { omitUndefined } from '../objects/fields.ts';
import { isBeingDeleted, isNewer, type Key } from '../objects/kube-object.ts';
import type { Logger } from '../ports/logger.ts';
import { isSilent, OperatorError, restateError } from '../reconcile/operator-error.ts';
import type { Waiting } from '../reconcile/outcome.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { WriteGate } from '../staleness/read-your-writes.ts';
import { type PassContext, type PassDependencies, RunningPass } from './running-pass.ts';
import { computeStatus, hasSameStatus, logFailure, type ObjectWithStatus } from './status.ts';
import { toFailure, type Verdict } from './verdict.ts';

export interface LifecycleDependencies<T extends ObjectWithStatus> extends PassDependencies<T> {
  readonly reconciler: Reconciler<T>;
  readonly children?: readonly ChildrenGate[];
  readonly status?: 'ours' | 'foreign';
  /** `ALBRIDGE_MODE=observe`: nothing but status is written. */
  readonly isObserver?: boolean;
  /** Called when the cache lags behind our own last write and the pass goes on all the same. */
  readonly onStaleRead: () => void;
}

/**
 * One pass over one key: reads the object, keeps the finalizer's four states, calls the reconciler,
 * writes status once, records the transition. Never throws.
 */
export async function runPass<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  key: Key,
  context: PassContext,
): Promise<Verdict> {
  try {
    if (!(await areOwnWritesVisible(deps, key, context.signal))) deps.onStaleRead();
    context.signal.throwIfAborted(); // a key may be handed out in the very moment of the shutdown
    const vanished = deps.lateFinalizers.findDeleted(key);
    const waiting = vanished && (await finalizeDeleted(deps, vanished, context));
    if (waiting !== undefined) return waiting;
    const object = deps.cache.get(key);
    if (object === undefined) return forgetObject(deps, key, context);
    // Its children would be made again for as long as the garbage collector deletes them.
    if (deps.writes.isMissing(object)) {
      context.log.debug('resource not found by the last write, waiting for the watch');
      return { kind: 'gone' };
    }
    const newest = deps.writes.pickNewest(object);
    return await runPassOver(deps, new RunningPass(deps, newest, context));
  } catch (error) {
    return logUnreported(toFailure(error, context.signal, false), context.log);
  }
}

function forgetObject<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  key: Key,
  { log }: PassContext,
): Verdict {
  log.debug('resource not found, ignoring');
  deps.unrecorded.delete(key);
  deps.reconciler.forget?.(key);
  return { kind: 'gone' };
}

/** Finalizes an object that was deleted despite our finalizer. A new object of its name waits for that. */
async function finalizeDeleted<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  vanished: T,
  context: PassContext,
): Promise<Waiting | undefined> {
  const pass = new RunningPass(deps, vanished, { ...context, hasVanished: true });
  if (isAtRest(deps, vanished)) {
    context.log.info('the object was deleted while its finalizer was stored, and is left alone');
  } else {
    const outcome = await cleanUpBehind(deps, pass);
    if (outcome !== undefined) return outcome;
  }
  deps.lateFinalizers.forget(pass.key);
  return undefined;
}

/** Paused or in plan mode: its deletion would do nothing either. */
function isAtRest<T extends ObjectWithStatus>(
  { reconciler }: LifecycleDependencies<T>,
  object: T,
): boolean {
  return isPaused(object) || (reconciler.preview !== undefined && isPlanOnly(object));
}

async function cleanUpBehind<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Waiting | undefined> {
  pass.log.info('the object was deleted while its finalizer was stored, cleaning up behind it');
  try {
    const outcome = await deps.reconciler.finalize?.(pass.object, pass);
    return outcome?.kind === 'waiting' ? outcome : undefined;
  } catch (error) {
    const isPersons = error instanceof OperatorError && error.healedBy === 'person';
    if (!isPersons || deps.cache.get(pass.key) === undefined) throw error;
    logFailure(pass.log, error, { reason: error.reason });
    return undefined;
  }
}

async function areOwnWritesVisible<T extends ObjectWithStatus>(
  { writes, children = [] }: LifecycleDependencies<T>,
  key: Key,
  signal: AbortSignal,
): Promise<boolean> {
  const gates: readonly WriteGate[] = [writes, ...children];
  const areVisible = await Promise.all(gates.map((gate) => gate.areVisible(key, signal)));
  return areVisible.every(Boolean);
}

async function runPassOver<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Verdict> {
  let verdict: Verdict;
  try {
    verdict = await runStep(deps, pass);
  } catch (error) {
    verdict = toFailure(error, pass.signal, pass.isReadyDisproved);
  }
  try {
    await reportPass(deps, pass, verdict);
    return verdict;
  } catch (error) {
    const unwritten = logUnreported(toFailure(error, pass.signal, false), pass.log);
    return isHealedByTime(verdict) && !isLongWait(verdict)
      ? delayRetry(verdict, unwritten)
      : unwritten;
  }
}

/** Logs a failure that no condition can report. */
function logUnreported(verdict: Verdict, log: Logger): Verdict {
  if (verdict.kind !== 'failed' || isSilent(verdict.error)) return verdict;
  logFailure(log, verdict.error, { reason: verdict.error.reason });
  return verdict;
}

type Failed = Extract<Verdict, { readonly kind: 'failed' }>;

function isHealedByTime(verdict: Verdict): verdict is Failed {
  return verdict.kind === 'failed' && verdict.error.healedBy === 'time';
}

/** Until then nothing would say what it waits for, as for a turn in the budget of AWS: status is tried again before. */
function isLongWait({ error: { retryAfterMs = 0 } }: Failed): boolean {
  return retryAfterMs > LONGEST_UNREPORTED_MS;
}

const LONGEST_UNREPORTED_MS = 60_000;

/** The failure of the pass, no sooner repeated than the API server allows that refused to store it. */
function delayRetry(verdict: Failed, unwritten: Verdict): Verdict {
  const { details, retryAfterMs, notBeforeMs } = verdict.error;
  const ownMs = retryAfterMs ?? notBeforeMs ?? 0;
  const askedMs = (unwritten.kind === 'failed' && unwritten.error.notBeforeMs) || 0;
  if (askedMs <= ownMs) return verdict;
  const given = { notBeforeMs: askedMs, ...omitUndefined({ details }) };
  return { ...verdict, error: restateError(verdict.error, given) };
}

/** The four states of (being deleted) x (our finalizer is on). */
async function runStep<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Verdict> {
  const { object } = pass;
  const hasFinalizer =
    deps.finalizer !== undefined && (object.metadata.finalizers ?? []).includes(deps.finalizer);
  if (isBeingDeleted(object) && !hasFinalizer) return { kind: 'gone' };
  if (isPaused(object)) return skipPaused(deps, pass);
  if (deps.isObserver === true) return preview(deps, pass, 'operator');
  if (deps.reconciler.preview && isPlanOnly(object)) return preview(deps, pass, 'annotation');
  return isBeingDeleted(object) ? finalize(deps, pass) : reconcile(deps, pass);
}

async function skipPaused<T extends ObjectWithStatus>(
  { isObserver = false, reconciler }: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Verdict> {
  const isLeaving = isBeingDeleted(pass.object);
  if (!isLeaving && !isObserver) await reconciler.whilePaused?.(pass.object, pass);
  return { kind: 'paused', isBeingDeleted: isLeaving, by: 'annotation' };
}

/** A kind that makes no plans is as good as paused. */
async function preview<T extends ObjectWithStatus>(
  { reconciler }: LifecycleDependencies<T>,
  pass: RunningPass<T>,
  by: 'annotation' | 'operator',
): Promise<Verdict> {
  const { object } = pass;
  if (!reconciler.preview) return { kind: 'paused', isBeingDeleted: isBeingDeleted(object), by };
  const outcome = await reconciler.preview(object, pass);
  return outcome.kind === 'planned' ? { ...outcome, by } : outcome;
}

async function reconcile<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Verdict> {
  const storing = Promise.allSettled([pass.ensureFinalizer()]);
  try {
    const outcome = await deps.reconciler.reconcile(pass.object, pass);
    await pass.ensureFinalizer();
    return outcome;
  } finally {
    await storing; // no write of a pass outlives it: the next pass of this key may start at once
  }
}

async function finalize<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
): Promise<Verdict> {
  const outcome = (await deps.reconciler.finalize?.(pass.object, pass)) ?? { kind: 'released' };
  if (outcome.kind === 'waiting') return outcome;
  const released = await deps.writer.removeFinalizer(pass.object, deps.finalizer as string);
  deps.writes.record(pass.key, released);
  return outcome;
}

async function reportPass<T extends ObjectWithStatus>(
  deps: LifecycleDependencies<T>,
  pass: RunningPass<T>,
  verdict: Verdict,
): Promise<void> {
  if (verdict.kind === 'gone' || verdict.kind === 'released') return;
  if (verdict.kind === 'failed' && isSilent(verdict.error)) return pass.recordHalted();
  if (deps.status === 'foreign') {
    logUnreported(verdict, pass.log);
    return;
  }
  const { object, reported, stated } = pass;
  const status = computeStatus(object, { reported, stated, verdict }, deps.clock.now());
  // Only a write shows that a silent watch hides the owner's deletion, behind which a child was made.
  const hasCreated = takeCreated(deps, pass);
  const isStored =
    hasSameStatus(object, status) && !hasCreated && !isOvertaken(deps, pass, verdict);
  if (isStored || (await pass.writeStatus(status))) pass.recordTransitions(status, verdict);
}

/** Whether a child was made in this pass; asked once. */
function takeCreated<T extends ObjectWithStatus>(
  { children = [] }: LifecycleDependencies<T>,
  { begun }: RunningPass<T>,
): boolean {
  return children.filter((kind) => kind.takeCreatedFor(begun)).length > 0;
}

/** Others have written status meanwhile that is not as it should be: the write meets that, and the pass is repeated. */
function isOvertaken<T extends ObjectWithStatus>(
  { cache, clock }: LifecycleDependencies<T>,
  { key, object, reported, stated }: RunningPass<T>,
  verdict: Verdict,
): boolean {
  const shown = cache.get(key);
  if (shown === undefined || shown.metadata.uid !== object.metadata.uid) return false;
  // Of an edited one a pass follows anyway.
  if (shown.metadata.generation !== object.metadata.generation) return false;
  if (!isNewer(shown, object)) return false;
  return !hasSameStatus(shown, computeStatus(shown, { reported, stated, verdict }, clock.now()));
}
