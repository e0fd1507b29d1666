// Lives here: the managed security group: desired, diff, attachment; pure.
// May import it: src/controllers/my-ingress.
// Start with: this file, then attachment.ts.

import type { Permission } from '../../../aws/ec2/security-groups.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type {
  AttachedGroup,
  DesiredGraph,
  DesiredSecurityGroup,
  ObservedGraph,
  ObservedSecurityGroup,
} from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import { LOAD_BALANCER_ID, SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import type { Call, Step } from '../graph/steps.ts';
import { diffTags } from '../graph/tags.ts';
import { claimGroups, isAttached } from './attachment.ts';
import { normaliseCidr } from './cidr.ts';
import { pickRecord } from './previous.ts';

/** The steps of the managed group, by the phase of the plan that they belong to. */
export interface SecurityGroupSteps {
  /** Before the balancer is created or changed. */
  readonly before: readonly Step[];
  readonly tags: readonly Step[];
  /** Sources and ports that left the spec, then groups that are not attached any more. */
  readonly removals: readonly Step[];
  readonly problems: readonly Problem[];
}

type GroupGraph = Pick<DesiredGraph, 'securityGroup' | 'attachment'>;

interface GroupContext extends Pick<PlanContext, 'identity' | 'appliedTags'> {
  /** AWS has refused another rule of the group for its quota. */
  readonly isFull?: boolean;
}

export function planSecurityGroup(
  desired: GroupGraph,
  observed: ObservedGraph,
  context: GroupContext,
): SecurityGroupSteps {
  const { securityGroup } = desired;
  const own = claimGroups(observed, context.identity);
  const kept = own.find(({ securityGroup: { vpcId } }) => vpcId === securityGroup?.vpcId);
  const taken = kept === undefined ? findHolder(securityGroup, observed) : undefined;
  const problems = taken === undefined ? [] : [describeConflict(taken)];
  const attached = planAttachment(desired, observed, kept);
  const unused = own
    .filter((group) => group !== kept)
    .filter((group) => !isAttached(group, observed));
  const removals = unused.flatMap((group) => [...forgetPrevious(group), deleteGroup(group)]);
  if (securityGroup === undefined || taken !== undefined) {
    return { before: taken === undefined ? attached : [], tags: [], removals, problems };
  }
  if (kept === undefined) {
    return { before: [...createGroup(securityGroup), ...attached], tags: [], removals, problems };
  }
  const { missing, left } = diffIngress(securityGroup.ingress, kept.securityGroup.ingress);
  const isSwap = context.isFull === true && hasRoom(securityGroup.ingress, left, missing);
  const revoked = revoke(left);
  return {
    before: [
      ...writeRecord(securityGroup, kept),
      ...(isSwap ? revoked : []),
      ...authorize(missing, 'not allowed'),
      ...attached,
    ],
    tags: updateTags(securityGroup, kept, context),
    removals: [...(isSwap ? [] : revoked), ...removals],
    problems,
  };
}

/** Names of groups are unique in a VPC without regard to case. */
function findHolder(
  desired: DesiredSecurityGroup | undefined,
  { securityGroups }: ObservedGraph,
): ObservedSecurityGroup | undefined {
  return securityGroups.find(({ securityGroup: { name, vpcId } }) => {
    return name.toLowerCase() === desired?.name.toLowerCase() && vpcId === desired.vpcId;
  });
}

function createGroup({
  id,
  name,
  description,
  vpcId,
  ingress,
  tags,
  record,
}: DesiredSecurityGroup): Step[] {
  const input = { name, description, vpcId, tags: { ...tags, ...record } };
  return [
    { id, operation: 'CreateSecurityGroup', why: 'not there', needs: [], input },
    ...authorize(ingress, 'new'),
  ];
}

/** All in one call. */
function authorize(ingress: readonly Permission[], why: string): Step[] {
  if (ingress.length === 0) return [];
  return [
    {
      ...{ id: SECURITY_GROUP_ID, operation: 'AuthorizeSecurityGroupIngress' },
      ...{ why: `${why}: ${describe(ingress)}`, needs: [SECURITY_GROUP_ID], input: { ingress } },
    },
  ];
}

/** Ports of listeners that leave the spec are admitted until those are gone; then this revokes them. */
export function revokeUnserved({
  securityGroup,
  listeners,
}: Pick<DesiredGraph, 'securityGroup' | 'listeners'>): readonly Step[] {
  const ports = new Set(listeners.map(({ port }) => port));
  const { ingress = [] } = securityGroup ?? {};
  return revoke(ingress.filter(({ fromPort }) => fromPort !== undefined && !ports.has(fromPort)));
}

function revoke(ingress: readonly Permission[]): Step[] {
  if (ingress.length === 0) return [];
  return [
    {
      ...{ id: SECURITY_GROUP_ID, operation: 'RevokeSecurityGroupIngress' },
      ...{ why: `not in the spec: ${describe(ingress)}`, needs: [], input: { ingress } },
    },
  ];
}

/** A group of ours is ours entirely: what others have allowed is revoked. */
function diffIngress(
  desired: readonly Permission[],
  observed: readonly Permission[],
): { readonly missing: readonly Permission[]; readonly left: readonly Permission[] } {
  const listKeys = (list: readonly Permission[]): ReadonlySet<string> => new Set(list.map(getKey));
  const [desiredKeys, there] = [listKeys(desired), listKeys(observed)];
  return {
    missing: desired.filter((one) => !there.has(getKey(one))),
    left: observed.filter((one) => !desiredKeys.has(getKey(one))),
  };
}

/**
 * Only where the quota has room for all that is missing once the others are gone do they go first. It counts each family
 * apart, a group in both, and a prefix list, whose family is not known here, as its maximum number of entries on each
 * port: it fits in place of itself on another port.
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 * https://docs.aws.amazon.com/vpc/latest/userguide/working-with-aws-managed-prefix-lists.html#aws-managed-prefix-list-weights
 */
function hasRoom(
  desired: readonly Permission[],
  left: readonly Permission[],
  missing: readonly Permission[],
): boolean {
  if (!desired.some(isList) && FAMILIES.every((other) => countBut(other, desired) <= MOST_RULES)) {
    return true;
  }
  return (
    missing.filter(isList).every((one) => countLike(one, missing) <= countLike(one, left)) &&
    FAMILIES.every((other) => countBut(other, missing) <= countBut(other, left))
  );
}

/** Of each family, where the quota was not raised. */
const MOST_RULES = 60;

const FAMILIES = ['ipv4', 'ipv6'] as const;

function countBut(family: (typeof FAMILIES)[number], list: readonly Permission[]): number {
  return list.filter(({ source }) => source.kind !== family).length;
}

function isList({ source }: Permission): boolean {
  return source.kind === 'prefix-list';
}

/** Those of the same source, on whichever port. */
function countLike({ source: { value } }: Permission, list: readonly Permission[]): number {
  return list.filter(({ source }) => source.value === value).length;
}

function getKey({ protocol, fromPort, toPort, source: { kind, value } }: Permission): string {
  return `${protocol} ${fromPort ?? ''}-${toPort ?? ''} ${kind} ${normaliseCidr(value)}`;
}

function describe(ingress: readonly Permission[]): string {
  return ingress
    .map(({ fromPort, source }) => `${fromPort ?? 'all'} from ${source.value}`)
    .join(', ');
}

function planAttachment(
  { attachment }: GroupGraph,
  { loadBalancer }: ObservedGraph,
  kept: ObservedSecurityGroup | undefined,
): readonly Step[] {
  if (loadBalancer === undefined || attachment === undefined) return [];
  const ids = attachment.map((group) => getId(group, kept));
  const { securityGroups } = loadBalancer;
  const isSame =
    ids.length === securityGroups.length &&
    ids.every((id) => id !== undefined && securityGroups.includes(id));
  if (isSame) return [];
  const desired = ids.map((id) => id ?? SECURITY_GROUP_ID);
  const why = `observed ${securityGroups.join(', ')}, desired ${desired.join(', ')}`;
  const needs = attachment.flatMap((group) => ('resource' in group ? [group.resource] : []));
  const input = { groups: attachment };
  return [{ id: LOAD_BALANCER_ID, operation: 'SetSecurityGroups', why, needs, input }];
}

function getId(group: AttachedGroup, kept: ObservedSecurityGroup | undefined): string | undefined {
  return 'id' in group ? group.id : kept?.securityGroup.id;
}

/** Write-ahead: AWS does not show the groups once they are replaced. */
function writeRecord(
  { record }: DesiredSecurityGroup,
  { securityGroup: { id: resource }, tags }: ObservedSecurityGroup,
): readonly Step[] {
  if (Object.entries(record).every(([key, value]) => tags[key] === value)) return [];
  const why = `replaces ${Object.values(record).join(' ')}`;
  const call = { operation: 'CreateTags' as const, input: { resource, tags: record } };
  return [{ id: SECURITY_GROUP_ID, why, needs: [], ...call }];
}

/** A group that AWS does not delete, since others refer to it, may be attached again later, in place of others. */
function forgetPrevious({
  securityGroup: { id: resource },
  tags,
}: ObservedSecurityGroup): readonly Step[] {
  const record = pickRecord(tags);
  if (Object.keys(record).length === 0) return [];
  const call = { operation: 'DeleteTags' as const, input: { resource, tags: record } };
  return [{ id: SECURITY_GROUP_ID, why: 'not attached any more', needs: [], ...call }];
}

function deleteGroup({ securityGroup: { id: groupId } }: ObservedSecurityGroup): Step {
  return {
    ...{ id: SECURITY_GROUP_ID, operation: 'DeleteSecurityGroup', why: 'not attached any more' },
    ...{ needs: [], input: { groupId } },
  };
}

/** EC2 has tagging operations of its own. */
function updateTags(
  desired: DesiredSecurityGroup,
  { securityGroup, tags }: ObservedSecurityGroup,
  { appliedTags }: GroupContext,
): readonly Step[] {
  const { id: resource } = securityGroup;
  const context = { resource, appliedTags };
  return diffTags(desired.tags, tags, context).map((call): Step => {
    const common = { id: desired.id, why: call.why, needs: [] };
    return call.operation === 'AddTags'
      ? { ...common, operation: 'CreateTags', input: call.input }
      : { ...common, operation: 'DeleteTags', input: { resource, tags: pickTags(tags, call) } };
  });
}

function pickTags(tags: Tags, { input: { keys } }: Call<'RemoveTags'>): Tags {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => keys.includes(key)));
}

function describeConflict({ securityGroup: { id, name } }: ObservedSecurityGroup): Problem {
  const message = `the name ${name} is held by security group ${id}, whose tags do not name this object, such as one that deletionPolicy Retain has left`;
  const next = `delete ${id} if it is no longer needed, or give it in spec.securityGroups`;
  return { id: SECURITY_GROUP_ID, reason: 'NameConflict', message, next };
}
