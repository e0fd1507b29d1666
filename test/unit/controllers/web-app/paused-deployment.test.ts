import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;
beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

it('a paused WebApp whose Deployment is gone is not Available', async () => {
  const conditions = [{ type: 'Available', status: 'True' }] as const;
  await bench.run();
  await bench.serve(3, { conditions });
  await bench.annotate({ 'albridge.io/paused': 'true' });
  expect(bench.condition('Ready')).toBe('Unknown Paused');
  bench.kube.delete(bench.deployment);
  await bench.clock.advance(600_000);
  expect(bench.deployment).toBeUndefined();
  expect(bench.condition('Available')).toBe('Unknown Unknown');
  expect(bench.object.status).toMatchObject({ availableReplicas: 0 });
});
