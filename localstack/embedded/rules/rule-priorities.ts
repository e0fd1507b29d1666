import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { validationError } from '../http/aws-fault.ts';
import { type Input, structuresOf } from '../input-fields.ts';
import { ruleOf } from '../traffic/traffic-arns.ts';
import type { Rule } from './rule.ts';
import { putRule } from './rule-changes.ts';
import { defaultRule, priorityInUse, readPriority, rulesAnswer } from './rules.ts';

/**
 * Moves any of the rules of a listener; the resulting order is what may hold no priority twice, so
 * that swaps are allowed. All or nothing.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetRulePriorities.html
 */
export function setRulePriorities(world: AwsWorld, input: Input): unknown {
  const entries = structuresOf(input, 'RulePriorities') ?? [];
  if (entries.length === 0) throw validationError('At least one rule priority must be specified');
  const moved = entries.map((entry): Rule => {
    const rule = ruleOf(world, entry);
    if (rule.priority === 'default') throw defaultRule(rule, 'moved');
    return { ...rule, priority: readPriority(entry) };
  });
  checkEachOnce(moved);
  checkConflicts(world, moved);
  for (const rule of moved) putRule(world, rule);
  return rulesAnswer(moved);
}

function checkEachOnce(moved: readonly Rule[]): void {
  if (new Set(moved.map(({ arn }) => arn)).size < moved.length) {
    throw validationError('A rule cannot be specified more than once');
  }
  // Whether AWS takes rules of several listeners in one call is not documented.
  if (new Set(moved.map(({ listenerArn }) => listenerArn)).size > 1) {
    throw validationError('All rules must belong to the same listener');
  }
  const twice = moved.find(({ priority }, index) =>
    moved.slice(0, index).some((other) => other.priority === priority),
  );
  // As moto 5.2 has it.
  if (twice !== undefined) {
    throw validationError(`Priority '${twice.priority}' was provided multiple times`);
  }
}

function checkConflicts(world: ReadableWorld, moved: readonly Rule[]): void {
  const arns = new Set(moved.map(({ arn }) => arn));
  const staying = world.traffic.rules
    .byKey(moved[0]?.listenerArn ?? '')
    .filter(({ arn }) => !arns.has(arn));
  for (const { priority } of moved) {
    const isTaken = staying.some((other) => other.priority === priority);
    if (isTaken && typeof priority === 'number') throw priorityInUse(priority);
  }
}
