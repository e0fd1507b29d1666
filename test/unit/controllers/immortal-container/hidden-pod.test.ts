import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ImmortalBench, POD } from './bench.ts';

let bench: ImmortalBench;
const invalid = { reason: 'Invalid', message: 'pod updates may not change', healedBy: 'person' };

beforeEach(async () => {
  bench = new ImmortalBench();
  await bench.start();
  await bench.apply();
  await bench.kubelet.run(POD);
});
afterEach(() => bench.stop());

/** The cache does not show it any more; a webhook has set fields of it, so the API server refuses its repair. */
async function hide(): Promise<void> {
  bench.kube.refuse('apply', POD, new OperatorError(invalid as never));
  bench.kube.editMeta(bench.kubelet.pod(POD), { labels: {} });
  await bench.clock.settle();
}

describe('a pod that has lost its label and cannot be repaired', () => {
  it('is reported as the pod of the object', async () => {
    await hide();
    expect(bench.condition('Stalled')).toBe('True Invalid');
    expect(bench.status).toMatchObject({ currentPod: 'shop-immortalpod', phase: 'Running' });
  });

  it('is replaced when it ends', async () => {
    await hide();
    const { uid } = bench.kubelet.pod(POD).metadata;
    await bench.kubelet.exit(POD, 1);
    await bench.clock.advance(600_000);
    expect(bench.kubelet.pod(POD).metadata.uid).not.toBe(uid);
    expect(bench.status.startTimes).toBe(2);
    expect(bench.status.lastTermination).toMatchObject({ reason: 'Error', exitCode: 1 });
    expect(bench.condition('Stalled')).toBeUndefined();
  });

  it('is replaced within seconds when the image is edited', async () => {
    await hide();
    await bench.edit('nginx:1.27');
    await bench.clock.advance(6_000);
    expect(bench.kubelet.pod(POD).spec?.containers?.[0]?.image).toBe('nginx:1.27');
    expect(bench.status.startTimes).toBe(2);
    expect(bench.condition('Stalled')).toBeUndefined();
  });

  it('is waited for while it is being deleted', async () => {
    await hide();
    await bench.kubelet.deleteSlowly(POD);
    await bench.annotate({ 'albridge.io/reconcile-requested-at': 'now' });
    expect(bench.condition('Ready')).toBe('False Replacing');
    await bench.kubelet.go(POD);
    await bench.clock.advance(6_000);
    expect(bench.status.startTimes).toBe(2);
  });
});
