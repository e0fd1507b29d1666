import { hasReason } from '../../core/reconcile/operator-error.ts';
import type { AwsCall } from '../client/aws-call.ts';
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
