import { setTimeout as sleep } from 'node:timers/promises';
import { READINESS_GATE } from '../../src/pods/pod.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { RequestLoad } from '../surroundings/request-load.ts';
import { until } from '../surroundings/until.ts';
import { findListener, kubectl, type Scene, type Stored, type TrafficScene } from './scene.ts';

/** The short form of `npm run bench -- --only rollout`. */

const NAME = 'till';
const REPLICAS = 10;
const REQUESTS_PER_SECOND = 100;
/** Between AWS's answer and its data plane. */
const LAG_MS = 2000;
/** More than the lag and the way to it; AWS itself asks for more: docs/zero-downtime.md. */
const PRE_STOP_SECONDS = 6;
const LONGEST_MS = 120_000;

/** Ten pods that get the gate and read a Secret, a balancer for them, and a ConfigMonitor of the Secret. */
export async function applyTill({ surroundings }: Scene): Promise<void> {
  const { articleSubnets } = surroundings.aws.network;
  const items = [NAMESPACE, SERVICE, SECRET, DEPLOYMENT, MONITOR, describeBalancer(articleSubnets)];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOrThrow(surroundings.controlPlane, ['apply', '-f', '-'], list);
}

export async function playRollout(scene: TrafficScene): Promise<void> {
  const { stage } = scene;
  await stage.step('ten more pods are healthy, and only then Ready: readiness gates', async () => {
    await until('every target is healthy', () => areHealthy(scene), LONGEST_MS);
    const pods = await listPods(scene);
    if (pods.length !== REPLICAS || !pods.every(hasOpenGate)) throw new Error('a gate is missing');
  });
  await stage.step('ConfigMonitor: it finds the ten pods that use a Secret', async () => {
    await until('all pods are selected', () => isProgress(scene, `${REPLICAS}/${REPLICAS}`));
  });
  const sent = await stage.step(
    'the Secret is edited, all ten are replaced, AWS is 2 s behind: no request is lost',
    () => replacePods(scene),
  );
  stage.say(`  ${sent} requests sent, ${REQUESTS_PER_SECOND} a second; 0 lost`);
}

export async function deleteTill(scene: Scene): Promise<void> {
  await inTill(scene, ['delete', `myingress/${NAME}`, '--timeout=60s']);
  await kubectl(scene, ['delete', `namespace/${NAME}`, '--wait=false']);
}

/** Returns how many requests were sent. */
async function replacePods(scene: TrafficScene): Promise<number> {
  const { standIn } = scene;
  const balancer = JSON.parse(await inTill(scene, ['get', 'myingress', NAME, '-o', 'json']));
  const listener = await findListener(scene, (balancer as Stored).status);
  await standIn.changeSettings({ propagationMs: LAG_MS });
  const load = { listener, paths: ['/'], perSecond: REQUESTS_PER_SECOND };
  const { sent, lost, statuses } = await RequestLoad.during(load, () => rollOut(scene));
  await standIn.changeSettings({ propagationMs: 0 });
  if (lost === 0 && sent > 0) return sent;
  throw new Error(`${lost} of ${sent} requests are lost: ${JSON.stringify(statuses)}`);
}

/** Returns when the old pods are gone, and the data plane has had time to miss it. */
async function rollOut(scene: Scene): Promise<void> {
  const before = new Set((await listPods(scene)).map(({ metadata }) => metadata.uid));
  const edit = JSON.stringify({ stringData: { password: 'two' } });
  await inTill(scene, ['patch', 'secret', NAME, '--type=merge', '-p', edit]);
  await until(
    'the old pods are gone',
    async () => {
      const pods = await listPods(scene);
      return pods.length === REPLICAS && pods.every(({ metadata }) => !before.has(metadata.uid));
    },
    LONGEST_MS,
  );
  await sleep(LAG_MS);
}

async function isProgress(scene: Scene, progress: string): Promise<boolean> {
  const json = await inTill(scene, ['get', 'configmonitor', NAME, '-o', 'json']);
  const { status } = JSON.parse(json) as Stored;
  const isReady = status?.conditions?.some(
    ({ type, status: is }) => type === 'Ready' && is === 'True',
  );
  return isReady === true && status?.['progress'] === progress;
}

async function areHealthy(scene: Scene): Promise<boolean> {
  const json = await inTill(scene, ['get', 'myingress', NAME, '-o', 'json']);
  const { status } = JSON.parse(json) as Stored;
  const [backend] = (status?.['backends'] ?? []) as readonly { readonly healthy?: number }[];
  return backend?.healthy === REPLICAS;
}

async function listPods(scene: Scene): Promise<readonly Stored[]> {
  const { items } = JSON.parse(await inTill(scene, ['get', 'pods', '-o', 'json'])) as {
    readonly items: readonly Stored[];
  };
  return items;
}

function hasOpenGate({ status }: Stored): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === READINESS_GATE && is === 'True') ===
    true
  );
}

function inTill(scene: Scene, args: readonly string[]): Promise<string> {
  return kubectl(scene, ['--namespace', NAME, ...args]);
}

const NAMESPACE = {
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name: NAME, labels: { 'albridge.io/readiness-gates': 'enabled' } },
};

const METADATA = { name: NAME, namespace: NAME };

const SERVICE = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: METADATA },
  spec: { selector: { app: NAME }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
};

const SECRET = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: METADATA },
  stringData: { password: 'one' },
};

/** No selector: the pods that use it. */
const MONITOR = {
  ...{ apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor', metadata: METADATA },
  spec: { secret: NAME },
};

const DEPLOYMENT = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: METADATA },
  spec: {
    replicas: REPLICAS,
    strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
    selector: { matchLabels: { app: NAME } },
    template: {
      metadata: { labels: { app: NAME } },
      spec: {
        containers: [
          {
            ...{ name: 'app', image: 'till', ports: [{ name: 'http', containerPort: 8080 }] },
            envFrom: [{ secretRef: { name: NAME } }],
            lifecycle: { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } },
          },
        ],
      },
    },
  },
};

function describeBalancer(subnets: readonly string[]): object {
  const service = { name: NAME, port: 'http' };
  const healthCheck = { intervalSeconds: 5, timeoutSeconds: 2 };
  return {
    ...{ apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress', metadata: METADATA },
    spec: { subnets, backends: [{ name: NAME, service, healthCheck }] },
  };
}
