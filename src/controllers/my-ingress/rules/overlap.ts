import type { Condition } from '../../../aws/elbv2/traffic.ts';
import { matchesPattern } from '../../../routing/pattern.ts';

/** True where no request meets the conditions of both, by their hosts, paths or methods; false where that is not sure. */
export function areApart(some: readonly Condition[], others: readonly Condition[]): boolean {
  return some.some((one) =>
    others.some((other) => one.field === other.field && differ(listTexts(one), listTexts(other))),
  );
}

function differ(
  mine: readonly string[] | undefined,
  theirs: readonly string[] | undefined,
): boolean {
  if (mine === undefined || theirs === undefined) return false;
  return mine.every((text) => theirs.every((another) => neverMeet(text, another)));
}

/** In lower case, in which paths are at most alike that are not. */
function listTexts(condition: Condition): readonly string[] | undefined {
  switch (condition.field) {
    case 'host-header':
    case 'path-pattern':
    case 'http-request-method':
      return 'isRegex' in condition && condition.isRegex === true
        ? undefined
        : condition.values.map((value) => value.toLowerCase());
    default:
      return undefined;
  }
}

function neverMeet(one: string, other: string): boolean {
  if (one === other) return false;
  if (!/[*?]/.test(one)) return !matchesPattern(other, one);
  if (!/[*?]/.test(other)) return !matchesPattern(one, other);
  return overlap(one, other) === undefined;
}

/** All that is known of a text that fits both patterns, if there is one; undefined: there is none. */
export function overlap(one: string, other: string): string | undefined {
  const [a, b] = [one.split('*'), other.split('*')];
  return a.length > 1 && b.length > 1 ? joinEnds(a, b) : fitInto(a, b);
}

/** Of patterns with stars, as their parts between them. */
function joinEnds(a: readonly string[], b: readonly string[]): string | undefined {
  const start = overlay(a[0], b[0]);
  const end = overlayEnds(a.at(-1), b.at(-1));
  if (start === undefined || end === undefined) return undefined;
  return `${start}${[...a.slice(1, -1), ...b.slice(1, -1)].join('')}${end}`;
}

/** At least one of them has no star, so that it has the length of the text. */
function fitInto(a: readonly string[], b: readonly string[]): string | undefined {
  const start = overlay(a[0], b[0]);
  const [[whole = ''], wild] = a.length === 1 ? [a, b] : [b, a];
  if (start?.length !== whole.length) return undefined;
  return wild.length > 1 ? overlayEnds(start, wild.at(-1)) : start;
}

/** The characters that either says, from the first one on; undefined where they differ. */
function overlay(a = '', b = ''): string | undefined {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  let start = '';
  for (let at = 0; at < short.length; at += 1) {
    const character = joinCharacters(short.charAt(at), long.charAt(at));
    if (character === undefined) return undefined;
    start += character;
  }
  return start + long.slice(short.length);
}

/** As `overlay`, from the last one on. */
function overlayEnds(a = '', b = ''): string | undefined {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  const rest = long.length - short.length;
  let end = '';
  for (let at = short.length - 1; at >= 0; at -= 1) {
    const character = joinCharacters(short.charAt(at), long.charAt(rest + at));
    if (character === undefined) return undefined;
    end = character + end;
  }
  return long.slice(0, rest) + end;
}

function joinCharacters(one: string, other: string): string | undefined {
  if (one === other || one === '?') return other;
  return other === '?' || one.toLowerCase() === other.toLowerCase() ? one : undefined;
}
