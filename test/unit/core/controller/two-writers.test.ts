import { expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import { conflict } from '../../../fakes/fake-api-server.ts';
import { ControllerBench, DONE } from './controller-bench.ts';
import type { Probe, ProbeStatus } from './probe.ts';

/** As object-writer.ts: a status that has moved on and does not fit any more is a conflict. */
function guard(bench: ControllerBench, sent: string[]) {
  const writer = bench.kube.writer<Probe>();
  const applyStatus: typeof writer.applyStatus = async (object, status, fits = () => true) => {
    sent.push(object.metadata.name);
    const live = bench.kube.get(object) as Probe;
    const hasMoved = live.metadata.resourceVersion !== object.metadata.resourceVersion;
    if (hasMoved && !fits(live)) throw conflict('write status');
    return writer.applyStatus(object, status, fits);
  };
  return { ...writer, applyStatus };
}

it('a field of status that others refresh more often than a pass lasts makes no pass fail', async () => {
  const bench = new ControllerBench();
  const sent: string[] = [];
  const object = bench.store('one');
  bench.reconcile = async (_object, pass) => {
    await sleep(bench.clock, 2000, pass.signal);
    return DONE;
  };
  bench.start({ writer: guard(bench, sent) });
  await bench.clock.advance(10_000);
  sent.splice(0);
  for (let second = 0; second < 600; second++) {
    const { status } = bench.kube.get(object) as Probe;
    const next = { ...status, beat: second } as ProbeStatus & Record<string, unknown>;
    bench.kube.server.applyStatus(object, next);
    await bench.clock.advance(1000);
  }
  const errors = bench.metrics.valueOf(coreMetrics.reconcileErrors, { controller: 'probe' });
  expect({ errors, sent: sent.length }).toEqual({ errors: 0, sent: 0 });
});
