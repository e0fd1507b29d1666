import { previousGroupsTagKeys } from '../../../apis/my-ingress.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import type { Problem } from '../graph/problem.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import type { Identity } from '../identity.ts';
import { claimGroups, isAttached } from './attachment.ts';

/**
 * The groups that an adopted balancer had before the managed one replaced them. Tags of the managed group record them:
 * they are there before it is attached, are deleted with it, and no status that is lost or forged changes them. Pure.
 */

/**
 * Twelve ids of 20 characters, each with a space, fit into a value of 256; a network interface has 16 groups at most.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 */
const IDS_A_TAG = 12;

export function recordPrevious(ids: readonly string[]): Tags {
  const parts = previousGroupsTagKeys.map((key, index) => {
    return [key, ids.slice(index * IDS_A_TAG, (index + 1) * IDS_A_TAG).join(' ')] as const;
  });
  return Object.fromEntries(parts.filter(([, value]) => value !== ''));
}

export function pickRecord(tags: Tags): Tags {
  return Object.fromEntries(
    previousGroupsTagKeys.flatMap((key) => {
      const value = tags[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/**
 * Those on record; without a record those that the managed group is about to replace. A record stays when others attach
 * something else, which is drift.
 */
export function findPrevious(
  observed: ObservedGraph,
  { identity, isAdopted }: { readonly identity: Identity; readonly isAdopted: boolean },
): readonly string[] {
  if (!isAdopted) return [];
  const own = claimGroups(observed, identity);
  const recorded = own.map(({ tags }) => readPrevious(tags)).find((ids) => ids.length > 0);
  if (recorded !== undefined) return recorded;
  const isReplaced = own.some((group) => isAttached(group, observed));
  return isReplaced ? [] : (observed.loadBalancer?.securityGroups ?? []);
}

function readPrevious(tags: Tags): readonly string[] {
  return Object.values(pickRecord(tags)).flatMap((ids) => ids.split(' ').filter((id) => id !== ''));
}

const UNFIT: ReadonlySet<Problem['reason']> = new Set<Problem['reason']>([
  'InvalidSecurityGroup',
  'InvalidConfigurationRequest',
  'ValidationError',
]);

/** AWS refuses groups that were deleted meanwhile: the managed one stays attached until a person decides. */
export function explainRefusedReturn(problem: Problem, previous: readonly string[]): Problem {
  const isAboutThem = problem.id === LOAD_BALANCER_ID && UNFIT.has(problem.reason);
  if (!isAboutThem || previous.length === 0) return problem;
  const ids = previous.join(', ');
  return {
    ...problem,
    message: `the security groups before spec.inbound (${ids}) cannot be attached again, and the managed one stays: ${problem.message}`,
    next: 'give the groups that it should have in spec.securityGroups, or set spec.inbound again',
  };
}
