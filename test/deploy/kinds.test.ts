import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { KIND_NAMES, type KindName } from '../../src/apis/kind-names.ts';
import { type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { cloneFresh, removeClone } from './clone.ts';
import { blocksOf } from './commands.ts';
import { live } from './kind-life.ts';
import { restartInEachWay } from './life-by-config-maps.ts';
import { type OwnKind, ownKinds } from './own-kinds.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Container, Pod } from './pod-environment.ts';
import { Reader } from './reader.ts';

/** Each kind by itself: the base and its component are all that it needs, and all that it asks for. */

let audit: AuditLog;
let place: DeployPlace;

beforeAll(async () => {
  audit = await createAuditLog();
  place = await DeployPlace.start([
    ...audit.apiServerArgs,
    // See rights.test.ts.
    '--feature-gates=WatchList=false',
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
  ]);
  // At once: the admission plugin learns late of a kind that comes after others.
  await place.apply('crds');
});

afterAll(async () => {
  await place?.stop();
  await audit?.remove();
});

afterEach(async () => {
  await place.stopPods();
  const ours = ['clusterroles,clusterrolebindings', '-l', 'app.kubernetes.io/name=albridge'];
  await place.kubectl(['delete', ...ours]);
});

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: Pick<Pod, 'spec'>;
    /** Of a policy. */
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  };
}

const rendered = new Map<string, Promise<readonly Rendered[]>>();

/** Once for each directory: kubectl and the parser take half a second. */
function render(directory: string): Promise<readonly Rendered[]> {
  const before = rendered.get(directory);
  if (before !== undefined) return before;
  const text = place.kubectl(['kustomize', resolve(ROOT, directory)]);
  const objects = text.then((all) => parseAllDocuments(all).map((one) => one.toJS() as Rendered));
  rendered.set(directory, objects);
  return objects;
}

/** deploy/overlays/namespaced with this component in place of all. */
async function renderNamespaced(component: string): Promise<readonly Rendered[]> {
  const directory = await place.openDirectory();
  const path = resolve(ROOT, 'deploy/overlays/namespaced/kustomization.yaml');
  const one = (await readFile(path, 'utf8')).replace('../components\n', `../${component}\n`);
  const deploy = relative(directory, resolve(ROOT, 'deploy'));
  const placed = one.replaceAll('  - ../../', `  - ${deploy}/`);
  await writeFile(join(directory, 'kustomization.yaml'), placed);
  return render(directory);
}

/** By their Roles, of which each component has one. */
function grantedKinds(objects: readonly Rendered[]): readonly string[] {
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
  const names = new Set(roles.map(({ metadata }) => metadata.name.replace('albridge-', '')));
  return KIND_NAMES.filter((name) => names.has(name));
}

function operatorIn(objects: readonly Rendered[]): Container {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  return deployment?.spec?.template?.spec.containers[0] as Container;
}

/** Policies of the operator and their bindings. */
function limitsIn(objects: readonly Rendered[]): readonly string[] {
  const policies = objects.filter(
    ({ kind, spec }) =>
      kind === 'ValidatingAdmissionPolicyBinding' ||
      spec?.matchConditions?.some(({ name }) => name === 'operator'),
  );
  return policies.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort();
}

function settingsIn(objects: readonly Rendered[]): Readonly<Record<string, string>> {
  const settings = objects.find(({ metadata }) => metadata.name.startsWith('albridge-settings'));
  return settings?.data ?? {};
}

describe('every way to install', async () => {
  const overlays = await readdir(resolve(ROOT, 'deploy/overlays'));

  it.each(['deploy', ...overlays.map((name) => `deploy/overlays/${name}`)])(
    '%s turns on exactly the kinds that it grants, and takes no variable that is not listed',
    async (directory) => {
      const objects = await render(directory);
      const { envFrom } = operatorIn(objects);
      const set = settingsIn(objects)['ALBRIDGE_KINDS'];
      expect(grantedKinds(objects)).toEqual(set?.split(',') ?? KIND_NAMES);
      expect(envFrom).toBeUndefined();
    },
  );

  // An overlay's namePrefix does not reach into the CEL, and a policy that matches nobody limits nobody.
  it.each(['deploy', ...overlays.map((name) => `deploy/overlays/${name}`)])(
    '%s names the ServiceAccount by which the policies know the operator',
    async (directory) => {
      const objects = await render(directory);
      const deployment = objects.find(({ kind }) => kind === 'Deployment');
      const account = deployment?.spec?.template?.spec.serviceAccountName;
      const user = `system:serviceaccount:${deployment?.metadata.namespace}:${account}`;
      const known = [...objects, ...(await render('deploy/cluster'))]
        .flatMap(({ spec }) => spec?.matchConditions ?? [])
        .filter(({ name }) => name === 'operator')
        .map(({ expression }) => /username\.matches\('(.*)'\)$/.exec(expression)?.[1] ?? 'none');
      expect(known.length).toBeGreaterThan(8);
      for (const pattern of known) expect(user).toMatch(new RegExp(pattern));
    },
  );

  // An administrator applies it: a namespaced install, with readiness gates or without, has no policy of its own.
  it('deploy/cluster has every policy that limits the operator', async () => {
    const directory = await place.openDirectory();
    const deploy = relative(directory, resolve(ROOT, 'deploy'));
    const components = ['components', 'components/readiness-gates', 'components/secrets'].map(
      (one) => `${deploy}/${one}`,
    );
    const all = [`resources: ["${deploy}/base"]`, `components: ${JSON.stringify(components)}`];
    await writeFile(join(directory, 'kustomization.yaml'), all.join('\n'));
    const known = limitsIn(await render(directory));
    expect(known.length).toBeGreaterThan(16);
    expect(limitsIn(await render('deploy/cluster'))).toEqual(known);
  });

  it('deploy/cluster with the guardrails has the namespace of their lists, and nothing of the operator', async () => {
    const directory = await place.openDirectory();
    const path = resolve(ROOT, 'deploy/cluster/kustomization.yaml');
    const added = (await readFile(path, 'utf8')).replace(
      '  - ../components\n',
      '$&  - ../components/guardrails\n',
    );
    const deploy = relative(directory, resolve(ROOT, 'deploy'));
    const placed = added.replaceAll('  - ../', `  - ${deploy}/`);
    await writeFile(join(directory, 'kustomization.yaml'), placed);
    const others = (await render(directory)).filter(
      ({ kind }) => !/Policy(Binding)?$|Definition$/.test(kind),
    );
    expect(others.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Namespace/albridge-guardrails',
      'ConfigMap/tenants',
    ]);
  });

  // The annotation mode comes with ConfigMonitor.
  it.each(KIND_NAMES.filter((name) => name !== 'configmap-annotation'))(
    'deploy/overlays/namespaced is Roles of its namespace alone, with %s as its one kind',
    async (kind) => {
      const objects = await renderNamespaced(`components/${kind}`);
      expect(grantedKinds(objects)).toEqual([kind]);
      const kinds = new Set(objects.map((one) => one.kind));
      expect([...kinds].filter((one) => /Cluster|Policy$|^Namespace|Definition/.test(one))).toEqual(
        ['NetworkPolicy'],
      );
      const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace));
      expect([...namespaces]).toEqual(['web']);
    },
  );

  it.each(overlays)('%s does not lend the operator the role of its node', async (overlay) => {
    const settings = settingsIn(await render(`deploy/overlays/${overlay}`));
    // Without a ConfigMap of settings docs/iam.md leaves it to the reader.
    if ('AWS_REGION' in settings) expect(settings['AWS_EC2_METADATA_DISABLED']).toBe('true');
  });

  it('has a component for each kind', async () => {
    const entries = await readdir(resolve(ROOT, 'deploy/components'), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    // Not kinds: what an overlay may add to them, or beside them.
    expect(names.sort()).toEqual(
      [
        ...KIND_NAMES,
        'alerts',
        'external-dns',
        'external-dns-webapps',
        'guardrails',
        'metrics-service',
        'pod-monitor',
        'readiness-gates',
        'secrets',
        'user-roles',
      ].sort(),
    );
  });
});

interface Choice {
  readonly kinds: readonly KindName[];
  /** What it asks the API server for, other than the Lease, events and its own objects. */
  readonly asks: readonly string[];
}

const choices: Readonly<Record<string, Choice>> = {
  MyIngress: {
    kinds: ['myingress'],
    asks: ['endpointslices', 'namespaces', 'nodes', 'services'],
  },
  ConfigMonitor: {
    kinds: ['configmonitor'],
    asks: ['configmaps', 'daemonsets', 'deployments', 'pods', 'replicasets', 'statefulsets'],
  },
  'ConfigMonitor, with annotated ConfigMaps': {
    kinds: ['configmonitor', 'configmap-annotation'],
    asks: ['configmaps', 'daemonsets', 'deployments', 'pods', 'replicasets', 'statefulsets'],
  },
  ImmortalContainer: { kinds: ['immortalcontainer'], asks: ['pods'] },
  MyApp: { kinds: ['myapp'], asks: ['pods'] },
  WebApp: { kinds: ['webapp'], asks: ['deployments', 'horizontalpodautoscalers', 'services'] },
};

/** As deploy/overlays/myingress-only does it. */
async function overlayOf(kinds: readonly KindName[]): Promise<string> {
  const root = relative(join(tmpdir(), 'any'), ROOT);
  const components = kinds.map((kind) => `${root}/deploy/components/${kind}`);
  const literals = [`ALBRIDGE_KINDS=${kinds.join()}`];
  const settings = { name: 'albridge-settings', namespace: 'albridge-system', literals };
  const more = [
    `components: ${JSON.stringify(components)}`,
    `configMapGenerator: ${JSON.stringify([settings])}`,
  ];
  return place.kustomize('deploy/base', more.join('\n'));
}

const LOCAL = `albridge:${manifest.version}`;
const IMAGE = `444455556666.dkr.ecr.eu-central-1.amazonaws.com/${LOCAL}`;

/** What docs/install.md shows under "Fewer kinds", pasted by a user who runs on EKS. */
async function installFewerKinds(): Promise<void> {
  const clone = await cloneFresh();
  const reader = await Reader.in(place, clone);
  const blocks = await blocksOf('docs/install.md');
  const text = (words: string): string =>
    blocks.find((one) => one.text.includes(words))?.text ?? '';
  await reader.paste(text('> my-cluster/kustomization.yaml'));
  const path = join(clone, 'my-cluster/kustomization.yaml');
  const example = await readFile(path, 'utf8');
  const edited = example.replace('eu-central-1\n', `${place.aws.environment['AWS_REGION']}\n`);
  await writeFile(path, edited.replaceAll('111122223333', '444455556666'));
  await reader.paste(text('ALBRIDGE_KINDS'));
  await place.established();
  await removeClone(clone);
}

/** What a pod on EKS gets apart from its manifest: not the region. */
function withoutRegion(): Readonly<Record<string, string>> {
  const { AWS_REGION: _, ...injected } = place.aws.environment;
  return injected;
}

/** Resources of the requests that the operator has sent since. */
async function requestsSince(count: number): Promise<{ asked: string[]; refused: string[] }> {
  const account = 'system:serviceaccount:albridge-system:albridge';
  const all = (await audit.entries()).slice(count);
  const own = all.filter(({ user }) => user.username === account);
  const refused = own.filter(({ responseStatus }) => responseStatus?.code === 403);
  const asked = new Set(own.map(({ objectRef }) => objectRef?.resource ?? ''));
  return { asked: [...asked].sort(), refused: refused.map(({ requestURI }) => requestURI) };
}

describe('with ALBRIDGE_KINDS the operator needs nothing of the other kinds', () => {
  it.each(Object.entries(choices))('%s', async (name, { kinds, asks }) => {
    const hasAws = kinds.includes('myingress');
    if (hasAws) await installFewerKinds();
    else await place.apply(await overlayOf(kinds));
    const [pod] = await place.pods();
    const image = pod?.spec.containers[0]?.image;
    expect(image).toBe(hasAws ? IMAGE : LOCAL);
    const before = (await audit.entries()).length;
    const played = await place.play(pod as Pod, { injected: hasAws ? withoutRegion() : {} });
    await played.operator.waitForLine((line) => line.msg === 'working');
    expect(await played.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    // Nodes are for backends with targetType instance, of which there are none yet.
    expect((await requestsSince(before)).asked).not.toContain('nodes');

    const kind = (await ownKinds()).find((one) => name.startsWith(one.kind)) as OwnKind;
    const namespace = `only-${kinds.at(-1)}`;
    await place.createNamespace(namespace);
    const over = new AbortController().signal;
    const life = { place, kind, namespace, over, isAlone: true };
    await (name === 'ConfigMonitor' ? restartInEachWay(life) : live(life));

    const { asked, refused } = await requestsSince(before);
    expect(refused).toEqual([]);
    expect(asked).toEqual([...asks, 'events', 'leases', kind.plural].sort());
    expect(await played.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
  });
});
