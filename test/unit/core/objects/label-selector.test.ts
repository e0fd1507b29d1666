import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatSelector,
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  parseSelector,
} from '../../../../src/core/objects/label-selector.ts';

function parse(text: string): LabelSelector {
  const parsed = parseSelector(text);
  if (parsed.kind === 'problem') throw new Error(parsed.problem);
  return parsed.selector;
}

describe('parseSelector', () => {
  const labels = { app: 'frontend', tier: 'web', empty: '' };
  const cases: Readonly<Record<string, boolean>> = {
    'app=frontend': true,
    ' app == frontend , tier = web ': true,
    'app=backend': false,
    'app!=backend': true,
    'missing!=x': true,
    'app != frontend': false,
    'app in (frontend, backend)': true,
    'app in (backend)': false,
    'app notin (backend,frontend)': false,
    'missing notin (a)': true,
    app: true,
    missing: false,
    constructor: false,
    'constructor notin (a)': true,
    '!missing': true,
    '! app': false,
    'empty=': true,
    'empty in (,x)': true,
    'empty notin ()': false,
    'in in (in)': false,
    'app,tier in (web),!missing,empty==': true,
    'example.com/tier!=web': true,
  };
  it.each(Object.entries(cases))('reads %s', (text, isSelected) => {
    expect(matchesLabels(parse(text), labels)).toBe(isSelected);
  });

  const problems: Readonly<Record<string, string>> = {
    '': 'at character 1: expected the key of a label',
    'app=frontend,': 'at character 14: expected the key of a label',
    'app=a b': 'at character 7: expected a comma',
    'app of (a)': 'at character 5: expected =, ==, !=, in, notin or a comma',
    'app in a': 'at character 8: expected ( after in',
    'app in (a': 'at character 10: expected a comma or )',
    'app>1': 'at character 4: expected a comma',
    'app=a=b': 'at character 6: expected a comma',
    'my_app/x=a': 'at character 1: expected the key of a label',
    'app=-a': 'at character 5: expected the value of a label',
    'app=a,app=b': 'at character 7: app is given twice; write app in (a,b) for one of two',
    '!app=a': 'at character 5: expected a comma',
  };
  it.each(Object.entries(problems))('refuses %s', (text, problem) => {
    expect(parseSelector(text)).toEqual({ kind: 'problem', problem });
  });

  it('does not fail at any text', () => {
    const alphabet = fc.constantFrom(...'ab/.-_ =!(),<>in notin'.split(''), 'é', '\n');
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 40 }), (text) => {
        const parsed = parseSelector(text);
        if (parsed.kind === 'selector') {
          const printed = formatSelector(parsed.selector);
          expect(formatSelector(parse(printed))).toBe(printed);
        } else {
          expect(parsed.problem).toMatch(/^at character \d+: /);
        }
      }),
    );
  });
});

const key = fc.constantFrom('app', 'tier', 'example.com/app', 'in', 'notin');
const value = fc.constantFrom('', 'a', 'b.c', '9', 'in');
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.uniqueArray(value, { minLength: 1 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
);
const labelsOf = fc.dictionary(key, value, { maxKeys: 4 });

describe('formatSelector', () => {
  it('gives a text that selects the same', () => {
    const selectors = fc.record({
      matchLabels: labelsOf,
      matchExpressions: fc.uniqueArray(requirement, { selector: (one) => one.key, maxLength: 4 }),
    });
    fc.assert(
      fc.property(selectors, labelsOf, (selector, labels) => {
        const { matchLabels, matchExpressions } = selector;
        const others = matchExpressions.filter((one) => matchLabels[one.key] === undefined);
        fc.pre(Object.keys(matchLabels).length + others.length > 0);
        const without = { matchLabels, matchExpressions: others };
        const parsed = parse(formatSelector(without));
        expect(matchesLabels(parsed, labels)).toBe(matchesLabels(without, labels));
      }),
    );
  });

  it('gives the same text in any order', () => {
    const a: LabelRequirement = { key: 'a', operator: 'In', values: ['y', 'x'] };
    const b: LabelRequirement = { key: 'b', operator: 'Exists' };
    const text = 'a in (x,y),b,c=1';
    for (const matchExpressions of [
      [a, b],
      [b, { ...a, values: ['x', 'y'] }],
    ]) {
      expect(formatSelector({ matchLabels: { c: '1' }, matchExpressions })).toBe(text);
    }
  });
});
