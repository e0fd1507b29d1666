import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import type { LogFields } from '../../core/logger.ts';
import { OperatorError } from '../../core/operator-error.ts';

/**
 * The error for a reason of the table: what was seen, then what to do next. The message is for the
 * object's owner and holds nothing of other tenants; `details` go to the log alone.
 */
export function failure(
  reason: MyIngressReason,
  seen: string,
  more: { readonly details?: LogFields; readonly retryAfterMs?: number } = {},
): OperatorError {
  const { healedBy, next } = myIngressReasons[reason];
  return new OperatorError({
    reason,
    message: `${seen}; ${next}`,
    healedBy: healedBy === 'time' ? 'time' : 'person',
    ...more,
  });
}
