import { describe, expect, it } from 'vitest';
import type { Target } from '../../../../src/aws/elbv2/traffic.ts';
import { nameTarget } from '../../../../src/controllers/targets/desired-targets.ts';
import {
  CHECKING_GRACE_MS,
  EMPTYING_GRACE_MS,
  type FlushFacts,
  type FlushPlan,
  planFlush,
} from '../../../../src/controllers/targets/flush-plan.ts';
import { Registrations } from '../../../../src/controllers/targets/registrations.ts';

const NOW_MS = 1_000_000;

const at = (id: string, port = 80): Target => ({ id, port });

interface Draft {
  readonly desired: readonly Target[];
  readonly registered: readonly Target[];
  /** As AWS reports them; others are awaited. */
  readonly healthy: readonly Target[];
  readonly failed: readonly Target[];
  readonly live: readonly string[];
  readonly late: readonly string[];
  readonly ready: readonly string[];
  readonly unready: readonly string[];
  readonly refused: Readonly<Record<string, number>>;
  /** Since when, by address. */
  readonly former: Readonly<Record<string, number>>;
  /** Until when, by address. */
  readonly absent: Readonly<Record<string, number>>;
  readonly surplusSinceMs: number;
  readonly emptySinceMs?: number;
  readonly isUnknown?: true;
}

const NOTHING: Draft = {
  ...{ desired: [], registered: [], healthy: [], failed: [] },
  ...{ live: [], late: [], ready: [], unready: [] },
  ...{ refused: {}, former: {}, absent: {}, surplusSinceMs: 0 },
};

function factsOf(draft: Partial<Draft>): FlushFacts {
  const { emptySinceMs, isUnknown, ...facts } = { ...NOTHING, ...draft };
  const registrations = new Registrations();
  registrations.recordRegistered(facts.registered);
  return {
    desired: {
      targets: new Map(facts.desired.map((target) => [nameTarget(target), target])),
      live: new Set(facts.live),
      late: new Set(facts.late),
      ready: new Set(facts.ready),
      unready: new Set(facts.unready),
      ...(isUnknown && { isUnknown }),
    },
    registrations,
    readCheck: (name) => {
      if (facts.failed.map(nameTarget).includes(name)) return 'failed';
      return facts.healthy.map(nameTarget).includes(name) ? 'healthy' : 'awaited';
    },
    refusedUntilMs: ({ id }) => facts.refused[id] ?? 0,
    emptySinceMs,
    surplusSinceMs: () => facts.surplusSinceMs,
    absentUntilMs: ({ id }) => facts.absent[id] ?? 0,
    formerSinceMs: ({ id }) => facts.former[id] ?? 0,
  };
}

describe('a flush', () => {
  it('registers what is missing and deregisters what is not desired', () => {
    const facts = factsOf({ desired: [at('a'), at('b')], registered: [at('b'), at('c')] });
    const plan = planFlush(facts, NOW_MS);
    expect(plan).toEqual({ register: [at('a')], deregister: [at('c')], nextMs: Infinity });
  });

  it('takes the same address with another port for another target', () => {
    const facts = factsOf({ desired: [at('a', 81), at('b')], registered: [at('a', 80), at('b')] });
    expect(planFlush(facts, NOW_MS)).toMatchObject({
      ...{ register: [at('a', 81)], deregister: [at('a', 80)] },
    });
  });

  it('keeps a pod that serves until one of its successors is registered', () => {
    const draft = { desired: [at('b')], registered: [at('a')], live: ['a', 'b'] };
    expect(planFlush(factsOf(draft), NOW_MS)).toMatchObject({
      register: [at('b')],
      deregister: [],
    });
    const later = factsOf({ ...draft, registered: [at('a'), at('b')] });
    expect(planFlush(later, NOW_MS).deregister).toEqual([at('a')]);
  });

  it('keeps no address whose pod is gone, whatever becomes of the successor: another pod may have it', () => {
    const facts = factsOf({ desired: [at('b')], registered: [at('a')], live: ['b'] });
    expect(planFlush(facts, NOW_MS).deregister).toEqual([at('a')]);
  });

  it('empties a group at once where no pod serves', () => {
    const facts = factsOf({ registered: [at('a')], emptySinceMs: NOW_MS });
    expect(planFlush(facts, NOW_MS).deregister).toEqual([at('a')]);
  });

  it('lets slices follow a changed Service before it empties the group of pods that serve', () => {
    const facts = factsOf({ registered: [at('a')], live: ['a'], emptySinceMs: NOW_MS });
    const endsMs = NOW_MS + EMPTYING_GRACE_MS;
    expect(planFlush(facts, NOW_MS)).toEqual({ register: [], deregister: [], nextMs: endsMs });
    expect(planFlush(facts, endsMs)).toEqual({
      ...{ register: [], deregister: [at('a')], nextMs: Infinity },
    });
  });

  it('keeps a ready pod whose slice follows its Service a moment later than another', () => {
    const facts = factsOf({
      ...{ desired: [at('a')], registered: [at('a'), at('b')], live: ['a', 'b'], late: ['b'] },
      surplusSinceMs: NOW_MS,
    });
    const endsMs = NOW_MS + EMPTYING_GRACE_MS;
    expect(planFlush(facts, NOW_MS)).toEqual({ register: [], deregister: [], nextMs: endsMs });
    expect(planFlush(facts, endsMs).deregister).toEqual([at('b')]);
  });

  it('keeps a pod of a late slice longer than that while none of its successors is registered', () => {
    const draft = { desired: [at('a')], registered: [at('b')], live: ['a', 'b'], late: ['b'] };
    expect(planFlush(factsOf(draft), NOW_MS).deregister).toEqual([]);
  });

  it('keeps a pod that no slice has for as long as one may come, and none that one of them shows as not ready', () => {
    const endsMs = NOW_MS + 1_000;
    const facts = factsOf({
      ...{ desired: [at('a')], registered: [at('a'), at('b'), at('c'), at('d')] },
      ...{ live: ['a'], unready: ['b'], absent: { b: endsMs, c: endsMs } },
    });
    expect(planFlush(facts, NOW_MS)).toEqual({
      ...{ register: [], deregister: [at('b'), at('d')], nextMs: endsMs },
    });
    expect(planFlush(facts, endsMs).deregister).toEqual([at('b'), at('c'), at('d')]);
  });

  describe('of pods in whose place others come', () => {
    const draft = {
      ...{ desired: [at('b')], registered: [at('a'), at('b')], live: ['b'] },
      ...{ former: { a: NOW_MS }, surplusSinceMs: NOW_MS },
    };
    const healthy = [at('a')];

    it('keeps a healthy target until another one is healthy, or 30 s are over', () => {
      const endsMs = NOW_MS + CHECKING_GRACE_MS;
      const facts = factsOf({ ...draft, healthy });
      expect(planFlush(facts, NOW_MS)).toEqual({ register: [], deregister: [], nextMs: endsMs });
      expect(planFlush(facts, endsMs).deregister).toEqual([at('a')]);
      const checked = factsOf({ ...draft, healthy: [at('a'), at('b')] });
      expect(planFlush(checked, NOW_MS).deregister).toEqual([at('a')]);
    });

    it('waits until AWS has checked all that it takes, and some are healthy', () => {
      const desired = [at('b'), at('c'), at('d')];
      const registered = [at('a'), at('b'), at('c')];
      const plan = (checks: Partial<Draft>): FlushPlan => {
        const more = { ...draft, desired, registered, live: ['b', 'c', 'd'], ...checks };
        return planFlush(factsOf(more), NOW_MS);
      };
      const refused = { d: NOW_MS + 60_000 };
      const [a, b, c] = registered as [Target, Target, Target];
      expect(plan({ healthy: [a, b, c] }).deregister).toEqual([]);
      expect(plan({ healthy: [a, b], refused }).deregister).toEqual([]);
      expect(plan({ healthy: [a, b, c], refused }).deregister).toEqual([a]);
      expect(plan({ healthy: [a, b], failed: [c], refused }).deregister).toEqual([a]);
      expect(plan({ healthy: [a], failed: [b, c], refused }).deregister).toEqual([]);
    });

    it('keeps a healthy one no longer than 30 s from when it was to go', () => {
      const facts = factsOf({ ...draft, healthy, surplusSinceMs: NOW_MS - CHECKING_GRACE_MS });
      expect(planFlush(facts, NOW_MS).deregister).toEqual([at('a')]);
    });

    it('keeps one that is not healthy until one of the others is registered, or ten seconds are over', () => {
      const endsMs = NOW_MS + EMPTYING_GRACE_MS;
      const early = factsOf({ ...draft, registered: [at('a')] });
      expect(planFlush(early, NOW_MS)).toEqual({
        ...{ register: [at('b')], deregister: [], nextMs: endsMs },
      });
      expect(planFlush(early, endsMs).deregister).toEqual([at('a')]);
      expect(planFlush(factsOf(draft), NOW_MS).deregister).toEqual([at('a')]);
    });

    it('keeps none for 30 s where no other is to come', () => {
      const facts = factsOf({ ...draft, desired: [], healthy, emptySinceMs: NOW_MS });
      expect(planFlush(facts, NOW_MS + EMPTYING_GRACE_MS).deregister).toContainEqual(at('a'));
    });

    it('keeps none that is shown as not ready, healthy or not', () => {
      const facts = factsOf({ ...draft, healthy, unready: ['a'] });
      expect(planFlush(facts, NOW_MS).deregister).toEqual([at('a')]);
    });
  });

  it.each([
    ['a ready pod', ['a'], []],
    ['a pod that is being deleted', [], [at('a', 80)]],
  ])('keeps a healthy target of %s for another port of it: %j', (_, ready, deregister) => {
    const facts = factsOf({
      ...{ desired: [at('a', 81)], registered: [at('a', 80), at('a', 81)], live: ['a'], ready },
      ...{ healthy: [at('a', 80)], surplusSinceMs: NOW_MS },
    });
    expect(planFlush(facts, NOW_MS).deregister).toEqual(deregister);
    expect(planFlush(facts, NOW_MS + CHECKING_GRACE_MS).deregister).toEqual([at('a', 80)]);
  });

  it('takes nothing out, and plans no time for it, while nothing is known of the pods', () => {
    const facts = factsOf({ registered: [at('a')], isUnknown: true, emptySinceMs: 0 });
    expect(planFlush(facts, NOW_MS)).toEqual({ register: [], deregister: [], nextMs: Infinity });
  });

  it('leaves out what AWS has refused until its time', () => {
    const refused = { a: NOW_MS + 60_000 };
    const facts = factsOf({ desired: [at('a'), at('b')], refused });
    expect(planFlush(facts, NOW_MS)).toMatchObject({ register: [at('b')], nextMs: refused.a });
    expect(planFlush(facts, refused.a).register).toEqual([at('a'), at('b')]);
  });
});

describe('what is registered', () => {
  it('is, while an answer is lost, neither sure to be there nor sure to be gone', () => {
    const registrations = new Registrations();
    const desired = new Map([['a:80', at('a')]]);
    registrations.beginRegistering([at('a')]);
    expect(registrations.listMissing(desired)).toEqual([at('a')]);
    expect(registrations.listSurplus(new Map())).toEqual([at('a')]);
    registrations.recordRegistered([at('a')]);
    registrations.beginDeregistering([at('a')]);
    expect(registrations.listMissing(desired)).toEqual([at('a')]);
    expect(registrations.listSurplus(new Map())).toEqual([at('a')]);
    registrations.recordDeregistered([at('a')]);
    expect(registrations.listSurplus(new Map())).toEqual([]);
  });

  it('differs by what others have done, not by what became of a lost answer', () => {
    const registrations = new Registrations();
    registrations.recordRegistered([at('a'), at('b')]);
    registrations.beginRegistering([at('c')]);
    registrations.beginDeregistering([at('b')]);
    expect(registrations.replace([at('a'), at('c')])).toBe(0);
    expect(registrations.replace([at('c'), at('d')])).toBe(2);
    expect(registrations.has('d:80')).toBe(true);
  });
});
