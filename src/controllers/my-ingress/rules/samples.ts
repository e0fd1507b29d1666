import { matchesPattern } from '../../../routing/pattern.ts';
import { listEdges } from '../security-group/cidr.ts';
import type { Effort } from './effort.ts';
import { overlap } from './overlap.ts';

/** Patterns of one field that are put together with others. */
const MOST_JOINED = 64;

const FILLERS = Array.from('xyzwvutsrq~');

export interface Sampling {
  /** As `findFiller` says. */
  readonly filler: string;
  readonly effort: Effort;
  /** The share of all effort beyond which no two patterns are put together. */
  readonly until: number;
}

/** A character that occurs in none of the patterns, and longer than what their question marks stand for. */
export function findFiller(patterns: readonly string[]): string {
  const text = patterns.join('').toLowerCase();
  const character = FILLERS.find((one) => !text.includes(one)) ?? 'x';
  const marks = patterns.map((pattern) => pattern.split('?').length);
  return character.repeat(Math.max(1, ...marks));
}

/**
 * Texts of a request that tell the patterns of one field apart: for each pattern, and each two, one that fits them
 * and, where possible, no other.
 */
export function sampleField(
  field: string,
  patterns: readonly string[],
  sampling: Sampling,
): readonly string[] {
  const { filler } = sampling;
  if (field === 'source-ip') return patterns.flatMap(listEdges);
  if (field.startsWith('query ')) {
    return patterns.flatMap((one) => ['', filler].map((star) => fillEscaped(one, star, filler)));
  }
  const alone = patterns.flatMap((one) => ['', filler].map((star) => fill(one, star, filler)));
  return [...alone, ...joinAll(patterns, sampling)];
}

/** Of each two patterns one of which has a wildcard, as far as effort lasts. */
function joinAll(patterns: readonly string[], sampling: Sampling): readonly string[] {
  const { effort, until } = sampling;
  const shared: string[] = [];
  for (const one of patterns.filter((pattern) => /[*?]/.test(pattern)).slice(0, MOST_JOINED)) {
    for (const other of patterns.slice(0, 2 * MOST_JOINED)) {
      if (effort.isSpent(until)) return shared;
      effort.spend(one.length + other.length);
      const text = joinPatterns([one, other], sampling);
      if (text !== undefined) shared.push(text);
    }
  }
  return shared;
}

function fill(pattern: string, star: string, mark: string): string {
  return pattern.replaceAll('*', star).replaceAll('?', mark.charAt(0));
}

/** In a query string a star behind a backslash is no wildcard. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html#query-string-conditions */
function fillEscaped(pattern: string, star: string, mark: string): string {
  return pattern.replace(/\\([*?\\])|[*?]/g, (wild, literal?: string) => {
    return literal ?? fill(wild, star, mark);
  });
}

/** A text that fits both, where there is one of this form: `/a/*` and `/*.png` give `/a/.png`, `/v?/*` and `/*1/u` `/v1/u`. */
function joinPatterns(
  pair: readonly [string, string],
  { filler, effort }: Sampling,
): string | undefined {
  const joined = overlap(...pair);
  if (joined === undefined || pair[0] === pair[1]) return undefined;
  const text = fill(joined, '', filler);
  const stars = Math.max(...pair.map((one) => one.split('*').length));
  effort.spend(text.length * (stars > 2 ? text.length : 8));
  const isShared = pair.every((one) => matchesPattern(one.toLowerCase(), text.toLowerCase()));
  return isShared ? text : undefined;
}
