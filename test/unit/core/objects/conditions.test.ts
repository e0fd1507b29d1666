import { describe, expect, it } from 'vitest';
import {
  type Condition,
  computeConditions,
  findLeadingCondition,
  type Headline,
} from '../../../../src/core/objects/conditions.ts';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T00:05:00Z';
const CONTEXT = { generation: 2, nowMs: Date.parse(NOW) + 789 };

const READY: Headline = { ready: 'True', reason: 'Active', message: 'it stands' };
const WAITS: Headline = {
  ready: 'False',
  mark: 'Reconciling',
  reason: 'Provisioning',
  message: 'it comes',
};
const FLAKY: Headline = {
  ready: 'keep',
  mark: 'Reconciling',
  reason: 'Throttled',
  message: 'slow down',
};
const STALLED: Headline = {
  ready: 'False',
  mark: 'Stalled',
  reason: 'SubnetNotFound',
  message: 'no such subnet',
};

interface Case {
  readonly why: string;
  readonly before: readonly Condition[];
  readonly headline: Headline;
  readonly after: readonly Partial<Condition>[];
}

const cases: Record<string, Case> = {
  'a fresh object gets Ready and a mark': {
    why: 'kstatus: Reconciling is there only while true',
    before: [],
    headline: WAITS,
    after: [
      { type: 'Ready', status: 'False', reason: 'Provisioning', lastTransitionTime: NOW },
      { type: 'Reconciling', status: 'True', reason: 'Provisioning', lastTransitionTime: NOW },
    ],
  },
  'success takes every mark away': {
    why: 'abnormal-true conditions vanish when all is well',
    before: [was('Ready', 'False'), was('Reconciling', 'True'), was('Stalled', 'True')],
    headline: READY,
    after: [{ type: 'Ready', status: 'True', reason: 'Active', lastTransitionTime: NOW }],
  },
  'another reason is no flip': {
    why: 'lastTransitionTime speaks of status alone',
    before: [was('Ready', 'False'), was('Reconciling', 'True')],
    headline: WAITS,
    after: [
      { type: 'Ready', status: 'False', reason: 'Provisioning', lastTransitionTime: THEN },
      { type: 'Reconciling', status: 'True', reason: 'Provisioning', lastTransitionTime: THEN },
    ],
  },
  'a new generation is no flip': {
    why: 'the condition speaks of the new spec, the time of the old flip',
    before: [was('Ready', 'True', { observedGeneration: 1 })],
    headline: READY,
    after: [{ type: 'Ready', status: 'True', lastTransitionTime: THEN, observedGeneration: 2 }],
  },
  'one mark replaces the other': {
    why: 'Stalled begins now even where Reconciling has stood for long',
    before: [was('Ready', 'False'), was('Reconciling', 'True')],
    headline: STALLED,
    after: [
      { type: 'Ready', status: 'False', lastTransitionTime: THEN },
      { type: 'Stalled', status: 'True', lastTransitionTime: NOW },
    ],
  },
  'a failed read leaves Ready=True of this generation as it was': {
    why: 'a throttle is no news about the balancer',
    before: [was('Ready', 'True')],
    headline: FLAKY,
    after: [was('Ready', 'True'), { type: 'Reconciling', status: 'True', reason: 'Throttled' }],
  },
  'a failed read does not keep Ready=True of an older generation': {
    why: 'the new spec has never been seen to be applied',
    before: [was('Ready', 'True', { observedGeneration: 1 })],
    headline: FLAKY,
    after: [
      { type: 'Ready', status: 'False', reason: 'Throttled', lastTransitionTime: NOW },
      { type: 'Reconciling' },
    ],
  },
  'a failed read does not turn Ready=False into anything else': {
    why: 'keep means keep only what was good',
    before: [was('Ready', 'False')],
    headline: FLAKY,
    after: [
      { type: 'Ready', status: 'False', reason: 'Throttled', lastTransitionTime: THEN },
      { type: 'Reconciling' },
    ],
  },
  'a failed read of an object never observed is not ready': {
    why: 'no news is not good news',
    before: [],
    headline: FLAKY,
    after: [{ type: 'Ready', status: 'False', reason: 'Throttled' }, { type: 'Reconciling' }],
  },
  'a failed read after a pause is not ready': {
    why: 'Unknown is nothing to keep',
    before: [was('Ready', 'Unknown')],
    headline: FLAKY,
    after: [{ type: 'Ready', status: 'False', lastTransitionTime: NOW }, { type: 'Reconciling' }],
  },
};

describe('computeConditions', () => {
  it.each(Object.entries(cases))('%s', (_name, { before, headline, after, why }) => {
    const conditions = computeConditions(before, headline, CONTEXT);
    expect(conditions, why).toHaveLength(after.length);
    expect(conditions, why).toMatchObject(after);
  });

  it('says the generation in every condition and times in whole seconds', () => {
    for (const condition of computeConditions([], STALLED, CONTEXT)) {
      expect(condition.observedGeneration).toBe(2);
      expect(condition.lastTransitionTime).toBe(NOW);
    }
  });

  it('says the same again for the same', () => {
    for (const headline of [READY, WAITS, FLAKY, STALLED]) {
      const once = computeConditions([], headline, CONTEXT);
      const later = { ...CONTEXT, nowMs: CONTEXT.nowMs + 60_000 };
      expect(computeConditions(once, headline, later)).toEqual(once);
    }
  });
});

describe('findLeadingCondition', () => {
  it('is Stalled, else Reconciling, else Ready', () => {
    const [ready, reconciling, stalled] = [
      was('Ready', 'False'),
      was('Reconciling', 'True'),
      was('Stalled', 'True'),
    ];
    expect(findLeadingCondition([ready, reconciling, stalled])).toBe(stalled);
    expect(findLeadingCondition([ready, reconciling])).toBe(reconciling);
    expect(findLeadingCondition([ready])).toBe(ready);
    expect(findLeadingCondition([])).toBeUndefined();
  });
});

function was(type: string, status: Condition['status'], over: Partial<Condition> = {}): Condition {
  const said = { reason: 'Before', message: 'before', observedGeneration: 2 };
  return { type, status, lastTransitionTime: THEN, ...said, ...over };
}
