import { describe, expect, it } from 'vitest';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench } from './lifecycle-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

const DONE = settled('Active', 'it stands');

describe('what a pass reads', () => {
  it('is never older than what the last pass wrote', async () => {
    const bench = openBench();
    bench.cache.hold();
    const seen: (string | undefined)[] = [];
    const reconciler: Reconciler<Probe> = {
      reconcile: async (object, pass) => {
        seen.push(object.status?.arn);
        pass.report({ arn: `after ${seen.length}` });
        return waiting('Provisioning', 'it comes', 1000);
      },
    };
    await bench.run(reconciler);
    const second = bench.run(reconciler);
    await bench.clock.advance(3000);
    expect(seen).toEqual([undefined]);
    bench.cache.catchUp();
    await second;
    expect(seen).toEqual([undefined, 'after 1']);
    expect(bench.staleReads).toBe(0);
  });

  it('of objects that the cache holds is never older than the last write to them', async () => {
    const bench = openBench();
    bench.cache.hold();
    const seen: (string | undefined)[] = [];
    await bench.run({
      reconcile: async (object, pass) => {
        const held = bench.cache.get(bench.key) ?? object;
        seen.push(pass.pickNewest(held).status?.arn);
        pass.report({ arn: 'stored' });
        await pass.recordNow();
        seen.push(held.status?.arn, pass.pickNewest(held).status?.arn);
        return DONE;
      },
    });
    expect(seen).toEqual([undefined, undefined, 'stored']);
  });

  it('is what there is when the watch stays silent for 5 s, and that is counted', async () => {
    const bench = openBench();
    bench.cache.hold();
    await bench.run(reconcilerOf());
    const second = bench.run(reconcilerOf());
    await bench.clock.advance(5000);
    expect(await second).toEqual(DONE);
    expect(bench.staleReads).toBe(1);
  });

  it('is waited for no longer than shutdown allows', async () => {
    const bench = openBench();
    bench.cache.hold();
    await bench.run(reconcilerOf());
    const stopping = new AbortController();
    const second = bench.run(reconcilerOf(), stopping.signal);
    stopping.abort(new Error('stopping'));
    expect(await second).toEqual({ kind: 'aborted' });
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('includes its own finalizer: the write of a first pass is not repeated by the second', async () => {
    const bench = new LifecycleBench();
    await bench.run(reconcilerOf());
    await bench.run(reconcilerOf());
    expect(bench.verbs).toEqual(['addFinalizer', 'applyStatus']);
  });

  it('is the new object once the old one of that name is gone', async () => {
    const bench = openBench();
    await bench.run(reconcilerOf());
    bench.kube.edit(bench.object, (live) => withoutFinalizers(live));
    bench.kube.delete(bench.object);
    bench.kube.create(probe());
    await bench.run(reconcilerOf());
    expect(bench.live?.metadata.uid).not.toBe(bench.object.metadata.uid);
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
    expect(bench.condition('Ready')).toBe('True Active');
  });
});

describe('a paused object', () => {
  it('is left alone, without finalizer and without a look, and says so once', async () => {
    const bench = new LifecycleBench(paused(probe()));
    for (let pass = 0; pass < 3; pass++) await bench.run(forbidden());
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    expect(bench.events.reasons).toEqual(['Paused']);
    expect(bench.finalizers).toEqual([]);
  });

  it('is not cleaned up when it is deleted: the finalizer stays and the condition says what to do', async () => {
    const bench = new LifecycleBench(paused(probe('one', { finalizers: [PROBE_FINALIZER] })));
    bench.kube.delete(bench.object);
    const verdict = await bench.run(forbidden());
    expect(verdict).toEqual({ kind: 'paused', isBeingDeleted: true, by: 'annotation' });
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
    expect(bench.status?.conditions?.[0]?.message).toContain('the deletion waits');
  });

  it('goes on when the annotation is taken off, or is anything but "true"', async () => {
    const bench = new LifecycleBench(paused(probe()));
    await bench.run(forbidden());
    bench.kube.edit(bench.object, (live) => paused(live, 'false'));
    await bench.run(reconcilerOf());
    expect(bench.condition('Ready')).toBe('True Active');
  });
});

describe('a planned object', () => {
  const previews: Reconciler<Probe> = {
    ...forbidden(),
    preview: async (_, pass) => {
      pass.report({ plan: 'two steps' });
      return { kind: 'planned', message: 'two steps' };
    },
  };

  it('is shown its plan, without a finalizer', async () => {
    const bench = new LifecycleBench(inMode(probe(), 'plan'));
    for (let pass = 0; pass < 3; pass++) await bench.run(previews);
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.condition('Ready')).toBe('Unknown Planned');
    expect(bench.status).toMatchObject({ plan: 'two steps' });
  });

  it('is not cleaned up when it is deleted', async () => {
    const draft = inMode(probe('one', { finalizers: [PROBE_FINALIZER] }), 'plan');
    const bench = new LifecycleBench(draft);
    bench.kube.delete(bench.object);
    await bench.run(previews);
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
  });

  it('is planned too where the mode is mistyped, and paused where it is paused', async () => {
    const bench = new LifecycleBench(inMode(probe(), 'paln'));
    await bench.run(previews);
    expect(bench.condition('Ready')).toBe('Unknown Planned');
    bench.kube.edit(bench.object, (live) => paused(live));
    await bench.run(forbidden());
    expect(bench.condition('Ready')).toBe('Unknown Paused');
  });

  it('of a kind without plans is reconciled', async () => {
    const bench = new LifecycleBench(inMode(probe(), 'plan'));
    await bench.run(reconcilerOf());
    expect(bench.condition('Ready')).toBe('True Active');
  });

  it('of an operator that observes is planned, or left alone where its kind has no plans', async () => {
    const bench = openBench();
    bench.isObserver = true;
    await bench.run(previews);
    expect(bench.condition('Ready')).toBe('Unknown ObserveMode');
    bench.kube.edit(bench.object, (live) => paused(live));
    await bench.run({ ...forbidden(), whilePaused: forbidden().reconcile as never });
    bench.kube.edit(bench.object, (live) => paused(live, 'false'));
    await bench.run(forbidden());
    bench.kube.delete(bench.object);
    await bench.run(forbidden());
    expect(bench.condition('Ready')).toBe('Unknown ObserveMode');
    expect(bench.finalizers).toEqual([PROBE_FINALIZER]);
    expect(new Set(bench.verbs)).toEqual(new Set(['applyStatus']));
  });
});

function inMode(object: Probe, mode: string): Probe {
  const annotations = { 'albridge.io/mode': mode };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function openBench(): LifecycleBench {
  return new LifecycleBench(probe('one', { finalizers: [PROBE_FINALIZER] }));
}

function reconcilerOf(): Reconciler<Probe> {
  return { reconcile: async () => DONE };
}

/** Fails the test where it is called. */
function forbidden(): Reconciler<Probe> {
  const refuse = (): never => expect.fail('a paused object is not reconciled');
  return { reconcile: refuse, finalize: refuse };
}

function paused(object: Probe, value = 'true'): Probe {
  const annotations = { 'albridge.io/paused': value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withoutFinalizers(object: Probe): Probe {
  return { ...object, metadata: { ...object.metadata, finalizers: [] } };
}
