import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { createProblemFailure } from '../failure.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { reportProblems } from '../graph/problem.ts';
import type { Step } from '../graph/steps.ts';
import { planRelease } from '../graph/teardown.ts';
import { mayHaveTraffic } from '../record.ts';
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
