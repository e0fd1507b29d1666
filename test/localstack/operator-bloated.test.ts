import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../deploy/bundle.ts';
import { podLabels } from '../../src/pods/pod.ts';
import { AttackedOperator } from '../surroundings/attacked-operator.ts';
import type { KubeAnswer } from '../surroundings/kube-api.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

/** How long the operator is watched while a tenant is at it. */
const ATTACK_MS = 300_000;

let image: string;
let attacked: AttackedOperator;
let place: Place;

beforeAll(async () => {
  image = await mkdtemp(join(tmpdir(), 'albridge-attacked-'));
  await bundle(image);
  attacked = await AttackedOperator.start(image);
  place = placeOf(attacked.surroundings);
}, 300_000);

afterAll(async () => {
  place?.close();
  await attacked?.stop();
  await rm(image, { recursive: true });
});

describe('a tenant who bloats the memory', () => {
  const PODS = 12;
  const FORGED_PODS = 300;
  const CONFIG_MAPS = 400;
  const TOKEN = 'x'.repeat(250_000);
  /** The longest texts that the CRD takes, of characters of four bytes. */
  const LONG = '🚀'.repeat(4096);
  const LARGEST = Array.from({ length: 64 }, (_, at) => (at < 4 ? LONG : '🚀'.repeat(256)));
  const MY_APP = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp' };
  const OWNERS = [
    MY_APP,
    { apiVersion: 'immortalcontainer.flugel.it/v1alpha1', kind: 'ImmortalContainer' },
  ];
  let namespace: string;

  /** An object this large may take the API server of a busy machine longer than a request may last: it is sent again. */
  async function post(resource: string, body: object): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/${resource}`;
    await until(
      `${resource} are posted`,
      async () => {
        const { code } = await place.api.send({ method: 'POST', path, body });
        return code === 201 || code === 409;
      },
      300_000,
    );
  }

  function postMyApp(args: readonly string[], more: object = {}): Promise<KubeAnswer> {
    const path = `/apis/${MY_APP.apiVersion}/namespaces/${namespace}/myapps`;
    const spec = { image: 'registry.example/app', replicas: 1000, args, ...more };
    return place.api.send({
      method: 'POST',
      path,
      body: { ...MY_APP, metadata: { name: 'large' }, spec },
    });
  }

  /** One in ten has as much data as the API server takes. */
  function configMap(index: number): object {
    const annotations = { 'albridge.io/reconcile-requested-at': TOKEN };
    const data = index % 10 === 0 ? { large: 'x'.repeat(1_000_000) } : {};
    return { metadata: { name: `large-${index}`, annotations }, data };
  }

  function pod(index: number): object {
    const labels = Object.fromEntries(
      Array.from({ length: 80_000 }, (_, label) => [label.toString(36), 'x']),
    );
    const spec = { containers: [{ name: 'app', image: 'registry.example/app' }] };
    return { metadata: { name: `large-${index}`, labels }, spec };
  }

  /** One in ten has a list of many short texts, which takes more in memory than as JSON. */
  function forgedPod(index: number): object {
    const owner = OWNERS[index % OWNERS.length];
    const args = index % 10 === 0 ? Array(250_000).fill('x') : ['x'.repeat(1_000_000)];
    return {
      metadata: {
        name: `forged-${index}`,
        labels: podLabels,
        ownerReferences: [{ ...owner, name: 'large', uid: `forged-${index}`, controller: true }],
      },
      spec: { containers: [{ name: 'app', image: 'registry.example/app', args }] },
    };
  }

  async function postAll(count: number, one: (index: number) => Promise<void>): Promise<void> {
    for (let index = 0; index < count; index += 4) {
      await Promise.all([0, 1, 2, 3].map((next) => one(index + next)));
    }
  }

  /** Every edit makes the API server send the whole object once more. */
  async function editOne(index: number): Promise<void> {
    const name = `large-${index % CONFIG_MAPS}`;
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    const annotations = { 'albridge.io/reconcile-requested-at': `${TOKEN}${index}` };
    const body = { metadata: { annotations } };
    const { code } = await place.api.send({ method: 'PATCH', path, body });
    // On a busy machine etcd does not take every one of them in time: the next one counts.
    expect([200, 500, 504]).toContain(code);
  }

  async function servesNeighbour(): Promise<void> {
    const neighbour = await place.createNamespace('neighbour');
    // As above.
    await until('the object is there', async () => {
      const spec = { subnets: place.network.articleSubnets };
      await neighbour.create('web', spec).catch(() => undefined);
      return neighbour.get('web').then(Boolean, () => false);
    });
    await neighbour.whenReady('web', 60_000);
  }

  beforeAll(async () => {
    ({ namespace } = await place.createNamespace('tenant'));
    const account = { metadata: { name: 'default' } };
    await post('serviceaccounts', account);
    // The API server records an owner for each of 80,000 labels: side by side these hold up each other.
    for (let index = 0; index < PODS; index++) await post('pods', pod(index));
    await Promise.all([
      postAll(CONFIG_MAPS, (index) => post('configmaps', configMap(index))),
      postAll(FORGED_PODS, (index) => post('pods', forgedPod(index))),
    ]);
    expect((await postMyApp(LARGEST, { command: LARGEST, banner: LONG })).code).toBe(201);
  }, 900_000);

  it('cannot have 1,000 pods with 500 kB of arguments', async () => {
    const { code, body } = await postMyApp(['x'.repeat(500_000)]);
    expect(code).toBe(422);
    expect(JSON.stringify(body)).toContain('spec.args');
  });

  it('leaves the operator below its limit, while a neighbour is served', async () => {
    const untilMs = performance.now() + ATTACK_MS;
    for (let edits = 0; performance.now() < untilMs; edits++) {
      if (edits % 100 === 0) await servesNeighbour();
      await editOne(edits);
      if (edits % 20 === 0) await attacked.isProbedFor(1);
    }
    const path = `/api/v1/namespaces/${namespace}/pods/large-pod-50`;
    await until('the operator makes large pods', async () => {
      return (await place.api.send({ method: 'GET', path })).code === 200;
    });
    await attacked.holdsOut();
  });

  it('lets a fresh operator start below its limit, and serve the neighbour', async () => {
    await attacked.restart();
    await servesNeighbour();
    await attacked.holdsOut();
  });
});
