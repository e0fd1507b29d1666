import { describe, expect, it } from 'vitest';
import { getKey } from '../../../../src/core/objects/kube-object.ts';
import { addJitter, sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { waiting } from '../../../../src/core/reconcile/outcome.ts';
import { ControllerBench, DONE, HandSource } from './controller-bench.ts';
import { type Probe, probe } from './probe.ts';

const MINUTE_MS = 60_000;
const THROTTLED = new OperatorError({
  reason: 'Throttled',
  message: 'slow down',
  healedBy: 'time',
});
const STALLED = new OperatorError({ reason: 'Bad', message: 'bad spec', healedBy: 'person' });

describe('a controller', () => {
  it('runs a pass over what is there at the start and over what changes', async () => {
    const bench = new ControllerBench();
    const [one, two] = [bench.store('one'), bench.store('two')];
    bench.start();
    await bench.clock.settle();
    bench.edit(two);
    const three = bench.store('three');
    await bench.clock.settle();
    expect([one, two, three].map((object) => bench.passesOf(object))).toEqual([1, 2, 1]);
  });

  it('lets an edit overtake what was there at the start', async () => {
    const bench = new ControllerBench();
    const held = Array.from({ length: 5 }, (_, i) => bench.store(`held-${i}`));
    bench.reconcile = async (_object, pass) => {
      await sleep(bench.clock, 100, pass.signal);
      return DONE;
    };
    bench.start({ concurrency: 1 });
    bench.edit(held[4] as ReturnType<typeof probe>);
    await bench.clock.advance(1000);
    expect(bench.begun.slice(0, 2)).toEqual(['web/held-0', 'web/held-4']);
  });

  it('never runs two passes of one key in a storm, and keeps to its concurrency', async () => {
    const bench = new ControllerBench();
    const objects = Array.from({ length: 20 }, (_, i) => bench.store(`o${i}`));
    bench.reconcile = async (_object, pass) => {
      await sleep(bench.clock, addJitter(bench.clock, 5, 5), pass.signal);
      if (bench.clock.random() < 0.3) throw THROTTLED;
      return bench.clock.random() < 0.3 ? waiting('Again', 'soon', 3) : DONE;
    };
    bench.start();
    for (let round = 0; round < 100; round++) {
      for (const object of objects) if (bench.clock.random() < 0.5) bench.edit(object);
      await bench.clock.advance(7);
    }
    expect(bench.mostOfOneKey).toBe(1);
    expect(bench.mostAtOnce).toBe(8);
    bench.reconcile = async () => DONE;
    await bench.clock.advance(20 * MINUTE_MS);
    for (const object of objects) {
      const { metadata, status } = bench.kube.get(object) ?? object;
      expect(status?.observedGeneration).toBe(metadata.generation);
    }
  });

  it('answers a thousand changes during a pass with one more pass, which sees the last', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    const sizes: number[] = [];
    bench.reconcile = async ({ spec }, pass) => {
      sizes.push(spec.size);
      await sleep(bench.clock, 1000, pass.signal);
      return DONE;
    };
    bench.start();
    await bench.clock.settle();
    for (let i = 0; i < 1000; i++) bench.edit(object);
    await bench.clock.advance(MINUTE_MS);
    expect(sizes).toEqual([1, 1001]);
  });

  it('does not let a poisoned key slow a hundred healthy ones', async () => {
    const bench = new ControllerBench();
    const poisoned = bench.store('poisoned');
    const healthy = Array.from({ length: 100 }, (_, i) => bench.store(`healthy-${i}`));
    bench.reconcile = async (object) => {
      if (object.metadata.name === 'poisoned') throw new TypeError('poison');
      return DONE;
    };
    bench.start({ concurrency: 2 });
    await bench.clock.settle();
    for (const object of healthy) bench.edit(object);
    await bench.clock.settle();
    expect(healthy.every((object) => bench.passesOf(object) === 2)).toBe(true);
    expect(bench.passesOf(poisoned)).toBe(1);
    await bench.clock.advance(31_000 * 1.2);
    expect(bench.passesOf(poisoned)).toBe(6);
  });

  it.each([
    ['good', DONE],
    ['waiting', waiting('Provisioning', 'it comes', 3_600_000)],
  ])('forgets a backoff after one %s pass', async (_kind, outcome) => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.reconcile = () => Promise.reject(THROTTLED);
    bench.start();
    await bench.clock.advance(MINUTE_MS);
    bench.reconcile = async () => outcome;
    bench.edit(object);
    await bench.clock.settle();
    bench.reconcile = () => Promise.reject(THROTTLED);
    bench.edit(object);
    await bench.clock.settle();
    const before = bench.passesOf(object);
    await bench.clock.advance(1200);
    expect(bench.passesOf(object)).toBe(before + 1);
  });
});

describe('objects that lack a right of the operator', () => {
  const FORBIDDEN = new OperatorError({ reason: 'Forbidden', message: 'no', healedBy: 'person' });

  it('are tried again at once when it is granted, and no other that failed', async () => {
    const bench = new ControllerBench();
    const [one, other, running] = ['one', 'other', 'running'].map((name) => bench.store(name));
    const answer = Promise.withResolvers<void>();
    bench.reconcile = async ({ metadata: { name } }) => {
      if (name === 'other') throw STALLED;
      if (name === 'running') await answer.promise;
      throw FORBIDDEN;
    };
    bench.start();
    await bench.clock.settle();
    bench.reconcile = async () => DONE;
    bench.controller.requeueFailed('Forbidden');
    answer.resolve();
    await bench.clock.settle();
    const passes = [one, other, running].map((object) => object && bench.passesOf(object));
    expect(passes).toEqual([2, 1, 2]);
  });
});

describe('an object that the predicate leaves out', () => {
  it('gets no pass, but one when it begins or ceases to count, and when it goes', async () => {
    const bench = new ControllerBench();
    const isLarge = (object: Probe): boolean => object.spec.size > 1;
    const object = bench.store('one');
    bench.start({ predicate: isLarge });
    await bench.clock.settle();
    const resize = async (size: number): Promise<void> => {
      bench.kube.edit(object, (live) => ({ ...live, spec: { size } }));
      await bench.clock.settle();
    };
    const passes: number[] = [bench.passesOf(object)];
    for (const size of [0, 2, 3, 0, 1, 2]) {
      await resize(size);
      passes.push(bench.passesOf(object));
    }
    expect(passes).toEqual([0, 0, 1, 2, 3, 3, 4]);
    bench.kube.deleteInSpite(object);
    await bench.clock.settle();
    expect(bench.forgotten).toEqual(['web/one']);
  });
});

describe('objects that a server puts off for the same time', () => {
  it('come back spread out, and later each time', async () => {
    const bench = new ControllerBench();
    const objects = Array.from({ length: 50 }, (_, i) => bench.store(`o${i}`));
    const startedMs: number[] = [];
    bench.reconcile = async () => {
      startedMs.push(bench.clock.monotonicMs());
      throw new OperatorError({
        reason: 'ServerBusy',
        message: 'slow down',
        healedBy: 'time',
        notBeforeMs: 3000,
      });
    };
    bench.start();
    await bench.clock.advance(5000);
    const delays = startedMs.slice(50).map((ms) => ms - (startedMs[0] ?? 0));
    expect(delays).toHaveLength(50);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(3000);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(300);
    await bench.clock.advance(10 * MINUTE_MS);
    const [one] = objects;
    // With the pause of 3 s alone it would be about 180.
    expect(one && bench.passesOf(one)).toBeLessThan(12);
  });
});

describe('again', () => {
  it('requeues after the delay of a waiting pass', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.reconcile = async () => waiting('Provisioning', 'it comes', 2000);
    bench.start();
    await bench.clock.advance(1999);
    expect(bench.passesOf(object)).toBe(1);
    await bench.clock.advance(1);
    expect(bench.passesOf(object)).toBe(2);
  });

  it('reconciles earlier if something changes, and only once', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.reconcile = async () => waiting('Provisioning', 'it comes', 2000);
    bench.start();
    await bench.clock.advance(500);
    bench.edit(object);
    await bench.clock.advance(1999);
    expect(bench.passesOf(object)).toBe(2);
    await bench.clock.advance(1);
    expect(bench.passesOf(object)).toBe(3);
  });

  it('does not fire now for 40 days', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    const requeueAfterMs = 40 * 24 * 60 * MINUTE_MS;
    bench.reconcile = async () => ({ ...DONE, requeueAfterMs });
    bench.start();
    await bench.clock.advance(requeueAfterMs - 1);
    expect(bench.passesOf(object)).toBe(1);
    await bench.clock.advance(1);
    expect(bench.passesOf(object)).toBe(2);
  });
});

describe('a failure that a person must heal', () => {
  it('is retried every 1 to 5 minutes, and reported once', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.reconcile = () => Promise.reject(STALLED);
    bench.start();
    await bench.clock.advance(MINUTE_MS - 1);
    expect(bench.passesOf(object)).toBe(1);
    await bench.clock.advance(60 * MINUTE_MS);
    expect(bench.passesOf(object)).toBeGreaterThan(12);
    expect(bench.passesOf(object)).toBeLessThan(61);
    expect(bench.events.reasons).toEqual(['Bad']);
    expect(bench.log.shown).toHaveLength(1);
  });

  it('is reconciled at once on an edit', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.reconcile = async ({ spec }) => {
      if (spec.size === 1) throw STALLED;
      return DONE;
    };
    bench.start();
    await bench.clock.settle();
    bench.edit(object);
    await bench.clock.settle();
    expect(bench.kube.get(object)?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', observedGeneration: 2 },
    ]);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});

describe('a second pass over what is settled', () => {
  it('changes nothing: no write, no event, no line', async () => {
    const bench = new ControllerBench();
    const source = new HandSource();
    const objects = Array.from({ length: 10 }, (_, i) => bench.store(`o${i}`));
    bench.reconcile = async (object, pass) => {
      pass.report({ arn: `arn:${object.metadata.name}` });
      return DONE;
    };
    bench.start({ sources: [source.source] });
    await bench.clock.settle();
    const versions = objects.map((o) => bench.kube.get(o)?.metadata.resourceVersion);
    const writes = bench.kube.writes.length;
    for (const object of objects) source.enqueue(getKey(object));
    await bench.clock.advance(MINUTE_MS);
    expect(objects.every((object) => bench.passesOf(object) === 2)).toBe(true);
    expect(objects.map((o) => bench.kube.get(o)?.metadata.resourceVersion)).toEqual(versions);
    expect(bench.kube.writes).toHaveLength(writes);
    expect(bench.events.recorded).toHaveLength(10);
    expect(bench.log.shown).toHaveLength(10);
  });

  it('does not even take place: our own writes call for none', async () => {
    const bench = new ControllerBench();
    const object = bench.kube.create(probe());
    bench.start();
    await bench.clock.advance(60 * MINUTE_MS);
    expect(bench.kube.writes.map(({ verb }) => verb)).toEqual(['addFinalizer', 'applyStatus']);
    expect(bench.passesOf(object)).toBe(1);
  });
});

describe('a status that another process has written', () => {
  it('gets a pass, since no other process continues what it records', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.start();
    await bench.clock.settle();
    expect(bench.passesOf(object)).toBe(1);
    // By the leader before, whose last write a silent watch shows only now.
    bench.kube.server.applyStatus(object, { arn: 'arn:before' });
    await bench.clock.advance(MINUTE_MS);
    expect(bench.passesOf(object)).toBe(2);
  });

  it('gets none where the object is another controller’s, whose status it is', async () => {
    const bench = new ControllerBench();
    const object = bench.kube.create(probe());
    bench.start({ status: 'foreign' });
    await bench.clock.settle();
    const passes = bench.passesOf(object);
    bench.kube.server.applyStatus(object, { arn: 'arn:before' });
    await bench.clock.advance(MINUTE_MS);
    expect(bench.passesOf(object)).toBe(passes);
  });
});

describe('the life of an object', () => {
  it('ends with the clean-up, then its memory is dropped', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    bench.start();
    await bench.clock.settle();
    bench.kube.delete(object);
    await bench.clock.settle();
    expect(bench.kube.get(object)).toBeUndefined();
    expect(bench.forgotten).toContain('web/one');
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('goes on under the same name after it was created again', async () => {
    const bench = new ControllerBench();
    bench.start();
    const object = bench.store('one');
    await bench.clock.settle();
    bench.kube.delete(object);
    await bench.clock.settle();
    bench.kube.create(probe('one'));
    await bench.clock.settle();
    expect(bench.kube.get(object)?.status?.conditions).toMatchObject([{ status: 'True' }]);
  });

  it('writes every line with controller, key and reconcileID', async () => {
    const bench = new ControllerBench();
    bench.store('one');
    bench.start();
    await bench.clock.settle();
    expect(bench.log.shown).toMatchObject([
      {
        message: 'condition changed',
        fields: {
          message: 'it stands',
          controller: 'probe',
          key: 'web/one',
          namespace: 'web',
          name: 'one',
          reconcileID: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      },
    ]);
  });
});
