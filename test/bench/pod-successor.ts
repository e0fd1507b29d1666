import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { until } from '../surroundings/until.ts';
import type { BenchPlace } from './bench-place.ts';
import { KindGround } from './kind-ground.ts';
import { latencyFigure } from './latency-figure.ts';

const WARM_UP = 10;
const COUNT = 40;

export const podSuccessor = latencyFigure({
  what: "an ImmortalContainer's pod deleted -> the next one exists",
  each: 'pods',
  bound: 30,
  measureOnce,
});

async function measureOnce(place: BenchPlace): Promise<readonly number[]> {
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
  return measured;
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
