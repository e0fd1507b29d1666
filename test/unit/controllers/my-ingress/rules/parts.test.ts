import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownCondition } from '../../../../../src/aws/elbv2/traffic.ts';
import { normaliseConditions } from '../../../../../src/controllers/my-ingress/rules/conditions.ts';
import { splitRule } from '../../../../../src/controllers/my-ingress/rules/parts.ts';

const many = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/${name}${index}`);
const paths = (count: number): KnownCondition => ({
  ...{ field: 'path-pattern', values: many(count, 'p') },
});
const methods = (count: number): KnownCondition => ({
  ...{ field: 'http-request-method', values: many(count, 'm') },
});
const header = (name: string, count: number): KnownCondition => ({
  ...{ field: 'http-header', name, values: many(count, 'h') },
});

/** Every combination of a value of each condition, as text. */
function listCombinations(conditions: readonly KnownCondition[]): readonly string[] {
  return conditions.reduce<readonly string[]>(
    (all, { values }) =>
      all.flatMap((one) =>
        (values as readonly unknown[]).map((value) => `${one} ${JSON.stringify(value)}`),
      ),
    [''],
  );
}

function countValues(conditions: readonly KnownCondition[]): number {
  return conditions.reduce((sum, { values }) => sum + values.length, 0);
}

const values = (field: 'host-header' | 'path-pattern', ...texts: string[]): KnownCondition => ({
  ...{ field, values: texts },
});

/** In normal form, and how many wildcards AWS counts in each part. */
const wildcardCases: Readonly<Record<string, readonly [readonly KnownCondition[], number[]]>> = {
  'five in five values': [
    [values('host-header', '*.a.com', '*.b.com'), values('path-pattern', '/*/x/*', '/y/?', '/z')],
    [5],
  ],
  'six in five values': [
    [values('host-header', '*.a.com', '*.b.com'), values('path-pattern', '/*/x/*', '/*/y/*', '/z')],
    [5, 5],
  ],
  'six in six values, of which each part has fewer': [
    [values('path-pattern', '/a/*', '/b/*', '/c/*', '/d/*', '/e/*', '/f/*')],
    [5, 1],
  ],
  'seven in one value': [[values('path-pattern', '/*/*/*/*/*/*/*', '/a')], [7]],
  'seven in one of six values': [
    [values('path-pattern', '/*/*/*/*/*/*/*', '/a*', '/b', '/c', '/d', '/e*')],
    [8, 1],
  ],
  'none in regular expressions and behind a backslash': [
    [
      { field: 'http-header', name: 'x', values: ['a*b*c*d*'], isRegex: true },
      {
        field: 'query-string',
        values: [{ key: '\\*', value: '\\?' }, { value: '*' }, { value: '?' }],
      },
    ],
    [2],
  ],
};

/** [conditions, how many rules of AWS they take] */
const cases: Readonly<Record<string, readonly [readonly KnownCondition[], number]>> = {
  'one value': [[paths(1)], 1],
  'five values': [[paths(5)], 1],
  'five values of two conditions': [[paths(3), methods(2)], 1],
  'six values': [[paths(6)], 2],
  'twenty values': [[paths(20)], 4],
  'six values of two conditions': [[paths(4), methods(2)], 2],
  'seven values and one': [[paths(7), methods(1)], 2],
  'seven values and two': [[paths(7), methods(2)], 3],
  'a hundred combinations': [[paths(20), methods(5)], 20],
  'five conditions': [[paths(2), methods(2), header('a', 1), header('b', 1), header('c', 1)], 4],
};

describe('a rule becomes as few rules of AWS as it takes', () => {
  it.each(Object.entries(cases))('%s', (_name, [conditions, count]) => {
    const parts = splitRule(normaliseConditions(conditions));
    expect(parts).toHaveLength(count);
    const sizes = parts.map((part) => countValues(part.conditions));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
  });

  it.each(Object.entries(wildcardCases))(
    'by their wildcards: %s',
    (_name, [conditions, counts]) => {
      const parts = splitRule(normaliseConditions(conditions));
      const found = parts.map((part) => {
        const patterns = part.conditions.filter((one) => !('isRegex' in one));
        return JSON.stringify(patterns).match(/(?<!\\)[*?]/g)?.length;
      });
      expect(found).toEqual(counts);
      if (counts.length === 1) expect(parts.map(({ label }) => label)).toEqual(['0']);
    },
  );

  it('which together match the same combinations, each once', () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 3 }), ([a, b], c) => {
        const whole = normaliseConditions([paths(a), methods(b), header('x', c)]);
        const parts = splitRule(whole).flatMap((part) => listCombinations(part.conditions));
        expect(parts.toSorted()).toEqual(listCombinations(whole).toSorted());
      }),
    );
  });

  it('known by what they match, whatever the order; a single one is part 0', () => {
    const labels = (values: readonly string[]): readonly string[] =>
      splitRule(normaliseConditions([{ field: 'path-pattern', values }])).map(({ label }) => label);
    expect(labels(many(5, 'p'))).toEqual(['0']);
    expect(labels(many(12, 'p').toReversed())).toEqual(labels(many(12, 'p')));
    expect(labels(many(11, 'p')).slice(0, 2)).not.toContain('0');
    expect(new Set(labels(many(20, 'p'))).size).toBe(4);
  });

  it('and is left to AWS where no rule of AWS can hold its conditions', () => {
    const headers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => header(name, 1));
    expect(splitRule(headers)).toEqual([{ label: '0', conditions: headers }]);
  });
});
