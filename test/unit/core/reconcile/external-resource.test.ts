import { describe, expect, it } from 'vitest';
import {
  type ExternalResource,
  ensureAbsent,
  ensurePresent,
  type Observation,
} from '../../../../src/core/reconcile/external-resource.ts';
import { waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass } from '../../../../src/core/reconcile/reconciler.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

interface Balancer {
  readonly size: number;
}

type Seen = Observation<Balancer, string>;

const ABSENT: Seen = { kind: 'absent' };
const PRESENT: Seen = { kind: 'present', observed: { size: 1 }, drift: [] };
const DRIFTED: Seen = { kind: 'present', observed: { size: 1 }, drift: ['size'] };
const DOUBT = waiting('Confirming', 'the read may be stale', 10_000);
const UNCONFIRMED: Seen = { kind: 'unconfirmed', waiting: DOUBT };

describe('ensurePresent', () => {
  const cases: Record<
    string,
    { why: string; looks: readonly Seen[]; created?: Seen; calls: readonly string[]; ends: object }
  > = {
    'what is as desired is left alone': {
      why: 'a second pass changes nothing',
      looks: [PRESENT],
      calls: ['observe'],
      ends: { kind: 'present', observed: { size: 1 } },
    },
    'what is absent is created': {
      why: 'the finalizer is stored first, and while it is, what precedes the create is done',
      looks: [ABSENT],
      created: PRESENT,
      calls: ['observe', 'disproved', 'prepare', 'finalizer', 'create'],
      ends: { kind: 'present', observed: { size: 1 } },
    },
    'what has drifted is updated': {
      why: 'Ready=True would be untrue if the update failed',
      looks: [DRIFTED],
      calls: ['observe', 'disproved', 'finalizer', 'update size'],
      ends: { kind: 'present', observed: { size: 1 } },
    },
    'what is created with drift is updated in the same pass': {
      why: 'a create may have found what an earlier pass had lost',
      looks: [ABSENT],
      created: DRIFTED,
      calls: [
        'observe',
        'disproved',
        'prepare',
        'finalizer',
        'create',
        'disproved',
        'finalizer',
        'update size',
      ],
      ends: { kind: 'present', observed: { size: 1 } },
    },
    'a doubtful read decides nothing': {
      why: 'a stale read must not create or change anything',
      looks: [UNCONFIRMED],
      calls: ['observe'],
      ends: DOUBT,
    },
    'a doubtful read after the create waits': {
      why: 'what was created may be somebody else’s',
      looks: [ABSENT],
      created: UNCONFIRMED,
      calls: ['observe', 'disproved', 'prepare', 'finalizer', 'create'],
      ends: DOUBT,
    },
    'a create that cannot be seen yet waits': {
      why: 'no second create in the same pass',
      looks: [ABSENT],
      created: ABSENT,
      calls: ['observe', 'disproved', 'prepare', 'finalizer', 'create'],
      ends: { kind: 'waiting', reason: 'Creating' },
    },
  };

  it.each(Object.entries(cases))('%s', async (_name, { looks, created, calls, ends, why }) => {
    const bench = new ResourceBench(looks, created);
    expect(await ensurePresent(bench.resource, bench.pass), why).toMatchObject(ends);
    expect(bench.calls, why).toEqual(calls);
  });

  it.each([
    ['create', ABSENT, ['prepare']],
    ['update', DRIFTED, []],
  ] as const)(
    'does not %s once the pass is aborted while the finalizer is stored',
    async (_verb, look, prepared) => {
      const bench = new ResourceBench([look], PRESENT);
      bench.abortWhileFinalizerIsStored();
      await expect(ensurePresent(bench.resource, bench.pass)).rejects.toThrow('stopping');
      expect(bench.calls).toEqual(['observe', 'disproved', ...prepared, 'finalizer']);
    },
  );

  it('does not create what could not be prepared', async () => {
    const bench = new ResourceBench([ABSENT], PRESENT);
    const resource = {
      ...bench.resource,
      prepareCreate: () => Promise.reject(new Error('no tokens')),
    };
    await expect(ensurePresent(resource, bench.pass)).rejects.toThrow('no tokens');
    expect(bench.calls).toEqual(['observe', 'disproved']);
  });
});

describe('ensureAbsent', () => {
  const cases: Record<
    string,
    { why: string; looks: readonly Seen[]; calls: readonly string[]; ends: object }
  > = {
    'what is absent is released': {
      why: 'a look has proved it',
      looks: [ABSENT],
      calls: ['observe'],
      ends: { kind: 'released' },
    },
    'what is present is deleted and observed again': {
      why: 'an accepted deletion is no proof',
      looks: [PRESENT, ABSENT],
      calls: ['observe', 'delete', 'observe'],
      ends: { kind: 'released' },
    },
    'what drifted is deleted all the same': {
      why: 'deletion needs no valid spec',
      looks: [DRIFTED, ABSENT],
      calls: ['observe', 'delete', 'observe'],
      ends: { kind: 'released' },
    },
    'what is still there waits': {
      why: 'the finalizer stays',
      looks: [PRESENT, PRESENT],
      calls: ['observe', 'delete', 'observe'],
      ends: { kind: 'waiting', reason: 'Deleting' },
    },
    'a doubtful read waits and deletes nothing': {
      why: 'it may be stale or somebody else’s',
      looks: [UNCONFIRMED],
      calls: ['observe'],
      ends: DOUBT,
    },
    'a doubtful read after the deletion waits': {
      why: 'not proved yet',
      looks: [PRESENT, UNCONFIRMED],
      calls: ['observe', 'delete', 'observe'],
      ends: DOUBT,
    },
  };

  it.each(Object.entries(cases))('%s', async (_name, { looks, calls, ends, why }) => {
    const bench = new ResourceBench(looks);
    expect(await ensureAbsent(bench.resource, bench.pass), why).toMatchObject(ends);
    expect(bench.calls, why).toEqual(calls);
  });

  it('does not delete once the pass is aborted', async () => {
    const bench = new ResourceBench([PRESENT]);
    bench.abort();
    await expect(ensureAbsent(bench.resource, bench.pass)).rejects.toThrow('stopping');
    expect(bench.calls).toEqual(['observe']);
  });
});

/** A resource that shows `looks` one after the other and notes what is done to it. */
class ResourceBench {
  readonly calls: string[] = [];
  readonly pass: Pass;
  readonly resource: ExternalResource<Balancer, string>;
  readonly #stopping = new AbortController();
  #onFinalizer = (): void => {};

  constructor(looks: readonly Seen[], created: Seen = ABSENT) {
    const left = [...looks];
    this.resource = {
      observe: async () => this.#did('observe', left.shift() as Seen),
      prepareCreate: async () => this.#did('prepare', undefined),
      create: async () => this.#did('create', created),
      update: async (_observed, drift) => this.#did(`update ${drift.join()}`, undefined),
      delete: async () => this.#did('delete', undefined),
    };
    this.pass = this.#openPass();
  }

  abort(): void {
    this.#stopping.abort(new Error('stopping'));
  }

  abortWhileFinalizerIsStored(): void {
    this.#onFinalizer = () => this.abort();
  }

  #openPass(): Pass {
    return {
      key: 'web/one',
      recorded: { kind: 'Probe', apiVersion: 'v1', metadata: { name: 'one' } },
      reconcileId: 'pass',
      signal: this.#stopping.signal,
      log: new SilentLogger(),
      report: () => {},
      setCondition: () => {},
      recordNow: async () => {},
      recordEvent: () => {},
      pickNewest: (held) => held,
      disproveReady: () => this.#did('disproved', undefined),
      isReadyDisproved: false,
      throwIfEdited: () => undefined,
      throwIfGone: () => undefined,
      throwIfPaused: () => undefined,
      ensureFinalizer: async () => {
        this.#did('finalizer', undefined);
        this.#onFinalizer();
      },
    };
  }

  #did<T>(what: string, answer: T): T {
    this.calls.push(what);
    return answer;
  }
}
