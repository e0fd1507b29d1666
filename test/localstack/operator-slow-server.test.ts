import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SlowProxy, startSlowProxy } from '../fakes/slow-proxy.ts';
import { isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { OTHER_KINDS, OtherObjects } from '../surroundings/other-kinds.ts';
import { writeProxyKubeconfig } from '../surroundings/proxy-kubeconfig.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
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
const WORKERS = 64;
const OF_EACH_KIND = 40;
/** On a machine that does other work as well. */
const WAIT_MS = 600_000;

it('an API server that answers 1.5 s late costs the leader neither its Lease nor an edit', {
  timeout: 1_400_000,
}, async () => {
  const objects = await place.createNamespace('slow');
  const others = new OtherObjects(place.api, objects.namespace);
  const operator = await startBehindProxy();
  const { articleSubnets: subnets } = place.network;
  const names = Array.from({ length: EDITS }, (_, index) => `web-${index}`);
  await Promise.all(names.map((name) => objects.create(name, { subnets })));
  await allReady(objects);

  proxy.delayBy(1500);
  await Promise.all([
    ...names.map((name) => objects.edit(name, { tags: { edited: 'yes' } })),
    keepOthersBusy(others, objects.namespace),
  ]);
  await Promise.all([allReady(objects), whenAllReconciled(others)]);

  expect(await countEdited(objects.namespace)).toBe(EDITS);
  expect(operator.log.filter(({ msg }) => msg === 'lost the lease')).toEqual([]);
  // No worker waits for a connection, and those of two kinds at least work at once.
  expect(proxy.mostDelayed()).toBeGreaterThan(2 * WORKERS);
  proxy.delayBy(0);
  expect(await operator.stop()).toBe(0);
});

async function startBehindProxy(): Promise<OperatorProcess> {
  return surroundings.startOperator({
    KUBECONFIG: await writeProxyKubeconfig(surroundings, proxy),
    ALBRIDGE_LEADER_ELECTION: 'true',
    POD_NAMESPACE: 'albridge-system',
    ALBRIDGE_CONCURRENCY: `${WORKERS}`,
  });
}

async function allReady(objects: MyIngresses): Promise<void> {
  await until('all are Ready', async () => (await objects.list()).every(isReady), WAIT_MS);
}

/** The other kinds are busy too, all at once. */
async function keepOthersBusy(others: OtherObjects, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const create = async (name: string): Promise<void> => {
    await place.api.ask({ method: 'POST', path, body: { metadata: { name }, data: { n: '1' } } });
    await others.create(name);
    await place.api.ask({ method: 'PATCH', path: `${path}/${name}`, body: { data: { n: '2' } } });
  };
  await Promise.all(Array.from({ length: OF_EACH_KIND }, (_, index) => create(`busy-${index}`)));
}

async function whenAllReconciled(others: OtherObjects): Promise<void> {
  const count = OTHER_KINDS.length * OF_EACH_KIND;
  await until(
    'the other kinds are reconciled',
    async () => (await others.listReconciled()).length === count,
    WAIT_MS,
  );
}

/** Balancers in AWS, not objects. */
async function countEdited(namespace: string): Promise<number> {
  const balancers = await place.standIn.balancersOf(namespace);
  return balancers.filter(({ tags }) => tags['edited'] === 'yes').length;
}
