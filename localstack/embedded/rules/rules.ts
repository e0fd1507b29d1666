// Lives here: rules: conditions, actions, priorities.
// May import it: localstack/embedded.
// Start with: this file; rule.ts is the record.

import { limitOf } from '../account-limits.ts';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textsOf } from '../input-fields.ts';
import { balancerWithArn } from '../load-balancers/balancer-arns.ts';
import { checkedTags } from '../load-balancers/load-balancer-tags.ts';
import { pageOf } from '../paging.ts';
import { booleanOf, integerBetween } from '../traffic/checked-input.ts';
import {
  listenerOf,
  listenerWithArn,
  ruleArn,
  ruleOf,
  ruleWithArn,
} from '../traffic/traffic-arns.ts';
import { actionInputs, describeAction, readActions } from './actions.ts';
import { readConditions } from './conditions.ts';
import { type ActionPlace, positionOf, type Rule } from './rule.ts';
import { putRule, removeRule } from './rule-changes.ts';
import { readTransforms } from './transforms.ts';

const MAX_PRIORITY = 50_000;

/** Not idempotent. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html */
export function createRule(world: AwsWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  const priority = readPriority(input);
  const conditions = readConditions(world, structuresOf(input, 'Conditions') ?? []);
  const { protocol, port, balancerArn } = listener;
  const place = { balancer: balancerWithArn(world, balancerArn), protocol, port };
  const actions = readActions(world, actionInputs(input, 'Actions'), place);
  const transforms = readTransforms(structuresOf(input, 'Transforms') ?? []);
  const tags = checkedTags(input);
  checkPriorityFree(world, listener.arn, priority);
  checkRuleCount(world, balancerArn);
  const rule: Rule = {
    ...{ priority, conditions, actions, transforms, tags, balancerArn },
    sequence: world.traffic.rules.nextSequence(),
    arn: ruleArn(listener.arn, world.ids.hex(16)),
    listenerArn: listener.arn,
  };
  putRule(world, rule);
  return rulesAnswer([rule]);
}

/** Ordered by priority. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeRules.html */
export function describeRules(world: ReadableWorld, input: Input): unknown {
  const arns = textsOf(input, 'RuleArns') ?? [];
  const isOfListener = input['ListenerArn'] !== undefined;
  // The words of both are unverified.
  if (arns.length > 0 && isOfListener) {
    throw validationError('Rule ARNs and a listener ARN cannot be specified at the same time');
  }
  if (arns.length > 0) return rulesAnswer([...new Set(arns)].map((arn) => ruleWithArn(world, arn)));
  if (!isOfListener) throw validationError('You must specify either rule ARNs or a listener ARN');
  const rules = world.traffic.rules.byKey(listenerOf(world, input).arn);
  const ordered = rules.toSorted((left, right) => positionOf(left) - positionOf(right));
  const page = pageOf(input, ordered, positionOf);
  return { ...rulesAnswer(page.items), NextMarker: page.nextMarker };
}

/** Replaces the lists that are given and not empty. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyRule.html */
export function modifyRule(world: AwsWorld, input: Input): unknown {
  const rule = ruleOf(world, input);
  if (rule.priority === 'default') throw defaultRule(rule, 'modified');
  const conditions = structuresOf(input, 'Conditions') ?? [];
  const actions = actionInputs(input, 'Actions');
  const changed: Rule = {
    ...rule,
    ...(conditions.length > 0 && { conditions: readConditions(world, conditions) }),
    ...(actions.length > 0 && { actions: readActions(world, actions, placeOf(world, rule)) }),
    transforms: changedTransforms(rule, input),
  };
  putRule(world, changed);
  return rulesAnswer([changed]);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteRule.html */
export function deleteRule(world: AwsWorld, input: Input): unknown {
  const rule = ruleOf(world, input);
  if (rule.priority === 'default') throw defaultRule(rule, 'deleted');
  removeRule(world, rule);
  return {};
}

export function rulesAnswer(rules: readonly Rule[]): { readonly Rules: unknown[] } {
  return { Rules: rules.map(describeRule) };
}

/** Its words are unverified. */
export function defaultRule({ arn }: Rule, done: string): AwsFault {
  return new AwsFault('OperationNotPermitted', `Default rule '${arn}' cannot be ${done}`);
}

export function priorityInUse(priority: number): AwsFault {
  return new AwsFault('PriorityInUse', `Priority '${priority}' is currently in use`);
}

/** Required, 1 to 50000. Throws ValidationError. */
export function readPriority(input: Input): number {
  const priority = integerBetween(input, 'Priority', [1, MAX_PRIORITY]);
  if (priority !== undefined) return priority;
  requiredText(input, 'Priority');
  throw validationError('A priority must be specified');
}

function placeOf(world: ReadableWorld, rule: Rule): ActionPlace {
  const { protocol, port } = listenerWithArn(world, rule.listenerArn);
  return { balancer: balancerWithArn(world, rule.balancerArn), protocol, port, replaced: rule };
}

function changedTransforms(rule: Rule, input: Input): Rule['transforms'] {
  const transforms = structuresOf(input, 'Transforms') ?? [];
  const isReset = booleanOf(input, 'ResetTransforms') ?? false;
  if (isReset && transforms.length > 0) {
    throw validationError('You cannot specify both Transforms and ResetTransforms');
  }
  if (isReset) return [];
  return transforms.length > 0 ? readTransforms(transforms) : rule.transforms;
}

function checkPriorityFree(world: ReadableWorld, listenerArn: string, priority: number): void {
  const rules = world.traffic.rules.byKey(listenerArn);
  if (rules.some((rule) => rule.priority === priority)) throw priorityInUse(priority);
}

/** Over all listeners of the balancer, default rules aside. */
function checkRuleCount(world: ReadableWorld, balancerArn: string): void {
  const rules = world.traffic.rules
    .byKey(balancerArn)
    .filter(({ priority }) => priority !== 'default');
  if (rules.length < limitOf(world, 'rules-per-application-load-balancer')) return;
  throw new AwsFault(
    'TooManyRules',
    'The maximum number of rules per load balancer has been reached',
  );
}

function describeRule(rule: Rule): unknown {
  return {
    RuleArn: rule.arn,
    Priority: String(rule.priority),
    Conditions: [...rule.conditions],
    Actions: rule.actions.map(describeAction),
    IsDefault: rule.priority === 'default',
    ...(rule.transforms.length > 0 && { Transforms: [...rule.transforms] }),
  };
}
