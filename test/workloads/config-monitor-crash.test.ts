import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { conditionOf, Namespace, type Stored } from './place.ts';
import { PodWatch } from './pod-watch.ts';

/** An operator that is killed, and another one that finds what it has left. */

let surroundings: Surroundings;
let api: KubeApi;
let operator: OperatorProcess;

beforeAll(async () => {
  surroundings = await startSurroundings({ controllerManager: true, scheduler: true, nodes: 2 });
  api = new KubeApi(surroundings.controlPlane);
  operator = await surroundings.startOperator();
});

afterAll(async () => {
  api?.close();
  await surroundings?.stop();
});

const labels = { app: 'frontend' };

async function create(name: string): Promise<Namespace> {
  const { controlPlane } = surroundings;
  await kubectlOrThrow(controlPlane, ['create', 'namespace', name]);
  const operatorLog = join(controlPlane.directory, 'none');
  const namespace = new Namespace(controlPlane, api, { name, operatorLog });
  await configure(namespace, 'one');
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'flask' }] },
  };
  await namespace.apply({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'frontend' },
    spec: { replicas: 8, selector: { matchLabels: labels }, template },
  });
  await namespace.when('rs', 'frontend', ({ status }) => status?.['readyReplicas'] === 8);
  await namespace.apply({
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name: 'monitor' },
    spec: { configMap: 'settings', podSelector: labels, minReadySeconds: 1 },
  });
  await namespace.whenReady('cmon', 'monitor');
  return namespace;
}

function configure(namespace: Namespace, text: string): Promise<string> {
  const metadata = { name: 'settings' };
  return namespace.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } });
}

async function breakNewPods(namespace: Namespace, isBroken: boolean): Promise<void> {
  const annotations = { 'test.albridge.io/never-ready': isBroken ? 'true' : null };
  const body = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
  await namespace.kubectl(['patch', 'rs', 'frontend', '--type=merge', '-p', body]);
  // Pods that come from now on are of the new template.
  await namespace.when('rs', 'frontend', ({ metadata, status }) => {
    return status?.observedGeneration === metadata.generation;
  });
}

/** What a node says of a pod that has come up after all. Before, it has said of each that it runs. */
async function healPods(namespace: Namespace): Promise<void> {
  const pods = await until('8 pods that run', async () => {
    const all = await namespace.list('pods', '-l', 'app=frontend');
    return all.length === 8 && all.every(({ status }) => status?.['phase'] === 'Running') && all;
  });
  for (const { metadata } of pods) {
    const path = `/api/v1/namespaces/${namespace.name}/pods/${metadata.name}/status`;
    const conditions = [{ type: 'Ready', status: 'True' }];
    await api.ask({ method: 'PATCH', path, body: { status: { conditions } } });
  }
}

async function kill(): Promise<void> {
  operator.signal('SIGKILL');
  await operator.exited;
}

async function watchReady(namespace: Namespace): Promise<PodWatch> {
  const pods = new PodWatch(surroundings.controlPlane, namespace.name);
  await pods.count(8);
  return pods;
}

function restarted({ status }: Stored): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return status?.['restarts'] === 1 && ready === 'True';
}

describe('an operator that is killed', () => {
  it('in the middle of a restart leaves what the next one finishes, each pod once', async () => {
    const namespace = await create('killed');
    const pods = await watchReady(namespace);
    await breakNewPods(namespace, true);
    await configure(namespace, 'two');
    await namespace.when('cmon', 'monitor', (object) => {
      return conditionOf(object, 'Reconciling')?.reason === 'WaitingForReady';
    });
    await kill();
    await breakNewPods(namespace, false);
    await healPods(namespace);
    operator = await surroundings.startOperator();
    // The pass that ends a restart has counted before the last pod was there.
    const { status } = await namespace.when('cmon', 'monitor', (object) => {
      return restarted(object) && object.status?.['matchedPods'] === 8;
    });
    expect(status).toMatchObject({ pendingPods: 0 });
    expect(status).not.toHaveProperty('rollout');
    await pods.whenReady(8);
    expect(pods.seen.size).toBe(16);
    expect(pods.fewestReady).toBeGreaterThanOrEqual(6);
    pods.close();
  });

  it('misses no change: the next one acts on it at its start, once', async () => {
    const namespace = await create('down');
    const pods = await watchReady(namespace);
    await kill();
    await configure(namespace, 'two');
    operator = await surroundings.startOperator();
    await namespace.when('cmon', 'monitor', restarted);
    await pods.whenReady(8);
    expect(pods.seen.size).toBe(16);
    await kill();
    operator = await surroundings.startOperator();
    const annotation = 'albridge.io/reconcile-requested-at=now-1';
    await namespace.kubectl(['annotate', 'cmon', 'monitor', annotation]);
    const { status } = await namespace.when('cmon', 'monitor', (object) => {
      return object.status?.lastHandledReconcileAt === 'now-1';
    });
    expect(status).toMatchObject({ restarts: 1 });
    expect(pods.seen.size).toBe(16);
    pods.close();
  });
});
