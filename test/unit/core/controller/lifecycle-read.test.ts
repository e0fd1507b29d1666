import { describe, expect, it } from 'vitest';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench, openBench } from './lifecycle-bench.ts';
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

  it('ends before anything is made once a write has not found the object', async () => {
    const bench = new LifecycleBench(probe(), 'none');
    bench.cache.hold();
    bench.kube.delete(bench.object);
    let made = 0;
    const reconciler: Reconciler<Probe> = {
      reconcile: async () => {
        made += 1;
        return waiting('RollingOut', `made ${made}`, 1000);
      },
    };
    await bench.run(reconciler);
    expect(await bench.run(reconciler)).toEqual({ kind: 'gone' });
    expect(made).toBe(1);
    expect(bench.log.lines.at(-1)).toMatchObject({
      level: 'debug',
      message: 'resource not found by the last write, waiting for the watch',
    });
    bench.kube.create(probe());
    bench.cache.catchUp();
    await bench.run(reconciler);
    expect(made).toBe(2);
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

describe('a pass that asks for edits', () => {
  const edits: Readonly<Record<string, { edit: (live: Probe) => Probe; ends: boolean }>> = {
    'of the spec': { edit: (live) => ({ ...live, spec: { size: 2 } }), ends: true },
    'that pauses': { edit: (live) => paused(live), ends: true },
    'to plan mode': { edit: (live) => inMode(live, 'plan'), ends: true },
    'of another annotation': { edit: (live) => annotated(live, 'example.com/note'), ends: false },
  };
  for (const [name, { edit, ends }] of Object.entries(edits)) {
    it(`${ends ? 'ends without a word' : 'goes on'} after one ${name}`, async () => {
      const bench = openBench();
      const verdict = await bench.run(askerOf(() => void bench.kube.edit(bench.object, edit)));
      const conflict = { kind: 'failed', error: { reason: 'Conflict', healedBy: 'time' } };
      expect(verdict).toMatchObject(ends ? conflict : DONE);
      expect(bench.verbs).toEqual(ends ? [] : ['applyStatus']);
      expect(await bench.run(askerOf(() => {}))).not.toMatchObject(conflict);
    });
  }

  for (const [name, { edit }] of Object.entries(edits)) {
    const ends = /pauses|plan mode/.test(name);
    it(`${ends ? 'ends' : 'goes on'} after one ${name} where it asks for a pause, with what it reported on record`, async () => {
      const bench = openBench();
      const verdict = await bench.run({
        reconcile: async (_, pass) => {
          pass.throwIfPaused();
          pass.report({ arn: 'made' });
          bench.kube.edit(bench.object, edit);
          pass.throwIfPaused();
          return DONE;
        },
      });
      const conflict = { kind: 'failed', error: { reason: 'Conflict', healedBy: 'time' } };
      expect(verdict).toMatchObject(ends ? conflict : DONE);
      expect(bench.status).toMatchObject({ arn: 'made' });
      expect(bench.condition('Ready')).toBe(ends ? undefined : 'True Active');
    });
  }

  it('goes on after its own writes, which the watch does not show yet', async () => {
    const bench = new LifecycleBench();
    bench.cache.hold();
    const verdict = await bench.run({
      reconcile: async (_, pass) => {
        await pass.ensureFinalizer();
        pass.report({ arn: 'stored' });
        await pass.recordNow();
        pass.throwIfEdited();
        return DONE;
      },
    });
    expect(verdict).toEqual(DONE);
  });

  it('ends after an edit that only the answer to its own write has shown', async () => {
    const bench = openBench();
    bench.cache.hold();
    bench.kube.edit(bench.object, (live) => ({ ...live, spec: { size: 2 } }));
    const verdict = await bench.run({
      reconcile: async (_, pass) => {
        pass.throwIfEdited();
        pass.report({ arn: 'stored' });
        await pass.recordNow();
        pass.throwIfEdited();
        return DONE;
      },
    });
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: 'Conflict' } });
    expect(bench.status).toMatchObject({ arn: 'stored' });
  });

  it('ends where the object is gone, or another one has its name, if it asks for that', async () => {
    const bench = openBench();
    const asked: string[] = [];
    const ask = (pass: Parameters<Parameters<typeof askerOf>[0]>[0]): void => {
      expect(() => pass.throwIfGone()).toThrow('was deleted or replaced');
      asked.push('gone');
    };
    await bench.run(
      askerOf((pass) => {
        pass.throwIfGone();
        bench.kube.deleteInSpite(bench.object);
        ask(pass);
        bench.kube.create(probe());
        ask(pass);
      }),
    );
    expect(asked).toEqual(['gone', 'gone']);
  });

  it('ends where the object is gone, or another one has its name', async () => {
    const bench = openBench();
    const verdict = await bench.run(
      askerOf((pass) => {
        bench.kube.deleteInSpite(bench.object);
        expect(() => pass.throwIfEdited()).toThrow('lost its finalizer');
        bench.kube.create(probe('one', { finalizers: [PROBE_FINALIZER] }));
      }),
    );
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: 'Conflict' } });
  });

  it('ends where others took its finalizer off and that of others keeps it', async () => {
    const bench = openBench();
    const others = { finalizers: ['example.com/backup'] };
    const takeOff = (): void => void bench.kube.editMeta(bench.object, others);
    const verdict = await bench.run(askerOf(takeOff));
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: 'Conflict' } });
  });

  it('goes on over an object of a kind without finalizer', async () => {
    const bench = new LifecycleBench(probe(), 'none');
    expect(await bench.run(askerOf(() => {}))).toEqual(DONE);
  });
});

describe('a paused object', () => {
  it('is left alone, without finalizer and without a read, and reports it once', async () => {
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

/** Asks after `act`. */
function askerOf(act: (pass: Pass<Probe>) => void): Reconciler<Probe> {
  return {
    reconcile: async (_, pass) => {
      act(pass);
      pass.throwIfEdited();
      return DONE;
    },
  };
}

function inMode(object: Probe, mode: string): Probe {
  return annotated(object, 'albridge.io/mode', mode);
}

function annotated(object: Probe, key: string, value = ''): Probe {
  return { ...object, metadata: { ...object.metadata, annotations: { [key]: value } } };
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
  return annotated(object, 'albridge.io/paused', value);
}

function withoutFinalizers(object: Probe): Probe {
  return { ...object, metadata: { ...object.metadata, finalizers: [] } };
}
