import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MyAppBench, PODS } from './bench.ts';

let bench: MyAppBench;
const [POD, POD_1] = PODS;

beforeEach(async () => {
  bench = new MyAppBench();
  await bench.start();
  await bench.apply({ replicas: 2 });
  await bench.kubelet.run(POD);
  await bench.kubelet.run(POD_1);
  bench.events.recorded.splice(0);
});
afterEach(() => bench.stop());

function notes(): readonly string[] {
  return bench.events.recorded.map(({ reason, note }) => `${reason}: ${note}`);
}

describe('a watch of pods that is silent', () => {
  it('lets a replacement be announced once', async () => {
    bench.pods.hold();
    await bench.edit({ image: 'nginx:1.27' });
    await bench.clock.advance(180_000);
    expect(notes().filter((note) => note.startsWith('PodReplaced'))).toEqual([
      'PodReplaced: Replacing pod shop-pod-1: SpecChanged',
    ]);
    bench.pods.catchUp();
    await bench.clock.settle();
    expect(bench.kubelet.pods).toHaveLength(2);
  });

  it('lets the deletion of a surplus pod be announced once', async () => {
    bench.pods.hold();
    await bench.edit({ replicas: 1 });
    await bench.clock.advance(180_000);
    expect(notes().filter((note) => note.startsWith('PodDeleted'))).toEqual([
      'PodDeleted: Pod shop-pod-1 deleted: it is above spec.replicas',
    ]);
  });
});

describe('a node whose clock is two days ahead', () => {
  it('makes no deletion of another pod overdue', async () => {
    await bench.kubelet.deleteSlowly(POD);
    const finishedAt = new Date(bench.clock.now() + 2 * 86_400_000).toISOString();
    const terminated = { exitCode: 1, reason: 'Error', startedAt: finishedAt, finishedAt };
    await bench.kubelet.end(POD_1, {
      phase: 'Failed',
      containerStatuses: [{ name: 'shop', restartCount: 0, state: { terminated } }],
    });
    expect(bench.condition('Ready')).toBe('False Replacing');
  });
});

describe('a pod that ends while one on a node whose clock is ahead has ended', () => {
  it('stays for ten seconds all the same', async () => {
    const endedAt = (ms: number): object => {
      const finishedAt = new Date(bench.clock.now() + ms).toISOString();
      const terminated = { exitCode: 1, reason: 'Error', startedAt: finishedAt, finishedAt };
      const containerStatuses = [{ name: 'shop', restartCount: 0, state: { terminated } }];
      return { phase: 'Failed', containerStatuses };
    };
    const uid = (key: typeof POD) => bench.kubelet.pod(key).metadata.uid;
    const before = [uid(POD), uid(POD_1)];
    await bench.kubelet.end(POD_1, endedAt(2 * 86_400_000));
    await bench.kubelet.end(POD, endedAt(0));
    await bench.clock.advance(9_000);
    expect([uid(POD), uid(POD_1)]).toEqual(before);
    await bench.clock.advance(2_000);
    expect(before).not.toContain(uid(POD));
    expect(before).not.toContain(uid(POD_1));
  });
});

describe('a pod whose annotations others have removed', () => {
  it('is repaired, and not replaced', async () => {
    const { uid } = bench.kubelet.pod(POD).metadata;
    bench.kube.editMeta(bench.kubelet.pod(POD), { annotations: {} });
    await bench.clock.settle();
    expect(bench.kubelet.pod(POD).metadata.uid).toBe(uid);
    expect(notes()).toEqual(['DriftRepaired: Repaired pod shop-pod: metadata.annotations']);
  });
});

describe('an object that is edited while its pods are created', () => {
  async function creating(edit: () => Promise<void>): Promise<void> {
    await bench.edit({ replicas: 1 });
    bench.takeWrites();
    const answer = bench.kube.holdNext('create');
    await bench.edit({ replicas: 50 });
    await edit();
    answer();
    await bench.clock.settle();
  }

  it('gets no further pod once it is paused', async () => {
    await creating(() => bench.annotate({ 'albridge.io/paused': 'true' }));
    expect(bench.kubelet.pods).toHaveLength(2);
    await bench.annotate({});
    await bench.clock.settle();
    expect(bench.kubelet.pods).toHaveLength(50);
  });

  it('gets no pod that is deleted again at once', async () => {
    await creating(() => bench.edit({ replicas: 3 }));
    expect(bench.kubelet.pods).toHaveLength(3);
    expect(bench.takeWrites()).not.toContain('delete');
  });

  it('gets no further pod once it is gone', async () => {
    await creating(async () => {
      bench.kube.delete(bench.object);
      await bench.clock.settle();
    });
    expect(bench.takeWrites().filter((verb) => verb === 'create')).toHaveLength(1);
  });
});
