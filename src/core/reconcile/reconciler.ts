// Lives here: the contract of a kind with the core: reconciler, pass, outcome, error, external resource.
// May import it: everyone.
// Start with: this file, then outcome.ts and external-resource.ts.

import type { StatedCondition } from '../objects/conditions.ts';
import type { Key, KubeObject } from '../objects/kube-object.ts';
import type { EventDraft } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { Outcome, Planned, Waiting } from './outcome.ts';

/**
 * Brings the world to the spec of one object.
 *
 * Expected flow: a change of the object, of a child or of a source queues its key. The core reads the
 * object from the cache, as new as our own last write, and calls `reconcile`, or `finalize` once the
 * object is being deleted and has the finalizer. The outcome becomes the conditions; status is written
 * once, at the end of the pass; the retry policy decides about the key.
 *
 * Guarantees: passes of one key never overlap. The finalizer is stored before `Pass.ensureFinalizer`
 * resolves, and removed only after `finalize` returned `released`. Status is also written after a
 * failure. `forget` is called when a pass finds no object.
 *
 * Assumptions: a pass decides from the observed state, never from the event, so that lost, doubled and
 * reordered events do no harm. It may be aborted at any await and repeated from the start. A failure is
 * thrown as OperatorError, a dependency that is not ready is returned as `waiting`. `released` is
 * returned only after a read proved that nothing of ours is left.
 *
 * Caveats: without a finalizer `finalize` is never called. An object may vanish although its finalizer
 * was stored (https://github.com/kubernetes/kubernetes/issues/77988); `finalize` then gets its last
 * state. While an object is paused `whilePaused` is called instead, and nothing once it is being deleted.
 * In plan mode and in observe mode `preview` is called instead of all of these.
 */
export interface Reconciler<T extends KubeObject> {
  reconcile(object: T, pass: Pass<T>): Promise<Outcome>;
  /**
   * Cleans up behind an object that is being deleted. `released` lets the finalizer go: return it
   * only after a read has proved that nothing of ours is left.
   */
  finalize?(object: T, pass: Pass<T>): Promise<Released | Waiting>;
  /** Records what could not be observed later; writes nothing to the outside, restarts nothing. */
  whilePaused?(object: T, pass: Pass<T>): Promise<void>;
  /**
   * Reports what `reconcile`, or `finalize` of an object that is being deleted, would do. Writes nothing
   * but status. A kind without it has no plan mode.
   */
  preview?(object: T, pass: Pass<T>): Promise<Planned | Waiting>;
  /** The object is gone: drop what is kept in memory for its key. */
  forget?(key: Key): void;
}

export interface Released {
  readonly kind: 'released';
}

/** One pass over one object, as the reconciler sees it. */
export interface Pass<T extends KubeObject = KubeObject> {
  readonly key: Key;
  /**
   * The object as events and log lines have its conditions when the pass begins: before a write of its status that was
   * sent and not answered, and may be stored. What is an event is decided against it.
   */
  readonly recorded: T;
  /** On every log line of this pass. */
  readonly reconcileId: string;
  /** Aborts at the deadline, on shutdown and on a lost lease. Every read takes it. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Merged into status, which is written once, when the pass ends - also when it ends in an error. */
  report(status: Readonly<Record<string, unknown>>): void;
  /**
   * States a condition of the kind's own, beside Ready, Reconciling and Stalled, which follow from
   * how the pass ends. One that is not stated again stays as it is. `announceAs`: once another status or reason of it
   * is stored, it is also an event of this type, unless the event about how the pass ends has the same reason.
   */
  setCondition(condition: StatedCondition, announceAs?: EventDraft['type']): void;
  /**
   * Writes what was reported so far, now: for what must be on record before a write to the outside.
   * `meanwhile` goes into the conditions of an object that is not Stalled: what it waits for, if the pass will end in
   * that too. Throws where a field of `needed` was reported and is not kept: an older CRD does not have it.
   */
  recordNow(meanwhile?: Waiting, needed?: readonly string[]): Promise<void>;
  /** About the object of the pass, or about another one that it acts on. */
  recordEvent(event: EventDraft, regarding?: KubeObject): void;
  /** Another object of this kind, `held` by the cache, or as this process has stored it since. */
  pickNewest(held: T): T;
  /** Drift was observed: Ready may not stay True if this pass fails. */
  disproveReady(): void;
  readonly isReadyDisproved: boolean;
  /**
   * Ends the pass if the spec has been edited since it began, the object paused or set to plan mode, or its finalizer
   * taken off, with which it may be gone or replaced; the next pass has that. A clean-up behind an object that vanished
   * ends only where another one of its name has the finalizer. Call right before a write that cannot be undone, with
   * the finalizer stored. Reads the cache alone.
   */
  throwIfEdited(): void;
  /**
   * Ends the pass if the object is gone in spite of its finalizer, or another one has taken its name: what is written
   * for it then is nobody's. Reads the cache alone.
   */
  throwIfGone(): void;
  /**
   * Ends the pass if the object has been paused or set to plan mode since it began; what it has reported is stored, and
   * no condition changes. Not for a kind without plans: that is reconciled in plan mode. Reads the cache alone.
   */
  throwIfPaused(): void;
  /** Resolves once the finalizer is stored. Await it before the first write to the outside. */
  ensureFinalizer(): Promise<void>;
}
