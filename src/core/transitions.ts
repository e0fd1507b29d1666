import { type Condition, leadingCondition } from './conditions.ts';
import type { Pass } from './reconciler.ts';
import type { CoreStatus, ObjectWithStatus } from './status.ts';
import type { Verdict } from './verdict.ts';

export interface TransitionContext {
  readonly verdict: Verdict;
  readonly pass: Pick<Pass, 'event' | 'log'>;
}

/**
 * One event and one log line when the leading condition changes its type, status or reason; a
 * message that merely reads differently is no transition.
 */
export function tellTransition(
  before: ObjectWithStatus,
  after: CoreStatus,
  { verdict, pass }: TransitionContext,
): void {
  const was = leadingCondition(before.status?.conditions ?? []);
  const is = leadingCondition(after.conditions ?? []);
  if (is === undefined || isSameState(was, is)) return;
  const isFailure = verdict.kind === 'failed';
  pass.event({
    type: isFailure ? 'Warning' : 'Normal',
    reason: is.reason,
    action: 'Reconcile',
    note: is.message,
  });
  const fields = { reason: is.reason, condition: is.type, status: is.status };
  if (!isFailure) return pass.log.info(is.message, fields);
  const needsPerson = verdict.error.healedBy === 'person' || verdict.error.cause !== undefined;
  const errorFields = { ...fields, err: verdict.error };
  if (needsPerson) pass.log.error(is.message, errorFields);
  else pass.log.info(is.message, fields);
}

function isSameState(was: Condition | undefined, is: Condition): boolean {
  return was?.type === is.type && was.status === is.status && was.reason === is.reason;
}
