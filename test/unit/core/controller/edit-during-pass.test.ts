import { expect, it } from 'vitest';
import { getKey } from '../../../../src/core/objects/kube-object.ts';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { ControllerBench, DONE, HandSource } from './controller-bench.ts';
import type { Probe } from './probe.ts';

it('sends no status that is stored already for an edit of the spec during the pass', async () => {
  const bench = new ControllerBench();
  const object = bench.store('one');
  const source = new HandSource();
  const sent: unknown[] = [];
  const writer = bench.kube.writer<Probe>();
  bench.reconcile = async (_seen, pass) => {
    await sleep(bench.clock, 1000, pass.signal);
    return DONE;
  };
  bench.start({
    sources: [source.source],
    writer: {
      ...writer,
      applyStatus: (one, status, fits) => {
        sent.push(status);
        return writer.applyStatus(one, status, fits);
      },
    },
  });
  await bench.clock.advance(5000);
  sent.splice(0);
  source.enqueue(getKey(object));
  await bench.clock.advance(500);
  bench.edit(object);
  await bench.clock.advance(10_000);
  expect(sent).toMatchObject([{ observedGeneration: 2 }]);
});
