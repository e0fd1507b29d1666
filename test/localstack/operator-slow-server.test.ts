import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SlowProxy, startSlowProxy } from '../fakes/slow-proxy.ts';
import { isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { writeProxyKubeconfig } from './proxy-kubeconfig.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let proxy: SlowProxy;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  proxy = await startSlowProxy(surroundings.controlPlane);
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
  await proxy?.stop();
});

const EDITS = 200;
const OF_EACH_KIND = 40;

it('an API server that answers 1.5 s late costs the leader neither its Lease nor an edit', {
  timeout: 700_000,
}, async () => {
  const objects = await place.createNamespace('slow');
  const operator = await startBehindProxy();
  const { articleSubnets: subnets } = place.network;
  const names = Array.from({ length: EDITS }, (_, index) => `web-${index}`);
  await Promise.all(names.map((name) => objects.create(name, { subnets })));
  await allReady(objects);

  proxy.delayBy(1500);
  await Promise.all([
    ...names.map((name) => objects.edit(name, { tags: { edited: 'yes' } })),
    createOthers(objects.namespace),
  ]);
  const edited = await allReady(objects);

  expect(edited).toHaveLength(EDITS);
  expect(operator.log.filter(({ msg }) => msg === 'lost the lease')).toEqual([]);
  proxy.delayBy(0);
  expect(await operator.stop()).toBe(0);
});

async function startBehindProxy(): Promise<OperatorProcess> {
  return surroundings.startOperator({
    KUBECONFIG: await writeProxyKubeconfig(surroundings, proxy),
    ALBRIDGE_LEADER_ELECTION: 'true',
    POD_NAMESPACE: 'albridge-system',
    ALBRIDGE_CONCURRENCY: '64',
  });
}

async function allReady(objects: MyIngresses): ReturnType<MyIngresses['list']> {
  return until(
    'all are Ready',
    async () => {
      const all = await objects.list();
      return all.every(isReady) && all;
    },
    300_000,
  );
}

/** The other kinds are busy too, all at once. */
async function createOthers(namespace: string): Promise<void> {
  const kinds = [
    { group: 'apps.example.com/v1', plural: 'webapps', kind: 'WebApp' },
    { group: 'demo.rtfm.co.ua/v1', plural: 'myapps', kind: 'MyApp' },
    {
      group: 'immortalcontainer.flugel.it/v1alpha1',
      plural: 'immortalcontainers',
      kind: 'ImmortalContainer',
    },
  ];
  const creates = kinds.flatMap(({ group, plural, kind }) =>
    Array.from({ length: OF_EACH_KIND }, (_, index) =>
      place.api.ask({
        method: 'POST',
        path: `/apis/${group}/namespaces/${namespace}/${plural}`,
        body: {
          apiVersion: group,
          kind,
          metadata: { name: `busy-${index}` },
          spec: { image: 'nginx:1.25', ...(kind === 'MyApp' && { banner: 'hello' }) },
        },
      }),
    ),
  );
  await Promise.all(creates);
}
