import { compareText } from '../../../core/objects/kube-object.ts';
import type { RuleSpec } from '../routes/traffic-spec.ts';
import { foldHost, foldPath } from './claims.ts';

/**
 * The same requests as rules of one width each: all exact hosts together, each pattern alone, and so with paths.
 * Thus no part of a rule waits behind a wider one of another object.
 */
export function splitByWidth(
  rule: RuleSpec,
  digest: (text: string) => string,
): readonly RuleSpec[] {
  const { hosts, paths, ...others } = rule;
  const split = groupByWidth(hosts, foldHost).flatMap((hostGroup) =>
    groupByWidth(paths, foldPath).map((pathGroup) => ({
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
  fold: (value: string) => string,
): readonly (readonly string[] | undefined)[] {
  if (values === undefined || values.length === 0) return [undefined];
  const distinct = listDistinct(values, fold).toSorted();
  const exact = distinct.filter((value) => !isPattern(value));
  const patterns = distinct.filter(isPattern);
  return [...(exact.length > 0 ? [exact] : []), ...patterns.map((pattern) => [pattern])];
}

/** The shortest one of those that match the same, or who holds one would hold several rules. */
function listDistinct(
  values: readonly string[],
  fold: (value: string) => string,
): readonly string[] {
  const longFirst = values.toSorted((a, b) => b.length - a.length || compareText(b, a));
  return [...new Map(longFirst.map((value) => [fold(value), value])).values()];
}

/**
 * The order of evaluation of rules of one width each: what matches less comes first. Exact values are as narrow as
 * each other, since no two of them match the same. A pattern that matches all that another one does and more has fewer
 * characters that are no wildcard, or as many and matches a shorter text, or has more stars. Measured is the form of
 * their claims, or rules with the same host would be in order by the way in which that is written.
 */
export function compareWidth(a: RuleSpec, b: RuleSpec): number {
  return (
    compareValues(a.hosts?.map(foldHost), b.hosts?.map(foldHost)) ||
    compareValues(a.paths?.map(foldPath), b.paths?.map(foldPath))
  );
}

function compareValues(a: readonly string[] | undefined, b: readonly string[] | undefined): number {
  const [left, right] = [measureWidth(a), measureWidth(b)];
  return (
    left.rank - right.rank ||
    right.fixed - left.fixed ||
    right.shortest - left.shortest ||
    left.stars - right.stars ||
    compareText(left.text, right.text)
  );
}

interface Width {
  readonly rank: number;
  /** Characters that are no wildcard. */
  readonly fixed: number;
  /** Length of the shortest text that it matches. */
  readonly shortest: number;
  readonly stars: number;
  readonly text: string;
}

const NO_PATTERN = { fixed: 0, shortest: 0, stars: 0, text: '' } as const;

/** They match everything, as no values do. */
const EVERYTHING: ReadonlySet<string> = new Set(['*', '/*']);

/** @param values folded */
function measureWidth(values: readonly string[] | undefined): Width {
  const [text] = values ?? [];
  if (text === undefined || EVERYTHING.has(text)) return { ...NO_PATTERN, rank: 2 };
  if (!isPattern(text)) return { ...NO_PATTERN, rank: 0 };
  const shortest = text.replaceAll('*', '').length;
  return {
    ...{ rank: 1, shortest, stars: text.length - shortest, text },
    fixed: text.replaceAll(/[*?]/g, '').length,
  };
}

/** `*` stands for any number of characters, `?` for one. */
function isPattern(value: string): boolean {
  return value.includes('*') || value.includes('?');
}
