import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../../core/reconcile/operator-error.ts';
import type { ObservedTargetGroup } from '../graph/graph.ts';
import { isOwn } from '../graph/tags.ts';
import type { ObjectScope } from '../scope.ts';
import { hasTraffic } from './concern.ts';

type Known = Pick<ObservedTargetGroup, 'targetGroup'>;

/** The target groups that the balancer uses; those of the object are remembered, whatever status records. */
export async function findUsedGroups(
  scope: ObjectScope,
  { arn }: LoadBalancer,
): Promise<readonly ObservedTargetGroup[]> {
  const { identity, memory, object, pass } = scope;
  try {
    const used = await scope.traffic().targetGroups.ofBalancer(arn, pass.signal);
    const found = await tagEach(
      scope,
      used.map((targetGroup) => ({ targetGroup })),
    );
    const own = found.filter(({ tags }) => isOwn(tags, identity));
    if (own.length > 0) memory.foundGroups = own.map(({ targetGroup: { name } }) => name);
    return found;
  } catch (error) {
    // An operator of balancers alone need not be allowed to read target groups, and has made none.
    const isDenied = error instanceof OperatorError && error.reason === 'AccessDenied';
    if (hasTraffic(object) || !isDenied) throw error;
    return [];
  }
}

/** With their tags as they are now; what is gone is left out. */
export async function tagEach(
  scope: ObjectScope,
  groups: readonly Known[],
): Promise<readonly ObservedTargetGroup[]> {
  const { tags } = scope.traffic();
  const read = groups.map(async ({ targetGroup }) => {
    const own = await tags.read(targetGroup.arn, scope.pass.signal);
    return own === undefined ? [] : [{ targetGroup, tags: own }];
  });
  return (await Promise.all(read)).flat();
}
