import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { findQuota } from '../../aws/elbv2/traffic.ts';
import type { LogFields } from '../../core/ports/logger.ts';
import { OperatorError, rewordError } from '../../core/reconcile/operator-error.ts';
import type { ProblemReport } from './graph/problem.ts';

/**
 * Builds the error for a reason of the table: what was observed, then what to do next. The message is for the
 * object's owner and holds nothing of other tenants; `details` go to the log alone.
 */
export function createFailure(
  reason: MyIngressReason,
  observed: string,
  more: { readonly details?: LogFields; readonly retryAfterMs?: number } = {},
): OperatorError {
  const { healedBy, next } = myIngressReasons[reason];
  return new OperatorError({
    reason,
    message: `${observed}; ${next}`,
    healedBy: healedBy === 'time' ? 'time' : 'person',
    ...more,
  });
}

/** Builds the error for what is wrong with resources, from the report of their problems. */
export function createProblemFailure(
  report: ProblemReport,
  more: { readonly retryAfterMs?: number } = {},
): OperatorError {
  return new OperatorError({ ...report, ...more });
}

/** The same refusal with what this operator takes of the quota; any other error as it is. */
export function countBalancers(error: unknown, count: number): unknown {
  if (findQuota(error) !== 'TooManyLoadBalancers') return error;
  return rewordError(error, (said) => {
    const end = said.lastIndexOf('; ');
    return `${said.slice(0, end)}, this operator needs ${count}${said.slice(end)}`;
  });
}
