import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { OperatorError } from '../../core/operator-error.ts';

/** The error for a reason of the table: what was seen, then what to do next. */
export function failure(
  reason: MyIngressReason,
  seen: string,
  retryAfterMs?: number,
): OperatorError {
  const { healedBy, next } = myIngressReasons[reason];
  return new OperatorError({
    reason,
    message: `${seen}; ${next}`,
    healedBy: healedBy === 'time' ? 'time' : 'person',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
