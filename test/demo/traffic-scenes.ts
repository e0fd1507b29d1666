import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import { type Answer, askListener } from '../surroundings/listener-client.ts';
import { until } from '../surroundings/until.ts';
import { curl } from './curl.ts';
import { applyTill, deleteTill, playRollout } from './rollout-scenes.ts';
import {
  applyExamples,
  findListener,
  kubectl,
  read,
  type Scene,
  show,
  type TrafficScene,
  whenReady,
} from './scene.ts';

const EXAMPLE = '07-two-paths.yaml';
const OBJECT = 'myingress/store';
/** A pod of a busy machine that fails its first health checks has to pass two, 15 s apart. */
const HEALTH_MS = 180_000;
const REQUESTS = 1000;
/** Of the requests, for a tenth that was drawn: nine standard deviations and more, so never by chance. */
const FEWEST = 15;
const MOST = 190;

/** Two applications behind one load balancer, asked by its DNS name. */
export async function playTraffic(scene: TrafficScene): Promise<void> {
  const { stage } = scene;
  // It becomes active while the others do.
  await applyTill(scene);
  await stage.step('two applications behind one load balancer: every pod is a target', async () => {
    await applyExamples(scene, [EXAMPLE]);
    await whenReady(scene, OBJECT, ({ status }) => status?.['targets'] === '5/5');
    await until(`the targets of ${OBJECT} are healthy`, () => checkHealth(scene), HEALTH_MS);
  });
  await show(scene, ['get', OBJECT]);
  const listener = await findListener(scene, (await read(scene, OBJECT)).status);
  await stage.step('curl by the DNS name: each path reaches its application', async () => {
    for (const [path, application] of [
      ['/', 'store-web'],
      ['/api/orders', 'store-api'],
    ] as const) {
      const body = await curl(scene, listener, { path });
      if (!body.startsWith(`pod=${application}-`)) throw new Error(`${path}: ${body}`);
    }
  });
  await playCanary(scene, listener);
  await playKilledPod(scene, listener);
  await playRollout(scene);
  await playEnd(scene);
}

/** Throws what the object says of its targets. */
async function checkHealth(scene: Scene): Promise<true> {
  const { status } = await read(scene, OBJECT);
  const condition = status?.conditions?.find(({ type }) => type === 'TargetsHealthy');
  if (condition?.status === 'True') return true;
  throw new Error(condition?.message ?? 'it has no condition TargetsHealthy');
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
    'kubectl delete: balancers, target groups and security groups are gone from AWS',
    async () => {
      await Promise.all([kubectl(scene, ['delete', OBJECT, '--timeout=60s']), deleteTill(scene)]);
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
