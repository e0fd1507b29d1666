import { digest } from '../identity.ts';
import { readAttachedRule } from '../routes/read-routes.ts';
import type { RouteRule } from '../routes/routes.ts';
import type { RuleSpec } from '../routes/traffic-spec.ts';
import { listParts } from '../rules/desired.ts';
import { type AttachingObject, getSource } from './attaching-object.ts';
import { type Claim, listClaims } from './claims.ts';
import { splitByWidth } from './width.ts';

/** A rule on one port: each is decided by itself, so that a listener that comes takes no rule from another one. */
export interface Candidate {
  readonly object: AttachingObject;
  readonly source: string;
  readonly rule: RuleSpec;
  readonly claims: readonly Claim[];
  /** Rules of AWS. */
  readonly cost: number;
}

interface Recalled {
  readonly ports: string;
  readonly candidates: readonly Candidate[];
}

const recalled = new WeakMap<AttachingObject, Recalled>();

/** An edit of one object leaves those of all others as they were, of which there may be thousands. */
export function recallCandidates(
  object: AttachingObject,
  ports: readonly number[],
): readonly Candidate[] {
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

export function countRules(rules: readonly RouteRule[]): number {
  const counts = rules.map((rule) => rule.listeners.length * listParts(rule).length);
  return counts.reduce((total, count) => total + count, 0);
}
