import type { Headline } from '../objects/conditions.ts';
import { CoreReason, type OperatorError } from '../reconcile/operator-error.ts';
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
