import type { MyIngress } from '../../apis/my-ingress.ts';
import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { findQuota } from '../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import type { LogFields } from '../../core/ports/logger.ts';
import {
  hasReason,
  OperatorError,
  restateError,
  rewordError,
} from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
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

/**
 * A pass that only waits for tokens learns nothing: an object that is Stalled for this generation stays so until its
 * turn. Any other error as it is.
 */
export function keepStalled({ metadata, status }: MyIngress, error: unknown): unknown {
  if (!(error instanceof OperatorError) || error.reason !== 'BudgetExhausted') return error;
  const stalled = status?.conditions?.find((condition) => {
    return condition.type === 'Stalled' && condition.status === 'True';
  });
  if (stalled === undefined || stalled.observedGeneration !== metadata.generation) return error;
  const { reason, message } = stalled;
  const { retryAfterMs, notBeforeMs } = error;
  const when = omitUndefined({ retryAfterMs, notBeforeMs });
  return new OperatorError({ reason, message, healedBy: 'person', ...when, cause: error });
}

/** Throws the refusal, to be repeated when the outcome is due. */
export function throwRefusal(refusal: OperatorError, end: () => Outcome): never {
  throw restateError(refusal, omitUndefined({ retryAfterMs: findDueMs(end) }));
}

function findDueMs(end: () => Outcome): number | undefined {
  try {
    return end().requeueAfterMs;
  } catch (error) {
    if (error instanceof OperatorError) return error.retryAfterMs ?? error.notBeforeMs;
    throw error;
  }
}

/** The same refusal with what this operator takes of the quota; any other error as it is. */
export function countBalancers(error: unknown, count: number): unknown {
  if (findQuota(error) !== 'TooManyLoadBalancers') return error;
  return rewordError(error, (said) => {
    const end = said.lastIndexOf('; ');
    return `${said.slice(0, end)}, this operator needs ${count}${said.slice(end)}`;
  });
}

/**
 * A balancer that AWS does not delete while another service uses it; any other error as it is.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/network/application-load-balancer-target.html
 */
export function explainUse(error: unknown): unknown {
  if (!hasReason(error, 'ResourceInUse')) return error;
  const said = error.message.slice(0, error.message.lastIndexOf('; '));
  const message = `${said}; remove what uses it, such as a Network Load Balancer with it as a target`;
  return new OperatorError({
    reason: 'DeletionBlocked',
    message,
    healedBy: 'person',
    cause: error,
  });
}
