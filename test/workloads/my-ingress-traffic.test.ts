import { describe, expect, inject, it } from 'vitest';
import { importReadyCertificates } from '../surroundings/certificates.ts';
import { type Answer, askCertificate, RequestStream } from '../surroundings/listener-client.ts';
import { conditionOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { type Namespace, SharedPlace } from './place.ts';
import { Shop } from './shop.ts';

const place = new SharedPlace();

const backend = (name: string): { name: string; service: { name: string; port: string } } => ({
  name,
  service: { name, port: 'http' },
});

/** The application whose pod has answered: pods are called by their Deployment. */
function applicationOf({ body }: Answer): string {
  return /^pod=(.*)-[a-z0-9]+-[a-z0-9]+ /.exec(body)?.[1] ?? body;
}

function podOf({ body }: Answer): string {
  return /^pod=(\S+)/.exec(body)?.[1] ?? body;
}

function codesOf(answers: readonly Answer[]): readonly number[] {
  return [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b);
}

describe('requests by the DNS name of a balancer', { concurrent: true }, () => {
  it('are shared out by weight, and all move by an edit that loses none', async () => {
    const shop = await Shop.open(place, 'weights');
    await shop.run({ stable: {}, next: {} });
    const weigh = (stable: number, next: number) => ({
      forward: [
        { backend: 'stable', weight: stable },
        { backend: 'next', weight: next },
      ],
    });
    const rules = [{ name: 'api', paths: ['/api/*'], ...weigh(3, 1) }];
    const defaultAction = { forward: [{ backend: 'stable' }] };
    await shop.create({
      backends: [backend('stable'), backend('next')],
      rules,
      defaultAction,
    });
    await shop.whenHealthy();
    const { standIn } = shop;
    const listener = await shop.listener();
    const stream = new RequestStream(listener, { path: '/api/orders' });
    await until('400 answers', async () => stream.answers.length >= 400, 120_000);
    const moved = stream.answers
      .slice(0, 400)
      .filter((one) => applicationOf(one) === 'next').length;
    // A quarter of 400, and six standard deviations.
    expect(moved).toBeGreaterThan(48);
    expect(moved).toBeLessThan(152);

    await shop.edit({ rules: [{ name: 'api', paths: ['/api/*'], ...weigh(0, 1) }] });
    await shop.whenReady();
    const before = stream.answers.length;
    await until('20 more answers', async () => stream.answers.length >= before + 20);
    const answers = await stream.stop();
    expect(codesOf(answers)).toEqual([200]);
    // Those that were under way when the object became Ready are older.
    expect(new Set(answers.slice(before + 8).map(applicationOf))).toEqual(new Set(['next']));
    expect(applicationOf(await shop.ask('/'))).toBe('stable');
    const changes = await standIn.operatorCalls('ModifyRule');
    expect(
      changes.filter(({ input }) =>
        JSON.stringify(input).includes(listenerId(listener.loadBalancerArn)),
      ),
    ).toHaveLength(1);
  });

  it('meet the certificate of their host, also while certificates are exchanged', async () => {
    const shop = await Shop.open(place, 'sni');
    const [first = '', second = ''] = await importReadyCertificates(
      inject('workloads').awsEnvironment,
    );
    await shop.run({ web: {} });
    const secure = (...certificates: readonly string[]) => ({
      listeners: [
        { port: 80, protocol: 'HTTP' as const, redirectToHTTPS: true },
        { port: 443, protocol: 'HTTPS' as const, certificates },
      ],
    });
    await shop.create({ backends: [backend('web')], ...secure(first, second) });
    await shop.whenHealthy();
    const listener = await shop.listener(443);
    expect(await askCertificate(listener, 'shop.example.com')).toContain('DNS:shop.example.com');
    expect(await askCertificate(listener, 'www.example.org')).toContain('DNS:example.org');
    expect(await askCertificate(listener, 'unknown.example.net')).toContain('DNS:shop.example.com');
    expect(await shop.ask('/a?b', 80)).toMatchObject({
      status: 301,
      location: `https://${listener.dnsName}:443/a?b`,
    });

    const stream = new RequestStream(listener, { host: 'shop.example.com' });
    await shop.edit(secure(second));
    await shop.whenReady();
    expect(codesOf(await stream.stop())).toEqual([200]);
    expect(await askCertificate(listener, 'unknown.example.net')).toContain('DNS:example.org');
  });

  it('reach a pod until it is deregistered, which happens before it stops', async () => {
    const shop = await Shop.open(place, 'leaving');
    await shop.run({ web: { replicas: 3 } });
    await shop.create({ backends: [backend('web')] });
    await shop.whenHealthy();
    const [pod] = await podsIn(shop.namespace);
    if (pod === undefined) throw new Error('no pod');
    const listener = await shop.listener();
    const stream = new RequestStream(listener);
    await until('the pod answers', async () =>
      stream.answers.some((one) => podOf(one) === pod.name),
    );

    // As long as a preStop hook would keep it.
    await setFinalizers(shop.namespace, pod.name, ['test.albridge.io/hold']);
    await shop.namespace.kubectl(['delete', 'pod', pod.name, '--wait=false']);
    await whenDeregistered(shop, pod.ip);
    expect(await shop.namespace.exists('pod', pod.name)).toBe(true);
    await setFinalizers(shop.namespace, pod.name, []);
    await until('its successor answers', async () => {
      const known = (await podsIn(shop.namespace)).map(({ name }) => name);
      const [newest] = stream.answers.slice(-20).filter((one) => !known.includes(podOf(one)));
      return newest === undefined && new Set(stream.answers.slice(-20).map(podOf)).size === 3;
    });
    expect(codesOf(await stream.stop())).toEqual([200]);
  });

  it('are answered by the other pods when one dies at once', async () => {
    const shop = await Shop.open(place, 'dying');
    await shop.run({ web: { replicas: 3 } });
    await shop.create({ backends: [backend('web')] });
    await shop.whenHealthy();
    const [pod] = await podsIn(shop.namespace);
    if (pod === undefined) throw new Error('no pod');
    const stream = new RequestStream(await shop.listener());
    await until('the pod answers', async () =>
      stream.answers.some((one) => podOf(one) === pod.name),
    );
    await shop.namespace.kubectl(['delete', 'pod', pod.name, '--grace-period=0', '--force']);
    await whenDeregistered(shop, pod.ip);
    const before = stream.answers.length;
    await until('the others answer', async () => stream.answers.length >= before + 20);
    const answers = await stream.stop();
    // 502: the connection broke. 504: it never came about.
    expect([200, 502, 504]).toEqual(expect.arrayContaining([...codesOf(answers)]));
    // Those that were under way when the target went are older.
    const after = answers.slice(before + 8);
    expect(after.map(podOf)).not.toContain(pod.name);
    expect(after.filter(({ status }) => status === 200).length).toBeGreaterThan(8);
  });
});

describe('a deleted object with traffic', { concurrent: true }, () => {
  it('exists until balancer, groups and security group are deleted, and waits for the interfaces', async () => {
    const shop = await Shop.open(place, 'deleted');
    await shop.run({ web: {}, api: {} });
    const defaultAction = { forward: [{ backend: 'web' }] };
    const rules = [{ name: 'api', paths: ['/api'], forward: [{ backend: 'api' }] }];
    await shop.create({ backends: [backend('web'), backend('api')], rules, defaultAction });
    const before = await shop.whenHealthy();
    const { address } = await shop.listener();
    expect(await shop.left()).toHaveLength(6);

    const said = await shop.namespace.kubectl(['delete', 'myingress', 'shop', '--timeout=100s']);
    expect(said).toContain('deleted');
    expect(await shop.left()).toEqual([]);
    expect((await shop.standIn.listeners()).filter((one) => one.address === address)).toEqual([]);
    const history = (await shop.historySince(before)).filter(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    const states = history.map((one) => conditionOf(one, 'Ready'));
    // A phase like any other, after which nothing else was wrong.
    expect(new Set(states.map((one) => one?.reason))).toEqual(new Set(['Available', 'Deleting']));
    const held = states.filter((one) => one?.message.startsWith('security-group frontend: '));
    expect(held).not.toEqual([]);
    expect(history.every((one) => conditionOf(one, 'Stalled') === undefined)).toBe(true);
  });
});

interface PodName {
  readonly name: string;
  readonly ip: string;
}

/** Those that stay. */
async function podsIn(namespace: Namespace): Promise<readonly PodName[]> {
  const pods = await namespace.list('pods');
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, status }) => ({ name: metadata.name, ip: String(status?.['podIP']) }));
}

async function setFinalizers(
  namespace: Namespace,
  pod: string,
  finalizers: readonly string[],
): Promise<void> {
  const body = JSON.stringify({ metadata: { finalizers } });
  await namespace.kubectl(['patch', 'pod', pod, '--type=merge', '-p', body]);
}

async function whenDeregistered({ standIn }: Shop, ip: string): Promise<void> {
  await until(`${ip} is deregistered`, async () => {
    const calls = await standIn.operatorCalls('DeregisterTargets');
    return calls.some(
      ({ input, outcome }) => outcome === 'ok' && JSON.stringify(input).includes(`"${ip}"`),
    );
  });
}

/** What ARNs of its listeners and rules have too. */
function listenerId(loadBalancerArn: string): string {
  return loadBalancerArn.split('/').slice(-2).join('/');
}
