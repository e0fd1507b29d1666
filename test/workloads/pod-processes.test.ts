import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READINESS_GATE } from '../../src/pods/pod.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import { type PodRunner, startPodRunner } from '../surroundings/pod-runner.ts';
import { installReadinessGates, WITH_READINESS_GATES } from '../surroundings/readiness-gates.ts';
import { RequestLoad } from '../surroundings/request-load.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { conditionOf, Namespace, type Stored } from './place.ts';

/** Pods with a process for each container: probes, hooks and signals are real. */

let surroundings: Surroundings;
let endpoint: string;
let pods: PodRunner;
let api: KubeApi;
let namespace: Namespace;

beforeAll(async () => {
  const workers = { controllerManager: true, scheduler: true, nodes: 2 };
  surroundings = await startSurroundings({ ...workers, provisioningMs: 0 });
  const { controlPlane, aws } = surroundings;
  endpoint = aws.environment['AWS_ENDPOINT_URL'] as string;
  await installReadinessGates(controlPlane);
  pods = startPodRunner(controlPlane, endpoint);
  await surroundings.startOperator(WITH_READINESS_GATES);
  api = new KubeApi(controlPlane);
  namespace = new Namespace(controlPlane, api, { name: 'default', operatorLog: '' });
});

afterAll(async () => {
  api?.close();
  await pods?.stop();
  await surroundings?.stop();
});

const PROCESS = { 'test.albridge.io/process': 'true' };
const APP = {
  ...{ name: 'app', image: 'registry.example.com/shop:1' },
  ports: [{ name: 'http', containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
};

describe('a rolling update of pods with processes', () => {
  it('loses no request: preStop, then SIGTERM, then each process finishes what is in flight', async () => {
    await namespace.apply({ apiVersion: 'v1', kind: 'List', items: SHOP });
    const objects = new MyIngresses(api, 'default');
    const backend = { name: 'shop', service: { name: 'shop', port: 'http' } };
    const healthCheck = { path: '/healthz', intervalSeconds: 5, timeoutSeconds: 2 };
    const subnets = surroundings.aws.network.articleSubnets;
    await objects.create('shop', { subnets, backends: [{ ...backend, healthCheck }] });
    await namespace.kubectl(['wait', '--for=condition=TargetsHealthy', 'myingress/shop', WAIT]);
    await namespace.kubectl(['rollout', 'status', 'deployment/shop', WAIT]);
    const [listener] = await new StandInControl(endpoint).listeners();
    if (listener === undefined) throw new Error('no listener');

    const old = await namespace.list('pods');
    expect(old).toHaveLength(2);
    const paths = ['/', `/slow?delayMs=${SLOW_MS}`];
    const load = { listener, paths, perSecond: 20 };
    const { lost, statuses, sent } = await RequestLoad.during(load, async () => {
      await namespace.kubectl(['rollout', 'restart', 'deployment/shop']);
      await namespace.kubectl(['rollout', 'status', 'deployment/shop', WAIT]);
      await Promise.all(old.map(({ metadata }) => whenGone(metadata.name)));
    });
    expect({ lost, statuses }).toEqual({ lost: 0, statuses: { 200: sent } });
    const ends = await lastStates(old);
    for (const { metadata, status } of ends) {
      expect(status?.['phase']).toBe('Succeeded');
      expect(terminationOf(status)).toMatchObject({ exitCode: 0, reason: 'Completed' });
      const lines = await logOf(metadata.name);
      const end = lines.filter(({ text }) => !text.startsWith('request ') || isHook(text));
      expect(end.map(({ text }) => text)).toEqual([
        'listens on 8080',
        `request /pre-stop?delayMs=${PRE_STOP_MS} by kube-lifecycle`,
        expect.stringMatching(/^SIGTERM with [1-9]\d* requests in flight$/),
        'exit with 0 requests in flight',
      ]);
      // Else it got the signal while its hook ran.
      const [, hookMs = 0, signalMs = 0] = end.map(({ atMs }) => atMs);
      expect(signalMs - hookMs).toBeGreaterThanOrEqual(PRE_STOP_MS);
    }
  });
});

describe('a pod with a process', () => {
  it('is Ready when the probe has succeeded and its gates are open', async () => {
    const gate = 'test.albridge.io/gate';
    const env = [{ name: 'ECHO_LISTENS_AFTER_MS', value: '10000' }];
    const readinessGates = [{ conditionType: gate }];
    await createPod('slow', { containers: [{ ...APP, env }], readinessGates });
    await namespace.when('pod', 'slow', (pod) => {
      return isRunning(pod) && conditionOf(pod, 'Ready')?.reason === 'ContainersNotReady';
    });
    const gated = await namespace.when('pod', 'slow', (pod) => {
      return conditionOf(pod, 'ContainersReady')?.status === 'True';
    });
    expect(conditionOf(gated, 'Ready')?.reason).toBe('ReadinessGatesNotReady');
    expect((await logOf('slow')).map(({ text }) => text)).toContain(
      'request /healthz by kube-probe',
    );

    const conditions = [{ type: gate, status: 'True' }];
    const patch = JSON.stringify({ status: { conditions } });
    await namespace.kubectl(['patch', 'pod', 'slow', '--subresource=status', '-p', patch]);
    const open = await namespace.when('pod', 'slow', isReady);
    expect(conditionOf(open, gate)?.status).toBe('True');
  });

  it('is killed when its grace period is over, of which preStop takes a part', async () => {
    const env = [{ name: 'ECHO_IGNORES_SIGTERM', value: 'true' }];
    const lifecycle = { preStop: { sleep: { seconds: 3 } } };
    const containers = [{ ...APP, env, lifecycle }];
    await createPod('stubborn', { containers, terminationGracePeriodSeconds: 15 });
    const pod = await namespace.when('pod', 'stubborn', isReady);
    const deletedMs = Date.now();
    await namespace.kubectl(['delete', 'pod', 'stubborn', WAIT]);
    const goneMs = Date.now();
    const log = await logOf('stubborn');
    const signalled = log.find(({ text }) => text.startsWith('SIGTERM'))?.atMs ?? 0;
    expect(signalled - deletedMs).toBeGreaterThanOrEqual(3000);
    expect(goneMs - deletedMs).toBeGreaterThanOrEqual(15_000);
    // It would have 15 s of its own if the hook did not count.
    expect(goneMs - signalled).toBeLessThan(15_000);
    expect(log.filter(({ text }) => text.startsWith('exit'))).toEqual([]);
    const [end] = await lastStates([pod]);
    expect(end?.status?.['phase']).toBe('Failed');
    expect(terminationOf(end?.status)).toMatchObject({ exitCode: 137, reason: 'Error' });
  });
});

const WAIT = '--timeout=120s';
const PRE_STOP_MS = 5000;
/** What begins before the pod is deregistered ends after the hook. */
const SLOW_MS = 7000;

const SHOP = [
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' } },
    spec: {
      replicas: 2,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: {
          labels: { app: 'shop', 'albridge.io/readiness-gate': 'true' },
          annotations: PROCESS,
        },
        spec: {
          readinessGates: [{ conditionType: READINESS_GATE }],
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              ...APP,
              lifecycle: {
                preStop: { httpGet: { path: `/pre-stop?delayMs=${PRE_STOP_MS}`, port: 'http' } },
              },
            },
          ],
        },
      },
    },
  },
  {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop' } },
    spec: { selector: { app: 'shop' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  },
];

function isHook(line: string): boolean {
  return line.endsWith(' by kube-lifecycle');
}

async function createPod(name: string, spec: object): Promise<void> {
  const metadata = { name, annotations: PROCESS };
  await namespace.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

function isRunning({ status }: Stored): boolean {
  return status?.['phase'] === 'Running';
}

function isReady(pod: Stored): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

async function whenGone(pod: string): Promise<void> {
  await until(`${pod} is gone`, async () => !(await namespace.exists('pod', pod)));
}

/** As the API server had them last. */
async function lastStates(pods: readonly Stored[]): Promise<readonly Stored[]> {
  const versions = pods.map(({ metadata }) => Number(metadata.resourceVersion));
  const query = `watch=1&resourceVersion=${Math.min(...versions)}&timeoutSeconds=1`;
  const { message } = await api.ask<{ readonly message: string }>({
    ...{ method: 'GET', path: `/api/v1/namespaces/default/pods?${query}` },
  });
  type Line = { readonly type: string; readonly object: Stored };
  const events = message
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return pods.flatMap(({ metadata: { uid } }) => {
    const last = events.find(
      ({ type, object }) => type === 'DELETED' && object.metadata.uid === uid,
    );
    return last === undefined ? [] : [last.object];
  });
}

function terminationOf(status: Stored['status']): object | undefined {
  type Container = { readonly state: { readonly terminated?: object } };
  const [container] = (status?.['containerStatuses'] ?? []) as readonly Container[];
  return container?.state.terminated;
}

interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** Of its process. */
async function logOf(pod: string): Promise<readonly LogLine[]> {
  const path = join(surroundings.controlPlane.directory, 'pods', `default_${pod}_app.log`);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const space = line.indexOf(' ');
    return { atMs: Date.parse(line.slice(0, space)), text: line.slice(space + 1) };
  });
}
