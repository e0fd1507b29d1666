import type { MyIngress } from '../../src/apis/my-ingress.ts';
import type { Condition } from '../../src/core/objects/conditions.ts';
import { conditionOf, isReady } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { applyExamples, kubectl, type Scene, show, showOnce } from './scene.ts';

/** Names of the objects in the manifests. */
const APPLIED = ['01-article.yaml', '02-internal.yaml', '03-full.yaml', '04-retain.yaml'] as const;
const OWNERSHIP_TAG = 'albridge.io/name';

/** From manifests to DNS names: the tables are what kubectl printed. */
export async function playCreation(scene: Scene): Promise<void> {
  const { stage } = scene;
  await stage.step("apply the article's MyIngress and three more", async () => {
    await applyExamples(scene, APPLIED);
  });
  await stage.step('load balancers become active', async () => {
    if (scene.takesTime) await showProvisioning(scene);
    await allReady(scene);
  });
  const table = await show(scene, ['get', 'myingress']);
  await stage.step('every MyIngress is READY=True and shows its DNS name', async () => {
    const rows = table.trim().split('\n').slice(1);
    const isDone = (row: string): boolean => / active .*\.elb\.amazonaws\.com +True /.test(row);
    if (rows.length !== APPLIED.length || !rows.every(isDone))
      throw new Error('see the table above');
  });
  await showOnce(scene, ['describe', 'myingress', 'myapp'], /CreatedALB/);
}

async function showProvisioning(scene: Scene): Promise<void> {
  const table = await until('every object told of, one of them provisioning', async () => {
    const printed = await kubectl(scene, ['get', 'myingress']);
    const rows = printed.trim().split('\n').slice(1);
    const isReported = rows.every((row) => / (True|False) /.test(row));
    return isReported && /provisioning/.test(printed) && printed;
  });
  scene.stage.show('kubectl get myingress', table);
}

/** Waits no longer than there is hope: what is Stalled needs a person. */
async function allReady(scene: Scene): Promise<void> {
  const objects = await until(
    'an end of the provisioning',
    async () => {
      const list = await kubectl(scene, ['get', 'myingress', '-o', 'json']);
      const { items } = JSON.parse(list) as { readonly items: readonly MyIngress[] };
      return items.every((object) => isReady(object) || stallOf(object) !== undefined) && items;
    },
    60_000,
  );
  const stalled = objects.flatMap((object) => {
    const stall = stallOf(object);
    return stall === undefined ? [] : [`${object.metadata.name}: ${stall.message}`];
  });
  if (stalled.length > 0) throw new Error(stalled.join('\n'));
}

function stallOf(object: MyIngress): Condition | undefined {
  return conditionOf(object, 'Stalled');
}

/** Somebody else meddles in AWS; the next sweep finds it. */
export async function playDrift(scene: Scene): Promise<void> {
  const { stage, outsider } = scene;
  // At once: the sweep that finds the one finds the other.
  const [lost, edited] = [await arnOf(scene, 'myapp'), await arnOf(scene, 'shop')];
  await outsider.deleteBalancer(lost);
  await outsider.setTags(edited, { team: 'somebody-else' });
  await stage.step('a tag edited outside albridge is repaired', async () => {
    const isBack = async (): Promise<boolean> => (await outsider.tags(edited))['team'] === 'web';
    await until('the tag back', isBack, 60_000);
  });
  await stage.step('a load balancer deleted outside albridge is recreated', async () => {
    await until('a new balancer', async () => (await arnOf(scene, 'myapp')) !== lost, 60_000);
    await kubectl(scene, ['wait', '--for=condition=Ready', '--timeout=60s', 'myingress/myapp']);
  });
  await showOnce(scene, ['events', '--for', 'myingress/shop'], /DriftRepaired/);
}

export async function playEdit(scene: Scene): Promise<void> {
  const { stage, outsider, surroundings } = scene;
  await stage.step('a subnet edit is applied in place', async () => {
    const arn = await arnOf(scene, 'myapp');
    const subnets = surroundings.aws.network.subnets.slice(0, 2);
    const patch = JSON.stringify({ spec: { subnets } });
    await kubectl(scene, ['patch', 'myingress', 'myapp', '--type=merge', '-p', patch]);
    const wanted = [...subnets].sort().join();
    await until('the new subnets', async () => (await outsider.subnets(arn)).join() === wanted);
    if ((await arnOf(scene, 'myapp')) !== arn) throw new Error('the balancer was replaced');
  });
}

/** After `kubectl delete` the account is asked what is left. */
export async function playDeletion(scene: Scene): Promise<void> {
  const { stage, outsider } = scene;
  const retained = await arnOf(scene, 'landmark');
  await stage.step(
    'kubectl delete returns once AWS confirms the load balancers are gone',
    async () => {
      await kubectl(scene, ['delete', 'myingress', '--all', '--timeout=60s']);
    },
  );
  await stage.step('deletionPolicy Retain: the load balancer stays, without our tags', async () => {
    const left = (await outsider.balancers()).map((balancer) => balancer.LoadBalancerArn);
    if (left.join() !== retained) throw new Error(`left: ${left.join(', ')}`);
    if (OWNERSHIP_TAG in (await outsider.tags(retained))) throw new Error('it still has our tags');
    await outsider.deleteBalancer(retained);
  });
  await stage.step('nothing is left in AWS', async () => {
    const left = await outsider.balancers();
    if (left.length > 0) throw new Error(`left: ${left.map((one) => one.LoadBalancerName).join()}`);
  });
}

async function arnOf(scene: Scene, name: string): Promise<string> {
  return kubectl(scene, ['get', 'myingress', name, '-o', 'jsonpath={.status.alb.arn}']);
}
