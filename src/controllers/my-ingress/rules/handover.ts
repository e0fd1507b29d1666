import type { Condition } from '../../../aws/elbv2/traffic.ts';
import type { DesiredRule } from '../graph/graph.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { OwnRule } from './claims.ts';
import { normaliseEcho } from './conditions.ts';

/**
 * The rules in an order in which they can be modified: one that takes a value over, such as a path, before
 * the one that gives it up, so that at no time none has it. Where rules exchange values there is no such
 * order, and the first of them gives up before it gets.
 */
export function orderByHandover(
  rules: readonly DesiredRule[],
  kept: ReadonlyMap<ResourceId, OwnRule>,
): readonly DesiredRule[] {
  const moves = rules.map((rule) => compareValues(rule, kept.get(rule.id)));
  const ordered = new Set<DesiredRule>();
  const started = new Set<Move>();
  const visit = (move: Move): void => {
    if (started.has(move)) return;
    started.add(move);
    moves.filter(({ gained }) => move.lost.some((value) => gained.has(value))).forEach(visit);
    ordered.add(move.rule);
  };
  moves.forEach(visit);
  return [...ordered];
}

interface Move {
  readonly rule: DesiredRule;
  readonly gained: ReadonlySet<string>;
  readonly lost: readonly string[];
}

function compareValues(rule: DesiredRule, own: OwnRule | undefined): Move {
  const desired = listValues(rule.conditions);
  const observed = listValues(normaliseEcho(own?.observed.rule.conditions ?? []));
  const isNew = (value: string): boolean => !observed.includes(value);
  const gained = own === undefined ? [] : desired.filter(isNew);
  return {
    ...{ rule, gained: new Set(gained) },
    lost: observed.filter((value) => !desired.includes(value)),
  };
}

function listValues(conditions: readonly Condition[]): readonly string[] {
  return conditions.flatMap((condition) => {
    if (condition.field === 'unknown') return [];
    return condition.values.map((value) => `${condition.field} ${JSON.stringify(value)}`);
  });
}
