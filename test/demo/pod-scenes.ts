import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Container, runContainer } from '../surroundings/container.ts';
import { until } from '../surroundings/until.ts';
import {
  applyExamples,
  kubectl,
  listed,
  read,
  type Scene,
  type Stored,
  show,
  whenReady,
} from './scene.ts';

/** The kinds whose work shows in pods: one scene for each, then their end. */

const APPLICATION = ['flaskapp/configmap.yaml', 'flaskapp/deployment.yaml'] as const;
const EXAMPLES = [
  'configmonitor-01-article.yaml',
  'immortalcontainer-01-article.yaml',
  'myapp-01-article.yaml',
  'webapp-01-article.yaml',
] as const;

const MONITOR = 'configmonitor/flakapp-config-monitor';
const FRONTEND = ['pods', '-l', 'app=frontend'] as const;
const IMMORTAL = 'immortalcontainer/example-immortalcontainer';
const IMMORTAL_POD = 'pod/example-immortalcontainer-immortalpod';
const MY_APP = 'myapp/example-app';
const MY_APP_POD = 'pod/example-app-pod';
const WEB_APP = 'webapp/demo-app';

/** The nodes are played by kwok, which runs no containers; everything else about pods is real. */
export async function playPods(scene: Scene): Promise<void> {
  await scene.stage.step("apply the other articles' manifests; all become READY=True", async () => {
    await applyExamples(scene, [...APPLICATION, ...EXAMPLES]);
    await kubectl(scene, ['rollout', 'status', 'deployment/frontend', '--timeout=90s']);
    for (const one of [MONITOR, IMMORTAL, MY_APP, WEB_APP]) await whenReady(scene, one);
  });
  await show(scene, ['get', 'albridge']);
  const before = await editConfigMap(scene);
  // Meanwhile the quiet period of the edit runs.
  await playImmortalContainer(scene);
  await playMyApp(scene);
  await playWebApp(scene);
  await playConfigMonitor(scene, before);
  await playEnd(scene);
}

/** Returns the pods that have the data of before. */
async function editConfigMap(scene: Scene): Promise<readonly string[]> {
  const before = await namesOf(scene);
  await show(scene, ['get', ...FRONTEND]);
  const data = { 'config.cfg': 'MSG="Welcome to Operators!"' };
  const patch = JSON.stringify({ data });
  await show(scene, ['patch', 'configmap', 'flaskapp-config', '--type=merge', '-p', patch]);
  return before;
}

async function playConfigMonitor(scene: Scene, before: readonly string[]): Promise<void> {
  await scene.stage.step('ConfigMonitor: editing a ConfigMap restarts its pods', async () => {
    await whenReady(scene, MONITOR, ({ status }) => status?.['restarts'] === 1);
    const after = await namesOf(scene);
    if (after.length !== before.length || after.some((name) => before.includes(name)))
      throw new Error(`pods before: ${before.join(', ')}; after: ${after.join(', ')}`);
  });
  await show(scene, ['get', ...FRONTEND]);
}

/** Of those that stay. */
async function namesOf(scene: Scene): Promise<readonly string[]> {
  const pods = await listed(scene, FRONTEND);
  const isStaying = ({ metadata }: Stored): boolean => metadata.deletionTimestamp === undefined;
  return pods.filter(isStaying).map(({ metadata }) => metadata.name);
}

async function playImmortalContainer(scene: Scene): Promise<void> {
  await scene.stage.step('ImmortalContainer: a deleted pod is recreated', async () => {
    const { uid } = (await read(scene, IMMORTAL_POD)).metadata;
    await kubectl(scene, ['delete', IMMORTAL_POD, '--timeout=60s']);
    await whenReady(scene, IMMORTAL, ({ status }) => status?.['startTimes'] === 2);
    if ((await read(scene, IMMORTAL_POD)).metadata.uid === uid) throw new Error('the same pod');
  });
  await show(scene, ['get', 'immortalcontainer']);
}

/** A real node would put it in the pod's log. */
async function playMyApp(scene: Scene): Promise<void> {
  const { stage } = scene;
  const { spec } = await read(scene, MY_APP);
  const banner = String(spec?.['banner']);
  await stage.step("MyApp: its pod's command prints the banner", async () => {
    const printed = await printedBy(scene, MY_APP_POD);
    if (printed !== `${banner}\n`) throw new Error(`printed: ${printed}`);
  });
  stage.say(`  run by /bin/sh here: the nodes are kwok's and run no containers\n  ${banner}`);
}

async function printedBy(scene: Scene, reference: string): Promise<string> {
  const { spec } = await read(scene, reference);
  const { containers } = spec as { readonly containers: readonly [Container] };
  const directory = await mkdtemp(join(scene.surroundings.controlPlane.directory, 'container-'));
  return (await runContainer(containers[0], directory)).out;
}

async function playWebApp(scene: Scene): Promise<void> {
  await scene.stage.step('WebApp: kubectl scale, 3 to 5 pods', async () => {
    await kubectl(scene, ['scale', WEB_APP, '--replicas=5']);
    await whenReady(scene, WEB_APP, ({ status }) => status?.['availableReplicas'] === 5);
  });
  await show(scene, ['get', 'webapp,deployment,service', 'demo-app']);
}

async function playEnd(scene: Scene): Promise<void> {
  await scene.stage.step('deleting the objects removes everything they created', async () => {
    const kinds = 'configmonitor,immortalcontainer,myapp,webapp';
    await kubectl(scene, ['delete', kinds, '--all', '--timeout=60s']);
    await kubectl(scene, ['delete', 'deployment/frontend', 'configmap/flaskapp-config']);
    await until('no pod, Deployment or Service is left', async () => {
      const left = await kubectl(scene, ['get', 'pods,deployments,services', '-o', 'name']);
      return left.trim() === 'service/kubernetes';
    });
  });
}
