import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServedBench } from './served-bench.ts';

const MINUTE_MS = 60_000;
const PODS = { '10.0.0.4': 'ready', '10.0.0.5': 'ready' } as const;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.start();
  bench.runPods(PODS);
  bench.createIngress();
  await bench.clock.advance(2_000);
  for (const id of Object.keys(PODS)) bench.check(id, { state: 'healthy' });
  await bench.clock.advance(MINUTE_MS);
  expect(bench.status.targets).toBe('2/2');
});
afterEach(() => bench.stop());

/** Targets go on to follow the pods under both (docs/myingress.md): status counts them, or says that it does not know. */
it.each([
  ['albridge.io/paused', 'true'],
  ['albridge.io/mode', 'plan'],
])('status does not go on to show targets that are gone, with %s: %s', async (key, value) => {
  bench.editIngress({ metadata: { annotations: { [key]: value } } });
  await bench.clock.advance(MINUTE_MS);
  bench.runPods({});
  await bench.clock.advance(20 * MINUTE_MS);
  expect(bench.registered).toEqual([]);
  expect({
    targets: bench.status.targets,
    resolved: bench.condition('BackendsResolved').split(' ')[0],
    healthy: bench.condition('TargetsHealthy').split(' ')[0],
  }).not.toEqual({ targets: '2/2', resolved: 'True', healthy: 'True' });
});
