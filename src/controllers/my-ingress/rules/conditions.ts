import type { Condition, KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { normaliseCidr } from '../security-group/cidr.ts';

/**
 * One form for conditions that mean the same: sorted, and in small letters what is compared without
 * regard to case.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 */
export function normaliseConditions(
  conditions: readonly KnownCondition[],
): readonly KnownCondition[] {
  return sortByText(conditions.map(normaliseCondition));
}

/** AWS's echo in the same form; what albridge does not write stays, and equals nothing. */
export function normaliseEcho(conditions: readonly Condition[]): readonly Condition[] {
  return sortByText(
    conditions.map((one) => (one.field === 'unknown' ? one : normaliseCondition(one))),
  );
}

/** `path-pattern /a, /b; http-header x-test 1`. */
export function describeConditions(conditions: readonly Condition[]): string {
  return conditions.map(describeCondition).join('; ');
}

function describeCondition(condition: Condition): string {
  switch (condition.field) {
    case 'http-header':
      return `http-header ${condition.name} ${condition.values.join(', ')}`;
    case 'query-string': {
      const pairs = condition.values.map(({ key = '*', value }) => `${key}=${value}`);
      return `query-string ${pairs.join(', ')}`;
    }
    case 'unknown':
      return condition.type;
    default:
      return `${condition.field} ${condition.values.join(', ')}`;
  }
}

function normaliseCondition(condition: KnownCondition): KnownCondition {
  switch (condition.field) {
    case 'host-header':
      return { field: condition.field, values: sorted(condition.values.map(lower)) };
    case 'source-ip':
      return { field: condition.field, values: sorted(condition.values.map(normaliseCidr)) };
    case 'http-header': {
      const { name, values, isRegex, ...rest } = condition;
      return isRegex === true
        ? { ...rest, name: lower(name), values: sorted(values), isRegex }
        : { ...rest, name: lower(name), values: sorted(values.map(lower)) };
    }
    case 'query-string': {
      const pairs = condition.values.map(({ key, value }) => {
        return { ...(key !== undefined && { key: lower(key) }), value: lower(value) };
      });
      return { field: condition.field, values: sortByText(pairs) };
    }
    case 'path-pattern':
    case 'http-request-method':
      return { field: condition.field, values: sorted(condition.values) };
    default:
      return condition satisfies never;
  }
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

/** Each once. Fields are always written in the same order, so the text of two that are equal is equal. */
function sortByText<T>(values: readonly T[]): readonly T[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function lower(text: string): string {
  return text.toLowerCase();
}
