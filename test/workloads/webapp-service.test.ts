import { describe, expect, it } from 'vitest';
import { askListener } from '../surroundings/listener-client.ts';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';
import { Shop } from './shop.ts';

const place = new SharedPlace();

interface Port {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number;
  readonly nodePort?: number;
}

interface ServiceSpec {
  readonly type: string;
  readonly clusterIP: string;
  readonly ports: readonly Port[];
}

const SCHEME = 'example.com/scheme';
const LONG = 'x'.repeat(1024);

function apply(namespace: Namespace, service?: object, more: object = {}): Promise<string> {
  return namespace.apply({
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name: 'shop' } },
    spec: { image: 'traefik/whoami:v1.10.1', port: 8080, ...(service && { service }), ...more },
  });
}

/** The API server takes any `spec.service` there, some moments after the label is set. */
async function open(namespace: Namespace): Promise<Namespace> {
  const label = 'albridge.io/service=full';
  await place.cluster.kubectl(['label', 'namespace', namespace.name, label]);
  await until('the label', async () => {
    const type = { spec: { image: 'a', service: { type: 'NodePort' } } };
    const probe = { apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name: 'a' } };
    const input = JSON.stringify({ ...probe, ...type });
    const args = ['-n', namespace.name, 'create', '--dry-run=server', '-f', '-'];
    return (await place.cluster.kubectl(args, { input })).code === 0;
  });
  return namespace;
}

async function running(prefix: string, service?: object): Promise<Namespace> {
  const namespace = await open(await place.createNamespace(prefix));
  await apply(namespace, service);
  await namespace.whenReady('webapp', 'shop');
  return namespace;
}

function specOf({ spec }: Stored): ServiceSpec {
  return spec as unknown as ServiceSpec;
}

async function whenOfType(namespace: Namespace, type: string): Promise<Stored> {
  return namespace.when('service', 'shop', (service) => specOf(service).type === type);
}

describe('spec.service of a WebApp', { concurrent: true }, () => {
  it('is a Service of that port, type and annotations, which no further pass writes', async () => {
    const annotations = { [SCHEME]: 'internal', 'example.com/long': LONG };
    const namespace = await running('service-idle', { port: 80, type: 'NodePort', annotations });
    const before = await namespace.get('service', 'shop');
    expect(before.metadata.annotations).toMatchObject(annotations);
    expect(specOf(before)).toMatchObject({
      type: 'NodePort',
      ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    });
    const { status } = await namespace.get('webapp', 'shop');
    expect(status?.['url']).toBe(`http://shop.${namespace.name}.svc:80`);
    await namespace.kubectl(['annotate', 'webapp', 'shop', 'albridge.io/reconcile-requested-at=1']);
    await namespace.when('webapp', 'shop', (app) => app.status?.lastHandledReconcileAt === '1');
    const after = await namespace.get('service', 'shop');
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await namespace.pause('webapp', 'shop');
    expect(await namespace.whenTold('shop', ['Paused'])).not.toContain('ServiceUpdated');
  });

  it('changes type and port and loses both again, with the same address in the cluster', async () => {
    const namespace = await running('service-types');
    const { clusterIP } = specOf(await namespace.get('service', 'shop'));
    await apply(namespace, { type: 'NodePort' });
    const [first] = specOf(await whenOfType(namespace, 'NodePort')).ports;
    expect(first?.nodePort).toBeGreaterThan(0);
    await apply(namespace, { type: 'LoadBalancer', port: 80, annotations: { [SCHEME]: 'a' } });
    const balanced = await whenOfType(namespace, 'LoadBalancer');
    expect(specOf(balanced).ports).toEqual([{ ...first, port: 80 }]);
    await apply(namespace);
    const plain = await whenOfType(namespace, 'ClusterIP');
    expect(specOf(plain)).toMatchObject({ clusterIP, ports: [{ port: 8080 }] });
    expect(specOf(plain).ports[0]).not.toHaveProperty('nodePort');
    expect(plain.metadata.annotations).not.toHaveProperty([SCHEME]);
    await namespace.whenReady('webapp', 'shop');
  });

  it('gets its fields back that someone else changed, and leaves theirs', async () => {
    const service = { type: 'NodePort', annotations: { [SCHEME]: 'internal' } };
    const namespace = await running('service-drift', service);
    const annotations = { [SCHEME]: 'internet-facing', 'example.com/theirs': 'stays' };
    const patch = { metadata: { annotations }, spec: { type: 'ClusterIP' } };
    const args = ['patch', 'service', 'shop', '--type=merge', '-p', JSON.stringify(patch)];
    await namespace.kubectl(args);
    const repaired = await whenOfType(namespace, 'NodePort');
    expect(repaired.metadata.annotations).toMatchObject({ ...annotations, [SCHEME]: 'internal' });
    const { note } = await namespace.event('shop', 'DriftRepaired');
    expect(note).toContain(`metadata.annotations.${SCHEME}`);
    expect(note).toContain('spec.type');
  });

  it('leaves a type alone that it does not name', async () => {
    const namespace = await running('service-theirs');
    const patch = JSON.stringify({ spec: { type: 'NodePort' } });
    await namespace.kubectl(['patch', 'service', 'shop', '--type=merge', '-p', patch]);
    await apply(namespace, { port: 80 });
    const service = await namespace.when(
      'service',
      'shop',
      (one) => specOf(one).ports[0]?.port === 80,
    );
    expect(specOf(service).type).toBe('NodePort');
  });

  it('counts against the quota of the namespace, which is named', async () => {
    const namespace = await running('service-quota');
    await namespace.kubectl(['create', 'quota', 'none', '--hard=services.loadbalancers=0']);
    await namespace.when('quota', 'none', ({ status }) => {
      return JSON.stringify(status).includes('"used"');
    });
    await apply(namespace, { type: 'LoadBalancer' });
    const refused = await namespace.when('webapp', 'shop', (app) => {
      return conditionOf(app, 'Ready')?.message.includes('exceeded quota: none') === true;
    });
    expect(conditionOf(refused, 'Ready')?.status).toBe('False');
    expect(specOf(await namespace.get('service', 'shop')).type).toBe('ClusterIP');
    await apply(namespace);
    await namespace.whenReady('webapp', 'shop');
  });

  it('has another port than the pods behind a shared load balancer', async () => {
    const shop = await Shop.open(place, 'service-attached');
    await shop.create({ listeners: [{ port: 80, protocol: 'HTTP' }] });
    const host = 'web.example.com';
    const metadata = { name: 'web' };
    const expose = { ingress: { name: 'shop' }, hosts: [host] };
    const web = (port: number): object => ({
      ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata },
      spec: { image: 'traefik/whoami:v1.10.1', port: 8080, service: { port }, expose },
    });
    const answers = async (): Promise<boolean> => {
      const { status, body } = await askListener(await shop.listener(), { host });
      return status === 200 && body.startsWith('pod=web-');
    };
    await shop.namespace.apply(web(80));
    await until('the pods answer', answers);
    await shop.namespace.apply(web(81));
    await shop.namespace.when('service', 'web', (one) => specOf(one).ports[0]?.port === 81);
    await shop.namespace.whenReady('webapp', 'web');
    await until('the pods answer still', answers);
  });
});
