import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../localstack/embedded/http/server.ts';
import { makeCertificate } from '../../fakes/certificate.ts';
import { type PodRunner, startPodRunner } from '../../surroundings/pod-runner.ts';
import { ANSWERS } from '../../surroundings/pods/pod.ts';
import { until } from '../../surroundings/until.ts';

let api: Server;
let watches: { readonly write: (line: string) => void; readonly end: () => void }[];
let standIn: EmbeddedAwsServer;
let runner: PodRunner;

beforeEach(async () => {
  const { certificate, privateKey } = await makeCertificate(['localhost'], { algorithm: 'ECDSA' });
  watches = [];
  api = createServer({ cert: certificate, key: privateKey }, (_, response) => {
    response.writeHead(200).flushHeaders();
    watches.push({ write: (line) => response.write(line), end: () => response.end() });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  standIn = await startEmbeddedAws();
  runner = startPodRunner(
    {
      url: `https://localhost:${(api.address() as AddressInfo).port}`,
      caPem: certificate,
      ...{ adminToken: 't', kubeconfigPath: '', kubectlPath: '', directory: '' },
    },
    standIn.url,
  );
});

afterEach(async () => {
  await runner.stop();
  api.closeAllConnections();
  api.close();
  await standIn.stop();
});

/** Its status, and its annotations. */
interface Pod {
  readonly phase: string;
  readonly podIP?: string;
  readonly annotations?: object;
}

function eventOf(
  type: string,
  name: string,
  { annotations = {}, ...status }: Pod = { phase: 'Running', podIP: ipOf(name) },
) {
  const metadata = { name, namespace: 'web', uid: `uid-${name}`, annotations };
  const ports = [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }];
  return `${JSON.stringify({ type, object: { metadata, spec: { containers: [{ ports }] }, status } })}\n`;
}

function ipOf(name: string): string {
  return `10.64.0.${name}`;
}

const INITIAL_END = `${JSON.stringify({
  type: 'BOOKMARK',
  object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
})}\n`;

/** What answers for the pod, as the stand-in knows it; undefined if nothing does. */
function addressOf(name: string): string | undefined {
  return standIn.targets.addressOf(ipOf(name), 80);
}

async function untilWatched(count: number): Promise<void> {
  await until(`watch ${count}`, () => Promise.resolve(watches.length === count));
}

async function untilGone(name: string): Promise<void> {
  await until(`${name} is gone`, () => Promise.resolve(addressOf(name) === undefined));
}

it('answers for each pod with its name while it runs', async () => {
  await untilWatched(1);
  watches[0]?.write(eventOf('ADDED', '1', { phase: 'Pending' }));
  watches[0]?.write(eventOf('ADDED', '2') + INITIAL_END);
  await until('2 runs', () => Promise.resolve(addressOf('2') !== undefined));
  expect(addressOf('1')).toBeUndefined();
  watches[0]?.write(eventOf('MODIFIED', '1'));
  await until('1 runs', () => Promise.resolve(addressOf('1') !== undefined));
  const address = addressOf('1');
  const said = await (await fetch(`http://${address}/a?b`)).text();
  expect(said).toBe('pod=1 namespace=web path=/a?b\n');
  expect(standIn.targets.addressOf(ipOf('1'), 53)).toBeUndefined();

  watches[0]?.write(eventOf('DELETED', '1'));
  await untilGone('1');
  await expect(fetch(`http://${address}/`)).rejects.toThrow();
});

it('lets go of pods that went while it did not watch', async () => {
  await untilWatched(1);
  watches[0]?.write(eventOf('ADDED', '1') + eventOf('ADDED', '2') + INITIAL_END);
  await until('both run', () => Promise.resolve(addressOf('2') !== undefined));
  const kept = addressOf('2');
  watches[0]?.end();
  await untilWatched(2);
  watches[1]?.write(eventOf('ADDED', '2') + INITIAL_END);
  await untilGone('1');
  expect(addressOf('2')).toBe(kept);
});

it('answers as the annotation of the pod says: another code, or nothing', async () => {
  await untilWatched(1);
  const running = (name: string, answers: string) => ({
    ...{ phase: 'Running', podIP: ipOf(name) },
    annotations: { [ANSWERS]: answers },
  });
  for (const [name, what] of Object.entries({ '1': '500', '2': '301', '3': 'nothing' })) {
    watches[0]?.write(eventOf('ADDED', name, running(name, what)));
    await until(`${name} runs`, () => Promise.resolve(addressOf(name) !== undefined));
  }
  const ask = (name: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://${addressOf(name)}/`, { redirect: 'manual', ...init });
  expect((await ask('1')).status).toBe(500);
  const moved = await ask('2');
  expect([moved.status, moved.headers.get('location')]).toEqual([301, '/elsewhere']);
  const impatient = { signal: AbortSignal.timeout(200) };
  await expect(ask('3', impatient)).rejects.toThrow(/timeout/);
});
