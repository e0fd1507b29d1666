import type { Clock } from '../../core/ports/clock.ts';
import { hasReason } from '../../core/reconcile/operator-error.ts';
import { type AwsCall, chargeTo } from '../client/aws-call.ts';
import { choosePageSize } from '../client/pages.ts';
import { Patience, waitForReads } from '../client/patience.ts';
import { describeAll } from '../elbv2/load-balancer-reader.ts';
import type { LoadBalancer } from '../elbv2/load-balancers.ts';
import { describeAllGroups } from '../elbv2/target-groups-client.ts';
import type { TargetGroup } from '../elbv2/traffic.ts';

/** The wish of one refresh of the inventory. */
export interface Wish {
  /** The name or the ARN of each balancer. */
  readonly selection: ReadonlySet<string>;
  /** As `Inventory.refresh`; undefined: target groups are not listed. */
  readonly targetGroupNames: ReadonlySet<string> | 'every' | undefined;
}

/** The target groups that are selected by name. */
export function listNames({ targetGroupNames }: Wish): ReadonlySet<string> {
  return typeof targetGroupNames === 'object' ? targetGroupNames : new Set();
}

/** All of the account, a page a call. */
export async function listAccount(
  call: AwsCall,
  wish: Wish,
  signal: AbortSignal,
): Promise<{ listed: readonly LoadBalancer[]; allGroups: readonly TargetGroup[] }> {
  const { selection, targetGroupNames } = wish;
  const pageSize = choosePageSize(selection.size);
  const listed = await describeAll(call, pageSize, signal);
  if (targetGroupNames === undefined) return { listed, allGroups: [] };
  try {
    return { listed, allGroups: await describeAllGroups(call, pageSize, signal) };
  } catch (error) {
    // An operator of balancers alone need not be allowed to list target groups, and has made none.
    const isNeeded = targetGroupNames === 'every' || targetGroupNames.size > 0;
    if (isNeeded || !hasReason(error, 'AccessDenied')) throw error;
    return { listed, allGroups: [] };
  }
}

/** A longer outage is logged, and left to the scan's next try. */
const LONGEST_OUTAGE_MS = 20_000;

/**
 * With the tokens of the scan. No worker waits here, and what the scan has read by then is not read again: in an account
 * that throttles for minutes it would begin anew each time, and never end.
 */
export function createPatientCall({ call, clock, isPatient = false }: PatientParts): AwsCall {
  const longestThrottleMs = isPatient ? 0 : Number.POSITIVE_INFINITY;
  const patience = new Patience({ clock, longestOutageMs: LONGEST_OUTAGE_MS, longestThrottleMs });
  return waitForReads(chargeTo({ isScan: true }, call), patience);
}

export interface PatientParts {
  readonly call: AwsCall;
  readonly clock: Clock;
  /** `call` waits for tokens, and for throttles, by itself. */
  readonly isPatient?: boolean;
}
