import type { KubeObject } from '../../src/core/kube-object.ts';
import { until } from '../surroundings/until.ts';
import type { BenchPlace } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { KindGround } from './kind-ground.ts';
import { median, percentile } from './statistics.ts';

const WARM_UP = 10;
const COUNT = 40;

export const podSuccessor: Figure = {
  what: "an ImmortalContainer's pod deleted -> the next one exists",
  quantities: {
    p50: { what: 'half of the pods', unit: 'ms', bound: 30 },
    p95: { what: '19 of 20 pods', unit: 'ms' },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const parts = await place.withNodes();
  const ground = await KindGround.create(parts);
  await ground.untilPodsAreTaken();
  const operator = await place.startOperatorIn(parts, ground.namespace);
  const createdAtMs = new Map<string, number>();
  const watch = await ground.watch<KubeObject>('pods', ({ type, object, atMs }) => {
    if (type === 'ADDED') createdAtMs.set(object.metadata.uid ?? '', atMs);
  });
  await ground.post('immortalcontainers', {
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    metadata: { name: 'bench' },
    spec: { image: 'registry.example/bench:1' },
  });
  const measured: number[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index++) {
    await isRunning(ground);
    const before = createdAtMs.size;
    await ground.deleteNow('pods', 'bench-immortalpod');
    const deletedMs = performance.now();
    await until('the next pod', async () => createdAtMs.size > before);
    const latest = [...createdAtMs.values()].at(-1) ?? Number.NaN;
    if (index >= WARM_UP) measured.push(latest - deletedMs);
  }
  watch.close();
  await operator.stop();
  return { p50: median(measured), p95: percentile(measured, 95) };
}

/** So that each deletion is a person's, of a pod that was well. */
async function isRunning(ground: KindGround): Promise<void> {
  type Pod = KubeObject & { readonly status?: { readonly phase?: string } };
  await until('the pod runs', async () => {
    const { code, body } = await ground.api.send({
      method: 'GET',
      path: ground.path('pods', 'bench-immortalpod'),
    });
    return code === 200 && (body as Pod).status?.phase === 'Running';
  });
}
