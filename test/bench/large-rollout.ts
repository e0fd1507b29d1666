import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { BenchPlace } from './bench-place.ts';
import type { Figure, Sample } from './figure.ts';
import { KindGround } from './kind-ground.ts';
import { deployMonitored, isReady } from './monitored.ts';

const COUNT = 200;

export const largeRollout: Figure = {
  what: `${COUNT} pods of one ConfigMonitor restart at 25 % (measured once)`,
  quantities: {
    mostUnready: { what: 'most pods that were not ready together', unit: 'pods', bound: COUNT / 4 },
    restarted: { what: 'pods that were replaced', unit: 'pods' },
    seconds: { what: 'from the edit to the end', unit: 's' },
  },
  measure: async (place) => [await measureOnce(place)],
};

type Pod = KubeObject & {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const parts = await place.withNodes();
  const ground = await KindGround.create(parts);
  await ground.untilPodsAreTaken();
  const operator = await place.startOperatorIn(parts, ground.namespace);
  const ready = new Set<string>();
  const ever = new Set<string>();
  let fewest = 0;
  const watch = await ground.watch<Pod>('pods', ({ type, object }) => {
    const { uid = '' } = object.metadata;
    ever.add(uid);
    if (type !== 'DELETED' && isServing(object)) ready.add(uid);
    else ready.delete(uid);
    fewest = Math.min(fewest, ready.size);
  });
  await deployMonitored(ground, 'bench', { replicas: COUNT });
  fewest = ready.size;
  const before = ever.size;
  const startedMs = performance.now();
  await ground.patch('configmaps', 'bench', { data: { text: 'two' } });
  await isReady(ground, 'bench', 1);
  const seconds = (performance.now() - startedMs) / 1000;
  watch.close();
  await operator.stop();
  return { mostUnready: COUNT - fewest, restarted: ever.size - before, seconds };
}

function isServing({ metadata, status }: Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && condition?.status === 'True';
}
