import { RE2JS } from 're2js';

/**
 * AWS's regular expressions have no look-around, back-reference, atomic group, possessive quantifier, recursion
 * or property class, as RE2's have none but the last: undefined for what AWS refuses. RE2 takes linear time,
 * whatever the pattern.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 * https://github.com/google/re2/wiki/Syntax
 */
export function compileRegex(source: string): RE2JS | undefined {
  if (source === '' || /\\[pP]/.test(source)) return undefined;
  try {
    return RE2JS.compile(source);
  } catch {
    return undefined;
  }
}
