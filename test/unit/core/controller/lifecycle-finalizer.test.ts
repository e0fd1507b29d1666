import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench, Outside } from './lifecycle-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

const OTHERS = 'example.com/others';
const DONE = settled('Active', 'it stands');
const FORBIDDEN = new OperatorError({
  reason: 'Forbidden',
  message: 'patch probes: not allowed',
  healedBy: 'person',
});

describe('the finalizer of a living object', () => {
  it('is stored before the first write to the outside, while reads go on beside it', async () => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    const store = bench.kube.holdNext('addFinalizer');
    const pass = bench.run(creatorOf(outside, bench));
    await bench.clock.settle();
    expect(bench.verbs).toEqual(['addFinalizer']);
    expect(outside.calls).toEqual(['look']);
    store();
    await pass;
    expect(outside.calls).toEqual(['look', `create with ${PROBE_FINALIZER}`]);
  });

  it('is not stored again where it is on', async () => {
    const bench = new LifecycleBench(probe('one', { finalizers: [OTHERS, PROBE_FINALIZER] }));
    await bench.run(creatorOf(new Outside(), bench));
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.finalizers).toEqual([OTHERS, PROBE_FINALIZER]);
  });

  it('is not asked for by a controller that cleans nothing up', async () => {
    const bench = new LifecycleBench(probe(), 'none');
    expect(await bench.run(reconcilerOf(async () => DONE))).toEqual(DONE);
    expect(bench.verbs).toEqual(['applyStatus']);
  });

  it('cannot be stored, so nothing is created and the condition says why', async () => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    bench.kube.failNext('addFinalizer', FORBIDDEN);
    await bench.run(creatorOf(outside, bench));
    expect(outside.calls).toEqual(['look']);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });

  it('lost to a concurrent edit: nothing is created, nothing is said, the pass comes again', async () => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    bench.cache.hold();
    bench.kube.edit(bench.object, (live) => ({ ...live, spec: { size: 2 } }));
    const verdict = await bench.run(creatorOf(outside, bench));
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: 'Conflict' } });
    expect(outside.calls).toEqual(['look']);
    expect(bench.status).toBeUndefined();
    bench.cache.catchUp();
    expect(await bench.run(creatorOf(outside, bench))).toEqual(DONE);
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
  });

  it('is awaited also by a reconciler that never asks for it', async () => {
    const bench = new LifecycleBench();
    const store = bench.kube.holdNext('addFinalizer');
    let hasEnded = false;
    const pass = bench.run(reconcilerOf(async () => DONE)).then(() => void (hasEnded = true));
    await bench.clock.settle();
    expect(hasEnded).toBe(false);
    store();
    await pass;
    expect(bench.verbs).toEqual(['addFinalizer', 'applyStatus']);
  });

  it('cannot be stored, so the pass has failed, also for a reconciler that never asks for it', async () => {
    const bench = new LifecycleBench();
    bench.kube.failNext('addFinalizer', FORBIDDEN);
    const verdict = await bench.run(reconcilerOf(async () => DONE));
    expect(verdict).toMatchObject({ kind: 'failed', error: FORBIDDEN });
    expect(bench.condition('Ready')).toBe('False Forbidden');
  });

  it('does not outlive its pass, also where the reconciler has failed before it is stored', async () => {
    const bench = new LifecycleBench();
    const store = bench.kube.holdNext('addFinalizer');
    let hasEnded = false;
    const failing = reconcilerOf(() => Promise.reject(FORBIDDEN));
    const pass = bench.run(failing).then(() => void (hasEnded = true));
    await bench.clock.settle();
    expect(hasEnded).toBe(false);
    store();
    await pass;
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });

  it('fails together with the reconciler: the reconciler is heard', async () => {
    const bench = new LifecycleBench();
    bench.kube.failNext('addFinalizer', new Error('gone away'));
    await bench.run(reconcilerOf(() => Promise.reject(FORBIDDEN)));
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });
});

describe('the finalizer of an object that is being deleted', () => {
  it('stays while the clean-up waits', async () => {
    const bench = deletedBench();
    await bench.run(cleanerOf(async () => waiting('Deleting', 'it goes', 2000)));
    expect(bench.finalizers).toEqual([OTHERS, PROBE_FINALIZER]);
    expect(bench.condition('Reconciling')).toBe('True Deleting');
    expect(bench.condition('Ready')).toBe('False Deleting');
  });

  it('stays when the clean-up fails, and the condition says why', async () => {
    const bench = deletedBench();
    const verdict = await bench.run(cleanerOf(() => Promise.reject(FORBIDDEN)));
    expect(verdict).toMatchObject({ kind: 'failed', error: FORBIDDEN });
    expect(bench.finalizers).toEqual([OTHERS, PROBE_FINALIZER]);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });

  it('comes off after the clean-up, those of others stay', async () => {
    const bench = deletedBench();
    expect(await bench.run(cleanerOf(async () => ({ kind: 'released' })))).toEqual({
      kind: 'released',
    });
    expect(bench.finalizers).toEqual([OTHERS]);
    expect(bench.verbs).toEqual(['removeFinalizer']);
  });

  it('lets the object go when it was the last, and a later pass finds nothing', async () => {
    const bench = new LifecycleBench(probe('one', { finalizers: [PROBE_FINALIZER] }));
    bench.kube.delete(bench.object);
    const forgotten: string[] = [];
    const reconciler = {
      ...cleanerOf(async () => ({ kind: 'released' })),
      forget: (key: string) => void forgotten.push(key),
    };
    await bench.run(reconciler);
    expect(bench.live).toBeUndefined();
    expect(await bench.run(reconciler)).toEqual({ kind: 'gone' });
    expect(forgotten).toEqual([bench.key]);
    expect(bench.log.lines.at(-1)).toMatchObject({
      level: 'debug',
      message: 'resource not found, ignoring',
    });
  });

  it('is off already: the object is left to the others, nothing is created or written', async () => {
    const bench = new LifecycleBench(probe('one', { finalizers: [OTHERS] }));
    bench.kube.delete(bench.object);
    const outside = new Outside();
    expect(await bench.run(creatorOf(outside, bench))).toEqual({ kind: 'gone' });
    expect(outside.calls).toEqual([]);
    expect(bench.verbs).toEqual([]);
  });

  it('comes off at once for a kind that has nothing to clean up', async () => {
    const bench = deletedBench();
    await bench.run(reconcilerOf(async () => DONE));
    expect(bench.finalizers).toEqual([OTHERS]);
  });

  it('stays when taking it off fails, and the next pass takes it off', async () => {
    const bench = deletedBench();
    bench.kube.failNext('removeFinalizer', FORBIDDEN);
    const cleaner = cleanerOf(async () => ({ kind: 'released' }));
    await bench.run(cleaner);
    expect(bench.finalizers).toEqual([OTHERS, PROBE_FINALIZER]);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    await bench.run(cleaner);
    expect(bench.finalizers).toEqual([OTHERS]);
  });

  it('is not taken off another object of the same name', async () => {
    const bench = deletedBench();
    bench.cache.hold();
    bench.kube.edit(bench.object, (live) => withFinalizers(live, []));
    bench.kube.create(probe('one', { finalizers: [PROBE_FINALIZER] }));
    await bench.run(cleanerOf(async () => ({ kind: 'released' })));
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
  });
});

function deletedBench(): LifecycleBench {
  const bench = new LifecycleBench(probe('one', { finalizers: [OTHERS, PROBE_FINALIZER] }));
  bench.kube.delete(bench.object);
  return bench;
}

function reconcilerOf(reconcile: Reconciler<Probe>['reconcile']): Reconciler<Probe> {
  return { reconcile };
}

function cleanerOf(finalize: NonNullable<Reconciler<Probe>['finalize']>): Reconciler<Probe> {
  return { reconcile: () => Promise.reject(new Error('not for a deleted object')), finalize };
}

/** Looks, waits for the finalizer, creates; notes which finalizers were stored at that moment. */
function creatorOf(outside: Outside, bench: LifecycleBench): Reconciler<Probe> {
  const reconcile = async (_object: Probe, pass: Pass): Promise<typeof DONE> => {
    outside.calls.push('look');
    await pass.ensureFinalizer();
    outside.calls.push(`create with ${bench.finalizers.join()}`);
    return DONE;
  };
  return { reconcile };
}

function withFinalizers(object: Probe, finalizers: readonly string[]): Probe {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
