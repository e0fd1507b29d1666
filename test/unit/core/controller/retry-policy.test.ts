import { describe, expect, it } from 'vitest';
import { decideRetry, type RetryDecision } from '../../../../src/core/controller/retry-policy.ts';
import type { Verdict } from '../../../../src/core/controller/verdict.ts';
import {
  OperatorError,
  type OperatorErrorOptions,
} from '../../../../src/core/reconcile/operator-error.ts';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

interface Case {
  readonly why: string;
  readonly verdict: Verdict;
  readonly decision: RetryDecision;
}

const cases: Record<string, Case> = {
  gone: {
    why: 'nothing is left to do',
    verdict: { kind: 'gone' },
    decision: { kind: 'awaitChange' },
  },
  released: {
    why: 'the finalizer is off',
    verdict: { kind: 'released' },
    decision: { kind: 'awaitChange' },
  },
  paused: {
    why: 'taking the annotation off is a change',
    verdict: { kind: 'paused', isBeingDeleted: false, by: 'annotation' },
    decision: { kind: 'awaitChange' },
  },
  aborted: {
    why: 'this process ends',
    verdict: { kind: 'aborted' },
    decision: { kind: 'awaitChange' },
  },
  settled: {
    why: 'a change brings it back',
    verdict: settled('Active', 'it stands'),
    decision: { kind: 'awaitChange' },
  },
  'settled, again later': {
    why: 'the reconciler asks for a resync',
    verdict: { ...settled('Active', 'it stands'), requeueAfterMs: 7000 },
    decision: { kind: 'after', delayMs: 7000 },
  },
  waiting: {
    why: 'waiting says when to look again',
    verdict: waiting('Provisioning', 'it comes', 2000),
    decision: { kind: 'after', delayMs: 2000 },
  },
  'healed by time': {
    why: 'nobody knows when',
    verdict: failed({ healedBy: 'time' }),
    decision: { kind: 'backoff' },
  },
  'healed by time, not before': {
    why: 'the server said Retry-After, to many objects alike',
    verdict: failed({ healedBy: 'time', notBeforeMs: 9000 }),
    decision: { kind: 'backoff', notBeforeMs: 9000 },
  },
  'healed by time, at its turn': {
    why: 'a place in the budget is lost to whoever is late',
    verdict: failed({ healedBy: 'time', retryAfterMs: 9000 }),
    decision: { kind: 'after', delayMs: 9000 },
  },
  'healed by a person, or by itself soon': {
    why: 'the pass knows of a change for which there is no event',
    verdict: failed({ healedBy: 'person', retryAfterMs: 9000 }),
    decision: { kind: 'after', delayMs: 9000 },
  },
};

describe('decideRetry', () => {
  it.each(Object.entries(cases))('%s', (_name, { verdict, decision, why }) => {
    expect(decideRetry(verdict, new ManualClock()), why).toEqual(decision);
  });

  it('requeues what a person must heal after 1 to 5 minutes, spread over all of it', () => {
    const clock = new ManualClock();
    const delays = Array.from({ length: 500 }, () => {
      const decision = decideRetry(failed({ healedBy: 'person' }), clock);
      return decision.kind === 'after' ? decision.delayMs : Number.NaN;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(60_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(300_000);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(200_000);
  });
});

function failed(
  options: Pick<OperatorErrorOptions, 'healedBy' | 'retryAfterMs' | 'notBeforeMs'>,
): Verdict {
  const error = new OperatorError({ reason: 'Throttled', message: 'slow down', ...options });
  return { kind: 'failed', error, isReadyDisproved: false };
}
