import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { omitUndefined } from '../../core/objects/fields.ts';
import type { AwsCall } from '../client/aws-call.ts';
import { allowAbsence, expectPart } from '../client/aws-errors.ts';
import { readPages } from '../client/pages.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import { listUsed, shapeActions, toAction } from './actions.ts';
import { toPairs } from './tags.ts';
import type {
  Condition,
  KnownCondition,
  KnownTransform,
  Rule,
  Rules,
  Transform,
} from './traffic.ts';

/** Rules over AWS; the target groups that one comes to use are entered in the ledger that the inventory goes by. */
export function createRules(call: AwsCall, ledger: WriteLedger): Rules {
  return {
    list: (listenerArn, signal) =>
      allowAbsence('DescribeRules', describeRules(call, listenerArn, signal)),
    create: (listenerArn, settings) =>
      ledger.duringAll(listUsed(settings.action), () => create(call, listenerArn, settings)),
    async modify(ruleArn, { conditions, action, transforms }) {
      const input = {
        RuleArn: ruleArn,
        ...(conditions && { Conditions: conditions.map(toCondition) }),
        ...(action && { Actions: [toAction(action)] }),
        ...(transforms && toTransforms(transforms)),
      };
      await ledger.duringAll(listUsed(action), () => call('ModifyRule', input, refer(ruleArn)));
    },
    async setPriorities(priorities) {
      const [first, ...others] = priorities;
      if (first === undefined) return;
      const input = {
        RulePriorities: priorities.map(({ arn, priority }) => ({
          RuleArn: arn,
          Priority: priority,
        })),
      };
      const subject = others.length === 0 ? refer(first.arn).subject : `${priorities.length} rules`;
      await call('SetRulePriorities', input, { subject });
    },
    async delete(ruleArn) {
      const input = { RuleArn: ruleArn };
      await allowAbsence('DeleteRule', call('DeleteRule', input, refer(ruleArn)));
    },
  };
}

/** An empty list means that they stay. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyRule.html */
function toTransforms(
  transforms: readonly KnownTransform[],
): { readonly Transforms: elb.RuleTransform[] } | { readonly ResetTransforms: true } {
  if (transforms.length === 0) return { ResetTransforms: true };
  return { Transforms: transforms.map(toTransform) };
}

async function create(
  call: AwsCall,
  listenerArn: string,
  { priority, conditions, action, transforms = [], tags }: Parameters<Rules['create']>[1],
): Promise<Rule> {
  const subject = `rule ${priority} of listener ${listenerArn}`;
  const input = {
    ListenerArn: listenerArn,
    Priority: priority,
    Conditions: conditions.map(toCondition),
    Actions: [toAction(action)],
    ...(transforms.length > 0 && toTransforms(transforms)),
    Tags: toPairs(tags),
  };
  const answer = await call('CreateRule', input, { subject });
  const [created] = (answer.Rules ?? []).flatMap((one) => shapeRule(one) ?? []);
  return expectPart(created, { operation: 'CreateRule', subject }, 'rule');
}

function describeRules(
  call: AwsCall,
  listenerArn: string,
  signal: AbortSignal,
): Promise<readonly Rule[]> {
  const subject = `listener ${listenerArn}`;
  return readPages(async (Marker) => {
    const input = { ListenerArn: listenerArn, ...(Marker && { Marker }) };
    const answer = await call('DescribeRules', input, { subject, signal });
    const items = (answer.Rules ?? []).flatMap((one) => shapeRule(one) ?? []);
    return { items, next: answer.NextMarker };
  });
}

/** Priorities are numbers on the way to AWS and texts on the way back. */
function shapeRule(from: elb.Rule): Rule | undefined {
  if (!from.RuleArn || !from.Priority) return undefined;
  return {
    arn: from.RuleArn,
    priority: from.IsDefault || from.Priority === 'default' ? 'default' : Number(from.Priority),
    conditions: (from.Conditions ?? []).map(shapeCondition),
    actions: shapeActions(from.Actions),
    transforms: (from.Transforms ?? []).map(shapeTransform),
  };
}

/** A transform as AWS takes it. */
export function toTransform({ kind, regex, replace }: KnownTransform): elb.RuleTransform {
  const config = { Rewrites: [{ Regex: regex, Replace: replace }] };
  return kind === 'host'
    ? { Type: 'host-header-rewrite', HostHeaderRewriteConfig: config }
    : { Type: 'url-rewrite', UrlRewriteConfig: config };
}

/**
 * A transform as AWS echoes it. What albridge does not write is `unknown`.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleTransform.html
 */
export function shapeTransform(from: elb.RuleTransform): Transform {
  const { Type: type = '', HostHeaderRewriteConfig, UrlRewriteConfig } = from;
  const [first, ...others] = (HostHeaderRewriteConfig ?? UrlRewriteConfig)?.Rewrites ?? [];
  const kind = KINDS[type];
  const { Regex: regex, Replace: replace } = first ?? {};
  const isKnown = kind !== undefined && others.length === 0;
  if (!isKnown || regex === undefined || replace === undefined) return { kind: 'unknown', type };
  return { kind, regex, replace };
}

const KINDS: Readonly<Record<string, KnownTransform['kind']>> = {
  'host-header-rewrite': 'host',
  'url-rewrite': 'url',
};

function refer(ruleArn: string): { readonly subject: string } {
  return { subject: `rule ${ruleArn}` };
}

/** As AWS wants it. */
function toCondition(condition: KnownCondition): elb.RuleCondition {
  const { field } = condition;
  switch (field) {
    case 'host-header':
      return { Field: field, HostHeaderConfig: { Values: [...condition.values] } };
    case 'path-pattern':
      return { Field: field, PathPatternConfig: { Values: [...condition.values] } };
    case 'http-request-method':
      return { Field: field, HttpRequestMethodConfig: { Values: [...condition.values] } };
    case 'source-ip':
      return { Field: field, SourceIpConfig: { Values: [...condition.values] } };
    case 'http-header': {
      const values = { [condition.isRegex ? 'RegexValues' : 'Values']: [...condition.values] };
      return { Field: field, HttpHeaderConfig: { HttpHeaderName: condition.name, ...values } };
    }
    case 'query-string':
      return {
        Field: field,
        QueryStringConfig: {
          Values: condition.values.map(({ key, value }) => ({
            ...(key !== undefined && { Key: key }),
            Value: value,
          })),
        },
      };
    default:
      return condition satisfies never;
  }
}

/**
 * As AWS echoes it: hosts and paths come as `Values` too. What albridge does not write is `unknown`.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleCondition.html
 */
export function shapeCondition(from: elb.RuleCondition): Condition {
  const values = readSimpleValues(from);
  if (isSimple(from.Field) && values !== undefined) return { field: from.Field, values };
  if (from.Field === 'http-header' && from.HttpHeaderConfig) {
    return shapeHeader(from.HttpHeaderConfig);
  }
  if (from.Field === 'query-string' && from.QueryStringConfig) {
    const pairs = from.QueryStringConfig.Values ?? [];
    return {
      field: 'query-string',
      values: pairs.map(({ Key, Value }) =>
        omitUndefined({ key: Key === '' ? undefined : Key, value: Value ?? '' }),
      ),
    };
  }
  return { field: 'unknown', type: from.Field ?? '' };
}

const SIMPLE = ['host-header', 'path-pattern', 'http-request-method', 'source-ip'] as const;

function isSimple(field: string | undefined): field is (typeof SIMPLE)[number] {
  return SIMPLE.some((one) => one === field);
}

/** undefined where it holds regular expressions. */
function readSimpleValues(from: elb.RuleCondition): readonly string[] | undefined {
  const config = from.HostHeaderConfig ?? from.PathPatternConfig;
  if (config?.RegexValues?.length) return undefined;
  const own = config ?? from.HttpRequestMethodConfig ?? from.SourceIpConfig;
  return own?.Values ?? from.Values;
}

function shapeHeader(from: elb.HttpHeaderConditionConfig): Condition {
  const { HttpHeaderName: name = '', Values = [], RegexValues = [] } = from;
  return RegexValues.length > 0
    ? { field: 'http-header', name, values: RegexValues, isRegex: true }
    : { field: 'http-header', name, values: Values };
}
