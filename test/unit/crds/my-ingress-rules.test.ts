import { describe, expect, it } from 'vitest';
import { reservedTagKey } from '../../../src/apis/my-ingress.ts';
import { askRules } from './cel-rules.ts';
import {
  isRefusal,
  readFutureMyIngressDefinition,
  readMyIngressDefinition,
} from './custom-resource-definition.ts';
import { describeRules } from './describe-rules.ts';
import { actionCases } from './my-ingress-action-cases.ts';
import { backendCases } from './my-ingress-backend-cases.ts';
import { changeCases, ruleSequences } from './my-ingress-change-cases.ts';
import { fieldCases } from './my-ingress-field-cases.ts';
import { inboundCases } from './my-ingress-inbound-cases.ts';
import { listenerCases } from './my-ingress-listener-cases.ts';
import { refusedCases } from './my-ingress-refused-cases.ts';
import { routingCases } from './my-ingress-routing-cases.ts';
import { ruleCases } from './my-ingress-rule-cases.ts';
import { type Draft, http, mapOf, withRule, withSpec, withTraffic } from './rule-case.ts';

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

/** One object for each field of traffic. */
const traffic: Readonly<Record<string, Draft>> = {
  backends: withTraffic({}),
  listeners: withSpec({ listeners: [http] }),
  rules: withRule({}),
  defaultAction: withTraffic({ defaultAction: { forward: [{ backend: 'web' }] } }),
  inbound: withTraffic({ inbound: { cidrs: ['10.0.0.0/8'] } }),
};

describe('MyIngress of today', () => {
  it('accepts what is a load balancer alone', () => {
    const cases = [...Object.values(changeCases), ...Object.values(fieldCases)];
    for (const { object, old } of cases.flatMap(({ accepts }) => Object.values(accepts))) {
      expect(refusals(object, old)).toEqual([]);
    }
  });

  it.each(Object.entries(traffic))('accepts %s, also on an object without', (_name, object) => {
    expect(refusals(object)).toEqual([]);
    expect(refusals(object, withSpec({}))).toEqual([]);
    expect(refusals(withSpec({}), object)).toEqual([]);
  });
});

describe('what MyIngress does not support yet', () => {
  describeRules(readMyIngressDefinition(), refusedCases, isRefusal);
});

describe('with all of it supported', () => {
  describeRules(readFutureMyIngressDefinition(), {
    ...changeCases,
    ...fieldCases,
    ...backendCases,
    ...inboundCases,
    ...listenerCases,
    ...routingCases,
    ...ruleCases,
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
