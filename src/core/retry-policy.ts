import type { Clock } from './clock.ts';
import type { OperatorError } from './operator-error.ts';
import type { Verdict } from './verdict.ts';
import { withoutUndefined } from './without-undefined.ts';

/** What becomes of a key after its pass. */
export type RetryDecision =
  /** Put back only by a change; the count of failures starts anew. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'after'; readonly delayMs: number }
  /** Put back by the key's exponential backoff. */
  | { readonly kind: 'backoff'; readonly notBeforeMs?: number };

const PERSON_FIRST_MS = 60_000;
const PERSON_SPREAD_MS = 240_000;

/**
 * The only place that decides when a pass is repeated. A failure that a person must heal is looked
 * at again every 1 to 5 minutes - what heals it may lie outside the object, where no event tells.
 */
export function decideRetry(verdict: Verdict, clock: Clock): RetryDecision {
  switch (verdict.kind) {
    case 'gone':
    case 'released':
    case 'paused':
    case 'aborted':
      return { kind: 'rest' };
    case 'settled':
      return verdict.againAfterMs === undefined
        ? { kind: 'rest' }
        : { kind: 'after', delayMs: verdict.againAfterMs };
    case 'waiting':
      return { kind: 'after', delayMs: verdict.againAfterMs };
    case 'failed':
      return afterFailure(verdict.error, clock);
    default:
      return verdict satisfies never;
  }
}

function afterFailure(error: OperatorError, clock: Clock): RetryDecision {
  switch (error.healedBy) {
    case 'person': {
      const delayMs = PERSON_FIRST_MS + clock.random() * PERSON_SPREAD_MS;
      return { kind: 'after', delayMs: Math.min(delayMs, error.retryAfterMs ?? delayMs) };
    }
    case 'time':
      return error.retryAfterMs === undefined
        ? { kind: 'backoff', ...withoutUndefined({ notBeforeMs: error.notBeforeMs }) }
        : { kind: 'after', delayMs: error.retryAfterMs };
    default:
      return error.healedBy satisfies never;
  }
}
