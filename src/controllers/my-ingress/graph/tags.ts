import { resourceTagKey } from '../../../apis/my-ingress.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import { desireOwnershipTags, type Identity, readOwnership } from '../identity.ts';
import type { ObservedSecurityGroup, ObservedTargetGroup } from './graph.ts';
import { isTargetGroupName, nameSecurityGroup } from './names.ts';
import { type ResourceId, SECURITY_GROUP_ID } from './resource-id.ts';
import type { Call } from './steps.ts';

/** The user's tags, the ownership tags, and which resource it is. They go with the create call. */
export function desireTags(id: ResourceId, userTags: Tags, identity: Identity): Tags {
  return { ...userTags, ...desireOwnershipTags(identity), [resourceTagKey]: id };
}

/** Which resource of this object the tags prove it to be; undefined: it is foreign, or a listener or rule that was released. */
export function identifyResource(tags: Tags, identity: Identity): ResourceId | undefined {
  return isOwn(tags, identity) ? tags[resourceTagKey] : undefined;
}

interface TaggedTargetGroup extends Pick<ObservedTargetGroup, 'tags'> {
  readonly targetGroup: Pick<ObservedTargetGroup['targetGroup'], 'name'>;
}

/** As `identifyResource`; by its name where others have taken off the tag that says for which backend it is. */
export function identifyTargetGroup(
  group: TaggedTargetGroup,
  identity: Identity,
): ResourceId | undefined {
  const { targetGroup, tags } = group;
  if (!isOwnTargetGroup(group, identity)) return undefined;
  return tags[resourceTagKey] ?? `target-group/${targetGroup.name}`;
}

/**
 * As `isOwn`; without the tag for the resource its tags are those of the balancer, which others may have copied, and
 * only its name tells that it was made by this object.
 */
export function isOwnTargetGroup(
  { targetGroup: { name }, tags }: TaggedTargetGroup,
  identity: Identity,
): boolean {
  const isNamed = tags[resourceTagKey] !== undefined || isTargetGroupName(name, identity);
  return isNamed && isOwn(tags, identity);
}

/** As `identifyResource`; an object has one security group, whether or not its tag says so. */
export function identifySecurityGroup(
  { tags }: Pick<ObservedSecurityGroup, 'tags'>,
  identity: Identity,
): ResourceId | undefined {
  return isOwn(tags, identity) ? (tags[resourceTagKey] ?? SECURITY_GROUP_ID) : undefined;
}

/** Leaves out those that have the balancer's tags and another name, as for target groups; the one with the tag goes first. */
export function pickSecurityGroups(
  found: readonly ObservedSecurityGroup[],
  identity: Identity,
): readonly ObservedSecurityGroup[] {
  const name = nameSecurityGroup(identity);
  const isTagged = ({ tags }: ObservedSecurityGroup): boolean => tags[resourceTagKey] !== undefined;
  const named = found.filter((one) => !isTagged(one) && one.securityGroup.name === name);
  return [...found.filter(isTagged), ...named];
}

/**
 * True where the tags say that this object made it. The tag for the resource is the record of that, as
 * `status.alb` is for a balancer: a tag for the UID that is missing next to it is written again.
 */
export function isOwn(tags: Tags, identity: Identity): boolean {
  const isOnRecord = tags[resourceTagKey] !== undefined;
  return readOwnership(tags, identity, isOnRecord).kind === 'ours';
}

export interface TagsContext {
  /** The ARN, or the id of a security group. */
  readonly resource: string;
  /** Keys of `spec.tags` that were written once and are taken off when they leave the spec. */
  readonly appliedTags: readonly string[];
}

/** A call for whatever has an ARN; security groups have operations of their own for the same. */
export type TagCall = Call<'AddTags' | 'RemoveTags'> & { readonly why: string };

/** Removals first, because AWS counts what is there: 50 tags at most. */
export function diffTags(
  desired: Tags,
  observed: Tags,
  { resource, appliedTags }: TagsContext,
): readonly TagCall[] {
  const set = Object.entries(desired).filter(([key, value]) => getValue(observed, key) !== value);
  const keys = appliedTags.filter(
    (key) => !Object.hasOwn(desired, key) && Object.hasOwn(observed, key),
  );
  const tags = Object.fromEntries(set);
  const left = `left spec.tags: ${keys.join(', ')}`;
  const differs = set.map(([key, value]) => {
    return `tag ${key}: observed ${getValue(observed, key) ?? 'none'}, desired ${value}`;
  });
  return [
    ...(keys.length === 0
      ? []
      : [{ operation: 'RemoveTags' as const, input: { resource, keys }, why: left }]),
    ...(set.length === 0
      ? []
      : [{ operation: 'AddTags' as const, input: { resource, tags }, why: differs.join('; ') }]),
  ];
}

/** Keys are whatever users write, `constructor` too. */
function getValue(tags: Tags, key: string): string | undefined {
  return Object.hasOwn(tags, key) ? tags[key] : undefined;
}
