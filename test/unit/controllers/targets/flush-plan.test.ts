import { describe, expect, it } from 'vitest';
import type { Target } from '../../../../src/aws/elbv2/traffic.ts';
import { nameTarget } from '../../../../src/controllers/targets/desired-targets.ts';
import {
  EMPTYING_GRACE_MS,
  type FlushFacts,
  planFlush,
} from '../../../../src/controllers/targets/flush-plan.ts';
import { Registrations } from '../../../../src/controllers/targets/registrations.ts';

const NOW_MS = 1_000_000;

const at = (id: string, port = 80): Target => ({ id, port });

interface Draft {
  readonly desired?: readonly Target[];
  readonly registered?: readonly Target[];
  readonly live?: readonly string[];
  readonly refused?: Readonly<Record<string, number>>;
  readonly emptySinceMs?: number;
  readonly isUnknown?: true;
  readonly late?: readonly string[];
  readonly unready?: readonly string[];
  readonly surplusSinceMs?: number;
  readonly knownSinceMs?: number;
  readonly shown?: readonly string[];
  readonly former?: Readonly<Record<string, number>>;
}

function factsOf({
  desired = [],
  registered = [],
  live = [],
  refused = {},
  emptySinceMs,
  late = [],
  unready = [],
  surplusSinceMs = 0,
  knownSinceMs = 0,
  shown = [],
  former,
  ...unknown
}: Draft): FlushFacts {
  const registrations = new Registrations();
  registrations.recordRegistered(registered);
  return {
    desired: {
      targets: new Map(desired.map((target) => [nameTarget(target), target])),
      live: new Set(live),
      late: new Set(late),
      unready: new Set(unready),
      ...unknown,
    },
    registrations,
    refusedUntilMs: ({ id }) => refused[id] ?? 0,
    emptySinceMs,
    surplusSinceMs: () => surplusSinceMs,
    knownSinceMs,
    wasShown: ({ id }) => shown.includes(id),
    formerUntilMs: ({ id }) => former?.[id] ?? 0,
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

  it('lets slices come back one by one, and keeps no pod that one of them shows as not ready', () => {
    const facts = factsOf({
      ...{
        desired: [at('a')],
        registered: [at('a'), at('b'), at('c')],
        live: ['a'],
        unready: ['b'],
      },
      knownSinceMs: NOW_MS,
    });
    const endsMs = NOW_MS + EMPTYING_GRACE_MS;
    expect(planFlush(facts, NOW_MS)).toEqual({
      ...{ register: [], deregister: [at('b')], nextMs: endsMs },
    });
    expect(planFlush(facts, endsMs).deregister).toEqual([at('b'), at('c')]);
  });

  it('keeps no pod whose slice came back and has it no more', () => {
    const facts = factsOf({
      ...{ desired: [at('a')], registered: [at('a'), at('b')], live: ['a'] },
      ...{ knownSinceMs: NOW_MS, shown: ['a', 'b'] },
    });
    expect(planFlush(facts, NOW_MS).deregister).toEqual([at('b')]);
  });

  it('keeps a pod of a former Service until one of its successors is registered, or its time is over', () => {
    const endsMs = NOW_MS + 3_000;
    const draft = { desired: [at('b')], registered: [at('a')], live: ['b'], former: { a: endsMs } };
    const plan = planFlush(factsOf(draft), NOW_MS);
    expect(plan).toEqual({ register: [at('b')], deregister: [], nextMs: endsMs });
    expect(planFlush(factsOf(draft), endsMs).deregister).toEqual([at('a')]);
    const later = factsOf({ ...draft, registered: [at('a'), at('b')] });
    expect(planFlush(later, NOW_MS).deregister).toEqual([at('a')]);
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
