import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { MyAppBench, PODS } from './bench.ts';

let bench: MyAppBench;
const [POD, POD_1] = PODS;

beforeEach(async () => {
  bench = new MyAppBench();
  await bench.start();
});
afterEach(() => bench.stop());

async function runThree(): Promise<void> {
  await bench.apply({ replicas: 3 });
  for (const pod of PODS) await bench.kubelet.run(pod);
}

function refuse(verb: 'create' | 'check', healedBy: 'person' | 'time' = 'person'): void {
  const options = { reason: 'Forbidden', message: 'exceeded quota', healedBy } as const;
  bench.kube.refuse(verb, POD, new OperatorError(options));
}

const FOREIGN = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop-pod', namespace: 'web' },
  spec: { containers: [{ name: 'theirs', image: 'redis' }] },
} as KubeObject;

describe('a pod that is refused', () => {
  it.each(['person', 'time'] as const)(
    'keeps no scale-down from being obeyed where %s heals it',
    async (healedBy) => {
      await runThree();
      refuse('create', healedBy);
      await bench.kubelet.delete(POD);
      await bench.edit({ replicas: 2 });
      expect(bench.names).toEqual(['shop-pod-1']);
      expect(bench.condition('Ready')).toBe('False Forbidden');
    },
  );

  it('keeps no pod behind it from coming back', async () => {
    await runThree();
    refuse('create');
    await bench.kubelet.delete(POD);
    await bench.kubelet.delete(POD_1);
    expect(bench.names).toEqual(['shop-pod-1', 'shop-pod-2']);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });

  it('is reported as the first of them, and not tried for each of a thousand', async () => {
    refuse('create');
    const failure = new OperatorError({ reason: 'Forbidden', message: '', healedBy: 'person' });
    for (let times = 0; times < 50; times++) bench.kube.failNext('create', failure);
    await bench.apply({ replicas: 1000 });
    expect(bench.takeWrites().filter((write) => write.startsWith('create'))).toHaveLength(10);
    const stalled = bench.object.status.conditions?.find(({ type }) => type === 'Stalled');
    expect(stalled?.message).toContain('Failed to create pod shop-pod: ');
  });

  it('keeps no scale-down from being obeyed where an edit is refused too', async () => {
    await runThree();
    refuse('check');
    await bench.edit({ image: 'nginx:1.27', replicas: 2 });
    expect(bench.names).toEqual(['shop-pod', 'shop-pod-1']);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });
});

describe('an edit that is refused', () => {
  it('keeps the pod that runs', async () => {
    await bench.apply();
    await bench.kubelet.run(POD);
    refuse('check');
    const before = bench.kubelet.pod(POD);
    await bench.edit({ image: 'nginx:1.27' });
    expect(bench.kubelet.pod(POD)).toEqual(before);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });
});

describe('a foreign pod of a desired name', () => {
  it('keeps the others from nothing', async () => {
    bench.kube.create(FOREIGN);
    await bench.apply({ replicas: 3 });
    expect(bench.names).toEqual(['shop-pod', 'shop-pod-1', 'shop-pod-2']);
    await bench.edit({ replicas: 2 });
    expect(bench.names).toEqual(['shop-pod', 'shop-pod-1']);
    expect(bench.condition('Stalled')).toBe('True NameConflict');
  });
});

it('an object whose podTemplate is too long says that its pod is gone', async () => {
  await bench.apply();
  await bench.kubelet.run(POD);
  expect(bench.object.status).toMatchObject({ readyReplicas: 1 });
  await bench.edit({ podTemplate: { tooLong: true } as never });
  await bench.kubelet.delete(POD);
  expect(bench.condition('Stalled')).toBe('True PodTemplateTooLong');
  expect(bench.names).toEqual([]);
  expect(bench.object.status).toMatchObject({ readyReplicas: 0 });
  expect(bench.condition('PodReady')).toBe('False NoPod');
});
