import { createHash } from 'node:crypto';
import type { KnownCondition } from '../../../aws/elbv2/traffic.ts';

/** Of all conditions of a rule together, fixed. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MOST_VALUES = 5;

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
  const sizes = chooseSizes(conditions.map(({ values }) => values.length));
  return conditions.reduce<readonly Conditions[]>(
    (parts, condition, index) => {
      const pieces = cutValues(condition, sizes[index] ?? 1);
      return parts.flatMap((part) => pieces.map((piece) => [...part, piece]));
    },
    [[]],
  );
}

/** How many values of each condition a part has, so that there are as few parts as possible. */
function chooseSizes(counts: readonly number[]): readonly number[] {
  const choices = listSizes(counts, MOST_VALUES);
  const countParts = (sizes: readonly number[]): number =>
    counts.reduce((product, count, index) => product * Math.ceil(count / (sizes[index] ?? 1)), 1);
  const [best] = choices.toSorted((a, b) => countParts(a) - countParts(b));
  // With more conditions than values no choice is left, and AWS says so.
  return best ?? counts;
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
  const { values } = condition;
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
    const piece = values.slice(index * size, (index + 1) * size);
    return { ...condition, values: piece } as KnownCondition;
  });
}

function hashConditions(conditions: Conditions): string {
  return createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 8);
}
