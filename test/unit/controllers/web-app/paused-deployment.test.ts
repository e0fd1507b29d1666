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

const MANAGED_BY = 'app.kubernetes.io/managed-by';

it('a paused WebApp whose Deployment has lost its label, and serves, keeps its counts and Available', async () => {
  // As the label selector of its watch has it.
  const { deployments } = bench;
  const get = deployments.get.bind(deployments);
  const list = deployments.list.bind(deployments);
  const isShown = (one: ReturnType<typeof get>): boolean =>
    one?.metadata.labels?.[MANAGED_BY] !== undefined;
  deployments.get = (key) => [get(key)].filter(isShown)[0];
  deployments.list = () => list().filter(isShown);
  const conditions = [{ type: 'Available', status: 'True' }] as const;
  await bench.run();
  expect(bench.deployment.metadata.labels).toHaveProperty([MANAGED_BY]);
  await bench.serve(3, { conditions });
  await bench.annotate({ 'albridge.io/paused': 'true' });
  expect(bench.condition('Available')).toContain('True');
  await bench.editDeployment((live) => {
    const { [MANAGED_BY]: _, ...labels } = live.metadata.labels ?? {};
    return { ...live, metadata: { ...live.metadata, labels } };
  });
  await bench.clock.advance(600_000);
  expect(bench.deployment.status).toMatchObject({ availableReplicas: 3 });
  expect(bench.object.status).toMatchObject({ replicas: 3, availableReplicas: 3 });
  expect(bench.condition('Available')).toContain('True');
});
