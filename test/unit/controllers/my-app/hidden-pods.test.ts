import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { MyAppBench, PODS } from './bench.ts';

let bench: MyAppBench;
const [POD, POD_1] = PODS;
const invalid = { reason: 'Invalid', message: 'pod updates may not change', healedBy: 'person' };

beforeEach(async () => {
  bench = new MyAppBench();
  await bench.start();
  await bench.apply({ replicas: 3 });
  for (const pod of PODS) await bench.kubelet.run(pod);
});
afterEach(() => bench.stop());

/** The cache does not show it any more; a webhook has set fields of it, so the API server refuses its repair. */
async function hide(...pods: readonly (typeof POD)[]): Promise<void> {
  for (const pod of pods) {
    bench.kube.refuse('apply', pod, new OperatorError(invalid as never));
    bench.kube.editMeta(bench.kubelet.pod(pod), { labels: {} });
  }
  await bench.clock.settle();
}

async function runAll(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await bench.clock.advance(5_000);
    for (const { metadata, status } of bench.kubelet.pods) {
      if (status?.phase === undefined) await bench.kubelet.run(`web/${metadata.name}`);
    }
  }
}

function uidOf(pod: typeof POD): string | undefined {
  return bench.kubelet.pod(pod).metadata.uid;
}

describe('pods that have lost their label and cannot be repaired', () => {
  it.each([
    ['one', [POD_1]],
    ['all', [...PODS]],
  ])('are replaced when they end (%s)', async (_, pods) => {
    await hide(...pods);
    const before = uidOf(POD_1);
    await bench.kubelet.exit(POD_1, 1);
    await bench.clock.advance(600_000);
    expect(uidOf(POD_1)).not.toBe(before);
    expect(bench.names).toHaveLength(3);
    const isStalled = bench.condition('Stalled') !== undefined;
    expect(isStalled).toBe(pods.length > 1);
  });

  it.each([
    ['the first', [POD]],
    ['the last', [PODS[2]]],
    ['all', [...PODS]],
  ])('are replaced one at a time when the image is edited (%s)', async (_, pods) => {
    await hide(...pods);
    await bench.edit({ image: 'nginx:1.27' });
    const there = bench.kubelet.pods.length;
    expect(there).toBeGreaterThanOrEqual(2);
    await runAll();
    const images = bench.kubelet.pods.map(({ spec }) => spec?.containers?.[0]?.image);
    expect(images).toEqual(['nginx:1.27', 'nginx:1.27', 'nginx:1.27']);
    expect(bench.condition('Ready')).toBe('True Running');
    expect(bench.events.reasons.filter((reason) => reason === 'PodReplaced')).toHaveLength(3);
  });
});

it('a pod that has lost its label is replaced in time although the clock of its node is ahead', async () => {
  await hide(POD_1);
  const before = uidOf(POD_1);
  const finishedAt = new Date(bench.clock.now() + 2 * 86_400_000).toISOString();
  const terminated = { exitCode: 1, reason: 'Error', startedAt: finishedAt, finishedAt };
  await bench.kubelet.end(POD_1, {
    phase: 'Failed',
    containerStatuses: [{ name: 'shop', restartCount: 0, state: { terminated } }],
  });
  await bench.clock.advance(600_000);
  expect(uidOf(POD_1)).not.toBe(before);
});
