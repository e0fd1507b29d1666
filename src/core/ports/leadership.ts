import { CoreReason, OperatorError } from '../reconcile/operator-error.ts';

/** Asked synchronously where a write is dispatched, in both adapters. */
export interface Leadership {
  isLeader(): boolean;
}

export function assertLeader(leadership: Leadership): void {
  if (leadership.isLeader()) return;
  throw new OperatorError({
    reason: CoreReason.LeadershipLost,
    message: 'this process no longer holds the lease, the write was not sent',
    healedBy: 'time',
  });
}
