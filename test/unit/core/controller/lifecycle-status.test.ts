import { describe, expect, it } from 'vitest';
import { DeadlineExceeded, sleep, startDeadline } from '../../../../src/core/ports/clock.ts';
import { CoreReason, OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { type Outcome, settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench, of, openBench } from './lifecycle-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

const DONE = settled('Active', 'it stands');
const THROTTLED = new OperatorError({
  reason: 'Throttled',
  message: 'slow down',
  healedBy: 'time',
});

describe('status', () => {
  it('is written once per pass, with everything that was reported', async () => {
    const bench = openBench();
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'old', dns: 'dns' });
        pass.report({ arn: 'new' });
        return DONE;
      }),
    );
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.status).toMatchObject({ arn: 'new', dns: 'dns', observedGeneration: 1 });
    expect(bench.condition('Ready')).toBe('True Active');
  });

  it('is not written by a second pass that found the same', async () => {
    const bench = openBench();
    const reconciler = of(async (_object, pass) => {
      pass.report({ arn: 'a' });
      return DONE;
    });
    await bench.run(reconciler);
    const version = bench.live?.metadata.resourceVersion;
    await bench.clock.advance(3_600_000);
    expect(await bench.run(reconciler)).toEqual(DONE);
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.live?.metadata.resourceVersion).toBe(version);
    expect(bench.events.recorded).toHaveLength(1);
    expect(bench.log.shown).toHaveLength(1);
  });

  it('leaves the generation alone', async () => {
    const bench = openBench();
    await bench.run(of(async () => DONE));
    expect(bench.live?.metadata.generation).toBe(1);
  });

  it('is written also after a failure, with what was reported before it', async () => {
    const bench = openBench();
    const verdict = await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'created' });
        throw THROTTLED;
      }),
    );
    expect(verdict).toMatchObject({ kind: 'failed', error: THROTTLED });
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.status?.arn).toBe('created');
    expect(bench.condition('Reconciling')).toBe('True Throttled');
  });

  it('keeps Ready=True through a failed read, and not once a difference was observed', async () => {
    const bench = openBench();
    await bench.run(of(async () => DONE));
    await bench.run(of(() => Promise.reject(THROTTLED)));
    expect(bench.condition('Ready')).toBe('True Active');
    expect(bench.condition('Reconciling')).toBe('True Throttled');
    await bench.run(
      of(async (_object, pass) => {
        pass.disproveReady();
        throw THROTTLED;
      }),
    );
    expect(bench.condition('Ready')).toBe('False Throttled');
  });

  it('keeps a field that was reported once through passes that do not report it', async () => {
    const bench = openBench();
    await bench.run(reporting({ arn: 'a' }, DONE));
    await bench.run(of(async () => waiting('Checking', 'looking', 1000)));
    expect(bench.status?.arn).toBe('a');
    await bench.run(reporting({ arn: undefined }, DONE));
    expect(bench.status).not.toHaveProperty('arn');
  });

  it.each([CoreReason.Conflict, CoreReason.LeadershipLost])(
    'says nothing of %s, which concerns no reader',
    async (reason) => {
      const bench = openBench();
      const error = new OperatorError({ reason, message: 'try again', healedBy: 'time' });
      expect(await bench.run(of(() => Promise.reject(error)))).toMatchObject({ error });
      expect(bench.verbs).toEqual([]);
      expect(bench.events.recorded).toEqual([]);
      expect(bench.log.shown).toEqual([]);
    },
  );

  it('of an object that is gone in the meantime is lost without a word', async () => {
    const bench = openBench();
    bench.cache.hold();
    remove(bench);
    expect(await bench.run(of(async () => DONE))).toEqual(DONE);
    expect(bench.events.recorded).toEqual([]);
    expect(bench.log.shown).toEqual([]);
  });

  it('is not written to another object of the same name', async () => {
    const bench = openBench();
    bench.cache.hold();
    remove(bench);
    bench.kube.create(probe());
    await bench.run(of(async () => DONE));
    expect(bench.status).toBeUndefined();
  });
});

describe('a status that cannot be written', () => {
  const unavailable = new OperatorError({
    reason: 'ApiServerUnavailable',
    message: 'apply status: connection reset',
    healedBy: 'time',
  });

  it('makes the pass a failure, with a log line because no condition can show it', async () => {
    const bench = openBench();
    bench.kube.failNext('applyStatus', unavailable);
    const verdict = await bench.run(of(async () => DONE));
    expect(verdict).toMatchObject({ kind: 'failed', error: unavailable });
    expect(bench.log.shown).toMatchObject([{ level: 'info', fields: { err: unavailable } }]);
    expect(bench.events.recorded).toEqual([]);
  });

  it('is tried again soon, also after a failure that a person must heal', async () => {
    const bench = openBench();
    bench.kube.failNext('applyStatus', unavailable);
    const stalled = new OperatorError({ reason: 'Bad', message: 'bad', healedBy: 'person' });
    const verdict = await bench.run(of(() => Promise.reject(stalled)));
    expect(verdict).toMatchObject({ kind: 'failed', error: { healedBy: 'time' } });
  });

  it('does not make the pass come sooner than its failure allows', async () => {
    const bench = openBench();
    bench.kube.failNext('applyStatus', unavailable);
    const slow = new OperatorError({
      reason: 'Throttled',
      message: 'slow down',
      healedBy: 'time',
      retryAfterMs: 60_000,
    });
    const verdict = await bench.run(of(() => Promise.reject(slow)));
    expect(verdict).toMatchObject({ kind: 'failed', error: slow });
  });

  it.each([
    ['longer than', { retryAfterMs: 5_000 }, { notBeforeMs: 20_000, retryAfterMs: undefined }],
    ['less than', { retryAfterMs: 60_000 }, { retryAfterMs: 60_000 }],
    ['longer than the backoff of', {}, { notBeforeMs: 20_000 }],
  ])('by a server that asks to wait %s the failed pass is heeded', async (_, own, expected) => {
    const bench = openBench();
    const busy = { reason: 'ApiServerUnavailable', message: 'busy', healedBy: 'time' } as const;
    bench.kube.failNext('applyStatus', new OperatorError({ ...busy, notBeforeMs: 20_000 }));
    const throttled = { reason: 'Throttled', message: 'slow down', healedBy: 'time' } as const;
    const failing = of(() => Promise.reject(new OperatorError({ ...throttled, ...own })));
    const error = { reason: 'Throttled', ...expected };
    expect(await bench.run(failing)).toMatchObject({ kind: 'failed', error });
  });

  it('is silent where it lost to a newer version', async () => {
    const bench = openBench();
    const lost = new OperatorError({ reason: 'Conflict', message: 'lost', healedBy: 'time' });
    bench.kube.failNext('applyStatus', lost);
    expect(await bench.run(of(async () => DONE))).toMatchObject({ error: lost });
    expect(bench.log.shown).toEqual([]);
  });
});

describe('a pass that does not end by itself', () => {
  it('runs into its deadline and says so', async () => {
    const bench = openBench();
    const bound = startDeadline(bench.clock, 120_000);
    const pass = bench.run(of(hanging(bench)), bound.signal);
    await bench.clock.advance(120_000);
    const verdict = await pass;
    expect(verdict).toMatchObject({ error: { reason: 'DeadlineExceeded', healedBy: 'time' } });
    expect(bench.condition('Reconciling')).toBe('True DeadlineExceeded');
    expect(bench.status?.arn).toBe('reported');
  });

  it('is aborted by shutdown: no condition, but what was reported is kept', async () => {
    const bench = openBench();
    const stopping = new AbortController();
    const pass = bench.run(of(hanging(bench)), stopping.signal);
    await bench.clock.settle();
    stopping.abort(new Error('stopping'));
    expect(await pass).toEqual({ kind: 'aborted' });
    expect(bench.status).toEqual({ arn: 'reported' });
    expect(bench.events.recorded).toEqual([]);
    expect(bench.log.shown).toEqual([]);
  });

  it('does not begin once shutdown has', async () => {
    const bench = new LifecycleBench();
    let hasRun = false;
    const reconciler = of(async () => {
      hasRun = true;
      return DONE;
    });
    const verdict = await bench.run(reconciler, AbortSignal.abort(new Error('stopping')));
    expect(verdict).toEqual({ kind: 'aborted' });
    expect([hasRun, bench.verbs]).toEqual([false, []]);
  });

  it('is over its deadline before it began: no condition, tried again', async () => {
    const bench = openBench();
    const late = AbortSignal.abort(new DeadlineExceeded(1));
    const verdict = await bench.run(
      of(async () => DONE),
      late,
    );
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: 'DeadlineExceeded' } });
    expect(bench.verbs).toEqual([]);
  });
});

describe('a reconciler that throws what it should not', () => {
  const thrown: Record<string, { why: string; value: unknown; says: string }> = {
    string: { why: 'anything can be thrown', value: 'boom', says: 'boom' },
    TypeError: { why: 'a bug', value: new TypeError('x is undefined'), says: 'x is undefined' },
    undefined: { why: 'even nothing', value: undefined, says: 'undefined' },
  };

  it.each(Object.entries(thrown))('%s is an InternalError', async (_name, { value, says }) => {
    const bench = openBench();
    const verdict = await bench.run(of(() => Promise.reject(value)));
    expect(verdict).toMatchObject({ error: { reason: 'InternalError', cause: value } });
    expect(bench.status?.conditions?.[0]?.message).toContain(says);
    expect(bench.log.shown).toMatchObject([{ level: 'error' }]);
  });

  it('also from a function that is not async, with the finalizer still stored', async () => {
    const bench = new LifecycleBench();
    await bench.run(
      of(() => {
        throw new TypeError('at once');
      }),
    );
    expect(bench.condition('Reconciling')).toBe('True InternalError');
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
  });

  it('from forget is a failed pass and nothing more', async () => {
    const bench = openBench();
    remove(bench);
    const reconciler: Reconciler<Probe> = {
      reconcile: async () => DONE,
      forget: () => {
        throw new TypeError('no memory');
      },
    };
    expect(await bench.run(reconciler)).toMatchObject({ error: { reason: 'InternalError' } });
    expect(bench.log.shown).toMatchObject([{ level: 'error' }]);
  });
});

function reporting(status: Record<string, unknown>, outcome: Outcome): Reconciler<Probe> {
  return of(async (_object, pass) => {
    pass.report(status);
    return outcome;
  });
}

/** Reports, then waits for an hour unless its signal aborts. */
function hanging(bench: LifecycleBench): Reconciler<Probe>['reconcile'] {
  return async (_object, pass) => {
    pass.report({ arn: 'reported' });
    await sleep(bench.clock, 3_600_000, pass.signal);
    return DONE;
  };
}

function remove(bench: LifecycleBench): void {
  bench.kube.editMeta(bench.object, { finalizers: [] });
  bench.kube.delete(bench.object);
}
