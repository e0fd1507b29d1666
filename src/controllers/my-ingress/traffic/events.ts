import { recordEvent, wasReadyForThisSpec } from '../events.ts';
import { printStep } from '../graph/planned-step.ts';
import type { Step } from '../graph/steps.ts';
import type { ObjectScope } from '../scope.ts';

const MOST_STEPS = 4;

/** One event for all that a pass has changed beside the balancer, and a log line with every step. */
export function recordChanged(scope: ObjectScope, done: readonly Step[]): void {
  if (done.length === 0) return;
  const steps = done.map(printStep);
  const more = steps.length > MOST_STEPS ? [`and ${steps.length - MOST_STEPS} more`] : [];
  const what = [...steps.slice(0, MOST_STEPS), ...more].join('; ');
  const draft = wasReadyForThisSpec(scope)
    ? { reason: 'RepairedTraffic', action: 'Repair', note: `Repaired: ${what}` }
    : { reason: 'UpdatedTraffic', action: 'Update', note: `Updated: ${what}` };
  recordEvent(scope, draft, { steps });
}
