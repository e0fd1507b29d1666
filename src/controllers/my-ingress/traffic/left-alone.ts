import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { createProblemFailure } from '../failure.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { reportProblems } from '../graph/problem.ts';
import type { Step } from '../graph/steps.ts';
import { isOwnTargetGroup } from '../graph/tags.ts';
import { planRelease } from '../graph/teardown.ts';
import { type Held, mayHaveTraffic, recall } from '../record.ts';
import type { ObjectScope } from '../scope.ts';
import { executeAll } from './finalize.ts';
import { observeListeners } from './observation/observe.ts';

const NOTHING: ObservedGraph = {
  ...{ loadBalancer: undefined, listeners: [], securityGroups: [], targetGroups: [] },
};

/**
 * Takes our tags off the listeners and rules on a balancer that is not ours any more: they stay with it, and their
 * object is being deleted.
 */
export async function releaseListeners(
  scope: ObjectScope,
  loadBalancers: readonly LoadBalancer[],
): Promise<void> {
  const steps = await planListenerRelease(scope, loadBalancers);
  const problems = await executeAll(scope, NOTHING, steps);
  const report = reportProblems(problems);
  if (report !== undefined) throw createProblemFailure(report);
}

/**
 * Groups on record that the balancer uses and that are not ours any more. A pass under `deletionPolicy: Retain` may have
 * released them before the policy was edited: no right of ours reaches what lacks our tags.
 */
export async function listReleased(
  scope: ObjectScope,
  { securityGroups: attached, vpcId }: LoadBalancer,
  { targetGroups, securityGroups = [] }: Held,
): Promise<readonly string[]> {
  const { identity, pass } = scope;
  const { owned = {} } = recall(scope).object.status ?? {};
  const groups = targetGroups.filter((one) => {
    const isOnRecord = owned.targetGroups?.includes(one.targetGroup.name);
    return isOnRecord && !isOwnTargetGroup(one, identity);
  });
  const name = securityGroups.length === 0 ? owned.securityGroup : undefined;
  const clients = scope.traffic();
  const found = name ? await clients.securityGroups.find({ vpcId, name }, pass.signal) : [];
  const ids = found.map(({ securityGroup: { id } }) => id).filter((id) => attached.includes(id));
  return [
    ...groups.map(({ targetGroup }) => `target group ${targetGroup.name}`),
    ...ids.map((id) => `security group ${id}`),
  ];
}

/** Only what stands on an application load balancer was ever ours: one of another type may just have its name. */
export async function planListenerRelease(
  scope: ObjectScope,
  loadBalancers: readonly LoadBalancer[],
): Promise<readonly Step[]> {
  if (!mayHaveTraffic(scope)) return [];
  const { identity, pass } = scope;
  const clients = scope.traffic();
  const applications = loadBalancers.filter(({ type }) => type === 'application');
  const read = applications.map(({ arn }) => observeListeners(clients, { arn }, pass.signal));
  const listeners = (await Promise.all(read)).flat();
  const why = 'the object is being deleted, and the load balancer is not its own';
  return planRelease({ ...NOTHING, listeners }, identity, why);
}
