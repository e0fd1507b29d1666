import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import { READINESS_GATE } from '../../src/pods/pod.ts';
import { askListener } from '../surroundings/listener-client.ts';
import type { MyIngresses } from '../surroundings/my-ingresses.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';
import { SlowPods } from './slow-pods.ts';

/** Between the control plane of AWS and its data plane. */
const LAG_MS = 2_000;
/** The application serves so long after Kubernetes takes its pod for ready. */
const START_MS = 6_000;
/** More than the lag. */
const PRE_STOP_SECONDS = 8;
const BETWEEN_REQUESTS_MS = 20;
const COMPONENT = resolve(import.meta.dirname, '../../deploy/components/readiness-gates');

let surroundings: Surroundings;
let place: Place;
let pods: SlowPods;

beforeAll(async () => {
  surroundings = await startSurroundings({
    ...{ provisioningMs: 0, controllerManager: true, scheduler: true, nodes: 1 },
  });
  place = placeOf(surroundings);
  for (const file of ['rights.yaml', 'policy.yaml', 'operator/policy.yaml']) {
    await place.kubectl(['apply', '--server-side', '-f', resolve(COMPONENT, file)]);
  }
  await surroundings.startOperator({ ALBRIDGE_READINESS_GATES: 'on' });
  await place.standIn.changeSettings({ propagationMs: LAG_MS });
  pods = new SlowPods(place.api, place.standIn, START_MS);
  pods.start();
});

afterAll(async () => {
  await pods?.stop();
  place?.close();
  await surroundings?.stop();
});

function deployment(release: string): object {
  const container = {
    ...{ name: 'app', image: 'shop', env: [{ name: 'RELEASE', value: release }] },
    ports: [{ name: 'http', containerPort: 8080 }],
    lifecycle: { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } },
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' } },
    spec: {
      replicas: 4,
      strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: { labels: { app: 'shop' } },
        spec: { terminationGracePeriodSeconds: 30, containers: [container] },
      },
    },
  };
}

const SERVICE = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop' } },
  spec: { selector: { app: 'shop' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
};

async function apply(namespace: string, object: object): Promise<void> {
  await place.kubectl(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(object));
}

/** A namespace with an application of four pods, which a load balancer reaches. */
async function serve(prefix: string, isGated: boolean): Promise<MyIngresses> {
  const objects = await place.createNamespace(prefix);
  const { namespace } = objects;
  if (isGated) await enableGates(namespace);
  await apply(namespace, SERVICE);
  await apply(namespace, deployment('one'));
  await objects.create('shop', {
    subnets: place.network.articleSubnets,
    backends: [
      {
        ...{ name: 'shop', service: { name: 'shop', port: 'http' } },
        healthCheck: { intervalSeconds: 12, timeoutSeconds: 10 },
      },
    ],
  });
  await objects.whenReady('shop');
  await objects.when('shop', ({ status }) => status?.targets === '4/4');
  await place.kubectl([
    ...['-n', namespace, 'wait', '--timeout=90s'],
    ...['--for=condition=TargetsHealthy', 'myingress/shop'],
  ]);
  await rolledOut(namespace);
  return objects;
}

async function enableGates(namespace: string): Promise<void> {
  await place.kubectl(['label', 'namespace', namespace, 'albridge.io/readiness-gates=enabled']);
  const dryRun = ['run', 'probe', '--image=shop', '--dry-run=server', '-o', 'json'];
  await until('new pods get the gate', async () =>
    (await place.kubectl(['-n', namespace, ...dryRun]).catch(() => '')).includes(READINESS_GATE),
  );
}

async function rolledOut(namespace: string): Promise<void> {
  const status = ['rollout', 'status', 'deployment/shop', '--timeout=120s'];
  await place.kubectl(['-n', namespace, ...status]);
}

interface Counts {
  sent: number;
  lost: number;
}

/** Sends a request each 20 ms until `work` is over; what is not a 200 is lost. */
async function countLost(listener: ListenerAddress, work: () => Promise<void>): Promise<Counts> {
  const counts: Counts = { sent: 0, lost: 0 };
  const inFlight = new Set<Promise<void>>();
  let isOver = false;
  const ask = async (): Promise<void> => {
    counts.sent += 1;
    const status = await askListener(listener).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status !== 200) counts.lost += 1;
  };
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const asked = ask();
    inFlight.add(asked);
    void asked.finally(() => inFlight.delete(asked));
    await sleep(BETWEEN_REQUESTS_MS);
  }
  await working;
  await Promise.all(inFlight);
  return counts;
}

/** A new release, until its last predecessor is gone. */
async function release(
  { namespace }: MyIngresses,
  object: object = deployment('two'),
): Promise<void> {
  await apply(namespace, object);
  await rolledOut(namespace);
  await until('only the new release is left', async () => {
    const names = await place.kubectl(['-n', namespace, 'get', 'pods', '-o', 'name']);
    return names.trim().split('\n').length === 4;
  });
  await sleep(START_MS);
}

async function findListener(objects: MyIngresses): Promise<ListenerAddress> {
  const { status } = await objects.get('shop');
  return until('its listener is open', async () => {
    const listeners = await place.standIn.listeners();
    return listeners.find(({ dnsName }) => dnsName === status?.alb?.dns);
  });
}

/** Each test has a namespace of its own and mostly waits: for starts, hooks, checks and the lag. */
const BESIDE_EACH_OTHER = { concurrent: true, timeout: 300_000 } as const;

async function releaseOver(objects: MyIngresses): Promise<Counts> {
  return countLost(await findListener(objects), () => release(objects));
}

describe(
  'a rolling update of an application that serves later than it is ready',
  BESIDE_EACH_OTHER,
  () => {
    it('loses no request with the gate, and some without', async () => {
      const [withGate, without] = await Promise.all([
        serve('gated', true).then(releaseOver),
        serve('plain', false).then(releaseOver),
      ]);
      expect(withGate.sent).toBeGreaterThan(500);
      expect(withGate.lost).toBe(0);
      expect(without.lost).toBeGreaterThan(0);
    });
  },
);

function webApp(image: string): object {
  const metadata = { name: 'shop' };
  return { apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata, spec: { ...APP, image } };
}

const APP = { replicas: 4, port: 8080 };
const APP_GATES = Array.from({ length: APP.replicas }, () => 'Healthy');

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly readinessGates?: readonly object[];
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly { readonly image: string; readonly lifecycle?: object }[];
  };
}

function whenTemplate(
  namespace: string,
  what: string,
  isIt: (template: Template) => boolean,
): Promise<Template> {
  return until(what, async () => {
    const json = await place.kubectl(['-n', namespace, 'get', 'deployment', 'shop', '-o', 'json']);
    const { template } = (JSON.parse(json) as { readonly spec: { readonly template: Template } })
      .spec;
    return isIt(template) && template;
  });
}

const hasGate = ({ spec }: Template): boolean => spec.readinessGates !== undefined;

/** A WebApp, and then a load balancer for it, in a namespace without the policy. */
async function serveWebApp(): Promise<MyIngresses> {
  const objects = await place.createNamespace('webapp');
  const { namespace } = objects;
  await apply(namespace, webApp('shop:1'));
  const plain = await whenTemplate(namespace, 'a Deployment', () => true);
  expect(hasGate(plain)).toBe(false);
  await rolledOut(namespace);
  const healthCheck = { intervalSeconds: 5, timeoutSeconds: 4 };
  const service = { name: 'shop', port: 'http' };
  await objects.create('shop', {
    subnets: place.network.articleSubnets,
    backends: [{ name: 'shop', service, healthCheck }],
  });
  await whenTemplate(namespace, 'the gate', hasGate);
  await rolledOut(namespace);
  await whenOnlyPodsAreTargets(objects);
  return objects;
}

/** The pods that had no hook have ended by then, and no request goes to them any longer. */
async function whenOnlyPodsAreTargets(objects: MyIngresses): Promise<void> {
  const { status } = await objects.get('shop');
  const arn = status?.backends?.[0]?.targetGroupARN;
  await until('the targets are the pods', async () => {
    const addresses = await listPods(objects.namespace, '.status.podIP');
    const { targetGroups } = await place.standIn.state();
    const { targets = [] } = targetGroups.find((group) => group.arn === arn) ?? {};
    const served = targets.filter(({ state }) => state !== 'draining').map(({ id }) => id);
    return addresses.length === APP.replicas && isSame(served, addresses);
  });
  await sleep(2 * LAG_MS);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

/** `albridge.io/targets-healthy` of each pod that stays. */
function listGates(namespace: string): Promise<readonly string[]> {
  return listPods(namespace, `.status.conditions[?(@.type=="${READINESS_GATE}")].reason`);
}

/** One field of each pod. */
async function listPods(namespace: string, field: string): Promise<readonly string[]> {
  const path = `{range .items[*]}{${field}}{"\\n"}{end}`;
  const said = await place.kubectl(['-n', namespace, 'get', 'pods', '-o', `jsonpath=${path}`]);
  return said.trim().split('\n');
}

/** Another hook of the WebApp's container, as a user sets one. */
function patchHook(namespace: string, preStop: object): Promise<string> {
  const containers = [{ name: 'app', lifecycle: { preStop } }];
  const patch = JSON.stringify({ spec: { template: { spec: { containers } } } });
  return place.kubectl(['-n', namespace, 'patch', 'deployment', 'shop', '-p', patch]);
}

describe('a WebApp whose Service a MyIngress names', BESIDE_EACH_OTHER, () => {
  it('loses no request in a rolling update, without the policy', async () => {
    const objects = await serveWebApp();
    const { namespace } = objects;
    const counts = await countLost(await findListener(objects), () =>
      release(objects, webApp('shop:2')),
    );
    expect(counts.sent).toBeGreaterThan(500);
    expect(counts.lost).toBe(0);
    expect(await listGates(namespace)).toEqual(APP_GATES);
    const { status } = await objects.get('shop');
    const types = status?.conditions?.map(({ type }) => type);
    expect(types, 'no warning of pods that end early').not.toContain('PodsOutlastRequests');
  });

  it('keeps the hook of its users, and loses the gate alone with its MyIngress', async () => {
    const objects = await serveWebApp();
    const { namespace } = objects;
    const exec = { command: ['drain'] };
    await patchHook(namespace, { sleep: null, exec });
    await apply(namespace, webApp('shop:2'));
    const hooked = await whenTemplate(namespace, 'the new image', ({ spec }) =>
      spec.containers.some(({ image }) => image === 'shop:2'),
    );
    expect(hasGate(hooked)).toBe(true);
    expect(hooked.spec.containers[0]?.lifecycle).toEqual({ preStop: { exec } });
    await place.kubectl(['-n', namespace, 'delete', 'myingress', 'shop', '--wait=false']);
    const plain = await whenTemplate(namespace, 'no gate', (template) => !hasGate(template));
    expect(plain.metadata.labels).not.toHaveProperty(['albridge.io/readiness-gate']);
    expect(plain.spec.terminationGracePeriodSeconds).toBe(30);
    expect(plain.spec.containers[0]?.lifecycle).toEqual({ preStop: { exec } });
    await rolledOut(namespace);
  });
});
