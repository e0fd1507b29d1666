import { translateRegex } from '../../../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Condition as AwsCondition } from '../../../../../src/aws/elbv2/traffic.ts';
import type {
  DesiredListener,
  ObservedGraph,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import { meetsCondition } from '../../../../../src/routing/condition.ts';
import { decide } from '../../../../../src/routing/decide.ts';
import type { Condition, Request, Rule } from '../../../../../src/routing/rule.ts';

/** What a balancer does with a request: which rule it finds, and its action as text. */
export interface Decided {
  /** `default`, or the rule's id. */
  readonly id: string;
  readonly action: string;
}

/** By AWS's state and src/routing; undefined where nobody listens. */
export function decideObserved(
  { listeners, targetGroups }: ObservedGraph,
  request: Request,
): Decided | undefined {
  const found = listeners.find(({ listener }) => listener.port === request.port);
  if (found === undefined) return undefined;
  const names = new Map(targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name]));
  const textOf = (actions: unknown): string =>
    JSON.stringify(actions).replaceAll(/arn:aws:elastic[^"]*/g, (arn) => names.get(arn) ?? arn);
  const byDefault = { id: 'default', action: textOf([found.listener.defaultActions, []]) };
  const decided = new Map<Rule, Decided>();
  const rules = found.rules.flatMap(({ rule, tags }): Rule[] => {
    if (rule.priority === 'default') return [];
    const one = ruleOf(rule.priority, rule.conditions.map(conditionOf));
    decided.set(one, {
      id: tags['albridge.io/resource'] ?? rule.arn,
      action: textOf([rule.actions, rule.transforms]),
    });
    return [one];
  });
  return decided.get(decide([...rules, ruleOf('default', [])], request).rule) ?? byDefault;
}

/** By reading the spec's rules in their order; the id of the rule. */
export function decideDesired(
  listeners: readonly DesiredListener[],
  request: Request,
): string | undefined {
  const listener = listeners.find(({ port }) => port === request.port);
  const rule = listener?.rules.find(({ conditions }) =>
    conditions.map(conditionOf).every((condition) => meetsCondition(condition, request)),
  );
  return listener === undefined ? undefined : (rule?.id ?? 'default');
}

function ruleOf(priority: Rule['priority'], conditions: readonly Condition[]): Rule {
  return {
    ...{ priority, conditions },
    action: { type: 'fixed-response', response: { statusCode: 200 } },
  };
}

function conditionOf(condition: AwsCondition): Condition {
  if (condition.field === 'unknown') throw new Error('src/routing has no such condition');
  if (condition.field !== 'http-header' || condition.isRegex !== true) return condition;
  const { name: header, values } = condition;
  return { field: 'regex', of: { header }, values: values.map(translateRegex) };
}
