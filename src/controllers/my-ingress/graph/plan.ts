import type { Identity } from '../identity.ts';
import { planListeners } from '../listeners/plan.ts';
import { planSecurityGroup } from '../security-group/diff.ts';
import { findForeignGroups, findSecureGroups, planTargetGroups } from '../target-groups/plan.ts';
import { retireTargetGroup } from '../target-groups/retirement.ts';
import { isRouting, type TrafficFacts, WINDOW_MS } from './facts.ts';
import type { DesiredGraph, ObservedGraph } from './graph.ts';
import type { PlanContext } from './plan-context.ts';
import type { Problem } from './problem.ts';
import type { ResourceId } from './resource-id.ts';
import type { Postponed, Step } from './steps.ts';

/** Nothing to do and nothing to wait for: the graph is as desired, but for the problems. */
export interface Plan {
  /** In an order in which they can be carried out. */
  readonly steps: readonly Step[];
  readonly postponed: readonly Postponed[];
  readonly problems: readonly Problem[];
}

export interface PlanGiven {
  readonly identity: Identity;
  /** As in `status.applied`. */
  readonly appliedTags: readonly string[];
  readonly facts: TrafficFacts;
  readonly nowMs: number;
}

/**
 * What to do so that AWS has what is desired; pure. Security group, target groups, listeners, rules, then
 * removals: never before what replaces them has been there for 15 s, unless a quota is full.
 */
export function planTraffic(
  desired: DesiredGraph,
  observed: ObservedGraph,
  given: PlanGiven,
): Plan {
  const context = gatherContext(desired, observed, given);
  const security = planSecurityGroup(desired, observed, context);
  const groups = planTargetGroups(desired.targetGroups, observed, context);
  const routing = planListeners(desired.listeners, observed, context);
  const waitMs = waitFor(routing.changes, given);
  const removals = [
    ...postpone(routing.removals, waitMs),
    ...groups.obsolete.flatMap(({ id, observed: group }) => {
      return retireTargetGroup(id, group, given) ?? [];
    }),
  ];
  const due = removals.filter(({ inMs }) => inMs === 0).map(({ step }) => step);
  const isFull = isQuotaFull(given.facts);
  const last = postpone(groups.afterRules, routing.removals.length === 0 ? 0 : waitMs);
  return {
    steps: [
      ...(isFull ? due : []),
      ...[...security.before, ...groups.before, ...routing.changes],
      ...security.tags,
      ...(isFull ? [] : due),
      ...last.filter(({ inMs }) => inMs === 0).map(({ step }) => step),
      ...security.removals,
    ],
    postponed: [...removals, ...last].filter(({ inMs }) => inMs > 0),
    problems: [...security.problems, ...groups.problems, ...routing.problems],
  };
}

function gatherContext(
  desired: DesiredGraph,
  observed: ObservedGraph,
  { identity, appliedTags }: PlanGiven,
): PlanContext {
  const foreign = findForeignGroups(desired.targetGroups, observed, { identity });
  const available = desired.targetGroups.filter((group) => !foreign.includes(group));
  return {
    ...{ identity, appliedTags },
    secureArns: findSecureGroups(observed),
    namesByArn: new Map(observed.targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name])),
    availableNames: new Map(available.map(({ id, name }) => [name, id])),
  };
}

/** What AWS has refused is not waited for, or it would keep everything from being deleted. */
function waitFor(changes: readonly Step[], { facts, nowMs }: PlanGiven): number {
  if (isQuotaFull(facts)) return 0;
  const refused = listRefused(changes, facts);
  const isChanging = changes.some((step) => isRouting(step) && !refused.has(step.id));
  return isChanging ? WINDOW_MS : Math.max(0, facts.changedAtMs + WINDOW_MS - nowMs);
}

/** With what needs it and so is not carried out either. */
function listRefused(changes: readonly Step[], facts: TrafficFacts): ReadonlySet<ResourceId> {
  const refused = new Set(facts.refused.keys());
  for (const { id, needs } of changes) if (needs.some((one) => refused.has(one))) refused.add(id);
  return refused;
}

function postpone(steps: readonly Step[], inMs: number): readonly Postponed[] {
  return steps.map((step) => ({ step, inMs }));
}

/** A full quota must never keep anything from being deleted: then removals come first. */
function isQuotaFull({ refused }: TrafficFacts): boolean {
  return [...refused.values()].includes('QuotaExceeded');
}
