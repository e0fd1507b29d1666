import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { type Picture, resourceIdOf } from './resources.ts';

export interface OrphanParts {
  readonly picture: Picture;
  readonly claims: Claims;
  /** Whether there is an object of this name. */
  readonly isThere: (key: string) => boolean;
  readonly report: Report;
}

/** No orphan: what is ours has an object, and what is nobody's does not say that it is managed. */
export function checkOrphans({ picture, claims, isThere, report }: OrphanParts): void {
  for (const resource of picture.values()) {
    const owner = claims.ownerOf(resource);
    if (claims.releasedByHand.has(resource.key)) continue;
    if (owner !== undefined && !isThere(owner)) {
      report('no-orphan', `${resourceIdOf(resource)} of ${owner} is left: ${resource.key}`);
    }
    const isMarked = [resourceTagKey, ownershipTagKeys.managedBy].some((key) =>
      resource.tags.has(key),
    );
    if (owner === undefined && isMarked && !claims.madeByOthers.has(resource.key)) {
      report('no-orphan', `${resource.key} still says that albridge manages it`);
    }
  }
}
