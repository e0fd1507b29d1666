import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServedBench } from './served-bench.ts';

const MINUTE_MS = 60_000;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.start();
});
afterEach(() => bench.stop());

it('BackendsResolved does not go on to say that there are no endpoints once there are some that crash', async () => {
  bench.createIngress();
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain('Service shop has no endpoints');
  bench.runPods({ '10.0.0.4': 'unready', '10.0.0.5': 'unready' });
  await bench.clock.advance(10 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain(
    'has 2 endpoints and none of them is ready',
  );
});

it('BackendsResolved is not True of a backend that has no target because the nodes are not read yet', async () => {
  bench.silent = /nodes/;
  bench.createIngress({ targetType: 'instance' });
  const shown: string[] = [];
  for (let n = 0; n < 20; n++) {
    await bench.clock.advance(500);
    shown.push(bench.condition('BackendsResolved'));
  }
  expect(shown.filter((one) => one.startsWith('True'))).toEqual([]);
});

it('no start of the operator says that a backend is resolved whose nodes may not be read', async () => {
  bench.silent = /nodes/;
  bench.createIngress({ targetType: 'instance' });
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain('False NodesUnknown');
  const before = bench.events;
  await bench.stop();
  await bench.start();
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.events.filter((one) => !before.includes(one))).toEqual([]);
});
