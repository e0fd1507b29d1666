import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundle } from '../../deploy/bundle.ts';
import { podLabels } from '../../src/apis/pod.ts';
import {
  type ImageOperator,
  readMemoryLimitMB,
  startImageOperator,
} from '../surroundings/image-operator.ts';
import type { KubeAnswer } from '../surroundings/kube-api.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { quietFor, until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How long the operator is watched while a tenant is at it, in ms. */
    readonly attackMs: number;
  }
}

const attackMs = inject('attackMs');
const SCRAPE = 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n';

/** `timeoutSeconds` of the Deployment's probes. */
const PROBE_TIMEOUT_MS = 5_000;

let directory: string;
let entry: string;
let surroundings: Surroundings;
let place: Place;
let attacked: ImageOperator;
let limitMB: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-attacked-'));
  [entry, surroundings, limitMB] = await Promise.all([
    bundle(directory),
    startSurroundings({ provisioningMs: 0 }),
    readMemoryLimitMB(),
  ]);
  place = placeOf(surroundings);
  attacked = await start();
}, 300_000);

afterAll(async () => {
  await attacked?.stop();
  place?.close();
  await surroundings?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start(): Promise<ImageOperator> {
  const started = await startImageOperator(entry, surroundings.operatorEnvironment);
  await started.operator.waitForLine(({ msg }) => msg === 'working', 120_000);
  return started;
}

/** Milliseconds until the answer, and its status. */
async function probe(path = '/healthz'): Promise<{ readonly ms: number; readonly status: number }> {
  const startedMs = performance.now();
  const { status } = await fetch(`http://127.0.0.1:${attacked.healthPort}${path}`);
  return { ms: performance.now() - startedMs, status };
}

/** What the kubelet sees in the next seconds. */
async function probeFor(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const { ms, status } = await probe();
    expect(status).toBe(200);
    expect(ms).toBeLessThan(PROBE_TIMEOUT_MS);
    await quietFor(1000);
  }
}

/** Connections that read nothing. */
async function openMany(count: number, port: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1').on('error', () => {}),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})));
  return sockets;
}

async function holdsOut(): Promise<void> {
  const [peakMB, ofMB] = [attacked.peakMB(), limitMB].map(Math.round);
  process.stdout.write(`attacked: at most ${peakMB} MB resident, the limit is ${ofMB} MB\n`);
  expect(attacked.peakMB()).toBeLessThan(limitMB);
  expect((await probe('/readyz')).status).toBe(200);
}

describe('a stranger on a port', () => {
  const floods = {
    'that pipelines 200 scrapes on each of 500 connections and reads nothing': {
      connections: 500,
      sends: SCRAPE.repeat(200),
    },
    'that sends 58 kB of scrapes on one connection and reads nothing': {
      connections: 1,
      sends: SCRAPE.repeat(1500),
    },
    'that opens 3,000 connections and sends half a request': {
      connections: 3000,
      sends: 'GET /metrics',
    },
  };
  const ports = ['metricsPort', 'healthPort'] as const;
  const cases = Object.entries(floods).flatMap(([name, flood]) =>
    ports.map((port) => ({ name, port, ...flood })),
  );

  it.each(cases)(
    'leaves the operator alive and probed in time: one $name ($port)',
    async ({ port, connections, sends }) => {
      const sockets = await openMany(connections, attacked[port]);
      for (const socket of sockets) socket.write(sends);
      await probeFor(3);
      for (const socket of sockets) socket.destroy();
      await holdsOut();
    },
  );

  it('that scrapes over 200 connections at once leaves the operator probed in time', async () => {
    let isOver = false;
    const scrape = async (): Promise<void> => {
      while (!isOver) {
        const answer = await fetch(`http://127.0.0.1:${attacked.metricsPort}/metrics`).catch(
          () => {},
        );
        await answer?.text().catch(() => {});
      }
    };
    const scraping = Array.from({ length: 200 }, scrape);
    await probeFor(5);
    isOver = true;
    await Promise.all(scraping);
    await holdsOut();
  });
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

  /** An object this large may take the API server of a busy machine longer than a request may last. */
  async function post(resource: string, body: object): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/${resource}`;
    await until(`${resource} are posted`, async () => {
      const { code } = await place.api.send({ method: 'POST', path, body });
      return code === 201 || code === 409;
    });
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
    await place.api.ask({ method: 'PATCH', path, body: { metadata: { annotations } } });
  }

  async function servesNeighbour(): Promise<void> {
    const neighbour = await place.createNamespace('neighbour');
    await neighbour.create('web', { subnets: place.network.articleSubnets });
    await neighbour.whenReady('web', 20_000);
  }

  beforeAll(async () => {
    ({ namespace } = await place.createNamespace('tenant'));
    const account = { metadata: { name: 'default' } };
    await post('serviceaccounts', account);
    await Promise.all([
      postAll(PODS, (index) => post('pods', pod(index))),
      postAll(CONFIG_MAPS, (index) => post('configmaps', configMap(index))),
      postAll(FORGED_PODS, (index) => post('pods', forgedPod(index))),
    ]);
    expect((await postMyApp(LARGEST, { command: LARGEST, banner: LONG })).code).toBe(201);
  }, 300_000);

  it('cannot have 1,000 pods with 500 kB of arguments', async () => {
    const { code, body } = await postMyApp(['x'.repeat(500_000)]);
    expect(code).toBe(422);
    expect(JSON.stringify(body)).toContain('spec.args');
  });

  it('leaves the operator below its limit, while a neighbour is served', async () => {
    const untilMs = performance.now() + attackMs;
    for (let edits = 0; performance.now() < untilMs; edits++) {
      if (edits % 100 === 0) await servesNeighbour();
      await editOne(edits);
      if (edits % 20 === 0) await probeFor(1);
    }
    const path = `/api/v1/namespaces/${namespace}/pods/large-pod-50`;
    await until('the operator makes large pods', async () => {
      return (await place.api.send({ method: 'GET', path })).code === 200;
    });
    await holdsOut();
  });

  it('lets a fresh operator start below its limit, and serve the neighbour', async () => {
    await attacked.stop();
    attacked = await start();
    await servesNeighbour();
    await holdsOut();
  });
});
