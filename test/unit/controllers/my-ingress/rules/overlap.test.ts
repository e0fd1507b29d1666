import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../../src/aws/elbv2/traffic.ts';
import { areApart, overlap } from '../../../../../src/controllers/my-ingress/rules/overlap.ts';
import { matchesPattern } from '../../../../../src/routing/pattern.ts';

const hosts = (...values: readonly string[]): Condition => ({ field: 'host-header', values });
const paths = (...values: readonly string[]): Condition => ({ field: 'path-pattern', values });

describe('two rules have no request in common', () => {
  it.each<readonly [string, readonly Condition[], readonly Condition[], boolean]>([
    ['with other hosts', [hosts('a.b', 'c.b')], [hosts('d.b')], true],
    ['with a host in common', [hosts('a.b', 'c.b')], [hosts('C.b')], false],
    ['with a host that a pattern takes', [hosts('a.b')], [hosts('*.b')], false],
    ['with patterns that end otherwise', [hosts('*.a')], [hosts('*.b')], true],
    ['with patterns that may meet', [paths('/a/*')], [paths('/*.png')], false],
    ['with one host and other paths', [hosts('a'), paths('/a')], [hosts('a'), paths('/b')], true],
    ['where one asks for a path alone', [hosts('a')], [paths('/b')], false],
    ['where one takes all', [], [paths('/b')], false],
    [
      'with other methods',
      [{ field: 'http-request-method', values: ['GET'] }],
      [{ field: 'http-request-method', values: ['POST'] }],
      true,
    ],
    [
      'with other addresses, which are not compared',
      [{ field: 'source-ip', values: ['10.0.0.0/8'] }],
      [{ field: 'source-ip', values: ['11.0.0.0/8'] }],
      false,
    ],
    [
      'with regular expressions',
      [{ field: 'path-pattern', values: ['^/a$'], isRegex: true } as unknown as Condition],
      [paths('/b')],
      false,
    ],
  ])('%s', (...[, one, other, expected]) => {
    expect(areApart(one, other)).toBe(expected);
    expect(areApart(other, one)).toBe(expected);
  });

  it('never where a text meets both', () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '/', '*', '?'), { maxLength: 7 })
      .map((parts) => parts.join(''));
    const text = fc
      .array(fc.constantFrom('a', 'b', '/'), { maxLength: 7 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, pattern, text, (one, other, asked) => {
        fc.pre(matchesPattern(one, asked) && matchesPattern(other, asked));
        expect(areApart([paths(one)], [paths(other)])).toBe(false);
        expect(overlap(one, other)).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
