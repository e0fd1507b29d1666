import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { startTarget } from '../fakes/http-target.ts';
import { importReadyCertificates } from '../surroundings/certificates.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { type Asked, askListener } from '../surroundings/listener-client.ts';
import { type PodRunner, startPodRunner } from '../surroundings/pod-runner.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';

/** The examples with traffic, applied as they are shipped, and asked by their DNS names. */

let surroundings: Surroundings;
let standIn: StandInControl;
let pods: PodRunner;

beforeAll(async () => {
  const workers = { controllerManager: true, scheduler: true, nodes: 2 };
  surroundings = await startSurroundings({ ...workers, provisioningMs: 0 });
  const endpoint = surroundings.aws.environment['AWS_ENDPOINT_URL'] as string;
  standIn = new StandInControl(endpoint);
  pods = startPodRunner(surroundings.controlPlane, endpoint);
  await surroundings.startOperator();
});

afterAll(async () => {
  await pods?.stop();
  await surroundings?.stop();
});

function kubectl(args: readonly string[], input?: string): Promise<string> {
  return kubectlOrThrow(surroundings.controlPlane, args, input);
}

function readExample(file: string): Promise<string> {
  return readFile(resolve(import.meta.dirname, '../../examples', file), 'utf8');
}

/** Waits until every target of the object is healthy. */
async function applied(name: string, manifests: string): Promise<void> {
  await kubectl(['apply', '-f', '-'], manifests);
  for (const type of ['Ready', 'BackendsResolved', 'TargetsHealthy']) {
    await kubectl(['wait', `--for=condition=${type}`, '--timeout=120s', `myingress/${name}`]);
  }
}

async function listenerOf(name: string, port: number): Promise<ListenerAddress> {
  const { status } = JSON.parse(
    await kubectl(['get', 'myingress', name, '-o', 'json']),
  ) as MyIngress;
  const found = (await standIn.listeners()).find((listener) => {
    return listener.dnsName === status.alb?.dns && listener.port === port;
  });
  if (found === undefined) throw new Error(`${name} has no listener on port ${port}`);
  return found;
}

/** The application whose pod answers: pods are called by their Deployment. */
async function applicationAt(listener: ListenerAddress, asked?: Asked): Promise<string> {
  const { status, body } = await askListener(listener, asked);
  expect(status, body).toBe(200);
  return /^pod=(.*)-[a-z0-9]+-[a-z0-9]+ /.exec(body)?.[1] ?? body;
}

async function deleted(manifests: string): Promise<void> {
  await kubectl(['delete', '--timeout=120s', '-f', '-'], manifests);
  const { listeners, loadBalancers, securityGroups, targetGroups } = await standIn.state();
  expect([...listeners, ...loadBalancers, ...targetGroups]).toEqual([]);
  expect(JSON.stringify(securityGroups)).not.toContain('albridge.io/');
}

/** The first manifest of a page. */
async function readManifest(page: string): Promise<string> {
  const text = await readFile(resolve(import.meta.dirname, '../../docs', page), 'utf8');
  const [, manifest = ''] = /^```yaml\n(apiVersion[^]*?)^```$/m.exec(text) ?? [];
  return manifest;
}

describe('the manifest of docs/zero-downtime.md', () => {
  it('is a whole: requests reach its pods', async () => {
    const manifests = await readManifest('zero-downtime.md');
    await applied('shop', manifests);
    const listener = await listenerOf('shop', 80);
    expect(await applicationAt(listener)).toBe('shop');
    const { targetGroups } = await standIn.state();
    expect(targetGroups).toHaveLength(1);
    await deleted(manifests);
  });
});

describe('the examples with traffic', () => {
  it('06-one-backend.yaml: requests reach the pods of the Service', async () => {
    const manifests = await readExample('06-one-backend.yaml');
    await applied('hello', manifests);
    const listener = await listenerOf('hello', 80);
    expect(await applicationAt(listener, { path: '/anything' })).toBe('hello');
    const columns = await kubectl(['get', 'myingress', 'hello', '--no-headers']);
    expect(columns).toMatch(/^hello +internet-facing +active +\S+amazonaws\.com +2\/2 +True /);
    await deleted(manifests);
  });

  it('07-two-paths.yaml: each path has its application', async () => {
    const manifests = await readExample('07-two-paths.yaml');
    await applied('store', manifests);
    const listener = await listenerOf('store', 80);
    const at = (path: string): Promise<string> => applicationAt(listener, { path });
    expect(await at('/')).toBe('store-web');
    expect(await at('/apis')).toBe('store-web');
    for (const path of ['/api', '/api/orders']) expect(await at(path)).toMatch(/^store-api/);
    await until('the next release answers', async () => (await at('/api')) === 'store-api-next');
    await deleted(manifests);
  });

  it('08-https-redirect.yaml: HTTP redirects to HTTPS, where each host has its application', async () => {
    const example = await readExample('08-https-redirect.yaml');
    const [certificate = ''] = await importReadyCertificates(surroundings.aws.environment);
    const manifests = example.replace(/arn:aws:acm:\S+/, certificate);
    expect(manifests).toContain(certificate);
    await applied('secure', manifests);
    const plain = await askListener(await listenerOf('secure', 80), { path: '/a?b=c' });
    expect(plain.status).toBe(301);
    expect(plain.location).toMatch(/^https:\/\/secure-alb-[^/]+:443\/a\?b=c$/);
    const listener = await listenerOf('secure', 443);
    expect(await applicationAt(listener, { host: 'shop.example.com' })).toBe('secure-web');
    expect(await applicationAt(listener, { host: 'admin.shop.example.com' })).toBe('secure-admin');
    await deleted(manifests);
  });

  it('09-sticky-sessions.yaml: a client stays at its release, and at its pod', async () => {
    const manifests = await readExample('09-sticky-sessions.yaml');
    await applied('basket', manifests);
    const listener = await listenerOf('basket', 80);
    const { body, cookie } = await askListener(listener);
    expect(cookie).toMatch(/AWSALBTG=.*AWSALB=/);
    for (let sent = 0; sent < 20; sent += 1) {
      expect(await askListener(listener, { cookie })).toMatchObject({ status: 200, body });
    }
    await deleted(manifests);
  });

  it('10-rules.yaml: each rule does what its comment says', async () => {
    const manifests = await readExample('10-rules.yaml');
    await applied('rules', manifests);
    const listener = await listenerOf('rules', 80);
    const at = (asked: Asked): Promise<object> => askListener(listener, asked);
    expect(await at({ path: '/old/a' })).toMatchObject({
      status: 301,
      location: expect.stringMatching(/^http:.*\/new\?from=old\/a$/),
    });
    expect(await at({ path: '/tea' })).toMatchObject({ status: 418, body: 'short and stout' });
    expect(await at({ path: '/' })).toMatchObject({ status: 404, body: '<h1>Nothing here</h1>' });
    expect(await applicationAt(listener, { path: '/api/v1' })).toBe('rules-web');
    for (const host of ['de.example.com', 'pl.example.com']) {
      expect(await applicationAt(listener, { host })).toBe('rules-web');
    }
    const machines = await askListener(await listenerOf('rules', 8080), { path: '/' });
    expect(machines).toMatchObject({ status: 403, body: 'for machines only' });
    await deleted(manifests);
  });

  it('12-discovery.yaml: in the tagged subnets, with the certificate of its host', async () => {
    const [certificate] = await importReadyCertificates(surroundings.aws.environment);
    const manifests = await readExample('12-discovery.yaml');
    await applied('discovery', manifests);
    const shown = await kubectl([
      'get',
      'myingress',
      'discovery',
      '-o',
      'jsonpath={.status.subnets}',
    ]);
    expect(JSON.parse(shown)).toEqual([...surroundings.aws.network.subnets].toSorted());
    const found = await kubectl([
      ...['get', 'myingress', 'discovery', '-o'],
      'jsonpath={.status.listeners[1].certificates[*].arn}',
    ]);
    expect(found).toMatch(/^arn:aws:acm:/);
    expect(certificate).toMatch(/^arn:aws:acm:/);
    const listener = await listenerOf('discovery', 443);
    expect(await applicationAt(listener, { host: 'shop.example.com' })).toBe('discovery-web');
    await deleted(manifests);
  });

  it('webapp-04-expose.yaml: each application answers for its host and paths, and for no other', async () => {
    const manifests = await readExample('webapp-04-expose.yaml');
    await kubectl(['apply', '-f', '-'], manifests);
    await kubectl(['wait', '--for=condition=Ready', '--timeout=120s', 'myingress/shared']);
    for (const name of ['shop', 'blog']) {
      await kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=120s']);
      await kubectl(['wait', '--for=condition=Exposed', '--timeout=120s', `webapp/${name}`]);
    }
    const listener = await listenerOf('shared', 80);
    const [shop, blog] = ['shop.example.com', 'www.example.com'];
    for (const host of [shop, blog]) {
      await until(`${host} answers`, async () => {
        return (await askListener(listener, { host, path: '/blog' })).status === 200;
      });
    }
    expect(await applicationAt(listener, { host: shop, path: '/' })).toBe('shop');
    expect(await applicationAt(listener, { host: shop, path: '/blog' })).toBe('shop');
    expect(await applicationAt(listener, { host: blog, path: '/blog' })).toBe('blog');
    expect(await applicationAt(listener, { host: blog, path: '/blog/2026' })).toBe('blog');
    expect(await askListener(listener, { host: blog, path: '/' })).toMatchObject({ status: 404 });
    const ofNobody = await askListener(listener, { host: 'other.example.com', path: '/blog' });
    expect(ofNobody).toMatchObject({ status: 404 });
    await deleted(manifests);
  });

  it('11-nodes.yaml: requests reach the node port, and a node that is excluded gets none', async () => {
    const manifests = await readExample('11-nodes.yaml');
    await kubectl(['apply', '-f', '-'], manifests);
    await kubectl(['rollout', 'status', 'deployment/overlay-web', '--timeout=120s']);
    const field = '{.spec.ports[0].nodePort}';
    const port = Number(await kubectl(['get', 'svc', 'overlay-web', '-o', `jsonpath=${field}`]));
    const subnets = surroundings.aws.network.articleSubnets;
    const rows: MappedTarget[] = [];
    for (const [index, subnet] of subnets.entries()) {
      const ip = `i-${String(index).padStart(17, '0')}`;
      await standIn.putInstance(ip, subnet);
      const spec = { providerID: `aws:///us-east-1a/${ip}` };
      await kubectl(['patch', 'node', `node-${index}`, '-p', JSON.stringify({ spec })]);
      const node = await startTarget(`node-${index}`);
      onTestFinished(() => node.stop());
      rows.push({ ip, port, address: node.address });
    }
    // As kube-proxy would have it; the pods are up, so that nobody else writes the table.
    await standIn.setTargets(rows);
    await applied('overlay', manifests);
    const listener = await listenerOf('overlay', 80);
    const answering = async (): Promise<string> => (await askListener(listener)).body;
    await until('node-1 answers', async () => (await answering()) === 'node-1');
    const label = 'node.kubernetes.io/exclude-from-external-load-balancers=';
    await kubectl(['label', 'node', 'node-1', label]);
    const counts = (targets: string): Promise<string> =>
      kubectl(['wait', `--for=jsonpath={.status.targets}=${targets}`, 'myingress/overlay']);
    await counts('1/1');
    for (let sent = 0; sent < 10; sent += 1) expect(await answering()).toBe('node-0');
    await kubectl(['label', 'node', 'node-1', label.replace('=', '-')]);
    await counts('2/2');
    await deleted(manifests);
  });
});
