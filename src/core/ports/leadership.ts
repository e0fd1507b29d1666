import { CoreReason, OperatorError } from '../reconcile/operator-error.ts';

/** Asked synchronously where a write is dispatched, in both adapters. */
export interface Leadership {
  isLeader(): boolean;
  /** `ALBRIDGE_MODE=observe`: whoever leads, nothing but status is written. */
  readonly isObserver?: boolean;
}

/** The leadership of an operator that writes status alone. */
export function restrictToStatus(leadership: Leadership): Leadership {
  return { isLeader: () => leadership.isLeader(), isObserver: true };
}

/** Throws where this process may not send the write; `status` is what an observer may write. */
export function assertMayWrite(leadership: Leadership, what: 'status' | 'other'): void {
  if (leadership.isObserver === true && what !== 'status') refuseWrite();
  assertLeader(leadership);
}

export function assertLeader(leadership: Leadership): void {
  if (leadership.isLeader()) return;
  throw new OperatorError({
    reason: CoreReason.LeadershipLost,
    message: 'this process no longer holds the lease, the write was not sent',
    healedBy: 'time',
  });
}

/** The last line of defence: whoever decides to write has to know the mode. */
export function refuseWrite(): never {
  throw new OperatorError({
    reason: CoreReason.InternalError,
    message:
      'a bug in the operator: a write in plan or observe mode, which was not sent; please report it with the log of this pass',
    healedBy: 'time',
  });
}
