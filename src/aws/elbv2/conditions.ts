import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { omitUndefined } from '../../core/objects/fields.ts';
import type { Condition, KnownCondition } from './traffic.ts';

/** As AWS wants it. */
export function toCondition(condition: KnownCondition): elb.RuleCondition {
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
