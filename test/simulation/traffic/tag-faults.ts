import {
  type MyIngressSpec,
  ownershipTagKeys,
  previousGroupsTagKeys,
  resourceTagKey,
  rewriteTagKey,
} from '../../../src/apis/my-ingress.ts';
import type { Claims } from './claims.ts';
import type { Resource } from './resources.ts';

/** Keys of the tags that the operator writes by itself. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(ownershipTagKeys),
  ...[resourceTagKey, rewriteTagKey],
  ...previousGroupsTagKeys,
]);

/** Tags that the resource should have, and has not or with another value. */
export function listMissingTags({ key, tags }: Resource, spec: MyIngressSpec): readonly string[] {
  const desired = { ...spec.tags, [ownershipTagKeys.managedBy]: 'albridge' };
  return Object.entries(desired)
    .filter(([name, value]) => tags.get(name) !== value)
    .map(([name]) => `tag ${name} of ${key} is ${tags.get(name) ?? '(none)'}`);
}

/** Tags that have left the spec; what others have written stays. */
export function listLeftTags(
  { key, tags }: Resource,
  spec: MyIngressSpec,
  claims: Claims,
): readonly string[] {
  return [...tags.keys()]
    .filter((name) => !OWN_KEYS.has(name) && !Object.hasOwn(spec.tags ?? {}, name))
    .filter((name) => !claims.isTagOfOthers(key, name))
    .map((name) => `tag ${name} of ${key} is left`);
}
