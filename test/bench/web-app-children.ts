import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { until } from '../surroundings/until.ts';
import type { BenchPlace } from './bench-place.ts';
import { KindGround } from './kind-ground.ts';
import { latencyFigure } from './latency-figure.ts';
import type { Seen } from './watch-stream.ts';

const WARM_UP = 20;
const COUNT = 60;

export const webAppChildren = latencyFigure({
  what: 'POST of one WebApp answered -> its Deployment and its Service exist',
  each: 'objects',
  bound: 40,
  measureOnce,
});

async function measureOnce(place: BenchPlace): Promise<readonly number[]> {
  const parts = await place.real();
  const ground = await KindGround.create(parts);
  const operator = await place.startOperatorIn(parts, ground.namespace);
  const existSinceMs = new Map<string, number>();
  const take = ({ type, object, atMs }: Seen<KubeObject>): void => {
    if (type === 'ADDED') existSinceMs.set(`${object.kind} ${object.metadata.name}`, atMs);
  };
  const watches = [
    await ground.watch('deployments', take),
    await ground.watch('services', take),
  ] as const;
  const measured: number[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index++) {
    const name = `web-${index}`;
    await ground.post('webapps', {
      apiVersion: 'apps.example.com/v1',
      kind: 'WebApp',
      metadata: { name },
      spec: { image: 'registry.example/bench:1', replicas: 1, port: 80 },
    });
    const answeredMs = performance.now();
    const both = [`Deployment ${name}`, `Service ${name}`].map(
      (one) => () => existSinceMs.get(one),
    );
    await until('its children', async () => both.every((at) => at() !== undefined));
    const existMs = Math.max(...both.map((at) => at() ?? Number.NaN));
    if (index >= WARM_UP) measured.push(existMs - answeredMs);
  }
  for (const watch of watches) watch.close();
  await operator.stop();
  return measured;
}
