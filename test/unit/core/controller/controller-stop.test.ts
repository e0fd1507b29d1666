import { describe, expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { waiting } from '../../../../src/core/reconcile/outcome.ts';
import { ControllerBench, DONE, HandSource } from './controller-bench.ts';

const STOPPING = new Error('stopping');

describe('stop', () => {
  it('aborts every wait at once, starts no further pass and resolves when the running ones end', async () => {
    const bench = new ControllerBench();
    for (let i = 0; i < 10; i++) bench.store(`o${i}`);
    bench.reconcile = async (_object, pass) => {
      await sleep(bench.clock, 3_600_000, pass.signal);
      return DONE;
    };
    bench.start({ concurrency: 3 });
    await bench.clock.settle();
    await bench.controller.stop(STOPPING);
    expect(bench.begun).toHaveLength(3);
    expect(bench.running.size).toBe(0);
    expect(bench.clock.pendingTimers).toBe(0);
    expect(bench.kube.writes).toEqual([]);
    expect(bench.log.shown).toEqual([]);
  });

  it('waits for a pass that must not be torn in two', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    const write = Promise.withResolvers<void>();
    bench.reconcile = async (_object, pass) => {
      await write.promise;
      pass.report({ arn: 'created' });
      pass.signal.throwIfAborted();
      return DONE;
    };
    bench.start();
    await bench.clock.settle();
    let hasStopped = false;
    const stopped = bench.controller.stop(STOPPING).then(() => void (hasStopped = true));
    await bench.clock.settle();
    expect(hasStopped).toBe(false);
    write.resolve();
    await stopped;
    expect(bench.kube.get(object)?.status).toEqual({ arn: 'created' });
  });

  it('starts no pass for a key that was handed out in the same moment', async () => {
    const bench = new ControllerBench();
    const source = new HandSource();
    bench.start({ sources: [source.source] });
    await bench.clock.settle();
    bench.cache.hold();
    bench.store('one');
    bench.cache.catchUp();
    await bench.controller.stop(STOPPING);
    expect(bench.begun).toEqual([]);
    expect(bench.kube.writes).toEqual([]);
  });

  it('hears of no change any more, from the watch or from a source', async () => {
    const bench = new ControllerBench();
    const source = new HandSource();
    const object = bench.store('one');
    bench.start({ sources: [source.source] });
    await bench.clock.settle();
    await bench.controller.stop(STOPPING);
    expect(source.isStopped).toBe(true);
    bench.edit(object);
    source.enqueue('web/one');
    await bench.clock.advance(3_600_000);
    expect(bench.passesOf(object)).toBe(1);
  });
});

describe('a pass that ignores its signal', () => {
  it('is reported as stuck after deadline and grace, and no second one is begun', async () => {
    const bench = new ControllerBench();
    const object = bench.store('deaf');
    bench.reconcile = async () => {
      await sleep(bench.clock, 600_000, new AbortController().signal);
      return DONE;
    };
    bench.start({ deadlineMs: 60_000 });
    await bench.clock.advance(30_000);
    bench.edit(object);
    await bench.clock.advance(60_000);
    expect(bench.controller.listStuckPasses(30_000)).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.controller.listStuckPasses(30_000)).toEqual(['web/deaf']);
    expect(bench.passesOf(object)).toBe(1);
    await bench.clock.advance(509_999);
    expect(bench.controller.listStuckPasses(0)).toEqual([]);
    expect(bench.passesOf(object)).toBe(2);
  });
});

describe('the metrics of a controller', () => {
  const labels = { controller: 'probe' };

  it('are there from the start, at zero', () => {
    const bench = new ControllerBench();
    bench.start();
    for (const result of ['success', 'error', 'requeue_after']) {
      expect(bench.metrics.valueOf(coreMetrics.reconcileTotal, { ...labels, result })).toBe(0);
    }
    const zeros = ['reconcileErrors', 'terminalErrors', 'panics', 'timeouts'] as const;
    for (const metric of [...zeros, 'queueAdds', 'queueRetries', 'staleReads'] as const) {
      expect(bench.metrics.valueOf(coreMetrics[metric], labels), metric).toBe(0);
    }
    expect(bench.metrics.valueOf(coreMetrics.maxConcurrent, labels)).toBe(8);
  });

  it('count each way in which a pass can end', async () => {
    const bench = new ControllerBench();
    const said = { message: 'said', healedBy: 'time' } as const;
    const ways: Record<string, () => Promise<typeof DONE | ReturnType<typeof waiting>>> = {
      settled: async () => DONE,
      waiting: async () => waiting('Again', 'later', 3_600_000),
      throttled: () => Promise.reject(new OperatorError({ ...said, reason: 'Throttled' })),
      stalled: () =>
        Promise.reject(new OperatorError({ reason: 'Bad', message: 'bad', healedBy: 'person' })),
      bug: () => Promise.reject(new TypeError('bug')),
      slow: () => Promise.reject(new OperatorError({ ...said, reason: 'DeadlineExceeded' })),
    };
    bench.reconcile = async (object) =>
      (await (ways[object.metadata.name] ?? ways.settled)?.()) ?? DONE;
    for (const name of Object.keys(ways)) bench.store(name);
    bench.start();
    await bench.clock.settle();
    const result = (is: string): number | undefined =>
      bench.metrics.valueOf(coreMetrics.reconcileTotal, { ...labels, result: is });
    expect([result('success'), result('requeue_after'), result('error')]).toEqual([1, 1, 4]);
    expect(bench.metrics.valueOf(coreMetrics.reconcileErrors, labels)).toBe(4);
    expect(bench.metrics.valueOf(coreMetrics.terminalErrors, labels)).toBe(1);
    expect(bench.metrics.valueOf(coreMetrics.panics, labels)).toBe(1);
    expect(bench.metrics.valueOf(coreMetrics.timeouts, labels)).toBe(1);
    expect(bench.metrics.valueOf(coreMetrics.queueRetries, labels)).toBe(3);
    expect(bench.metrics.valueOf(coreMetrics.queueAdds, labels)).toBe(11);
    expect(bench.metrics.observationsOf(coreMetrics.reconcileSeconds, labels)).toBe(6);
    expect(bench.metrics.valueOf(coreMetrics.queueDepth, labels)).toBe(0);
  });

  it('show how long running passes have run', async () => {
    const bench = new ControllerBench();
    bench.store('one');
    bench.reconcile = async (_object, pass) => {
      await sleep(bench.clock, 30_000, pass.signal);
      return DONE;
    };
    bench.start();
    await bench.clock.advance(10_000);
    bench.store('two');
    await bench.clock.advance(5000);
    bench.controller.refreshMetrics();
    expect(bench.metrics.valueOf(coreMetrics.longestSeconds, labels)).toBe(15);
    expect(bench.metrics.valueOf(coreMetrics.unfinishedSeconds, labels)).toBe(20);
    expect(bench.metrics.valueOf(coreMetrics.activeWorkers, labels)).toBe(2);
    await bench.clock.advance(60_000);
    bench.controller.refreshMetrics();
    expect(bench.metrics.valueOf(coreMetrics.longestSeconds, labels)).toBe(0);
    expect(bench.metrics.valueOf(coreMetrics.activeWorkers, labels)).toBe(0);
    expect(bench.metrics.valueOf(coreMetrics.workSeconds, labels)).toBe(60);
  });

  it('count events about repairs, and no others', async () => {
    const bench = new ControllerBench();
    bench.reconcile = async (_object, pass) => {
      for (const action of ['Repair', 'Update']) {
        pass.recordEvent({ type: 'Normal', reason: 'DriftRepaired', action, note: 'said' });
      }
      return DONE;
    };
    bench.store('one');
    bench.start();
    expect(bench.metrics.valueOf(coreMetrics.driftRepairs, labels)).toBe(0);
    await bench.clock.settle();
    expect(bench.metrics.valueOf(coreMetrics.driftRepairs, labels)).toBe(1);
    expect(bench.events.recorded.filter(({ reason }) => reason === 'DriftRepaired')).toHaveLength(
      2,
    );
  });

  it('show the conditions that the passes have written', async () => {
    const bench = new ControllerBench();
    bench.reconcile = () =>
      Promise.reject(new OperatorError({ reason: 'Bad', message: 'bad', healedBy: 'person' }));
    bench.store('one');
    bench.start();
    await bench.clock.settle();
    await bench.clock.advance(60_000);
    bench.controller.refreshMetrics();
    const stalled = { ...labels, type: 'Stalled', status: 'True', reason: 'Bad' };
    expect(bench.metrics.valueOf(coreMetrics.conditions, stalled)).toBe(1);
    expect(bench.metrics.valueOf(coreMetrics.conditionSeconds, stalled)).toBe(60);
  });

  it('count a pass that went on with a stale cache', async () => {
    const bench = new ControllerBench();
    const object = bench.store('one');
    const source = new HandSource();
    bench.start({ sources: [source.source] });
    bench.cache.hold();
    await bench.clock.settle();
    source.enqueue('web/one');
    await bench.clock.advance(5000);
    expect(bench.passesOf(object)).toBe(2);
    expect(bench.metrics.valueOf(coreMetrics.staleReads, labels)).toBe(1);
  });
});
