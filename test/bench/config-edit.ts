import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { installSecrets, WITH_SECRETS } from '../surroundings/secrets.ts';
import { until } from '../surroundings/until.ts';
import type { BenchPlace } from './bench-place.ts';
import { KindGround } from './kind-ground.ts';
import { latencyFigure } from './latency-figure.ts';
import { deployMonitored, editSource, isReady, type Source } from './monitored.ts';

const WARM_UP = 3;
const COUNT = 12;
/** spec.debounceSeconds as it is by default. */
const QUIET_MS = 1000;

export const configEdit = latencyFigure({
  what: 'edit of a ConfigMap answered -> first eviction, beyond the quiet period',
  each: 'edits',
  bound: 50,
  measureOnce: (place) => measureOnce(place, 'ConfigMap'),
});

export const secretEdit = latencyFigure({
  what: 'edit of a Secret answered -> first eviction, beyond the quiet period',
  each: 'edits',
  bound: 50,
  measureOnce: (place) => measureOnce(place, 'Secret'),
});

async function measureOnce(place: BenchPlace, kind: Source): Promise<readonly number[]> {
  const parts = await place.withNodes();
  const ground = await KindGround.create(parts);
  await ground.untilPodsAreTaken();
  const isSecret = kind === 'Secret';
  if (isSecret) await installSecrets(parts.cluster);
  const settings = isSecret ? WITH_SECRETS : {};
  const operator = await place.startOperatorIn(parts, ground.namespace, settings);
  const evictedAtMs = new Map<string, number>();
  const watch = await ground.watch<KubeObject>('pods', ({ object, atMs }) => {
    const { uid = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined && !evictedAtMs.has(uid)) evictedAtMs.set(uid, atMs);
  });
  await deployMonitored(ground, 'bench', { replicas: 1, source: kind });
  const measured: number[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index++) {
    await editSource(ground, { name: 'bench', kind }, `edit ${index}`);
    const answeredMs = performance.now();
    await until('the eviction', async () => evictedAtMs.size > index);
    const evictedMs = [...evictedAtMs.values()][index] ?? Number.NaN;
    if (index >= WARM_UP) measured.push(evictedMs - answeredMs - QUIET_MS);
    await isReady(ground, 'bench', index + 1);
  }
  watch.close();
  await operator.stop();
  return measured;
}
