import { describe, expect, it } from 'vitest';
import { reservedTagKey } from '../../../src/apis/my-ingress.ts';
import { askRules, rulesOf } from './cel-rules.ts';
import { readMyIngressDefinition } from './custom-resource-definition.ts';
import { changeCases, ruleSequences } from './my-ingress-change-cases.ts';
import { fieldCases } from './my-ingress-field-cases.ts';
import { type Draft, mapOf, withSpec } from './rule-case.ts';

const schema = readMyIngressDefinition().spec.versions[0].schema.openAPIV3Schema;
const rules = rulesOf(schema);
const ruleCases = { ...changeCases, ...fieldCases };

function idOf(beginning: string): string {
  const ids = rules.map(({ id }) => id).filter((id) => id.startsWith(beginning));
  expect(ids, `rules that begin with "${beginning}"`).toHaveLength(1);
  return ids[0] ?? '';
}

function refusals(object: Draft, old?: Draft): readonly string[] {
  return askRules(schema, object, old)
    .filter(({ holds }) => !holds)
    .map(({ id }) => id);
}

function tagsOf({ spec }: Draft): object {
  return (spec as { readonly tags: object }).tags;
}

/** Follows edits as the API server does: one that is refused leaves the object as it was. */
function storedAfter(steps: readonly Draft[]): Draft | undefined {
  return steps.reduce<Draft | undefined>(
    (stored, step) => (refusals(step, stored).length === 0 ? step : stored),
    undefined,
  );
}

describe('the CEL rules of MyIngress', () => {
  it('reserve the tag keys that the operator refuses on objects stored before', () => {
    const { 'spec.tags: tag keys that start with aws:': aws } = fieldCases;
    const { 'spec.tags: tag keys that start with albridge.io/': others } = fieldCases;
    for (const [isReserved, cases] of [
      [false, { ...aws?.accepts, ...others?.accepts }],
      [true, { ...aws?.rejects, ...others?.rejects }],
    ] as const) {
      const keys = Object.values(cases).flatMap(({ object }) => Object.keys(tagsOf(object)));
      expect(keys.length).toBeGreaterThan(1);
      for (const key of keys) {
        expect(reservedTagKey.test(key), key).toBe(isReserved);
        expect(refusals(withSpec({ tags: mapOf([key]) })).length > 0, key).toBe(isReserved);
      }
    }
  });

  it('have an accepting and a rejecting object each', () => {
    const covered = Object.entries(ruleCases)
      .filter(
        ([, { accepts, rejects }]) => Object.keys(accepts).length * Object.keys(rejects).length > 0,
      )
      .map(([beginning]) => idOf(beginning));
    expect(covered.toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
  });

  it('hold for every object that does not change', () => {
    const objects = Object.values(ruleCases).flatMap(({ accepts }) => Object.values(accepts));
    for (const { object } of objects) expect(refusals(object, object)).toEqual([]);
  });

  describe.each(Object.entries(ruleCases))('%s', (beginning, { accepts, rejects }) => {
    it.each(Object.entries(accepts))('accepts %s', (_name, { object, old }) => {
      const answers = askRules(schema, object, old);
      expect(answers.map(({ id }) => id)).toContain(idOf(beginning));
      expect(answers.filter(({ holds }) => !holds)).toEqual([]);
    });

    it.each(Object.entries(rejects))('rejects %s', (_name, { object, old }) => {
      expect(new Set(refusals(object, old))).toEqual(new Set([idOf(beginning)]));
    });
  });

  it.each(Object.entries(ruleSequences))('are not bypassed: %s', (_name, { steps, last }) => {
    const stored = storedAfter(steps);
    expect(stored).toEqual(steps[0]);
    expect(refusals(last, stored)).toHaveLength(1);
  });
});
