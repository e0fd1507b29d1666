import { expect, it } from 'vitest';
import { getKey } from '../../../../src/core/objects/kube-object.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { ControllerBench, DONE, HandSource } from './controller-bench.ts';

it('a status that another process writes is replaced, also while a pass runs that has none to write', async () => {
  const bench = new ControllerBench();
  const object = bench.store('one');
  const source = new HandSource();
  bench.start({ sources: [source.source] });
  await bench.clock.settle();
  const stored = bench.kube.get(object)?.status;
  bench.reconcile = async (_object, pass) => {
    await sleep(bench.clock, 1000, pass.signal);
    return DONE;
  };
  source.enqueue(getKey(object));
  await bench.clock.advance(500);
  expect(bench.passesOf(object)).toBe(2);
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'ObserveMode',
    message: 'x',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  bench.kube.server.applyStatus(object, { conditions: [condition] });
  await bench.clock.advance(24 * 3_600_000);
  expect(bench.kube.get(object)?.status?.conditions).toMatchObject(stored?.conditions ?? []);
});
