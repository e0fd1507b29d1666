import type { KnownAction } from '../../../aws/elbv2/traffic.ts';
import type { AttachedGroup, DesiredAction, ObservedGraph } from '../graph/graph.ts';
import { chooseGroup } from '../graph/projection.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { claimGroups } from '../security-group/attachment.ts';

/** ARNs and ids of what a plan names by its resource id or its name, as far as it is there. */
export interface References {
  readonly loadBalancerArn: string;
  /** By name. */
  readonly targetGroups: ReadonlyMap<string, string>;
  /** By resource id. */
  readonly listeners: ReadonlyMap<ResourceId, string>;
  readonly securityGroup: string | undefined;
}

/** The observed resources; of several listeners with one id the one on the id's port, as the plan takes it. */
export function readReferences(
  observed: ObservedGraph,
  identity: Identity,
  loadBalancerArn: string,
): References {
  const own = observed.listeners.flatMap(({ listener, tags }) => {
    const id = identifyResource(tags, identity);
    return id === undefined ? [] : [{ id, listener }];
  });
  const byFit = own.toSorted((a, b) => Number(isOnItsPort(a)) - Number(isOnItsPort(b)));
  const groups = observed.targetGroups.map(
    ({ targetGroup: { name, arn } }) => [name, arn] as const,
  );
  return {
    loadBalancerArn,
    targetGroups: new Map(groups),
    listeners: new Map(byFit.map(({ id, listener }) => [id, listener.arn])),
    securityGroup: chooseGroup(claimGroups(observed, identity), observed)?.securityGroup.id,
  };
}

/** The action with ARNs instead of names; undefined: a target group of it is not there. */
export function resolveAction(
  action: DesiredAction,
  { targetGroups }: Pick<References, 'targetGroups'>,
): KnownAction | undefined {
  if (action.kind !== 'forward') return action;
  const resolved = action.targetGroups.flatMap(({ name, weight }) => {
    const arn = targetGroups.get(name);
    return arn === undefined ? [] : [{ arn, weight }];
  });
  const isWhole = resolved.length === action.targetGroups.length;
  return isWhole ? { ...action, targetGroups: resolved } : undefined;
}

/** Ids of the groups to attach; undefined: the managed one is not there. */
export function resolveAttachment(
  groups: readonly AttachedGroup[],
  { securityGroup }: Pick<References, 'securityGroup'>,
): readonly string[] | undefined {
  const ids = groups.flatMap((group) => ('id' in group ? group.id : (securityGroup ?? [])));
  return ids.length === groups.length ? ids : undefined;
}

function isOnItsPort({ id, listener }: OwnListener): boolean {
  return id === `listener/${listener.port}`;
}

interface OwnListener {
  readonly id: ResourceId;
  readonly listener: { readonly port: number };
}
