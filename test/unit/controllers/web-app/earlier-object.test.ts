import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

it('waits until Deployment and Service of an earlier WebApp of its name are deleted', async () => {
  bench.store();
  await bench.start();
  const { deployment, service } = bench;
  bench.kube.delete(bench.object);
  const { metadata } = bench.store();
  await bench.clock.settle();
  expect(bench.condition('Stalled')).toBeUndefined();
  expect(bench.condition('Reconciling')).toBe('True Replacing');
  const ready = bench.status.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.message).toContain(
    'Deployment web/shop belongs to an earlier WebApp of this name and is being deleted',
  );
  bench.kube.delete(deployment); // as the garbage collector does
  bench.kube.delete(service);
  await bench.clock.settle();
  const owner = [{ kind: 'WebApp', uid: metadata.uid }];
  expect(bench.deployment).toMatchObject({ metadata: { ownerReferences: owner } });
  expect(bench.service).toMatchObject({ metadata: { ownerReferences: owner } });
});
