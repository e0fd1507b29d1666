import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../src/routing/pattern.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?'), maxLength: 6 });

/** The same by a regular expression, which takes exponential time for some patterns. */
function matchesSlowly(pattern: string, text: string): boolean {
  const source = pattern.replaceAll('*', '[^]*').replaceAll('?', '[^]');
  return new RegExp(`^${source}$`).test(text);
}

describe('a pattern', () => {
  it('means the same as the regular expression that it stands for', () => {
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(matchesPattern(pattern, text)).toBe(matchesSlowly(pattern, text));
      }),
      { numRuns: 5000 },
    );
  });

  it('takes no regular expression', () => {
    expect(matchesPattern('/a.c', '/abc')).toBe(false);
    expect(matchesPattern('/a+', '/aa')).toBe(false);
  });

  it('takes a backslash as it is, but where it escapes', () => {
    expect(matchesPattern(String.raw`\*`, String.raw`\x`)).toBe(true);
    expect(matchesPattern(String.raw`\*`, '*', { hasEscapes: true })).toBe(true);
    expect(matchesPattern(String.raw`\*`, 'x', { hasEscapes: true })).toBe(false);
  });

  it('answers where backtracking would not end', () => {
    expect(matchesPattern(`${'*a'.repeat(60)}b`, 'a'.repeat(2000))).toBe(false);
  });
});
