import { resourceTagKey } from '../../../apis/my-ingress.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import { desireOwnershipTags, type Identity, readOwnership } from '../identity.ts';
import type { ResourceId } from './resource-id.ts';
import type { Call } from './steps.ts';

/** The user's tags, the ownership tags, and which resource it is. They go with the create call. */
export function desireTags(id: ResourceId, userTags: Tags, identity: Identity): Tags {
  return { ...userTags, ...desireOwnershipTags(identity), [resourceTagKey]: id };
}

/** Which resource of this object the tags prove it to be; undefined: it is foreign. */
export function identifyResource(tags: Tags, identity: Identity): ResourceId | undefined {
  return isOwn(tags, identity) ? tags[resourceTagKey] : undefined;
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
