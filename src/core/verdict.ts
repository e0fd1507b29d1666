import type { Headline } from './conditions.ts';
import { CoreReason, type OperatorError } from './operator-error.ts';
import type { Settled, Waiting } from './outcome.ts';

/** How a pass ended, failures included. Retry, conditions, events, logs and metrics all read it. */
export type Verdict =
  /** There is no object, or nothing of ours to do for it. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'paused'; readonly isBeingDeleted: boolean }
  | Settled
  | Waiting
  /** Cleaned up: the finalizer has been taken off. */
  | { readonly kind: 'released' }
  | {
      readonly kind: 'failed';
      readonly error: OperatorError;
      /** The world was seen to differ from the spec before the failure. */
      readonly isReadyDisproved: boolean;
    }
  /** Shutdown or lost lease in mid-pass: says nothing about the object. */
  | { readonly kind: 'aborted' };

/** What conditions should say; undefined where the verdict says nothing about the object. */
export function headlineOf(verdict: Verdict): Headline | undefined {
  switch (verdict.kind) {
    case 'settled':
      return { ready: 'True', reason: verdict.reason, message: verdict.message };
    case 'waiting':
      return { ...spoken(verdict), ready: 'False', mark: 'Reconciling' };
    case 'paused':
      return pausedHeadline(verdict.isBeingDeleted);
    case 'failed':
      return failedHeadline(verdict.error, verdict.isReadyDisproved);
    case 'gone':
    case 'released':
    case 'aborted':
      return undefined;
    default:
      return verdict satisfies never;
  }
}

function pausedHeadline(isBeingDeleted: boolean): Headline {
  const what = isBeingDeleted ? 'the deletion waits' : 'nothing is written or checked';
  return {
    ready: 'Unknown',
    reason: CoreReason.Paused,
    message: `${what} while the annotation albridge.io/paused is "true"; remove it to go on`,
  };
}

function failedHeadline(error: OperatorError, isReadyDisproved: boolean): Headline {
  const said = { reason: error.reason, message: error.message };
  if (error.healedBy === 'person') return { ...said, ready: 'False', mark: 'Stalled' };
  return { ...said, ready: isReadyDisproved ? 'False' : 'keep', mark: 'Reconciling' };
}

function spoken(waiting: Waiting): Pick<Headline, 'reason' | 'message'> {
  return { reason: waiting.reason, message: waiting.message };
}
