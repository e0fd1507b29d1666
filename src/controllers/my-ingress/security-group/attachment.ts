import type { AttachedGroup, ObservedGraph, ObservedSecurityGroup } from '../graph/graph.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import { identifySecurityGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';

/** The spec's choice of security groups. */
export interface AttachmentSpec {
  readonly securityGroups: readonly string[] | undefined;
  readonly hasListeners: boolean;
  readonly isAdopted: boolean;
  readonly hasInbound: boolean;
}

/** Whose groups are attached to the balancer. */
export type AttachmentMode = 'default' | 'managed' | 'given' | 'adopted';

/** A managed group exists only where listeners exist; an adopted balancer gets one only if asked. */
export function chooseAttachment(spec: AttachmentSpec): AttachmentMode {
  if (spec.securityGroups !== undefined) return 'given';
  if (spec.isAdopted && !spec.hasInbound) return 'adopted';
  return spec.hasListeners ? 'managed' : 'default';
}

export interface AttachmentFacts {
  readonly given: readonly string[];
  /** ALBRIDGE_BACKEND_SECURITY_GROUPS */
  readonly backendGroups: readonly string[];
  /** The VPC's default group; undefined: not known. */
  readonly defaultGroup: string | undefined;
  /** As `findPrevious` gives them. */
  readonly previousGroups: readonly string[];
  /** Whether the managed group is on the balancer now. */
  readonly isManagedAttached: boolean;
}

/**
 * The groups that are attached once everything is done; undefined: those that are. Only a managed group
 * gives way to those that it has replaced, or to the VPC's default one, because a balancer must have at least one.
 */
export function desireAttachment(
  mode: AttachmentMode,
  facts: AttachmentFacts,
): readonly AttachedGroup[] | undefined {
  switch (mode) {
    case 'given':
      return facts.given.map(toGroup);
    case 'managed':
      return [{ resource: SECURITY_GROUP_ID }, ...facts.backendGroups.map(toGroup)];
    case 'default':
    case 'adopted': {
      const { isManagedAttached, previousGroups, defaultGroup } = facts;
      if (!isManagedAttached) return undefined;
      if (previousGroups.length > 0) return previousGroups.map(toGroup);
      return defaultGroup === undefined ? undefined : [toGroup(defaultGroup)];
    }
    default:
      return mode satisfies never;
  }
}

function toGroup(id: string): AttachedGroup {
  return { id };
}

/** The managed groups of the object, by their tags. */
export function claimGroups(
  { securityGroups }: Pick<ObservedGraph, 'securityGroups'>,
  identity: Identity,
): readonly ObservedSecurityGroup[] {
  return securityGroups.filter((one) => identifySecurityGroup(one, identity) === SECURITY_GROUP_ID);
}

export function isAttached(
  { securityGroup: { id } }: ObservedSecurityGroup,
  { loadBalancer }: Pick<ObservedGraph, 'loadBalancer'>,
): boolean {
  return loadBalancer?.securityGroups.includes(id) ?? false;
}
