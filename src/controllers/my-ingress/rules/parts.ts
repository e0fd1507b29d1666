import { createHash } from 'node:crypto';
import type { KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { cut } from '../../../core/objects/collections.ts';

/** Of all conditions of a rule together, fixed. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MOST_VALUES = 5;

/**
 * As many characters `*` and `?`. AWS's page of quotas has had 5 and 6, its page of conditions and its API have 5.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 */
const MOST_WILDCARDS = 5;

type Conditions = readonly KnownCondition[];

export interface Part {
  /** The last part of the resource id: `0` for a rule that is one AWS rule. */
  readonly label: string;
  readonly conditions: Conditions;
}

/**
 * As many AWS rules as it takes to match what the conditions match, which are in normal form. One of several
 * is known by what it matches: other values are another part, which comes before the old one goes. So no
 * request is missed on the way, whatever is added and removed.
 */
export function splitRule(conditions: Conditions): readonly Part[] {
  const parts = splitConditions(conditions);
  const [first = conditions] = parts;
  if (parts.length === 1) return [{ label: '0', conditions: first }];
  return parts.map((part) => ({ label: hashConditions(part), conditions: part }));
}

/** Every combination of a few values of each condition. */
function splitConditions(conditions: Conditions): readonly Conditions[] {
  const sizes = chooseSizes(conditions);
  return conditions.reduce<readonly Conditions[]>(
    (parts, condition, index) => {
      const pieces = cutValues(condition, sizes[index] ?? 1);
      return parts.flatMap((part) => pieces.map((piece) => [...part, piece]));
    },
    [[]],
  );
}

/** How many values of each condition a part has, so that there are as few parts as possible. */
function chooseSizes(conditions: Conditions): readonly number[] {
  const counts = conditions.map(({ values }) => values.length);
  const choices = listSizes(counts, MOST_VALUES);
  const fitting = choices.filter(
    (sizes) => countMostWildcards(conditions, sizes) <= MOST_WILDCARDS,
  );
  const countParts = (sizes: readonly number[]): number =>
    counts.reduce((product, count, index) => product * Math.ceil(count / (sizes[index] ?? 1)), 1);
  // Where a single combination has too many wildcards none fits, and AWS says so.
  const [best] = (fitting.length > 0 ? fitting : choices).toSorted(
    (a, b) => countParts(a) - countParts(b),
  );
  // With more conditions than values no choice is left, and AWS says so.
  return best ?? counts;
}

/** Of the part that has most. */
function countMostWildcards(conditions: Conditions, sizes: readonly number[]): number {
  return conditions.reduce((sum, condition, index) => {
    const pieces = cutValues(condition, sizes[index] ?? 1);
    return sum + Math.max(...pieces.map(countWildcards));
  }, 0);
}

/** Methods and address blocks have none. One behind a backslash stands for itself. */
function countWildcards(condition: KnownCondition): number {
  if ('isRegex' in condition) return 0;
  const texts = condition.values.flatMap((one) => {
    return typeof one === 'string' ? [one] : [one.key ?? '', one.value];
  });
  return texts.reduce((sum, text) => sum + (text.match(/(?<!\\)[*?]/g)?.length ?? 0), 0);
}

/** Every choice of sizes with at most `most` values altogether. */
function listSizes(counts: readonly number[], most: number): readonly (readonly number[])[] {
  const [count, ...others] = counts;
  if (count === undefined) return [[]];
  const largest = Math.min(count, most - others.length);
  return Array.from({ length: Math.max(0, largest) }, (_, index) => largest - index).flatMap(
    (size) => listSizes(others, most - size).map((rest) => [size, ...rest]),
  );
}

function cutValues(condition: KnownCondition, size: number): readonly KnownCondition[] {
  const pieces = cut<unknown>(condition.values, size);
  return pieces.map((values) => ({ ...condition, values }) as KnownCondition);
}

function hashConditions(conditions: Conditions): string {
  return createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 8);
}
