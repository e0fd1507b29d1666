import { afterEach, describe, expect, it } from 'vitest';
import { MyAppBench, PODS } from './bench.ts';

let bench: MyAppBench;
const [POD] = PODS;
const podTemplate = { spec: { nodeSelector: { disk: 'ssd' } } } as never;

afterEach(() => bench.stop());

/** As others.test.ts has it without a template. */
describe('a pod with the fields of a podTemplate, whose annotations others have removed', () => {
  it('is repaired, and not replaced', async () => {
    bench = new MyAppBench();
    await bench.start();
    await bench.apply({ podTemplate });
    await bench.kubelet.run(POD);
    const { uid } = bench.kubelet.pod(POD).metadata;
    bench.events.recorded.splice(0);
    bench.kube.editMeta(bench.kubelet.pod(POD), { annotations: {} });
    await bench.clock.settle();
    expect(bench.events.recorded.map(({ reason, note }) => `${reason}: ${note}`)).toEqual([
      'DriftRepaired: Repaired pod shop-pod: metadata.annotations',
    ]);
    expect(bench.kubelet.pod(POD).metadata.deletionTimestamp).toBeUndefined();
    expect(bench.kubelet.pod(POD).metadata.uid).toBe(uid);
  });

  it.each([
    ['without', {}],
    ['with', { podTemplate }],
  ])(
    'runs on %s a template where a webhook strips the annotations of each pod',
    async (_, spec) => {
      bench = new MyAppBench();
      const { server } = bench.kube;
      const create = server.create.bind(server);
      let created = 0;
      server.create = (draft, applied) => {
        if (draft.kind === 'Pod' && ++created > 20) return undefined; // or this test would never end
        const { annotations: _stripped, ...metadata } = draft.metadata;
        return create(draft.kind === 'Pod' ? { ...draft, metadata } : draft, applied);
      };
      await bench.start();
      await bench.apply(spec);
      for (let minute = 0; minute < 5; minute++) {
        if (bench.kubelet.pods.length > 0) await bench.kubelet.run(POD);
        await bench.clock.advance(60_000);
      }
      expect(created).toBe(1);
    },
  );
});
