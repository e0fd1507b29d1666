import { describe, expect, it } from 'vitest';
import { reservedTagKey } from '../../../src/apis/my-ingress.ts';
import { askRules, rulesOf } from './cel-rules.ts';
import {
  isRefusal,
  isTrafficRefusal,
  readFutureMyIngressDefinition,
  readMyIngressDefinition,
  readTrafficMyIngressDefinition,
} from './custom-resource-definition.ts';
import { describeRules } from './describe-rules.ts';
import { actionCases } from './my-ingress-action-cases.ts';
import { backendCases } from './my-ingress-backend-cases.ts';
import { changeCases, ruleSequences } from './my-ingress-change-cases.ts';
import { fieldCases } from './my-ingress-field-cases.ts';
import { listenerCases } from './my-ingress-listener-cases.ts';
import { refusedCases, refusedTraffic, trafficSentencesOf } from './my-ingress-refused-cases.ts';
import { routingCases } from './my-ingress-routing-cases.ts';
import { type Draft, mapOf, withSpec } from './rule-case.ts';
import { readTrafficExamples } from './traffic-examples.ts';

const schema = readMyIngressDefinition().spec.versions[0].schema.openAPIV3Schema;

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

describe('MyIngress of today', () => {
  it('refuses each field of traffic', () => {
    const ids = rulesOf(schema).filter(isTrafficRefusal);
    const fields = Object.keys(refusedTraffic);
    expect(ids.map(({ fieldPath }) => fieldPath)).toEqual(fields.map((field) => `.${field}`));
  });

  it.each([...Object.entries(refusedTraffic), ...Object.entries(readTrafficExamples())])(
    'refuses traffic by name, and nothing else: %s',
    (_name, object) => {
      const ids = trafficSentencesOf(object).map((sentence) => `spec: ${sentence}`);
      expect(ids.length).toBeGreaterThan(0);
      expect(refusals(object)).toEqual(ids);
    },
  );

  it('accepts what is a load balancer alone', () => {
    const cases = [...Object.values(changeCases), ...Object.values(fieldCases)];
    for (const { object, old } of cases.flatMap(({ accepts }) => Object.values(accepts))) {
      expect(refusals(object, old)).toEqual([]);
    }
  });
});

describe('what MyIngress does not support yet of traffic', () => {
  describeRules(readTrafficMyIngressDefinition(), refusedCases, isRefusal);

  it.each(Object.entries(readTrafficExamples()))('%s does not need', (_file, example) => {
    const { openAPIV3Schema } = readTrafficMyIngressDefinition().spec.versions[0].schema;
    expect(askRules(openAPIV3Schema, example).filter(({ holds }) => !holds)).toEqual([]);
  });
});

describe('with all of it supported', () => {
  describeRules(readFutureMyIngressDefinition(), {
    ...changeCases,
    ...fieldCases,
    ...backendCases,
    ...listenerCases,
    ...routingCases,
    ...actionCases,
  });
});

describe('the rules of MyIngress', () => {
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

  it.each(Object.entries(ruleSequences))('are not bypassed: %s', (_name, { steps, last }) => {
    const stored = storedAfter(steps);
    expect(stored).toEqual(steps[0]);
    expect(refusals(last, stored)).toHaveLength(1);
  });
});
