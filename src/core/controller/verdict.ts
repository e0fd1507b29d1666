import type { Headline } from '../objects/conditions.ts';
import { DeadlineExceeded } from '../ports/clock.ts';
import { CoreReason, OperatorError, readMessage } from '../reconcile/operator-error.ts';
import type { Planned, Settled, Waiting } from '../reconcile/outcome.ts';

/** The end of a pass, failures included. Retry, conditions, events, logs and metrics all read it. */
export type Verdict =
  /** There is no object, or nothing of ours to do for it. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'paused';
      readonly isBeingDeleted: boolean;
      readonly by: 'annotation' | 'operator';
    }
  | (Planned & { readonly by: 'annotation' | 'operator' })
  | Settled
  | Waiting
  /** Cleaned up: the finalizer has been taken off. */
  | { readonly kind: 'released' }
  | {
      readonly kind: 'failed';
      readonly error: OperatorError;
      /** Drift was observed before the failure. */
      readonly isReadyDisproved: boolean;
    }
  /** Shutdown or lost lease in mid-pass: says nothing about the object. */
  | { readonly kind: 'aborted' };

/** Summarises a verdict for conditions; undefined if the verdict is not about the object. */
export function describeVerdict(verdict: Verdict): Headline | undefined {
  switch (verdict.kind) {
    case 'settled':
      return { ready: 'True', reason: verdict.reason, message: verdict.message };
    case 'waiting':
      return { ...pickReason(verdict), ready: 'False', mark: 'Reconciling' };
    case 'paused':
      return describePause(verdict);
    case 'planned':
      return describePlanned(verdict);
    case 'failed':
      return describeFailure(verdict.error, verdict.isReadyDisproved);
    case 'gone':
    case 'released':
    case 'aborted':
      return undefined;
    default:
      return verdict satisfies never;
  }
}

type Held = Extract<Verdict, { readonly kind: 'paused' | 'planned' }>;

function describePause({ isBeingDeleted, by }: Extract<Held, { kind: 'paused' }>): Headline {
  const what = isBeingDeleted ? 'the deletion waits' : 'nothing is written or checked';
  const until = {
    annotation: 'while the annotation albridge.io/paused is "true"; remove it to resume',
    operator: 'while ALBRIDGE_MODE is observe; set it to reconcile to resume',
  };
  const reason = by === 'annotation' ? CoreReason.Paused : CoreReason.ObserveMode;
  return { ready: 'Unknown', reason, message: `${what} ${until[by]}` };
}

function describePlanned({ message, by }: Extract<Held, { kind: 'planned' }>): Headline {
  const next = {
    annotation: 'remove the annotation albridge.io/mode to execute it',
    operator: 'set ALBRIDGE_MODE to reconcile to execute it',
  };
  const reason = by === 'annotation' ? CoreReason.Planned : CoreReason.ObserveMode;
  return { ready: 'Unknown', reason, message: `${message}; ${next[by]}` };
}

function describeFailure(error: OperatorError, isReadyDisproved: boolean): Headline {
  const summary = { reason: error.reason, message: error.message };
  if (error.healedBy === 'person') return { ...summary, ready: 'False', mark: 'Stalled' };
  return { ...summary, ready: isReadyDisproved ? 'False' : 'keep', mark: 'Reconciling' };
}

function pickReason(waiting: Waiting): Pick<Headline, 'reason' | 'message'> {
  return { reason: waiting.reason, message: waiting.message };
}

/** The end of a pass that threw, whose signal this is. */
export function toFailure(error: unknown, signal: AbortSignal, isReadyDisproved: boolean): Verdict {
  if (signal.aborted && !(signal.reason instanceof DeadlineExceeded)) return { kind: 'aborted' };
  return { kind: 'failed', error: toOperatorError(error, signal), isReadyDisproved };
}

function toOperatorError(error: unknown, signal: AbortSignal): OperatorError {
  const isLate = signal.reason instanceof DeadlineExceeded;
  // An adapter may take the end of the pass for a failure of its own.
  if (error instanceof OperatorError && !(isLate && error.cause === signal.reason)) return error;
  if (isLate) {
    const message = `the pass took too long: ${signal.reason.message}; it is tried again`;
    return new OperatorError({
      reason: CoreReason.DeadlineExceeded,
      message,
      healedBy: 'time',
      cause: error,
    });
  }
  const reason = readMessage(error);
  return new OperatorError({
    reason: CoreReason.InternalError,
    message: `a bug in the operator: ${reason}; please report it with the log of this pass`,
    healedBy: 'time',
    cause: error,
  });
}
