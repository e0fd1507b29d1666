import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import type { StatedCondition } from '../../../core/objects/conditions.ts';
import type { Pass } from '../../../core/reconcile/reconciler.ts';
import type { Problem } from '../graph/problem.ts';
import {
  getListenerId,
  getRuleId,
  getTargetGroupId,
  type ResourceId,
} from '../graph/resource-id.ts';
import { listAttachedPorts, readRoutes } from '../routes/read-routes.ts';
import { OWN_SOURCE } from '../routes/routes.ts';
import { listParts } from '../rules/desired.ts';
import type { References } from '../traffic/references.ts';
import { getSource, type SourceRef } from './attaching-object.ts';
import { cutMessage, describeRefusal, findRefusal, isRefusalReason } from './decision.ts';
import { digestHolds } from './holders.ts';
import { ACCEPTED, findDecision, NO_RULES, wasStated } from './joined.ts';
import { ATTACHED, ATTACHING } from './state.ts';

/** `status.attached`, and the condition that names both sides of each conflict; pure but for the report itself. */

type Entry = NonNullable<MyIngress['status']['attached']>[number];

/** As the CRD has it: a longer list would be refused, and the whole status with it. */
const MOST_ENTRIES = 200;
const MOST_HOLDS = 100;
const MOST_SENTENCES = 5;

/** The attached routes after a pass over everything. */
export interface AppliedRoutes {
  /** Of what does not match the spec. */
  readonly problems: readonly Problem[];
  /** Of what is applied later. */
  readonly postponed: readonly ResourceId[];
  /** Of what is there. */
  readonly references: Pick<References, 'listeners'>;
}

/**
 * Reports who is refused; after a pass over everything also who is served. Before that the record of those stays as
 * it is, so that a crash in between leaves nothing unapplied.
 */
export function reportAttached(object: MyIngress, pass: Pass, applied?: AppliedRoutes): void {
  const decision = findDecision(object);
  const recorded = object.status?.attached;
  if (decision?.isKnown === false) return;
  const served = applied ? describeServed(object, applied) : listServed(recorded);
  const entries = [...served, ...describeRefused(object, served)].slice(0, MOST_ENTRIES);
  const attached = entries.length === 0 ? undefined : entries;
  if (!isDeepStrictEqual(attached, recorded)) pass.report({ attached });
  if (attached !== undefined || wasStated(object)) pass.setCondition(stateAccepted(entries));
}

function listServed(recorded: readonly Entry[] = []): readonly Entry[] {
  return recorded.filter(({ digest }) => digest !== NO_RULES);
}

/** A refusal of an attached route is no failure of the object, so that no retry policy repeats it. */
const RETRY_MS = 120_000;

export function listRetries(object: MyIngress, problems: readonly Problem[]): readonly number[] {
  const ids = mapAttachedIds(object);
  return problems.some(({ id }) => ids.has(id)) ? [RETRY_MS] : [];
}

/** True where status records that AWS refuses an attached route, or that one is applied later. */
export function hasUnapplied({ status }: MyIngress): boolean {
  return listServed(status?.attached).some(
    ({ reason }) => reason !== ATTACHED && !isRefusalReason(reason),
  );
}

/** True for a resource of an object of which status records that some of its routes are not served. */
export function isUnserved({ status }: MyIngress, id: ResourceId): boolean {
  const unserved = (status?.attached ?? []).filter(({ reason }) => reason !== ATTACHED);
  return unserved.some((entry) => id.includes(`/${getSource(entry)}/`));
}

/** Resources of the attached routes, each with its source. */
export function mapAttachedIds(object: MyIngress): ReadonlyMap<ResourceId, string> {
  if ((findDecision(object)?.rules ?? []).length === 0) return new Map();
  const { backends, rules } = readRoutes(object.spec);
  return new Map(
    [
      ...backends.map((backend) => [getTargetGroupId(backend), backend.source] as const),
      ...rules.flatMap((rule) =>
        rule.listeners.flatMap((port) =>
          listParts(rule).map(({ label }) => [getRuleId(port, rule, label), rule.source] as const),
        ),
      ),
    ].filter(([, source]) => source !== OWN_SOURCE),
  );
}

function describeServed(
  object: MyIngress,
  { problems, postponed, references }: AppliedRoutes,
): readonly Entry[] {
  const decision = findDecision(object);
  const ids = mapAttachedIds(object);
  const missing = problems.filter(({ id }) => !references.listeners.has(id));
  const listeners = mapListenerIds(object);
  const holds = mapHolds(object);
  return [...(decision?.digests ?? [])].map(([source, digest]): Entry => {
    const [kind = '', namespace = '', name = ''] = source.split('/');
    const entry = { kind, namespace, name, digest, ...holds.get(source) };
    const refusal = decision && findRefusal(decision, source);
    if (refusal !== undefined) return { ...entry, ...describeRefusal(refusal) };
    const problem =
      problems.find(({ id }) => ids.get(id) === source) ??
      missing.find(({ id }) => listeners.get(source)?.has(id));
    if (problem !== undefined) {
      return { ...entry, reason: problem.reason, message: cutMessage(problem.message) };
    }
    const isLater = postponed.some((id) => ids.get(id) === source);
    return { ...entry, reason: isLater ? ATTACHING : ATTACHED };
  });
}

/** Of the listeners that each object has rules on. */
function mapListenerIds(object: MyIngress): ReadonlyMap<string, ReadonlySet<ResourceId>> {
  const bySource = Map.groupBy(readRoutes(object.spec).rules, ({ source }) => source);
  return new Map(
    [...bySource].map(([source, rules]) => {
      return [source, new Set(rules.flatMap((rule) => rule.listeners.map(getListenerId)))] as const;
    }),
  );
}

/** Of those without a rule. Whoever may not attach at all has no place in the status of others. */
function describeRefused(object: MyIngress, served: readonly SourceRef[]): readonly Entry[] {
  const known = new Set(served.map(getSource));
  const holds = mapHolds(object);
  return (findDecision(object)?.refusals ?? []).flatMap((refusal) => {
    const { kind, namespace, name } = refusal.source;
    const source = getSource(refusal.source);
    if (known.has(source) || refusal.reason === 'NotAllowed') return [];
    known.add(source);
    const entry = { kind, namespace, name, digest: NO_RULES, ...holds.get(source) };
    return [{ ...entry, ...describeRefusal(refusal) }];
  });
}

/** Also of what is not served, because another host of the same rule is taken. */
function mapHolds(object: MyIngress): ReadonlyMap<string, Pick<Entry, 'holds'>> {
  const ports = listAttachedPorts(object.spec);
  const held = [...(findDecision(object)?.holders ?? [])];
  const bySource = Map.groupBy(held, ([, source]) => source);
  return new Map(
    [...bySource].map(([source, own]) => {
      const claims = own.map(([claim]) => claim);
      return [source, { holds: digestHolds(claims, ports).slice(0, MOST_HOLDS) }] as const;
    }),
  );
}

function stateAccepted(entries: readonly Entry[]): StatedCondition {
  const type = ACCEPTED;
  const wrong = entries.filter(({ reason }) => reason !== ATTACHED && reason !== ATTACHING);
  const [first] = wrong;
  if (first === undefined) {
    const message = `the routes of ${entries.length} objects are served`;
    return { type, status: 'True', reason: 'Accepted', message };
  }
  const sentences = wrong.map(({ kind, namespace, name, ...why }) => {
    return `${kind} ${namespace}/${name}: ${why.reason}${why.message ? `, ${why.message}` : ''}`;
  });
  const message = abridge(sentences, MOST_SENTENCES).join('. ');
  return { type, status: 'False', reason: first.reason, message };
}
