import { compareText } from '../../../core/objects/kube-object.ts';
import { digest } from '../identity.ts';
import { listAttachedPorts, readRoutes } from '../routes/read-routes.ts';
import { OWN_SOURCE, type RouteRule } from '../routes/routes.ts';
import type { AttachedBackend, AttachedRule, TrafficSpec } from '../routes/traffic-spec.ts';
import { type AttachingObject, compareAge } from './attaching-object.ts';
import { type Candidate, countRules, recallCandidates } from './candidates.ts';
import { type Claim, listClaims, takesAll } from './claims.ts';
import type { Decision, Holders, Refusal } from './decision.ts';
import { keepHolders, measureHold, reserveClaims } from './holders.ts';
import { type Hold, shareQuota } from './turns.ts';
import { compareWidth } from './width.ts';

/** Which attaching objects get which rules of one MyIngress; pure. */

/**
 * AWS's default for one balancer, the spec's own rules included; default rules do not count.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const MOST_RULES = 100;

export interface Standing {
  /** As the last decision left it. */
  readonly held: Holders;
  /** Of which it is not known whether they may attach: not served, and they keep what they hold. */
  readonly waiting?: ReadonlySet<AttachingObject>;
}

/**
 * The spec's own rules come first. Who holds a host and path keeps it, whatever others ask for later; what nobody
 * holds goes to the one that has the same on another port, then to the object that is older, then to the one whose name is
 * first.
 *
 * @param objects those that name this MyIngress and may attach to it, or are in `waiting`
 */
export function decideAttachments(
  spec: TrafficSpec,
  objects: readonly AttachingObject[],
  { held, waiting }: Standing,
): Decision {
  const own = readRoutes(spec).rules;
  const ports = listAttachedPorts(spec);
  const all = objects.toSorted(compareAge).flatMap((one) => recallCandidates(one, ports));
  const holders = keepHolders({ objects, candidates: all, ports }, held);
  const reserved = reserveClaims(all, holders, held);
  const candidates = all.filter(({ object }) => waiting?.has(object) !== true);
  const { clear, refusals } = settleConflicts(candidates, listOwnClaims(own), reserved);
  const left = Math.max(0, MOST_RULES - countRules(own));
  const getHold = (one: Candidate): Hold => measureHold(one, holders, reserved);
  const served = shareQuota(orderTurns(clear, held), { left, getHold });
  const beyond = clear.filter((one) => !served.has(one));
  const accepted = clear.filter((one) => served.has(one)).toSorted(compareEvaluation);
  const rules = accepted.map(({ source, rule }) => ({ source, rule }));
  const backends = listBackends(accepted);
  return {
    ...{ rules, backends, digests: digestRoutes(rules, backends), isKnown: true },
    refusals: [
      ...refusals,
      ...beyond.map(({ object }) => ({ source: object, reason: 'RuleQuotaReached' }) as const),
    ],
    // Who is beyond the quota holds nothing, or it would come before those that are served.
    holders: new Map([...holders, ...accepted.flatMap(listHeld)]),
  };
}

/** Nothing is accepted, refused or given up. */
export const UNKNOWN: Decision = {
  ...{ isKnown: false, rules: [], backends: [], refusals: [] },
  ...{ digests: new Map(), holders: new Map() },
};

interface Settled {
  /** At most one for each claim. */
  readonly clear: readonly Candidate[];
  readonly refusals: readonly Refusal[];
}

function settleConflicts(
  candidates: readonly Candidate[],
  own: readonly Claim[],
  reserved: Holders,
): Settled {
  const refusals: Refusal[] = [];
  const clear: Candidate[] = [];
  const taken = new Map<Claim, string>(own.map((claim) => [claim, OWN_SOURCE]));
  for (const candidate of candidates) {
    const refusal = refuse(candidate, taken, reserved);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    clear.push(candidate);
    for (const claim of candidate.claims) taken.set(claim, candidate.source);
  }
  return { clear, refusals };
}

function digestRoutes(
  rules: readonly AttachedRule[],
  backends: readonly AttachedBackend[],
): ReadonlyMap<string, string> {
  const sources = [...new Set(backends.map(({ source }) => source))];
  return new Map(
    sources.map((source) => {
      const own = [...rules, ...backends].filter((one) => one.source === source);
      return [source, digest([JSON.stringify(own)])] as const;
    }),
  );
}

function listOwnClaims(rules: readonly RouteRule[]): readonly Claim[] {
  return rules.filter(takesAll).flatMap(listClaims);
}

function listHeld({ claims, source }: Candidate): readonly (readonly [Claim, string])[] {
  return claims.map((claim) => [claim, source] as const);
}

function refuse(candidate: Candidate, taken: Holders, holders: Holders): Refusal | undefined {
  const { claims, object, source } = candidate;
  if (claims.length === 0) return { source: object, reason: 'NoListener' };
  const findOther = (claim: Claim): string | undefined =>
    [taken.get(claim), holders.get(claim)].find((one) => one !== undefined && one !== source);
  const claim = claims.find((one) => findOther(one) !== undefined);
  if (claim === undefined) return undefined;
  const takenBy = findOther(claim) ?? '';
  return { source: object, reason: 'HostAndPathTaken', claim, takenBy };
}

/** Those that have rules already come before newcomers. */
function orderTurns(candidates: readonly Candidate[], held: Holders): readonly Candidate[] {
  const holding = new Set(held.values());
  const rank = ({ source }: Candidate): number => (holding.has(source) ? 0 : 1);
  return candidates.toSorted((a, b) => rank(a) - rank(b));
}

/** Independent of age: a restored object has the place that it had. */
function compareEvaluation(a: Candidate, b: Candidate): number {
  return (
    compareWidth(a.rule, b.rule) ||
    compareText(a.source, b.source) ||
    compareText(a.rule.name, b.rule.name)
  );
}

/** Of each object that has a rule, in an order of their own. */
function listBackends(accepted: readonly Candidate[]): readonly AttachedBackend[] {
  const objects = new Map(accepted.map(({ source, object }) => [source, object]));
  return [...objects]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([source, { namespace, backends }]) =>
      backends.map((backend) => ({ source, namespace, backend })),
    );
}
