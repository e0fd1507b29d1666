import { describe, expect, it } from 'vitest';
import { MODE_ANNOTATION, PAUSED_ANNOTATION } from '../../../../src/core/objects/annotations.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import type { Outcome } from '../../../../src/core/reconcile/outcome.ts';
import { waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Reconciler, Released } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench, Outside } from './lifecycle-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

/** Somebody deletes the object at the very moment in which its finalizer is stored. */
describe('an object that goes in spite of its finalizer', () => {
  it('is cleaned up behind like any other', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    expect(outside.isThere).toBe(true);
    expect(await bench.run(keeper)).toEqual({ kind: 'gone' });
    expect(outside.calls).toEqual(['create', 'delete']);
    expect(bench.verbs).not.toContain('removeFinalizer');
  });

  it('is cleaned up behind also where its pass comes minutes after the deletion', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    await bench.clock.advance(600_000);
    expect(await bench.run(keeper)).toEqual({ kind: 'gone' });
    expect(outside.calls).toEqual(['create', 'delete']);
  });

  it('is cleaned up behind minutes later also where the watch was ahead of the answer', async () => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    const keeper = keeperOf(outside);
    bench.kube.onFinalizerStored(() => bench.kube.deleteInSpite(bench.object));
    await bench.run(keeper);
    await bench.clock.advance(600_000);
    await bench.run(keeper);
    expect(outside.calls).toEqual(['create', 'delete']);
  });

  it('is cleaned up behind although much else has happened before its pass', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    await bench.clock.advance(600_000);
    bench.kube.create(probe('other'));
    expect(await bench.run(keeper)).toEqual({ kind: 'gone' });
    expect(outside.calls).toEqual(['create', 'delete']);
  });

  it('is cleaned up behind also where something goes on record first, which there is no status for', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    const recording: Reconciler<Probe> = {
      ...keeper,
      async finalize(_object, pass): Promise<Released> {
        pass.report({ arn: 'found' });
        await pass.recordNow();
        outside.delete();
        return { kind: 'released' };
      },
    };
    const before = bench.verbs.length;
    expect(await bench.run(recording)).toEqual({ kind: 'gone' });
    expect(outside.isThere).toBe(false);
    expect(bench.verbs.slice(before)).toEqual([]);
  });

  it.each([
    ['was not answered', true],
    ['was answered with 504, which says nothing of what was stored', false],
  ])('is cleaned up behind also where the write of the finalizer %s', async (_, isUnanswered) => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    const keeper = keeperOf(outside);
    bench.kube.onFinalizerStored(() => {
      const options = { reason: 'ApiServerUnavailable', message: 'no answer' } as const;
      throw new OperatorError({ ...options, healedBy: 'time', isUnanswered });
    });
    expect(await bench.run(keeper)).toMatchObject({ kind: 'failed' });
    expect(await bench.run(keeper)).toMatchObject({ kind: 'settled' });
    bench.kube.deleteInSpite(bench.object);
    await bench.run(keeper);
    expect(outside.calls).toEqual(['create', 'delete']);
  });

  it('is cleaned up behind once', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    await bench.run(keeper);
    expect(await bench.run(keeper)).toEqual({ kind: 'gone' });
    expect(outside.calls).toEqual(['create', 'delete']);
  });

  it('is cleaned up behind for as long as it takes', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    const still = waiting('Deleting', 'not proved yet', 2000);
    expect(await bench.run({ ...keeper, finalize: async () => still })).toEqual(still);
    await bench.clock.advance(600_000);
    const failing = { ...keeper, finalize: () => Promise.reject(new Error('no luck today')) };
    expect(await bench.run(failing)).toMatchObject({ kind: 'failed' });
    expect(bench.log.lines.at(-1)?.level).toBe('error');
    await bench.run(keeper);
    expect(outside.isThere).toBe(false);
  });

  it('is remembered by the reconciler until that is done', async () => {
    const { bench, keeper } = await vanishedInMidPass();
    const forgotten: string[] = [];
    const watched = { ...keeper, forget: (key: string) => void forgotten.push(key) };
    const still = waiting('Deleting', 'not proved yet', 2000);
    await bench.run({ ...watched, finalize: async () => still });
    expect(forgotten).toEqual([]);
    await bench.run(watched);
    expect(forgotten).toEqual([bench.key]);
  });

  it('is cleaned up behind before another object of its name is reconciled', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    const successor = bench.kube.create(probe());
    const still = waiting('Deleting', 'not proved yet', 2000);
    expect(await bench.run({ ...keeper, finalize: async () => still })).toEqual(still);
    expect(bench.finalizers).toEqual([]);
    expect(await bench.run(keeper)).toMatchObject({ kind: 'settled' });
    expect(outside.calls).toEqual(['create', 'delete', 'create']);
    expect(bench.live?.metadata.uid).toBe(successor.metadata.uid);
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
  });

  it('does not hold up another object of its name where only a person could clean up', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    bench.kube.create(probe());
    const blocked = new OperatorError({ reason: 'Blocked', message: 'no', healedBy: 'person' });
    const verdict = await bench.run({ ...keeper, finalize: () => Promise.reject(blocked) });
    expect(verdict).toMatchObject({ kind: 'settled' });
    expect(bench.log.lines.map(({ level }) => level)).toContain('error');
    await bench.run(keeper);
    expect(outside.calls).not.toContain('delete');
  });

  it('is left alone where another object of its name has its finalizer already', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    bench.kube.create(probe('one', { finalizers: [PROBE_FINALIZER] }));
    await bench.run(keeper);
    expect(outside.calls).toEqual(['create', 'create']);
  });

  it('is left alone also where that one is applied while the clean-up reads', async () => {
    const { bench, outside, keeper } = await vanishedInMidPass();
    const reading: Reconciler<Probe> = {
      ...keeper,
      async finalize(_object, pass): Promise<Released> {
        pass.throwIfEdited();
        bench.kube.create(probe('one', { finalizers: [PROBE_FINALIZER] }));
        pass.throwIfEdited();
        outside.delete();
        return { kind: 'released' };
      },
    };
    expect(await bench.run(reading)).toMatchObject({ error: { reason: 'Conflict' } });
    await bench.run(keeper);
    expect(outside.calls).toEqual(['create', 'create']);
  });

  it('is cleaned up behind by its last spec', async () => {
    const { bench, keeper, vanish } = await settledBench();
    bench.kube.edit(bench.object, (live) => ({ ...live, spec: { size: 2 } }));
    vanish();
    const sizes: unknown[] = [];
    await bench.run({
      ...keeper,
      finalize: async ({ spec }) => {
        sizes.push(spec?.size);
        return { kind: 'released' };
      },
    });
    expect(sizes).toEqual([2]);
  });

  it.each([PAUSED_ANNOTATION, MODE_ANNOTATION])(
    'is left alone where it had %s, which the log says once',
    async (annotation) => {
      const { bench, outside, keeper, vanish } = await settledBench();
      bench.kube.editMeta(bench.object, { annotations: { [annotation]: 'true' } });
      vanish();
      const planner = {
        ...keeper,
        preview: async () => ({ kind: 'planned', message: '' }) as const,
      };
      expect(await bench.run(planner)).toEqual({ kind: 'gone' });
      expect(await bench.run(planner)).toEqual({ kind: 'gone' });
      expect(outside.isThere).toBe(true);
      const told = bench.log.shown.filter(({ message }) => message.includes('left alone'));
      expect(told).toHaveLength(1);
    },
  );

  it('is cleaned up behind also where the cache lags', async () => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    bench.cache.hold();
    await bench.run(keeperOf(outside));
    bench.kube.deleteInSpite(bench.object);
    bench.cache.catchUp();
    await bench.run(keeperOf(outside));
    expect(outside.calls).toEqual(['create', 'delete']);
  });
});

describe('an object that goes after its finalizer was stored is left alone', () => {
  const ends: Record<string, { why: string; end: (bench: LifecycleBench) => unknown }> = {
    'that was marked as deleted first': {
      why: 'the finalizer held it, and went when all was cleaned up',
      end: (bench) => {
        bench.kube.delete(bench.object);
        bench.kube.edit(bench.object, withoutFinalizers);
      },
    },
    'whose finalizer someone took off': {
      why: 'whoever does that wants to keep what it made',
      end: (bench) => {
        bench.kube.edit(bench.object, withoutFinalizers);
        bench.kube.delete(bench.object);
      },
    },
    'that goes long after': {
      why: 'no DELETE lasts so long; a store that was put back to an old state looks like this',
      end: async (bench) => {
        await bench.clock.advance(121_000);
        bench.kube.deleteInSpite(bench.object);
      },
    },
  };
  it.each(Object.entries(ends))('%s', async (_name, { why, end }) => {
    const bench = new LifecycleBench();
    const outside = new Outside();
    const keeper = keeperOf(outside);
    await bench.run(keeper);
    await end(bench);
    expect(await bench.run(keeper), why).toEqual({ kind: 'gone' });
    expect(outside.calls, why).toEqual(['create']);
  });
});

interface Vanished {
  readonly bench: LifecycleBench;
  readonly outside: Outside;
  readonly keeper: Reconciler<Probe>;
}

/** The DELETE takes effect between the stored finalizer and the create. */
async function vanishedInMidPass(): Promise<Vanished> {
  const bench = new LifecycleBench();
  const outside = new Outside();
  const keeper = keeperOf(outside, () => {
    if (!outside.calls.includes('create')) bench.kube.deleteInSpite(bench.object);
  });
  await bench.run(keeper);
  expect(bench.live).toBeUndefined();
  return { bench, outside, keeper };
}

/** The DELETE takes effect when a pass has ended. */
async function settledBench(): Promise<Vanished & { readonly vanish: () => void }> {
  const bench = new LifecycleBench();
  const outside = new Outside();
  const keeper = keeperOf(outside);
  await bench.run(keeper);
  return { bench, outside, keeper, vanish: () => bench.kube.deleteInSpite(bench.object) };
}

function keeperOf(outside: Outside, beforeCreate = (): void => {}): Reconciler<Probe> {
  return {
    async reconcile(_object, pass): Promise<Outcome> {
      await pass.ensureFinalizer();
      beforeCreate();
      outside.create();
      return { kind: 'settled', reason: 'Done', message: 'done' };
    },
    async finalize(object): Promise<Released> {
      expect(object.metadata.finalizers).toContain(PROBE_FINALIZER);
      if (outside.isThere) outside.delete();
      return { kind: 'released' };
    },
  };
}

function withoutFinalizers(object: Probe): Probe {
  const { finalizers: _gone, ...metadata } = object.metadata;
  return { ...object, metadata };
}
