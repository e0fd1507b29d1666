import type { MyIngress } from '../../../apis/my-ingress.ts';
import { getSource } from '../attaching/attaching-object.ts';
import { NO_RULES } from '../attaching/joined.ts';
import type { ObservedTargetGroup } from '../graph/graph.ts';
import { nameTargetGroup } from '../graph/names.ts';
import type { Problem, ProblemReason } from '../graph/problem.ts';
import { findBackend, type ResourceId } from '../graph/resource-id.ts';
import { identifyTargetGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { OWN_SOURCE } from '../routes/routes.ts';
import type { Pair } from './desired.ts';

type Named = Pick<ObservedTargetGroup, 'targetGroup' | 'tags'>;

interface EqualNamesGiven {
  readonly object: MyIngress;
  readonly identity: Identity;
  /** The target group of this name, as far as it is known. */
  readonly find: (name: string) => Named | undefined;
}

/**
 * Those that would share a target group with another backend. A name has 32 bits of a hash, so that a tenant can choose
 * one for his object that leads to the target group of another tenant. A group stays with the backend in its tag, also
 * while that one is not desired; a tag that does not fit the name is drift.
 */
export function findEqualNames(
  pairs: readonly Pair[],
  { object, identity, find }: EqualNamesGiven,
): ReadonlySet<Pair> {
  const byName = Map.groupBy(pairs, ({ desired }) => desired.name);
  const late = [...byName].flatMap(([name, all]) => {
    const group = find(name);
    const holder = group && identifyTargetGroup(group, identity);
    const isTagged = ({ desired }: Pair): boolean => desired.id === holder;
    if (group && !all.some(isTagged) && isNamedFor(holder, group, identity)) return all;
    const kept = all.find(isTagged) ?? all.find((one) => wasServed(one, object)) ?? all[0];
    return all.filter((one) => one !== kept);
  });
  return new Set(late);
}

/** False for an id that was shortened, too. */
function isNamedFor(id: ResourceId = '', { targetGroup }: Named, identity: Identity): boolean {
  const backend = findBackend(id);
  if (backend === undefined) return false;
  return nameTargetGroup(identity, backend, targetGroup) === targetGroup.name;
}

const REASON = 'NameConflict' satisfies ProblemReason;

/** So that who came first keeps a group that does not tell whose it is. */
function wasServed({ backend: { source } }: Pair, { status }: MyIngress): boolean {
  if (source === OWN_SOURCE) return true;
  const entry = status?.attached?.find((one) => getSource(one) === source);
  return entry !== undefined && entry.digest !== NO_RULES && entry.reason !== REASON;
}

export function explainEqualName({ desired: { id, name } }: Pair): Problem {
  const message = `its target group would be ${name}, which is that of another backend`;
  const next = 'give the backend, or the object that attaches it, another name';
  return { id, reason: REASON, message, next };
}
