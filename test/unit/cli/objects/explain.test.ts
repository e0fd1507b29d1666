import { describe, expect, it } from 'vitest';
import { coreReasons } from '../../../../src/apis/core-reasons.ts';
import { listTroubles } from '../../../../src/cli/objects/explain.ts';
import { formatAge, summarise } from '../../../../src/cli/objects/health.ts';
import { findKind, OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
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
    expect(health).toMatchObject({
      cause: kind.further['HealthUnknown'],
      next: expect.stringMatching(/^wait a minute/),
    });
  });

  /** Their messages end in it: src/controllers/web-app/expose.ts. */
  const WITHOUT_STEP: Readonly<Record<string, readonly string[]>> = {
    WebApp: ['IngressNotFound', 'NotAllowed', 'HostAndPathTaken', 'NoListener', 'RuleQuotaReached'],
  };

  it.each(OUR_KINDS)(
    'of $kind have a next step each, conditions besides Ready included',
    (kind) => {
      const bad = Object.entries(kind.further)
        .filter(
          ([, text]) => /\b(?:is |=)(?:False|Unknown)\b/.test(text) && !text.includes('Degraded'),
        )
        .map(([reason]) => reason)
        .filter((reason) => reason !== 'NotExposed' && !WITHOUT_STEP[kind.kind]?.includes(reason));
      for (const reason of bad) {
        const object = createObject([condition('Other', 'False', reason)]);
        expect({ reason, ...listTroubles({ kind, object })[0] }).toHaveProperty('next');
      }
      expect(Object.keys(kind.steps).filter((one) => !(one in kind.further))).toEqual([]);
    },
  );

  it('are none where all is as desired', () => {
    const available = condition('Ready', 'True', 'Available');
    const removed = condition('Exposed', 'False', 'NotExposed');
    expect(listTroubles({ kind, object: createObject([available, removed]) })).toEqual([]);
    const object = createObject([available]);
    expect(summarise(object)).toEqual({
      ready: 'True',
      condition: 'Ready True',
      reason: 'Available',
      message: 'about Available',
    });
  });

  it('are none of a WebApp that gave up its exposure', () => {
    const object = createObject([
      condition('Ready', 'True', 'Available'),
      condition('Exposed', 'False', 'NotExposed'),
    ]);
    expect(listTroubles({ kind: findKind('webapp'), object })).toEqual([]);
    expect(summarise(object)).toMatchObject({ ready: 'True', reason: 'Available' });
  });

  const { next } = kind.reasons['ServiceNotFound'] ?? { next: '' };

  it('have the next step once, although the message ends in it', () => {
    const messages = [
      `backend a: Service a does not exist; ${next}`,
      `backend a: Service a does not exist; ${next}. backend b: Service b does not exist; ${next}`,
    ];
    const troubles = messages.map((message) => {
      const stated = { ...condition('BackendsResolved', 'False', 'ServiceNotFound'), message };
      return listTroubles({ kind, object: createObject([stated]) })[0];
    });
    const first = 'backend a: Service a does not exist';
    expect(troubles).toMatchObject([
      { message: first, next },
      { message: `${first}. backend b: Service b does not exist`, next },
    ]);
  });

  it('have it with the names that the message has, and of a hold in the words of its reason', () => {
    const blanks = Object.entries(kind.reasons).filter(([, entry]) => entry.next.includes('<'));
    const [reason, entry] = blanks[0] ?? ['', { next: '' }];
    const filled = entry.next.replaceAll(/<[^>]*>/g, 'X.Y');
    expect(filled).not.toBe(entry.next);
    const of = (name: string, message: string): unknown =>
      listTroubles({
        kind,
        object: createObject([{ ...condition('Stalled', 'True', name), message }]),
      })[0];
    expect(of(reason, `it is so; ${filled}`)).toMatchObject({ message: 'it is so', next: filled });
    expect(of('Paused', 'nothing is written; remove it to resume')).toMatchObject({
      message: 'nothing is written',
      next: kind.reasons['Paused']?.next,
    });
    expect(of('InternalError', 'x')).toMatchObject({ cause: coreReasons.InternalError.cause });
  });

  it('include a condition that is bad while it is True, and not its absence', () => {
    const of = (status: Condition['status']): readonly string[] => {
      const conditions = [
        condition('Ready', 'True', 'Available'),
        condition(
          'Degraded',
          status,
          status === 'True' ? 'ProgressDeadlineExceeded' : 'AsExpected',
        ),
      ];
      const troubles = listTroubles({
        kind: findKind('webapp'),
        object: createObject(conditions),
      });
      return troubles.flatMap(({ conditions: types }) => types);
    };
    expect(of('False')).toEqual([]);
    expect(of('True')).toEqual(['Degraded True']);
  });

  const silences: Readonly<Record<string, { readonly object: OurObject; says: RegExp }>> = {
    'an object that was never reconciled': {
      object: { ...createObject([]), status: { observedGeneration: -1 } },
      says: /^albridge has not reconciled it yet$/,
    },
    'an edit that was never reconciled': {
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

  it.each([
    ['albridge.io/paused', 'true', 'Paused'],
    ['albridge.io/mode', 'plan', 'Planned'],
  ])('name %s once, where a condition says it', (annotation, value, reason) => {
    const metadata = { annotations: { [annotation]: value } };
    const of = (said: string): readonly string[] => {
      const object = createObject([condition('Ready', 'Unknown', said)], metadata);
      return listTroubles({ kind, object }).map((one) => one.reason);
    };
    expect(of(reason)).toEqual([reason]);
    expect(of('HealthUnknown')).toEqual(['HealthUnknown', '']);
  });
});

describe('an object in one line', () => {
  const available = condition('Ready', 'True', 'Available');
  const cases: Readonly<Record<string, { conditions: readonly Condition[]; says: string }>> = {
    'nothing of what its owner no longer asks for': {
      conditions: [available, condition('Exposed', 'False', 'NotExposed')],
      says: 'True Available',
    },
    'a missing Service': {
      conditions: [available, condition('BackendsResolved', 'False', 'ServiceNotFound')],
      says: 'False ServiceNotFound',
    },
    'unhealthy targets': {
      conditions: [available, condition('TargetsHealthy', 'False', 'TargetsUnhealthy')],
      says: 'False TargetsUnhealthy',
    },
    'what is wrong before what is not known': {
      conditions: [
        available,
        condition('BackendsResolved', 'Unknown', 'ServiceNotFound'),
        condition('TargetsHealthy', 'False', 'NoTargets'),
      ],
      says: 'False NoTargets',
    },
    'targets whose health is not known yet': {
      conditions: [available, condition('TargetsHealthy', 'Unknown', 'HealthUnknown')],
      says: 'Unknown HealthUnknown',
    },
    'a failed read of what was Ready': {
      conditions: [available, condition('Stalled', 'True', 'AccessDenied')],
      says: 'False AccessDenied',
    },
    'Ready before the others, where it is not True': {
      conditions: [
        condition('Ready', 'False', 'SubnetNotFound'),
        condition('BackendsResolved', 'False', 'ServiceNotFound'),
      ],
      says: 'False SubnetNotFound',
    },
    'work in progress, which leaves it Ready': {
      conditions: [available, condition('Reconciling', 'True', 'Throttled')],
      says: 'True Throttled',
    },
    'no fault of its own': {
      conditions: [
        available,
        condition('AttachmentsAccepted', 'False', 'HostAndPathTaken'),
        condition('PodsOutlastRequests', 'False', 'NoPreStop'),
      ],
      says: 'True Available',
    },
  };

  it.each(Object.entries(cases))('says %s', (_name, { conditions, says }) => {
    const { ready, reason } = summarise(createObject(conditions));
    expect(`${ready} ${reason}`).toBe(says);
  });

  it('says that it was edited since, and that it is being deleted', () => {
    const deletionTimestamp = '2026-01-02T00:00:00Z';
    const edited = createObject([available], { generation: 4, deletionTimestamp });
    expect(summarise(edited).message).toBe(
      `being deleted since ${deletionTimestamp}; edited since: generation 4, reconciled 3; about Available`,
    );
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
