import { type Clock, sleep } from '../../core/ports/clock.ts';
import { hasReason, type OperatorError } from '../../core/reconcile/operator-error.ts';
import { type AwsCall, chargeTo } from '../client/aws-call.ts';
import { describeAll } from '../elbv2/load-balancer-reader.ts';
import type { LoadBalancer } from '../elbv2/load-balancers.ts';
import { choosePageSize } from '../elbv2/pages.ts';
import { describeAllGroups } from '../elbv2/target-groups-client.ts';
import type { TargetGroup } from '../elbv2/traffic.ts';

/** The wish of one refresh of the inventory. */
export interface Wish {
  /** The name or the ARN of each balancer. */
  readonly selection: ReadonlySet<string>;
  /** undefined: target groups are not listed. */
  readonly targetGroupNames: ReadonlySet<string> | undefined;
}

/** All of the account, a page a call. */
export async function listAccount(
  call: AwsCall,
  { selection, targetGroupNames }: Wish,
  signal: AbortSignal,
): Promise<{ listed: readonly LoadBalancer[]; allGroups: readonly TargetGroup[] }> {
  const pageSize = choosePageSize(selection.size);
  const listed = await describeAll(call, pageSize, signal);
  if (targetGroupNames === undefined) return { listed, allGroups: [] };
  try {
    return { listed, allGroups: await describeAllGroups(call, pageSize, signal) };
  } catch (error) {
    // An operator of balancers alone need not be allowed to list target groups, and has made none.
    const isDenied = hasReason(error, 'AccessDenied');
    if (targetGroupNames.size > 0 || !isDenied) throw error;
    return { listed, allGroups: [] };
  }
}

/**
 * With the tokens of the scan. No worker waits here, so a spent budget is waited for, and a short
 * outage: what the scan has read by then is not read again.
 */
export function createPatientCall(
  { call, clock }: { readonly call: AwsCall; readonly clock: Clock },
  signal: AbortSignal,
): AwsCall {
  const ofScan = chargeTo({ isScan: true }, call);
  return async (operation, input, options) => {
    let downSinceMs: number | undefined;
    for (;;) {
      try {
        return await ofScan(operation, input, options);
      } catch (error) {
        const nowMs = clock.monotonicMs();
        if (isOutage(error)) downSinceMs ??= nowMs;
        const waitMs = chooseWaitMs(error, nowMs - (downSinceMs ?? nowMs));
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, signal);
      }
    }
  };
}

/** Where the failure of an outage does not state its time. */
const OUTAGE_PAUSE_MS = 2_000;
/** A longer outage is logged, and left to the scan's next try. */
const LONGEST_OUTAGE_MS = 20_000;

function chooseWaitMs(error: unknown, downMs: number): number | undefined {
  if (isOutage(error)) {
    return downMs < LONGEST_OUTAGE_MS ? (error.retryAfterMs ?? OUTAGE_PAUSE_MS) : undefined;
  }
  const isWait = hasReason(error, 'BudgetExhausted', 'Throttled');
  return isWait ? error.retryAfterMs : undefined;
}

function isOutage(error: unknown): error is OperatorError {
  return hasReason(error, 'AwsUnavailable', 'AwsUnreachable');
}
