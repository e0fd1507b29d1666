import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import { type Answer, askListener } from '../surroundings/listener-client.ts';
import type { StandInControl } from '../surroundings/stand-in-control.ts';
import { until } from '../surroundings/until.ts';
import { applyExamples, kubectl, type Scene, show, whenReady } from './scene.ts';

const EXAMPLE = '07-two-paths.yaml';
const OBJECT = 'myingress/store';
const REQUESTS = 1000;
/** Of the requests, for a tenth that was drawn: nine standard deviations and more, so never by chance. */
const FEWEST = 15;
const MOST = 190;

/** What it takes to send requests. */
export interface TrafficScene extends Scene {
  readonly standIn: StandInControl;
}

/** Two applications behind one load balancer, asked by its DNS name. */
export async function playTraffic(scene: TrafficScene): Promise<void> {
  const { stage } = scene;
  await stage.step('two applications behind one load balancer: every pod is a target', async () => {
    await applyExamples(scene, [EXAMPLE]);
    await whenReady(scene, OBJECT, ({ status }) => status?.['targets'] === '5/5');
    await kubectl(scene, ['wait', '--for=condition=TargetsHealthy', '--timeout=60s', OBJECT]);
  });
  await show(scene, ['get', OBJECT]);
  const listener = await findListener(scene);
  await stage.step('curl by the DNS name: each path reaches its application', async () => {
    for (const [path, application] of [
      ['/', 'store-web'],
      ['/api/orders', 'store-api'],
    ] as const) {
      const body = await curl(scene, listener, path);
      if (!body.startsWith(`pod=${application}-`)) throw new Error(`${path}: ${body}`);
    }
  });
  await playCanary(scene, listener);
  await playKilledPod(scene, listener);
  await playEnd(scene);
}

async function findListener(scene: TrafficScene): Promise<ListenerAddress> {
  const dns = await kubectl(scene, ['get', OBJECT, '-o', 'jsonpath={.status.alb.dns}']);
  const listeners = await scene.standIn.listeners();
  const listener = listeners.find(({ dnsName }) => dnsName === dns);
  if (listener === undefined) throw new Error(`nothing listens for ${dns}`);
  return listener;
}

/** With curl where there is one, as a person would type it; the name resolves in AWS alone. */
async function curl({ stage }: Scene, listener: ListenerAddress, path: string): Promise<string> {
  const args = ['--connect-to', `::${listener.address}`, `http://${listener.dnsName}${path}`];
  const body = await promisify(execFile)('curl', ['--silent', '--show-error', ...args]).then(
    ({ stdout }) => stdout,
    async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return (await askListener(listener, { path })).body;
    },
  );
  stage.show(`curl ${args.join(' ')}`, body);
  return body;
}

/** Weights 90 and 10. */
async function playCanary({ stage }: Scene, listener: ListenerAddress): Promise<void> {
  const counts = await stage.step(
    'a canary by weight: of 1,000 requests about a tenth reach the next release',
    async () => {
      const answers = await ask(listener, REQUESTS);
      const next = answers.filter(({ body }) => body.startsWith('pod=store-api-next-')).length;
      const others = answers.filter(({ body }) => /^pod=store-api-(?!next-)/.test(body)).length;
      if (next + others !== REQUESTS) throw new Error(`${next} and ${others} answers`);
      if (next < FEWEST || next > MOST) throw new Error(`the next release got ${next}`);
      return [`${others} store-api`, `${next} store-api-next`];
    },
  );
  for (const count of counts) stage.say(`  ${count}`);
}

async function playKilledPod(scene: TrafficScene, listener: ListenerAddress): Promise<void> {
  const { stage, standIn } = scene;
  await stage.step('a pod is killed: its target goes, its successor answers', async () => {
    const before = await apiPods(scene);
    const [[name, ip] = ['', '']] = before;
    await kubectl(scene, ['delete', 'pod', name, '--timeout=60s']);
    await until(`${ip} is deregistered`, async () => {
      const calls = await standIn.operatorCalls('DeregisterTargets');
      return calls.some(({ input }) => JSON.stringify(input).includes(`"${ip}"`));
    });
    const known = before.map(([other]) => other);
    await until('its successor answers', async () => {
      const { body } = await askListener(listener, { path: '/api' });
      return /^pod=store-api-(?!next-)/.test(body) && !known.some((one) => body.includes(one));
    });
    const answers = await ask(listener, 200);
    const lost = answers.filter(({ status, body }) => status !== 200 || body.includes(name));
    if (lost.length > 0) throw new Error(`${lost.length} of 200 requests are lost`);
  });
}

/** Names and addresses. */
async function apiPods(scene: Scene): Promise<readonly (readonly [string, string])[]> {
  const template = '{range .items[*]}{.metadata.name} {.status.podIP}{"\\n"}{end}';
  const get = ['get', 'pods', '-l', 'app=store-api', '-o', `jsonpath=${template}`];
  const lines = (await kubectl(scene, get)).trim().split('\n');
  return lines.map((line) => {
    const [name = '', ip = ''] = line.split(' ');
    return [name, ip] as const;
  });
}

async function playEnd(scene: TrafficScene): Promise<void> {
  const { stage, standIn } = scene;
  await stage.step(
    'kubectl delete: balancer, target groups and security group are gone from AWS',
    async () => {
      await kubectl(scene, ['delete', OBJECT, '--timeout=60s']);
      const { loadBalancers, listeners, targetGroups, securityGroups } = await standIn.state();
      const ours = JSON.stringify(securityGroups).includes('albridge.io/');
      const left = [...loadBalancers, ...listeners, ...targetGroups].map(({ arn }) => arn);
      if (left.length > 0 || ours) throw new Error(`left: ${left.join()} ${ours}`);
    },
  );
  const applications = ['store-web', 'store-api', 'store-api-next'];
  const kinds = ['deployment', 'service'].flatMap((kind) =>
    applications.map((name) => `${kind}/${name}`),
  );
  await kubectl(scene, ['delete', ...kinds, '--timeout=60s']);
}

/** Ten at a time. */
async function ask(listener: ListenerAddress, count: number): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const askOn = async (): Promise<void> => {
    for (let left = count / 10; left > 0; left--) {
      answers.push(await askListener(listener, { path: '/api' }));
    }
  };
  await Promise.all(Array.from({ length: 10 }, askOn));
  return answers;
}
