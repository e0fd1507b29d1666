import { compareText } from '../../../core/objects/kube-object.ts';
import { digest } from '../identity.ts';
import { listAttachedPorts, readAttachedRule, readRoutes } from '../routes/read-routes.ts';
import { OWN_SOURCE, type RouteRule } from '../routes/routes.ts';
import type {
  AttachedBackend,
  AttachedRule,
  RuleSpec,
  TrafficSpec,
} from '../routes/traffic-spec.ts';
import { listParts } from '../rules/desired.ts';
import { type AttachingObject, compareAge, getSource } from './attaching-object.ts';
import { type Claim, digestClaim, listClaims, takesAll } from './claims.ts';
import type { Decision, Holders, Refusal } from './decision.ts';
import { shareQuota } from './turns.ts';
import { compareWidth, splitByWidth } from './width.ts';

/** Which attaching objects get which rules of one MyIngress; pure. */

/**
 * AWS's default for one balancer, the spec's own rules included; default rules do not count.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const MOST_RULES = 100;

/** A rule on one port: each is decided by itself, so that a listener that comes takes no rule from another one. */
interface Candidate {
  readonly object: AttachingObject;
  readonly source: string;
  readonly rule: RuleSpec;
  readonly claims: readonly Claim[];
  /** Rules of AWS. */
  readonly cost: number;
}

/**
 * The spec's own rules come first. Who holds a host and path keeps it, whatever others ask for later; what nobody
 * holds goes to the object that is older, then to the one whose name is first.
 *
 * @param objects those that name this MyIngress and may attach to it
 * @param held as the last decision left it
 */
export function decideAttachments(
  spec: TrafficSpec,
  objects: readonly AttachingObject[],
  held: Holders,
): Decision {
  const own = readRoutes(spec).rules;
  const ports = listAttachedPorts(spec);
  const candidates = objects.toSorted(compareAge).flatMap((one) => recallCandidates(one, ports));
  const holders = keepHolders(candidates, held);
  const refusals: Refusal[] = [];
  const clear: Candidate[] = [];
  const taken = new Map<Claim, string>(listOwnClaims(own).map((claim) => [claim, OWN_SOURCE]));
  for (const candidate of candidates) {
    const refusal = refuse(candidate, taken, holders);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    clear.push(candidate);
    for (const claim of candidate.claims) taken.set(claim, candidate.source);
  }
  const left = Math.max(0, MOST_RULES - countRules(own));
  const isHeld = ({ claims, source }: Candidate): boolean =>
    claims.some((claim) => holders.get(claim) === source);
  const served = shareQuota(orderTurns(clear, held), { left, isHeld });
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

/**
 * After a restart: an object holds what it still asks for of what status records as its own. Status is a hint: without
 * it the older object has it.
 *
 * @param recorded by source: `digestClaim` of each
 */
export function recallHolders(
  spec: TrafficSpec,
  objects: readonly AttachingObject[],
  recorded: ReadonlyMap<string, readonly string[]>,
): Holders {
  const ports = listAttachedPorts(spec);
  const held = objects.toSorted(compareAge).flatMap((object) => {
    const source = getSource(object);
    const own = new Set(recorded.get(source));
    return recallCandidates(object, ports)
      .flatMap(({ claims }) => claims)
      .filter((claim) => own.has(digestClaim(claim)))
      .map((claim) => [claim, source] as const);
  });
  return new Map(held.toReversed());
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

interface Recalled {
  readonly ports: string;
  readonly candidates: readonly Candidate[];
}

const recalled = new WeakMap<AttachingObject, Recalled>();

/** An edit of one object leaves those of all others as they were, of which there may be thousands. */
function recallCandidates(object: AttachingObject, ports: readonly number[]): readonly Candidate[] {
  const known = recalled.get(object);
  if (known?.ports === ports.join()) return known.candidates;
  const candidates = listCandidates(object, ports);
  recalled.set(object, { ports: ports.join(), candidates });
  return candidates;
}

function listCandidates(object: AttachingObject, ports: readonly number[]): readonly Candidate[] {
  const source = getSource(object);
  const shorten = (text: string): string => digest([text]);
  return object.rules
    .flatMap((rule) => splitByWidth(rule, shorten))
    .flatMap((rule) => splitByPort(rule, readAttachedRule({ rule, source }, ports).listeners))
    .map((rule) => {
      const route = readAttachedRule({ rule, source }, ports);
      const cost = countRules([route]);
      return { object, source, rule, claims: listClaims(route), cost };
    });
}

/** One that is on no listener stays, to be refused. */
function splitByPort(rule: RuleSpec, ports: readonly number[]): readonly RuleSpec[] {
  return ports.length === 0 ? [rule] : ports.map((port) => ({ ...rule, listeners: [port] }));
}

function countRules(rules: readonly RouteRule[]): number {
  const counts = rules.map((rule) => rule.listeners.length * listParts(rule).length);
  return counts.reduce((total, count) => total + count, 0);
}

function listOwnClaims(rules: readonly RouteRule[]): readonly Claim[] {
  return rules.filter(takesAll).flatMap(listClaims);
}

function listHeld({ claims, source }: Candidate): readonly (readonly [Claim, string])[] {
  return claims.map((claim) => [claim, source] as const);
}

/** A holder that no longer asks for a claim has given it up. */
function keepHolders(candidates: readonly Candidate[], held: Holders): Holders {
  const asked = candidates.flatMap(({ claims, source }) =>
    claims.filter((claim) => held.get(claim) === source).map((claim) => [claim, source] as const),
  );
  return new Map(asked);
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
