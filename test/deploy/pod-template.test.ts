import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebApp } from '../../src/apis/web-app.ts';
import { desireDeployment, desireService } from '../../src/controllers/web-app/desired.ts';
import type { PodTemplate } from '../../src/pods/pod-template.ts';
import type { CommandResult } from '../control-plane/run-command.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace } from './place.ts';
import { BY_LABEL, FREE, LARGEST, NEVER, UNLISTED } from './refused-templates.ts';
import { patch, TEAM, WEB_APP } from './token-writes.ts';

/** Who may write `spec.podTemplate` and `spec.service`, and what the operator may make of it. */

let place: DeployPlace;
let token: string;

/** The namespace of a tenant, which the platform team has opened. */
const OPEN = 'open';
/** As that one, but without any ServiceAccount. */
const BARE = 'bare';
/** As RBAC names them. */
const KINDS = 'webapps,myapps.demo.rtfm.co.ua,immortalcontainers.immortalcontainer.flugel.it';
/** Both may write these; only the second one may create pods and Services. */
const ASKER = 'asker';
const MAKER = 'maker';

beforeAll(async () => {
  place = await DeployPlace.start();
  await place.apply('deploy');
  for (const namespace of [TEAM, OPEN, BARE]) {
    await place.createNamespace(namespace);
    const role = ['-n', namespace, 'create'];
    await place.kubectl([...role, 'role', 'write', '--verb=*', `--resource=${KINDS}`]);
    await place.kubectl([...role, 'role', 'make', '--verb=create', '--resource=pods,services']);
    const users = [`--user=${ASKER}`, `--user=${MAKER}`];
    await place.kubectl([...role, 'rolebinding', 'write', '--role=write', ...users]);
    await place.kubectl([...role, 'rolebinding', 'make', '--role=make', `--user=${MAKER}`]);
  }
  const labels = ['albridge.io/pod-template=full', 'albridge.io/service=full'];
  await place.kubectl(['label', 'namespace', OPEN, ...labels]);
  await place.kubectl(['label', 'namespace', BARE, 'albridge.io/pod-template=full']);
  await place.kubectl(['annotate', 'namespace', OPEN, 'albridge.io/service-accounts=web, api']);
  token = await place.cluster.serviceAccountKubeconfig('albridge-system', 'albridge');
  const plain = FREE['a sidecar'] as PodTemplate;
  await until('the rights', async () => (await asUser(MAKER, TEAM, plain)).code === 0);
  await until('the policy', async () => (await asUser(ASKER, TEAM, plain)).code !== 0);
  await until('the label', async () => (await asUser(MAKER, OPEN, aSecret())).code === 0);
  const first = async (): Promise<boolean> => (await asOperator(TEAM, aSecret())).code !== 0;
  await until('the policy of the operator', first);
});
afterAll(() => place?.stop());

function aSecret(): PodTemplate {
  return BY_LABEL['a Secret as a volume'] as PodTemplate;
}

function webApp(podTemplate: PodTemplate | undefined, name = 'shop'): object {
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name } },
    spec: { image: 'nginx:1', ...(podTemplate && { podTemplate }) },
  };
}

function asUser(
  user: string,
  namespace: string,
  podTemplate?: PodTemplate,
): Promise<CommandResult> {
  const args = ['-n', namespace, `--as=${user}`, 'create', '--dry-run=server', '-f', '-'];
  return place.cluster.kubectl(args, { input: JSON.stringify(webApp(podTemplate)) });
}

/** The Deployment of such a WebApp, written with the token of the operator. */
function asOperator(namespace: string, podTemplate: PodTemplate): Promise<CommandResult> {
  const spec = { image: 'nginx:1', replicas: 1, port: 80, podTemplate };
  const metadata = { name: 'shop', namespace, ownerReferences: [WEB_APP] };
  const desired = desireDeployment({ metadata, spec } as unknown as WebApp);
  const manifest = { ...desired, metadata: { ...desired.metadata, ownerReferences: [WEB_APP] } };
  const args = ['-n', namespace, 'create', '--dry-run=server', '-f', '-'];
  const input = JSON.stringify(manifest);
  return place.cluster.kubectl(args, { kubeconfigPath: token, input });
}

const done = { code: 0, stderr: '' };

describe('who may write WebApps but create no pods', () => {
  it('sets no pod template', async () => {
    expect((await asUser(ASKER, TEAM, FREE['a sidecar'])).stderr).toContain(
      'you must be allowed to create pods in this namespace',
    );
    expect(await asUser(ASKER, TEAM)).toMatchObject(done);
  });

  it('changes nothing of a WebApp with one but to take it out', async () => {
    const as = (user: string, args: readonly string[]): Promise<CommandResult> =>
      place.cluster.kubectl([`--as=${user}`, ...args]);
    const create = ['-n', TEAM, `--as=${MAKER}`, 'create', '-f', '-'];
    await place.kubectl(create, JSON.stringify(webApp(FREE['a sidecar'], 'edited')));
    const change = (spec: object): readonly string[] => patch('webapp edited', { spec }).args;
    expect((await as(ASKER, change({ image: 'evil' }))).stderr).toContain('to create pods');
    const label = ['-n', TEAM, 'label', 'webapp', 'edited', 'a=b'];
    expect(await as(ASKER, label)).toMatchObject(done);
    expect(await as(ASKER, change({ podTemplate: null }))).toMatchObject(done);
    expect(await as(ASKER, change({ image: 'nginx:2' }))).toMatchObject(done);
  });
});

describe.each([
  ['MyApp', 'demo.rtfm.co.ua/v1'],
  ['ImmortalContainer', 'immortalcontainer.flugel.it/v1alpha1'],
])('a %s with a pod template', (kind, apiVersion) => {
  const create = (user: string, podTemplate: PodTemplate): Promise<CommandResult> => {
    const spec = { image: 'nginx:1', podTemplate };
    const input = JSON.stringify({ apiVersion, kind, metadata: { name: 'shop' }, spec });
    const args = ['-n', OPEN, `--as=${user}`, 'create', '--dry-run=server', '-f', '-'];
    return place.cluster.kubectl(args, { input });
  };

  it('is taken from who may create pods alone, and within the same bounds', async () => {
    expect((await create(ASKER, aSecret())).stderr).toContain('to create pods in this namespace');
    expect(await create(MAKER, aSecret())).toMatchObject(done);
    const { stderr } = await create(MAKER, { spec: { hostPID: true } });
    expect(stderr).toContain('the network or the processes of its node');
  });
});

describe('who may create pods', { concurrent: true }, () => {
  it.each(Object.entries(FREE))('sets %s', async (_name, template) => {
    expect(await asUser(MAKER, TEAM, template)).toMatchObject(done);
    expect(await asOperator(TEAM, template)).toMatchObject(done);
  });

  it.each(Object.entries(BY_LABEL))(
    'sets %s where the platform team has opened the namespace',
    async (_name, template) => {
      const says = /lacks albridge\.io\/pod-template: full/;
      expect((await asUser(MAKER, TEAM, template)).stderr).toMatch(says);
      expect((await asOperator(TEAM, template)).stderr).toMatch(says);
      expect(await asUser(MAKER, OPEN, template)).toMatchObject(done);
      expect(await asOperator(OPEN, template)).toMatchObject(done);
    },
  );

  it.each(Object.entries(NEVER))('never sets %s', async (_name, { template, refusal, why }) => {
    const { stderr } = await asUser(MAKER, OPEN, template);
    expect(stderr, why).toMatch(refusal);
    expect(stderr, why).toContain('spec.podTemplate is refused');
  });

  it.each(Object.entries(NEVER))(
    'gets no Deployment from the operator with %s',
    async (_name, { template, refusal, why }) => {
      expect((await asOperator(OPEN, template)).stderr, why).toMatch(refusal);
    },
  );

  it.each(Object.entries(UNLISTED))(
    'never sets %s where no ServiceAccount is listed',
    async (_name, { template, refusal, why }) => {
      expect((await asUser(MAKER, BARE, template)).stderr, why).toMatch(refusal);
    },
  );

  it.each(Object.entries(LARGEST))('sets %s of a template', async (_name, template) => {
    expect(await asUser(MAKER, OPEN, template)).toMatchObject(done);
    expect(await asOperator(OPEN, template)).toMatchObject(done);
  });

  it.each(['web', 'api'])('uses the ServiceAccount %s, which is listed', async (account) => {
    const token: PodTemplate = {
      spec: { serviceAccountName: account, automountServiceAccountToken: true },
    };
    expect(await asUser(MAKER, OPEN, token)).toMatchObject(done);
    expect(await asOperator(OPEN, token)).toMatchObject(done);
  });
});

type GivenService = NonNullable<WebApp['spec']['service']>;

function serving(service: GivenService | null, name = 'shop'): object {
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name } },
    spec: { image: 'nginx:1', service },
  };
}

function serveAs(
  user: string,
  namespace: string,
  service: GivenService | null,
): Promise<CommandResult> {
  const args = ['-n', namespace, `--as=${user}`, 'create', '--dry-run=server', '-f', '-'];
  return place.cluster.kubectl(args, { input: JSON.stringify(serving(service)) });
}

/** The Service of such a WebApp, written with the token of the operator. */
function serveAsOperator(namespace: string, service: GivenService): Promise<CommandResult> {
  const spec = { image: 'nginx:1', replicas: 1, port: 80, service };
  const metadata = { name: 'shop', namespace, ownerReferences: [WEB_APP] };
  const desired = desireService({ metadata, spec } as unknown as WebApp);
  const { ownerReferences } = metadata;
  const manifest = { ...desired, metadata: { ...desired.metadata, ownerReferences } };
  const args = ['-n', namespace, 'create', '--dry-run=server', '-f', '-'];
  return place.cluster.kubectl(args, { kubeconfigPath: token, input: JSON.stringify(manifest) });
}

/** What reaches past the namespace. */
const PUBLISHED: Readonly<Record<string, GivenService>> = {
  'a port of each node': { type: 'NodePort' },
  'a load balancer of the cloud': { type: 'LoadBalancer' },
  'an annotation of the Service': { annotations: { 'external-dns/hostname': 'shop.example' } },
};

describe('spec.service of a WebApp', { concurrent: true }, () => {
  const port: GivenService = { type: 'ClusterIP', port: 8080, annotations: {} };

  it.each([ASKER, MAKER])('has another port for the %s, in every namespace', async (user) => {
    expect(await serveAs(user, TEAM, port)).toMatchObject(done);
    expect(await serveAsOperator(TEAM, port)).toMatchObject(done);
  });

  it.each(Object.entries(PUBLISHED))(
    'has %s only for who may create Services, where the platform team has opened the namespace',
    async (_name, service) => {
      const says = /lacks albridge\.io\/service: full/;
      expect((await serveAs(ASKER, OPEN, service)).stderr).toContain('to create Services in this');
      expect((await serveAs(MAKER, TEAM, service)).stderr).toMatch(says);
      expect(await serveAs(MAKER, OPEN, service)).toMatchObject(done);
      expect((await serveAsOperator(TEAM, service)).stderr).toMatch(says);
      expect(await serveAsOperator(OPEN, service)).toMatchObject(done);
    },
  );

  it('is only taken out, and its application edited, by who may create no Services', async () => {
    const create = ['-n', OPEN, `--as=${MAKER}`, 'create', '-f', '-'];
    const internal = { type: 'LoadBalancer', annotations: { scheme: 'internal' } } as const;
    await place.kubectl(create, JSON.stringify(serving(internal, 'served')));
    const asker = (spec: object): Promise<CommandResult> =>
      place.cluster.kubectl([`--as=${ASKER}`, ...patch('webapp served', { spec }, OPEN).args]);
    expect(await asker({ image: 'nginx:2' })).toMatchObject(done);
    for (const spec of [{ port: 22 }, { service: { annotations: null } }, { service: { port: 1 } }])
      expect((await asker(spec)).stderr).toContain('to create Services in this namespace');
    expect(await asker({ service: null })).toMatchObject(done);
  });
});
