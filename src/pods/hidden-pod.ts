import type { Outcome } from '../core/reconcile/outcome.ts';

/** Nobody calls when a pod changes that has lost the label by which pods are watched. */
const RECHECK_MS = 5_000;

/** The outcome of a pass over such a pod: it is looked at again soon. */
export function lookAgainSoon(outcome: Outcome): Outcome {
  const { requeueAfterMs = RECHECK_MS } = outcome;
  return { ...outcome, requeueAfterMs: Math.min(requeueAfterMs, RECHECK_MS) };
}
