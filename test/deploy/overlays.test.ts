import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { limitOperator, readClusterId } from '../surroundings/limited-operator.ts';
import { arnOf, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { CredentialDesk } from './credential-desk.ts';
import { startKubectlProxy } from './kubectl-proxy.ts';
import { DeployPlace } from './place.ts';
import type { Pod } from './pod-environment.ts';

/** Each overlay on a real control plane, and the operator as its pods have it. */

let audit: AuditLog;
let place: DeployPlace;
let desk: CredentialDesk;
let objects: MyIngresses;

beforeAll(async () => {
  audit = await createAuditLog();
  place = await DeployPlace.start(audit.apiServerArgs);
  desk = await CredentialDesk.open();
});

afterAll(async () => {
  desk?.close();
  await place?.stop();
  await audit?.remove();
});
afterEach(() => place.stopPods());

/** From an object to a balancer and back. */
async function liveOnce(): Promise<void> {
  await objects.create('web', { subnets: place.aws.network.articleSubnets });
  const arn = arnOf(await objects.whenReady('web'));
  expect(await place.standIn.balancer(arn)).toBeDefined();
  await objects.startDeleting('web');
  await objects.isGone('web');
  expect(await place.standIn.balancers()).toEqual([]);
}

async function podOf(overlay: string, namespace?: string): Promise<Pod> {
  await place.apply(`deploy/overlays/${overlay}`);
  const clusterId = overlay === 'namespaced' ? 'my-cluster' : await readClusterId(place.cluster);
  await limitOperator(place.aws.environment, clusterId);
  const [pod] = await place.pods(namespace);
  return pod as Pod;
}

/** Only the address of the stand-in, which has no DNS name: no credentials. */
function endpoint(): Readonly<Record<string, string>> {
  return { AWS_ENDPOINT_URL: place.aws.environment['AWS_ENDPOINT_URL'] as string };
}

/** Nodes are of no namespace: none is read, and the object says so. */
async function refuseInstances(): Promise<void> {
  const backend = {
    name: 'web',
    service: { name: 'web', port: 80 },
    targetType: 'instance',
  } as const;
  const subnets = place.aws.network.articleSubnets;
  await objects.create('nodes', { subnets, backends: [backend] });
  const says = ({ status }: MyIngress): boolean =>
    status.backends?.[0]?.message?.startsWith('nodes are not read here; set targetType') === true;
  await objects.when('nodes', says, 60_000);
  await objects.startDeleting('nodes');
  await objects.isGone('nodes');
}

describe('the overlay namespaced', () => {
  it('serves its namespace with no right in the cluster', async () => {
    // Once, by an administrator.
    objects = await place.createNamespace('web');
    await place.kubectl(['apply', '--server-side', '-k', 'deploy/cluster']);
    await place.established();

    const pod = await podOf('namespaced', 'web');
    const all = await place.kubectl(['get', 'clusterroles,clusterrolebindings', '-o', 'name']);
    expect(all.split('\n').filter((name) => name.includes('albridge'))).toEqual([]);
    const { operator } = await place.play(pod, {
      injected: { ...place.aws.environment, ALBRIDGE_SWEEP_INTERVAL: '1s' },
    });
    await operator.waitForLine((line) => line.msg === 'working');
    await liveOnce();
    await refuseInstances();

    const account = 'system:serviceaccount:web:albridge';
    const entries = (await audit.entries()).filter(({ user }) => user.username === account);
    expect(entries.length).toBeGreaterThan(10);
    const refused = entries.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map(({ requestURI }) => requestURI)).toEqual([]);
    const outside = entries.filter(({ objectRef }) => objectRef?.namespace !== 'web');
    expect(outside.map(({ requestURI }) => requestURI)).toEqual([]);
  });

  it('leaves the objects of other namespaces to others', async () => {
    const others = await place.createNamespace('others');
    const [pod] = await place.pods('web');
    await place.work(pod as Pod);
    await others.create('web', { subnets: place.aws.network.articleSubnets });
    await liveOnce();
    expect((await others.get('web')).status.observedGeneration).toBe(-1);
    await place.kubectl(['delete', 'namespace', 'others']);
    await place.kubectl(['delete', '-k', 'deploy/overlays/namespaced']);
  });
});

describe('the overlay localstack', () => {
  it('reaches the stand-in with what its ConfigMap says', async () => {
    const pod = await podOf('localstack');
    const addresses = {
      'http://localstack.localstack.svc.cluster.local:4566': endpoint()['AWS_ENDPOINT_URL'] ?? '',
    };
    const { operator } = await place.play(pod, { addresses });
    await operator.waitForLine((line) => line.msg === 'working');
    await liveOnce();
  });
});

describe('the overlay irsa', () => {
  it('works with the credentials that STS gives to the ServiceAccount', async () => {
    const pod = await podOf('irsa');
    const account = ['-n', 'albridge-system', 'get', 'serviceaccount', 'albridge'];
    const role = await place.kubectl([
      ...account,
      '-o',
      String.raw`jsonpath={.metadata.annotations.eks\.amazonaws\.com/role-arn}`,
    ]);
    expect(role).toMatch(/^arn:aws:iam::\d{12}:role\/albridge$/);
    const { operator } = await place.play(pod, {
      injected: {
        ...endpoint(),
        AWS_REGION: 'us-east-1',
        AWS_ROLE_ARN: role,
        AWS_WEB_IDENTITY_TOKEN_FILE: await place.openFile('token', 'web-identity-token'),
        AWS_ENDPOINT_URL_STS: desk.url,
      },
    });
    await operator.waitForLine((line) => line.msg === 'working');
    await liveOnce();
    expect(desk.handedTo).toEqual([`${role} web-identity-token`]);
  });

  it('names the trust policy on the object where the role does not trust the ServiceAccount', async () => {
    desk.trusts = false;
    const { operator } = await place.play(await podOf('irsa'), {
      injected: {
        ...endpoint(),
        AWS_REGION: 'us-east-1',
        AWS_ROLE_ARN: 'arn:aws:iam::000000000000:role/albridge',
        AWS_WEB_IDENTITY_TOKEN_FILE: await place.openFile('token', 'web-identity-token'),
        AWS_ENDPOINT_URL_STS: desk.url,
      },
    });
    await operator.waitForLine((line) => line.msg === 'working');
    await objects.create('distrusted', { subnets: place.aws.network.articleSubnets });
    const denied = await objects.whenReason('distrusted', 'AccessDenied');
    expect(readyOf(denied)?.message).toContain('as deploy/iam/trust-irsa.json does');

    desk.trusts = true;
    await objects.annotate('distrusted', { 'albridge.io/reconcile-requested-at': 'now' });
    await objects.whenReady('distrusted');
    await objects.startDeleting('distrusted');
    await objects.isGone('distrusted');
  });
});

describe('the overlay eks-pod-identity', () => {
  it('works with the credentials that the agent gives to the pod', async () => {
    const pod = await podOf('eks-pod-identity');
    const { operator } = await place.play(pod, {
      injected: {
        ...endpoint(),
        AWS_REGION: 'us-east-1',
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${desk.url}/v1/credentials`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await place.openFile('token', 'pod-identity-token'),
      },
    });
    await operator.waitForLine((line) => line.msg === 'working');
    await liveOnce();
    expect(desk.handedTo).toContain('pod-identity-token');
  });
});

describe('the overlay kubectl-proxy', () => {
  it('works through a real kubectl proxy, without a token of its own', async () => {
    const pod = await podOf('kubectl-proxy');
    const [sidecar] = pod.spec.initContainers ?? [];
    expect(sidecar?.command?.slice(0, 2)).toEqual(['kubectl', 'proxy']);
    const kubeconfig = await place.cluster.serviceAccountKubeconfig('albridge-system', 'albridge');
    const proxy = await startKubectlProxy(
      place.cluster,
      kubeconfig,
      sidecar?.command?.slice(1) ?? [],
    );
    const { operator } = await place.play(pod, {
      addresses: { 'http://127.0.0.1:8001': proxy.url },
      injected: place.aws.environment,
    });
    await operator.waitForLine((line) => line.msg === 'working', 90_000);
    expect(operator.log[0]).toMatchObject({ cluster: proxy.url });
    await liveOnce();
    await place.stopPods();
    await proxy.stop();
  });
});
