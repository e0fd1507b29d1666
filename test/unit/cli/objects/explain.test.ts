import { describe, expect, it } from 'vitest';
import { listTroubles } from '../../../../src/cli/objects/explain.ts';
import { formatAge, summarise } from '../../../../src/cli/objects/health.ts';
import { findKind } from '../../../../src/cli/objects/kinds.ts';
import type { OurObject } from '../../../../src/cli/objects/read.ts';
import type { Condition } from '../../../../src/core/objects/conditions.ts';

const kind = findKind('myingress');

function condition(type: string, status: Condition['status'], reason: string): Condition {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type, status, reason, message: `about ${reason}`, lastTransitionTime };
}

function createObject(
  conditions: readonly Condition[],
  metadata: Partial<OurObject['metadata']> = {},
): OurObject {
  return {
    ...{ apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress' },
    metadata: { name: 'web', namespace: 'shop', generation: 3, ...metadata },
    status: { observedGeneration: 3, conditions },
  };
}

describe('the troubles of an object', () => {
  it('come worst first, and what two conditions say in the same words comes once', () => {
    const object = createObject([
      condition('Ready', 'False', 'AccessDenied'),
      condition('Reconciling', 'True', 'Throttled'),
      condition('TargetsHealthy', 'Unknown', 'HealthUnknown'),
      condition('BackendsResolved', 'False', 'ServiceNotFound'),
      condition('CertificatesValid', 'True', 'CertificatesCurrent'),
      condition('Stalled', 'True', 'AccessDenied'),
    ]);
    const troubles = listTroubles({ kind, object });
    expect(troubles.map(({ conditions }) => conditions)).toEqual([
      ['Stalled True', 'Ready False'],
      ['BackendsResolved False'],
      ['TargetsHealthy Unknown'],
      ['Reconciling True'],
    ]);
    const [stalled, , health] = troubles;
    expect(stalled).toMatchObject({
      cause: kind.reasons['AccessDenied']?.cause,
      next: kind.reasons['AccessDenied']?.next,
    });
    expect(health).toMatchObject({ cause: kind.further['HealthUnknown'] });
  });

  it('are none where all is as desired', () => {
    const object = createObject([condition('Ready', 'True', 'Available')]);
    expect(listTroubles({ kind, object })).toEqual([]);
    expect(summarise(object)).toEqual({
      ready: 'True',
      reason: 'Available',
      message: 'about Available',
    });
  });

  const silences: Readonly<Record<string, { readonly object: OurObject; says: RegExp }>> = {
    'an object that nobody has reconciled': {
      object: { ...createObject([]), status: { observedGeneration: -1 } },
      says: /^albridge has not reconciled it yet$/,
    },
    'an edit that nobody has reconciled': {
      object: createObject([condition('Ready', 'True', 'Available')], { generation: 4 }),
      says: /^generation 4 is not reconciled yet, the conditions are about 3$/,
    },
    'a deletion': {
      object: createObject([condition('Ready', 'True', 'Available')], {
        deletionTimestamp: '2026-01-02T00:00:00Z',
        finalizers: ['albridge.io/load-balancer'],
      }),
      says: /^it is being deleted since 2026-01-02T00:00:00Z; finalizers: albridge.io\/load-balancer$/,
    },
    'a pause that no condition shows yet': {
      object: createObject([condition('Ready', 'True', 'Available')], {
        annotations: { 'albridge.io/paused': 'true' },
      }),
      says: /^the annotation albridge.io\/paused keeps albridge from writing$/,
    },
  };

  it.each(Object.entries(silences))('name %s', (_name, { object, says }) => {
    const [trouble, ...others] = listTroubles({ kind, object });
    expect(others).toEqual([]);
    expect(trouble?.message).toMatch(says);
    expect(trouble?.next).toMatch(/\w/);
  });
});

describe('an age', () => {
  it.each([
    [59_999, '59s'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [90_000_000, '1d'],
    [-5, '0s'],
  ])('of %i ms is %s', (ms, text) => {
    const nowMs = Date.parse('2026-01-02T00:00:00Z');
    expect(formatAge(new Date(nowMs - ms).toISOString(), nowMs)).toBe(text);
  });

  it('is empty for no time', () => {
    expect(formatAge(undefined, 0)).toBe('');
  });
});
