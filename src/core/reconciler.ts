import type { StatedCondition } from './conditions.ts';
import type { EventDraft } from './events.ts';
import type { Key, KubeObject } from './kube-object.ts';
import type { Logger } from './logger.ts';
import type { Outcome, Waiting } from './outcome.ts';

/**
 * Brings the world to one object's spec. Gets the object, never the event: each pass decides from
 * what is, so lost, doubled and reordered events do no harm. Failure is thrown as OperatorError.
 */
export interface Reconciler<T extends KubeObject> {
  reconcile(object: T, pass: Pass): Promise<Outcome>;
  /**
   * Cleans up behind an object that is being deleted. `released` lets the finalizer go: return it
   * only after a read has proved that nothing of ours is left.
   */
  finalize?(object: T, pass: Pass): Promise<Released | Waiting>;
  /** Takes note of what nobody could tell later; writes nothing to the outside, restarts nothing. */
  whilePaused?(object: T, pass: Pass): Promise<void>;
  /** The object is gone: drop what is kept in memory for its key. */
  forget?(key: Key): void;
}

export interface Released {
  readonly kind: 'released';
}

/** One pass over one object, as the reconciler sees it. */
export interface Pass {
  readonly key: Key;
  /** On every log line of this pass. */
  readonly reconcileId: string;
  /** Aborts at the deadline, on shutdown and on a lost lease. Every read takes it. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Merged into status, which is written once, when the pass ends - also when it ends in an error. */
  report(status: Readonly<Record<string, unknown>>): void;
  /**
   * States a condition of the kind's own, beside Ready, Reconciling and Stalled, which follow from
   * how the pass ends. One that is not stated again stays as it is.
   */
  condition(condition: StatedCondition): void;
  /**
   * Writes what was reported so far, now: for what must be on record before a write to the outside.
   * `meanwhile` goes into the conditions: what the object waits for, if the pass will end in that too.
   */
  recordNow(meanwhile?: Waiting): Promise<void>;
  event(event: EventDraft): void;
  /** The world was seen to differ from the spec: Ready may not stay True should this pass fail. */
  disproveReady(): void;
  /** Resolves once the finalizer is stored. Await it before the first write to the outside. */
  finalizerStored(): Promise<void>;
}
