import type { Rollout } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError, restateError } from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Held } from './debounce.ts';
import { continueRollout } from './rollout.ts';
import { reportPods, type Scope } from './scope.ts';

/** No restart begins within the least interval, but one that is under way goes on with the pods that are older still. */
export async function continueMeanwhile(
  rollout: Rollout,
  { outcome: hold, outdated = [] }: Held,
  scope: Scope,
): Promise<Outcome> {
  const isInterval = hold.reason === ('MinInterval' satisfies ConfigMonitorReason);
  const pods = rollout.pods.filter((uid) => outdated.includes(uid));
  if (pods.length === 0 || hold.kind !== 'waiting' || !isInterval) return hold;
  const { requeueAfterMs } = hold;
  try {
    const outcome = await continueRollout({ ...rollout, pods }, scope);
    if (outcome.kind !== 'waiting') return hold;
    return { ...outcome, requeueAfterMs: Math.min(outcome.requeueAfterMs, requeueAfterMs) };
  } catch (error) {
    throw restateHeld(error, requeueAfterMs);
  } finally {
    reportPods(
      outdated.filter((uid) => scope.pods.getByUid(uid, 'kept')),
      scope,
    );
  }
}

/** A restart that is stuck may be so by data that is corrected by now. */
function restateHeld(error: unknown, heldMs: number): unknown {
  if (!(error instanceof OperatorError) || error.healedBy !== 'person') return error;
  const { message, retryAfterMs = heldMs } = error;
  return restateError(error, {
    message: `${message}; newer data waits for minIntervalSeconds`,
    retryAfterMs: Math.min(retryAfterMs, heldMs),
  });
}
