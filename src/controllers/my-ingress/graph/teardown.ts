import {
  ownershipTagKeys,
  previousGroupsTagKeys,
  resourceTagKey,
  rewriteTagKey,
} from '../../../apis/my-ingress.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type { Identity } from '../identity.ts';
import { revokeUnserved } from '../security-group/diff.ts';
import type { DesiredGraph, ObservedGraph } from './graph.ts';
import { LOAD_BALANCER_ID, type ResourceId } from './resource-id.ts';
import type { Step } from './steps.ts';
import { identifyResource, identifySecurityGroup, identifyTargetGroup } from './tags.ts';

/**
 * Plans to delete the rest once the balancer is gone, which has taken its listeners and rules along: target groups,
 * then the security group, which network interfaces hold for some minutes.
 */
export function planTeardown(observed: ObservedGraph, identity: Identity): readonly Step[] {
  const why = 'the object is being deleted';
  return planDeletion(observed, { identity, why, needs: [LOAD_BALANCER_ID] });
}

interface Deletion extends Pick<Step, 'why' | 'needs'> {
  readonly identity: Identity;
}

/** Of what is ours by its tags. */
function planDeletion(
  observed: Pick<ObservedGraph, 'targetGroups' | 'securityGroups'>,
  { identity, why, needs }: Deletion,
): readonly Step[] {
  const groups = observed.targetGroups.flatMap((group): Step[] => {
    const id = identifyTargetGroup(group, identity);
    const input = { arn: group.targetGroup.arn };
    return id === undefined ? [] : [{ id, operation: 'DeleteTargetGroup', why, needs, input }];
  });
  const securityGroups = observed.securityGroups.flatMap((group): Step[] => {
    const id = identifySecurityGroup(group, identity);
    const input = { groupId: group.securityGroup.id };
    return id === undefined ? [] : [{ id, operation: 'DeleteSecurityGroup', why, needs, input }];
  });
  return [...groups, ...securityGroups];
}

/** Removals of a later plan: not desired and still in use, so that no plan removes it before. */
export function planRetirement(
  desired: DesiredGraph,
  { loadBalancer, securityGroups, targetGroups }: ObservedGraph,
  identity: Identity,
): readonly Step[] {
  const names = new Set(desired.targetGroups.map(({ name }) => name));
  const used = targetGroups.filter(({ targetGroup: { loadBalancerArns, name } }) => {
    return loadBalancerArns.length > 0 && !names.has(name);
  });
  const attached = securityGroups.filter(({ securityGroup: { id, vpcId } }) => {
    const isAttached = loadBalancer?.securityGroups.includes(id) ?? false;
    return isAttached && desired.securityGroup?.vpcId !== vpcId;
  });
  const left = { targetGroups: used, securityGroups: attached };
  const why = 'not desired, once it is not in use';
  return [...revokeUnserved(desired), ...planDeletion(left, { identity, why, needs: [] })];
}

/** Takes our tags off everything beside the balancer, so that it stays as it is and is nobody's. */
export function planRelease(
  observed: Pick<ObservedGraph, 'listeners' | 'targetGroups' | 'securityGroups'>,
  identity: Identity,
  why = 'deletionPolicy is Retain',
): readonly Step[] {
  const release = (id: ResourceId | undefined, resource: string, tags: Tags): readonly Step[] => {
    if (id === undefined) return [];
    const ours = pickOurTags(tags);
    return [
      isSecurityGroup(id)
        ? { id, why, needs: [], operation: 'DeleteTags', input: { resource, tags: ours } }
        : {
            id,
            why,
            needs: [],
            operation: 'RemoveTags',
            input: { resource, keys: Object.keys(ours) },
          },
    ];
  };
  return [
    ...observed.listeners.flatMap(({ listener, tags, rules }) => [
      ...rules.flatMap((one) => {
        return release(identifyResource(one.tags, identity), one.rule.arn, one.tags);
      }),
      ...release(identifyResource(tags, identity), listener.arn, tags),
    ]),
    ...observed.targetGroups.flatMap((one) => {
      return release(identifyTargetGroup(one, identity), one.targetGroup.arn, one.tags);
    }),
    ...observed.securityGroups.flatMap((one) => {
      return release(identifySecurityGroup(one, identity), one.securityGroup.id, one.tags);
    }),
  ];
}

function pickOurTags(tags: Tags): Tags {
  const keys: readonly string[] = [
    ...Object.values(ownershipTagKeys),
    ...[resourceTagKey, rewriteTagKey],
    ...previousGroupsTagKeys,
  ];
  return Object.fromEntries(Object.entries(tags).filter(([key]) => keys.includes(key)));
}

function isSecurityGroup(id: ResourceId): boolean {
  return id.startsWith('security-group/');
}
