import type { ResourceId } from '../graph/resource-id.ts';
import type { AttachedRoutes } from '../routes/traffic-spec.ts';
import type { ServedGroup } from '../targets.ts';
import { getSource, type SourceRef } from './attaching-object.ts';
import type { Claim } from './claims.ts';

/** The decision about all that attaches to one MyIngress. */

export type RefusalReason =
  | 'NotAllowed'
  | 'NamespacesUnknown'
  | 'NoListener'
  | 'HostAndPathTaken'
  | 'RuleQuotaReached';

/** A rule that is not served. */
export interface Refusal {
  readonly source: SourceRef;
  readonly reason: RefusalReason;
  /** The host and path that is taken. */
  readonly claim?: Claim;
  /** `spec`, or the source that has it: for the MyIngress alone. */
  readonly takenBy?: string;
}

/** The holder of each host and path, by its claim: `spec` or a source. */
export type Holders = ReadonlyMap<Claim, string>;

const firstRefusals = new WeakMap<Decision, ReadonlyMap<string, Refusal>>();

/** The first refusal of a source; of a decision about thousands of sources all of them ask. */
export function findRefusal(decision: Decision, source: string): Refusal | undefined {
  const known = firstRefusals.get(decision);
  if (known !== undefined) return known.get(source);
  const first = decision.refusals
    .toReversed()
    .map((refusal) => [getSource(refusal.source), refusal] as const);
  const index = new Map(first);
  firstRefusals.set(decision, index);
  return index.get(source);
}

/** By the id of its target group: an attached backend of which no more than its object's name is known. */
export type RecalledBackends = ReadonlyMap<ResourceId, Pick<ServedGroup, 'backend' | 'service'>>;

export interface Decision extends AttachedRoutes {
  /** False: not all objects that may attach are read yet, so that what they have attached stays as it is. */
  readonly isKnown: boolean;
  /** Only where `isKnown` is false. */
  readonly recalled?: RecalledBackends;
  /** By source: of the routes that are accepted. */
  readonly digests: ReadonlyMap<string, string>;
  /** One for each rule. */
  readonly refusals: readonly Refusal[];
  readonly holders: Holders;
}
