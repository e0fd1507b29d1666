import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws } from '../../localstack/embedded/embedded-aws.ts';
import { NO_LIMITS } from '../../src/aws/budget/budget-limits.ts';
import { wireAws } from '../../src/aws/client/wire.ts';
import type { ServedGroup } from '../../src/controllers/my-ingress/targets.ts';
import { loadCluster } from '../../src/kube/client/credentials.ts';
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts';
import { SetupContext, SharedContext } from '../../src/setup/context.ts';
import { type RunningTargets, setUpTargets } from '../../src/setup/targets.ts';
import { systemClock as clock } from '../../src/system-clock.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { EmbeddedAwsApi } from '../fakes/embedded-aws-api.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { transportOptions } from '../fakes/transport-options.ts';

/** Addresses of the pods that kwok plays. */
const POD_NETWORK = '10.64.0.0/16';
const leadership = { isLeader: () => true };
const log = new SilentLogger();
const metrics = new RecordingMetrics();

let plane: ControlPlane;
let transport: UndiciTransport;
let targets: RunningTargets;
let stop = async (): Promise<void> => {};

const aws = createEmbeddedAws({ clock, random: seededRandom(7), settings: { budget: 'off' } });
const api = new EmbeddedAwsApi(aws, clock);
const { traffic } = wireAws({ api, clock, leadership, metrics, budget: NO_LIMITS, log });

beforeAll(async () => {
  seedPodNetwork();
  plane = await startControlPlane({ controllerManager: true, scheduler: true, nodes: 1 });
  transport = new UndiciTransport(
    loadCluster({ kubeconfig: plane.kubeconfigPath }, clock),
    transportOptions('albridge-test'),
  );
  const ports = { transport, clock, log, metrics, leadership, acquired: Promise.resolve() };
  const settings = {
    ...{
      mode: 'reconcile' as const,
      readinessGates: false,
      kinds: [],
      clusterId: 'c1',
      namespaces: [],
      concurrency: 1,
    },
    ...{ sweepIntervalMs: 300_000, identity: 'test', podName: 'test' },
  };
  const shared = new SharedContext(ports, settings, new AbortController().signal);
  const context = new SetupContext(shared);
  const known = (): Promise<void> => Promise.resolve();
  const build = setUpTargets(context, {
    ...{ list: () => [], isActive: () => false, follow: () => () => {}, known },
  });
  await context.waitForSync();
  targets = build((payer) => traffic(payer).targets);
  const stopTargets = targets.changes(() => {});
  stop = async () => {
    stopTargets();
    await targets.stopped;
    await shared.watches.stop();
    await transport.close();
  };
});

afterAll(async () => {
  await stop();
  await plane.stop();
});

function seedPodNetwork(): void {
  const tagged = (ResourceType: string, Value: string): object[] => [
    { ResourceType, Tags: [{ Key: '_custom_id_', Value }] },
  ];
  aws.handle('CreateVpc', { CidrBlock: POD_NETWORK, TagSpecifications: tagged('vpc', 'vpc-pods') });
  aws.handle('CreateSubnet', {
    ...{ VpcId: 'vpc-pods', CidrBlock: POD_NETWORK, AvailabilityZone: 'us-east-1a' },
    TagSpecifications: tagged('subnet', 'subnet-pods'),
  });
}

async function serve(name: string, port: string | number): Promise<string> {
  const group = await traffic().targetGroups.create({
    ...{ name, targetType: 'ip', protocol: 'HTTP', protocolVersion: 'HTTP1', port: 80 },
    ...{ vpcId: 'vpc-pods', ipAddressType: 'ipv4', tags: { 'albridge.io/cluster': 'c1' } },
    healthCheck: {
      ...{ protocol: 'HTTP', port: 'traffic-port', path: '/', matcher: '200' },
      ...{ intervalSeconds: 15, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 2 },
    },
  });
  const served: ServedGroup = {
    ...{ backend: name, arn: group.arn, isNew: true, targetType: 'ip', ipAddressType: 'ipv4' },
    service: { name, port },
  };
  targets.publish(`default/${name}`, [served]);
  return group.arn;
}

function registered(arn: string): readonly string[] {
  const group = aws.world.traffic.targetGroups.byArn(arn);
  const all = [...(group?.targets.values() ?? [])];
  return all
    .filter(({ drainsUntilMs }) => drainsUntilMs === undefined)
    .map(({ id, port }) => `${id}:${port}`)
    .toSorted();
}

const problemOf = (name: string): string | undefined =>
  targets.read(`default/${name}`)[0]?.problem?.reason;

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const options = input === undefined ? {} : { input: JSON.stringify(input) };
  const { code, stdout, stderr } = await plane.kubectl(args, options);
  expect({ code, stderr }, `kubectl ${args.join(' ')}`).toMatchObject({ code: 0 });
  return stdout;
}

async function apply(...objects: readonly object[]): Promise<void> {
  await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects });
}

function deploymentOf(name: string, replicas: number): object {
  const labels = { app: name };
  const container = {
    ...{ name: 'app', image: 'nginx' },
    ports: [{ name: 'web', containerPort: 8080 }],
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
    spec: {
      ...{ replicas, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

function serviceOf(name: string, spec: object): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

const withPods = (name: string): object =>
  serviceOf(name, {
    selector: { app: name },
    ports: [{ name: 'http', port: 80, targetPort: 'web' }],
  });

/** Addresses of the pods that are Ready and not being deleted. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const json = await kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'json']);
  const { items } = JSON.parse(json) as { readonly items: readonly PodStatus[] };
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ status }) =>
      status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'),
    )
    .map(({ status }) => `${status.podIP}:8080`)
    .toSorted();
}

interface PodStatus {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const PATIENCE = { timeout: 120_000 } as const;

describe('targets of a real cluster', { concurrent: false }, () => {
  it('are the pods of a Deployment, by the slices that Kubernetes writes', async () => {
    const arn = await serve('shop', 'http');
    expect(problemOf('shop')).toBe('ServiceNotFound');
    await apply(withPods('shop'), deploymentOf('shop', 3));
    await expect.poll(() => registered(arn).length, PATIENCE).toBe(3);
    expect(registered(arn)).toEqual(await addressesOf('shop'));
    expect(targets.read('default/shop')).toMatchObject([
      { desired: 3, registered: 3, isFilled: true },
    ]);
  });

  it('follow a scaled and a restarted Deployment', async () => {
    const arn = await serve('cart', 80);
    await apply(withPods('cart'), deploymentOf('cart', 3));
    await expect.poll(() => registered(arn).length, PATIENCE).toBe(3);
    await kubectl(['scale', 'deployment/cart', '--replicas=1']);
    await expect.poll(() => registered(arn).length, PATIENCE).toBe(1);
    const [before] = registered(arn);
    await kubectl(['rollout', 'restart', 'deployment/cart']);
    await kubectl(['rollout', 'status', 'deployment/cart', '--timeout=120s']);
    await expect.poll(() => registered(arn).includes(before ?? ''), PATIENCE).toBe(false);
    expect(registered(arn)).toEqual(await addressesOf('cart'));
  });

  it('are removed with the last pod and with the Service', async () => {
    const arn = await serve('tea', 'http');
    await apply(withPods('tea'), deploymentOf('tea', 1));
    await expect.poll(() => registered(arn).length, PATIENCE).toBe(1);
    await kubectl(['scale', 'deployment/tea', '--replicas=0']);
    await expect.poll(() => registered(arn).length, PATIENCE).toBe(0);
    expect(problemOf('tea')).toBe('NoReadyEndpoints');
    await kubectl(['delete', 'service', 'tea']);
    await expect.poll(() => problemOf('tea'), PATIENCE).toBe('ServiceNotFound');
  });

  it('are those of a slice written by hand for a Service without a selector', async () => {
    const arn = await serve('legacy', 'http');
    const metadata = { name: 'legacy-1', labels: { 'kubernetes.io/service-name': 'legacy' } };
    await apply(serviceOf('legacy', { ports: [{ name: 'http', port: 80 }] }), {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata },
      ...{ addressType: 'IPv4', ports: [{ name: 'http', port: 8000, protocol: 'TCP' }] },
      endpoints: [
        { addresses: ['10.64.9.9'] },
        { addresses: ['10.64.9.8'], conditions: { ready: false } },
      ],
    });
    await expect.poll(() => registered(arn), PATIENCE).toEqual(['10.64.9.9:8000']);
  });

  it('are none where no container has the target port, and the reason says so', async () => {
    await serve('wrong', 'http');
    const ports = [{ name: 'http', port: 80, targetPort: 'nobody' }];
    await apply(
      serviceOf('wrong', { selector: { app: 'wrong' }, ports }),
      deploymentOf('wrong', 1),
    );
    await expect.poll(() => problemOf('wrong'), PATIENCE).toBe('TargetPortNotFound');
  });

  it('are none of a Service of type ExternalName', async () => {
    await serve('away', 80);
    await apply(
      serviceOf('away', {
        type: 'ExternalName',
        externalName: 'example.com',
        ports: [{ port: 80 }],
      }),
    );
    await expect.poll(() => problemOf('away'), PATIENCE).toBe('ExternalNameService');
  });
});
