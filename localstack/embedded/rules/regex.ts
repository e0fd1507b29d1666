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

/** `$1` to `$9` stand for groups. That a second match stays is unverified. */
export function replaceFirst(
  { Regex, Replace }: { readonly Regex: string; readonly Replace: string },
  text: string,
): string {
  const matcher = compileRegex(Regex)?.matcher(text);
  if (matcher?.find() !== true) return text;
  const filled = Replace.replace(GROUP, (_, digit: string) => matcher.group(Number(digit)) ?? '');
  return `${text.slice(0, matcher.start())}${filled}${text.slice(matcher.end())}`;
}

/** The highest group that a replacement names; 0: none. */
export function highestGroup(replace: string): number {
  return Math.max(0, ...[...replace.matchAll(GROUP)].map(([, digit]) => Number(digit)));
}

const GROUP = /\$([1-9])/g;
