import { omitUndefined } from '../objects/fields.ts';
import type { Key } from '../objects/kube-object.ts';
import { addJitter, type Clock } from '../ports/clock.ts';
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
 * The only place that decides when a pass is repeated. A failure that needs action is retried
 * every 1 to 5 minutes - what heals it may lie outside the object, where no event tells.
 */
export function decideRetry(verdict: Verdict, clock: Clock): RetryDecision {
  switch (verdict.kind) {
    case 'gone':
    case 'released':
    case 'paused':
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

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Exponential delay per key, up to 20 % of jitter on top; a healthy key costs no memory. */
export class Backoff {
  readonly #clock: Clock;
  readonly #options: BackoffOptions;
  readonly #failures = new Map<Key, number>();

  constructor(clock: Clock, options: BackoffOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Counts one more failure in a row and draws the delay, in ms; at least `leastMs`. */
  drawDelayMs(key: Key, leastMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(this.#options.maxMs, this.#options.firstMs * 2 ** failures);
    return addJitter(this.#clock, Math.max(delayMs, leastMs), 0.2);
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  get size(): number {
    return this.#failures.size;
  }
}
