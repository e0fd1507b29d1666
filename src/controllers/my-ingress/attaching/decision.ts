import { isDeepStrictEqual } from 'node:util';
import { OWN_SOURCE } from '../routes/routes.ts';
import type { AttachedRoutes } from '../routes/traffic-spec.ts';
import { getSource, type SourceRef } from './attaching-object.ts';
import { type Claim, describeClaim } from './claims.ts';

/** The decision about all that attaches to one MyIngress. */

const REFUSAL_REASONS = [
  'NotAllowed',
  'NamespacesUnknown',
  'NoListener',
  'HostAndPathTaken',
  'RuleQuotaReached',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** False: AWS has refused it. */
export function isRefusalReason(reason: string): reason is RefusalReason {
  return REFUSAL_REASONS.some((one) => one === reason);
}

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

/** As `status.attached[]` has it; it names both sides. */
export function describeRefusal({ reason, claim, takenBy = '' }: Refusal): {
  readonly reason: RefusalReason;
  readonly message?: string;
} {
  if (claim === undefined) return { reason };
  const holder = takenBy === OWN_SOURCE ? 'a rule of the spec' : takenBy.replace('/', ' ');
  return { reason, message: cutMessage(`${describeClaim(claim)} is taken by ${holder}`) };
}

/** As the CRD has it: a longer one would be refused, and the whole status with it. */
const LONGEST_MESSAGE = 512;

export function cutMessage(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 3)}...`;
}

export interface Decision extends AttachedRoutes {
  /**
   * False: not all objects that may attach are read yet, or the MyIngress is being deleted, so that what they have
   * attached stays as it is.
   */
  readonly isKnown: boolean;
  /** By source: of the routes that are accepted. */
  readonly digests: ReadonlyMap<string, string>;
  /** One for each rule. */
  readonly refusals: readonly Refusal[];
  readonly holders: Holders;
}

/** The last decision about a MyIngress of one name. */
export interface Decided {
  readonly uid: string | undefined;
  /** Of the MyIngress and all that attaches to it. */
  readonly version: string;
  readonly decision: Decision;
}

/** True where the same is served, held and reported; undefined: nothing attaches. */
export function isSameOutcome(a: Decision | undefined, b: Decision | undefined): boolean {
  return isDeepStrictEqual(describeOutcome(a), describeOutcome(b));
}

/** Whoever may not attach at all has no part in it. */
function describeOutcome(decision: Decision | undefined): readonly unknown[] {
  const { digests = new Map(), holders = new Map(), refusals = [] } = decision ?? {};
  const reported = refusals.filter(({ reason }) => reason !== 'NotAllowed');
  const described = reported.map(({ source, ...refusal }) => ({
    ...refusal,
    source: getSource(source),
  }));
  return [digests, holders, described];
}
