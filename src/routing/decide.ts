import { meetsCondition } from './condition.ts';
import type { Condition, Request, Rule } from './rule.ts';

export interface Decision {
  readonly rule: Rule;
  /** The rules of lower priority numbers, in order, each with the first condition that did not hold. */
  readonly passedOver: readonly { readonly rule: Rule; readonly because: Condition }[];
}

/**
 * The first rule, by priority, whose conditions all hold. Throws where none does: a listener always has its
 * default rule.
 */
export function decide(rules: readonly Rule[], request: Request): Decision {
  const passedOver: Decision['passedOver'][number][] = [];
  for (const rule of [...rules].sort(comparePriorities)) {
    const because = rule.conditions.find((condition) => !meetsCondition(condition, request));
    if (because === undefined) return { rule, passedOver };
    passedOver.push({ rule, because });
  }
  throw new Error('decide on a request: the listener has no default rule');
}

function comparePriorities(a: Rule, b: Rule): number {
  return rankRule(a) - rankRule(b);
}

function rankRule({ priority }: Rule): number {
  return priority === 'default' ? Number.MAX_SAFE_INTEGER : priority;
}
