import { describe, expect, it } from 'vitest';
import { askRules, type PlacedRule, rulesOf } from './cel-rules.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import type { Draft, RuleTable } from './rule-case.ts';

/**
 * Declares tests that hold a table of objects against the CEL rules of a definition, in memory. The table has
 * every rule, or every one that `isCovered` picks.
 */
export function describeRules(
  definition: CustomResourceDefinition,
  table: RuleTable,
  isCovered: (rule: PlacedRule) => boolean = () => true,
): void {
  const schema = definition.spec.versions[0].schema.openAPIV3Schema;
  const rules = rulesOf(schema);
  const idOf = (beginning: string): string => {
    const ids = rules.map(({ id }) => id).filter((id) => id.startsWith(beginning));
    expect(ids, `rules that begin with "${beginning}"`).toHaveLength(1);
    return ids[0] ?? '';
  };
  const ask = (object: Draft, old?: Draft): ReturnType<typeof askRules> =>
    askRules(schema, asObject(object), old && asObject(old));
  const refusals = (object: Draft, old?: Draft): readonly string[] =>
    ask(object, old).flatMap(({ holds, id }) => (holds ? [] : [id]));

  describe(`the CEL rules of ${definition.spec.names.kind}`, () => {
    it('have an accepting and a rejecting object each', () => {
      const covered = Object.entries(table)
        .filter(([, { accepts, rejects }]) => isFilled(accepts) && isFilled(rejects))
        .map(([beginning]) => idOf(beginning));
      const all = rules.filter(isCovered).map(({ id }) => id);
      expect(covered.toSorted()).toEqual(all.toSorted());
    });

    it('hold for every object that does not change', () => {
      const cases = Object.values(table).flatMap(({ accepts }) => Object.values(accepts));
      for (const { object } of cases) expect(refusals(object, object)).toEqual([]);
    });

    describe.each(Object.entries(table))('%s', (beginning, { accepts, rejects }) => {
      it.each(Object.entries(accepts))('accepts %s', (_name, { object, old }) => {
        const isAsked = ask(object, old).some(({ id }) => id === idOf(beginning));
        expect(isAsked).toBe(!refusesAnyValue(rules, idOf(beginning)));
        expect(refusals(object, old)).toEqual([]);
      });

      it.each(Object.entries(rejects))('rejects %s', (_name, { object, old }) => {
        expect(new Set(refusals(object, old))).toEqual(new Set([idOf(beginning)]));
      });
    });
  });
}

/** What it accepts is the absence of its field, where nothing is asked. */
function refusesAnyValue(rules: readonly PlacedRule[], id: string): boolean {
  return rules.find((rule) => rule.id === id)?.rule === 'false';
}

function isFilled(cases: object): boolean {
  return Object.keys(cases).length > 0;
}

/** Rules at the root see the name, and nothing else of metadata. */
function asObject({ name = 'case', ...fields }: Draft): object {
  return { metadata: { name }, ...fields };
}
