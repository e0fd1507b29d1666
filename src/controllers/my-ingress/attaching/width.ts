import { compareText } from '../../../core/objects/kube-object.ts';
import type { RuleSpec } from '../routes/traffic-spec.ts';

/**
 * The same requests as rules of one width each: all exact hosts together, each pattern alone, and so with paths.
 * Thus no part of a rule waits behind a wider one of another object.
 */
export function splitByWidth(
  rule: RuleSpec,
  digest: (text: string) => string,
): readonly RuleSpec[] {
  const { hosts, paths, ...others } = rule;
  const split = groupByWidth(hosts).flatMap((hostGroup) =>
    groupByWidth(paths).map((pathGroup) => ({
      ...others,
      ...(hostGroup && { hosts: hostGroup }),
      ...(pathGroup && { paths: pathGroup }),
    })),
  );
  if (split.length === 1) return split;
  return split.map((one) => {
    const name = `${rule.name}-${digest(JSON.stringify([one.hosts, one.paths]))}`;
    return { ...one, name };
  });
}

function groupByWidth(
  values: readonly string[] | undefined,
): readonly (readonly string[] | undefined)[] {
  if (values === undefined || values.length === 0) return [undefined];
  const exact = values.filter((value) => !isPattern(value)).toSorted();
  const patterns = values.filter(isPattern).toSorted();
  return [...(exact.length > 0 ? [exact] : []), ...patterns.map((pattern) => [pattern])];
}

/**
 * The order of evaluation of rules of one width each: what matches less comes first. Exact values are as narrow as
 * each other, since no two of them match the same; of patterns the longer one is narrower.
 */
export function compareWidth(a: RuleSpec, b: RuleSpec): number {
  return compareValues(a.hosts, b.hosts) || compareValues(a.paths, b.paths);
}

function compareValues(a: readonly string[] | undefined, b: readonly string[] | undefined): number {
  const [left, right] = [measureWidth(a), measureWidth(b)];
  return left.rank - right.rank || right.length - left.length || compareText(left.text, right.text);
}

interface Width {
  readonly rank: number;
  readonly length: number;
  readonly text: string;
}

function measureWidth(values: readonly string[] | undefined): Width {
  const [first] = values ?? [];
  if (first === undefined) return { rank: 2, length: 0, text: '' };
  if (!isPattern(first)) return { rank: 0, length: 0, text: '' };
  return { rank: 1, length: first.length, text: first.toLowerCase() };
}

/** `*` stands for any number of characters, `?` for one. */
function isPattern(value: string): boolean {
  return value.includes('*') || value.includes('?');
}
