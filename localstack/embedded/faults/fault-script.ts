// Lives here: what goes wrong on purpose: scripted errors, lost answers, throttles; and the log of calls.
// May import it: localstack/embedded.
// Start with: this file, then token-buckets.ts.

import { STALE_HORIZON_MS } from '../load-balancers/balancer-store.ts';

/** The effect of a scripted fault on one request. */
export type FaultEffect =
  /** Answers this error; nothing is applied. */
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly status: number;
      readonly message: string;
    }
  /** Applies the request, then breaks the connection without an answer. */
  | { readonly kind: 'lostResponse' }
  /** Breaks the connection; nothing is applied. */
  | { readonly kind: 'dropBeforeApply' }
  /** Answers HTTP 500 with an HTML body; nothing is applied. */
  | { readonly kind: 'html500' }
  /** Waits, then applies and answers. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Waits until released, then applies and answers. */
  | { readonly kind: 'hold' }
  /** A read answers from the state as it was this long ago. Matches reads only. */
  | { readonly kind: 'staleReads'; readonly ageMs: number };

export interface FaultRule {
  /** An operation's name, or `*` for each. */
  readonly operation: string;
  /** Matching requests that pass unharmed first; default 0. */
  readonly skip?: number;
  /** Requests harmed; default 1, or unlimited if `forMs` is given. */
  readonly times?: number;
  /** The rule ends this long after it was added, ms; default never. */
  readonly forMs?: number;
  readonly effect: FaultEffect;
}

interface Entry {
  readonly rule: FaultRule;
  readonly endsAtMs: number;
  skip: number;
  times: number;
}

/** A rule with what is left of it. */
export interface PendingFault extends FaultRule {
  readonly timesLeft: number;
}

/** Faults to come, in the order in which they were added. Each request meets at most one. */
export class FaultScript {
  #entries: Entry[] = [];

  /** Throws a RangeError for a rule that could never do what it says. */
  add(rule: FaultRule, nowMs: number): void {
    checkRule(rule);
    this.#entries.push({
      rule,
      endsAtMs: rule.forMs === undefined ? Infinity : nowMs + rule.forMs,
      skip: rule.skip ?? 0,
      times: rule.times ?? (rule.forMs === undefined ? 1 : Infinity),
    });
  }

  clear(): void {
    this.#entries = [];
  }

  pending(nowMs: number): readonly PendingFault[] {
    this.#dropSpent(nowMs);
    return this.#entries.map(({ rule, times }) => ({ ...rule, timesLeft: times }));
  }

  /** The effect that this request meets, used up by it. */
  take(operation: string, isRead: boolean, nowMs: number): FaultEffect | undefined {
    if (this.#entries.length === 0) return undefined;
    this.#dropSpent(nowMs);
    for (const entry of this.#entries) {
      if (!matches(entry.rule, operation, isRead)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.times -= 1;
      return entry.rule.effect;
    }
    return undefined;
  }

  #dropSpent(nowMs: number): void {
    this.#entries = this.#entries.filter((entry) => entry.times > 0 && nowMs < entry.endsAtMs);
  }
}

function matches(rule: FaultRule, operation: string, isRead: boolean): boolean {
  if (rule.operation !== '*' && rule.operation !== operation) return false;
  return rule.effect.kind !== 'staleReads' || isRead;
}

function checkRule(rule: FaultRule): void {
  checkCount('skip', rule.skip ?? 0, 0);
  checkCount('times', rule.times ?? 1, 1);
  checkCount('forMs', rule.forMs ?? 1, 1);
  if (rule.effect.kind === 'delay') checkCount('delayMs', rule.effect.delayMs, 0);
  if (rule.effect.kind !== 'staleReads') return;
  checkCount('ageMs', rule.effect.ageMs, 0);
  if (rule.effect.ageMs > STALE_HORIZON_MS) {
    throw new RangeError(`ageMs must be at most ${STALE_HORIZON_MS}`);
  }
}

function checkCount(field: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new RangeError(`${field} must be an integer of at least ${min}, not ${value}`);
}
