import { type Condition, leadingCondition } from './conditions.ts';
import type { LogFields, Logger } from './logger.ts';
import { CoreReason, type OperatorError } from './operator-error.ts';
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
  const type = isFailure ? 'Warning' : 'Normal';
  const draft = { type, reason: is.reason, action: 'Reconcile', note: is.message } as const;
  if (verdict.kind !== 'waiting' || !verdict.isReported) pass.event(draft);
  const fields = { reason: is.reason, condition: is.type, status: is.status };
  if (isFailure) logFailure(pass.log, verdict.error, fields);
  else pass.log.info(is.message, fields);
}

/** An error in the log is something that a person should look at: theirs to heal, or our bug. */
export function logFailure(log: Logger, error: OperatorError, fields: LogFields): void {
  const needsPerson = error.healedBy === 'person' || error.reason === CoreReason.InternalError;
  const told = { ...fields, ...error.details, err: error };
  if (needsPerson) log.error(error.message, told);
  else log.info(error.message, told);
}

function isSameState(was: Condition | undefined, is: Condition): boolean {
  return was?.type === is.type && was.status === is.status && was.reason === is.reason;
}
