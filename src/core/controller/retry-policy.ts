import { omitUndefined } from '../objects/fields.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorError } from '../reconcile/operator-error.ts';
import type { Verdict } from './verdict.ts';

/** The decision about a key after its pass. */
export type RetryDecision =
  /** Put back only by a change; the count of failures is reset. */
  | { readonly kind: 'awaitChange' }
  | { readonly kind: 'after'; readonly delayMs: number }
  /** Put back by the key's exponential backoff. */
  | { readonly kind: 'backoff'; readonly notBeforeMs?: number };

const PERSON_FIRST_MS = 60_000;
const PERSON_SPREAD_MS = 240_000;

/**
 * Decides when a pass is repeated, and nothing else does, except that `delayRetry` in lifecycle.ts postpones it where
 * the API server asks for that. A failure that needs action is retried after 1 to 5 minutes, or at its own time if that
 * is sooner: what heals it may lie outside the object, where no event tells.
 */
export function decideRetry(verdict: Verdict, clock: Clock): RetryDecision {
  switch (verdict.kind) {
    case 'gone':
    case 'released':
    case 'paused':
    case 'planned':
    case 'aborted':
      return { kind: 'awaitChange' };
    case 'settled':
      return verdict.requeueAfterMs === undefined
        ? { kind: 'awaitChange' }
        : { kind: 'after', delayMs: verdict.requeueAfterMs };
    case 'waiting':
      return { kind: 'after', delayMs: verdict.requeueAfterMs };
    case 'failed':
      return decideAfterFailure(verdict.error, clock);
    default:
      return verdict satisfies never;
  }
}

function decideAfterFailure(error: OperatorError, clock: Clock): RetryDecision {
  switch (error.healedBy) {
    case 'person': {
      const delayMs = PERSON_FIRST_MS + clock.random() * PERSON_SPREAD_MS;
      return { kind: 'after', delayMs: Math.min(delayMs, error.retryAfterMs ?? delayMs) };
    }
    case 'time':
      return error.retryAfterMs === undefined
        ? { kind: 'backoff', ...omitUndefined({ notBeforeMs: error.notBeforeMs }) }
        : { kind: 'after', delayMs: error.retryAfterMs };
    default:
      return error.healedBy satisfies never;
  }
}
