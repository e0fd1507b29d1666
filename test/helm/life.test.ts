import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { locateBinaries } from '../control-plane/locate.ts';
import { DeployPlace } from '../deploy/place.ts';
import type { Pod } from '../deploy/pod-environment.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { Program } from '../surroundings/program.ts';
import { until } from '../surroundings/until.ts';
import { CHART, Helm, ROOT } from './helm.ts';

/** The chart on a real control plane, by the real helm, with the operator that its pods have. */

const THIS = manifest.version;
/** Later than any version of package.json. */
const NEXT = '999.0.0';
const RELEASE = ['albridge', '--namespace', 'albridge-system'];
const VALUES = ['--set', 'image.repository=albridge'];
const WAIT = ['--wait', '--timeout', '5m'];

let place: DeployPlace;
let helm: Helm;
let directory: string;

beforeAll(async () => {
  place = await DeployPlace.start();
  helm = await Helm.open(place.cluster.kubeconfigPath);
  directory = await mkdtemp(join(tmpdir(), 'albridge-chart-'));
  await place.kubectl(['apply', '-f', resolve(ROOT, 'deploy/base/namespace.yaml')]);
});

afterAll(async () => {
  await place?.stop();
  await helm?.close();
  await rm(directory, { recursive: true, force: true });
});
/** Each test begins without a release, whatever became of the one before. */
afterEach(async () => {
  await place.stopPods();
  const all = await helm.run(['list', '--all-namespaces', '--output', 'json']);
  for (const { name, namespace } of JSON.parse(all) as readonly Listed[]) {
    await helm.run(['uninstall', name, '--namespace', namespace, '--wait']);
  }
});

interface Listed {
  readonly name: string;
  readonly namespace: string;
}

function withRegion(): readonly string[] {
  return [...VALUES, '--set', `region=${place.aws.environment['AWS_REGION']}`];
}

function install(chart = CHART, ...more: readonly string[]): Promise<string> {
  return helm.run([
    'install',
    RELEASE[0] ?? '',
    chart,
    ...RELEASE.slice(1),
    ...withRegion(),
    ...WAIT,
    ...more,
  ]);
}

function upgrade(chart = CHART, ...more: readonly string[]): Promise<string> {
  return helm.run([
    'upgrade',
    RELEASE[0] ?? '',
    chart,
    ...RELEASE.slice(1),
    ...withRegion(),
    ...WAIT,
    ...more,
  ]);
}

function uninstall(): Promise<string> {
  return helm.run(['uninstall', ...RELEASE, '--wait', '--timeout', '5m']);
}

/** What is left of albridge, without what a namespace has anyway. */
async function listLeft(kinds: string): Promise<readonly string[]> {
  const names = await place.kubectl(['get', kinds, '--all-namespaces', '-o', 'name']);
  return names
    .split('\n')
    .filter((name) => name.includes('albridge'))
    .toSorted();
}

const CLUSTER_WIDE =
  'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';

/** The first of the pods that the release has now, at work. Its region comes from the chart. */
async function work(): Promise<Pod> {
  const [pod] = await place.pods();
  const { AWS_REGION: _, ...injected } = place.aws.environment;
  const played = await place.play(pod as Pod, { injected });
  await played.operator.waitForLine((line) => line.msg === 'working', 90_000);
  return pod as Pod;
}

function imageOf({ spec }: Pod): string {
  return spec.containers.find(({ name }) => name === 'operator')?.image ?? '';
}

/** The package of the next version, as a release has it. */
async function packageNext(): Promise<string> {
  const out = join(directory, 'release');
  const HELM = (await locateBinaries(['helm'])).helm.path;
  const args = ['--version', NEXT, '--dry-run', '--out', out];
  const program = await Program.start('deploy/release/main.ts', args, { HELM });
  expect(await program.exited, program.output).toBe(0);
  await program.discard();
  return join(out, `albridge-${NEXT}.tgz`);
}

/** The chart with one more field in the CRD of WebApp. */
async function chartWithNewField(): Promise<string> {
  const copy = join(directory, 'chart');
  await cp(CHART, copy, { recursive: true });
  const path = join(copy, 'templates/webapp/crd.yaml');
  const text = await readFile(path, 'utf8');
  const field = '                replicas:\n';
  expect(text).toContain(field);
  const added = `                teapot:\n                  type: string\n                  description: New.\n${field}`;
  await writeFile(path, text.replace(field, added));
  return copy;
}

function hasTeapot(): Promise<boolean> {
  const jsonPath =
    '-ojsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.teapot}';
  return place
    .kubectl(['get', 'crd', 'webapps.apps.example.com', jsonPath])
    .then((text) => text !== '');
}

describe('helm install', () => {
  it.each([
    ['region', VALUES, "missing property 'region'"],
    ['image', ['--set', 'region=eu-central-1'], "at '/image': missing property 'repository'"],
  ])('without %s applies nothing', async (_name, values, says) => {
    const { code, stderr } = await helm.try([
      'install',
      'albridge',
      CHART,
      ...RELEASE.slice(1),
      ...values,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(await listLeft(`crds,${CLUSTER_WIDE}`)).toEqual([]);
    expect(await helm.run(['list', '--all-namespaces', '--short'])).toBe('');
  });
});

describe('a release', () => {
  it('is installed, upgraded, rolled back and uninstalled, and the balancer stays as it is', async () => {
    const notes = await install();
    expect(notes).toContain('kubectl delete albridge --all --all-namespaces');
    expect(notes).not.toContain('kubectl label namespace');
    expect(imageOf(await work())).toBe(`albridge:${THIS}`);
    const objects: MyIngresses = await place.createNamespace('helm');
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    const arn = arnOf(await objects.whenReady('web'));
    await place.stopPods();

    await upgrade(await packageNext(), '--set', 'settings.LOG_LEVEL=debug');
    const upgraded = await work();
    expect(imageOf(upgraded)).toBe(`albridge:${NEXT}`);
    await expectSame(objects, arn);
    await place.stopPods();

    await helm.run(['rollback', 'albridge', '1', '--namespace', 'albridge-system', ...WAIT]);
    expect(imageOf(await work())).toBe(`albridge:${THIS}`);
    await expectSame(objects, arn);
    await place.stopPods();

    await uninstall();
    expect(await listLeft(`deployments,serviceaccounts,configmaps,${CLUSTER_WIDE}`)).toEqual([]);
    expect(arnOf(await objects.get('web'))).toBe(arn);
    expect(await place.standIn.balancer(arn)).toBeDefined();

    await install();
    await work();
    await expectSame(objects, arn);
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await place.standIn.balancers()).toEqual([]);
    await uninstall();
  });

  it('has the CRDs of its version, also after a rollback', async () => {
    await install();
    expect(await hasTeapot()).toBe(false);
    await work();
    expect(place.lastLines(1000).filter((line) => line.includes('the CRD is'))).toEqual([]);
    await place.stopPods();
    await upgrade(await chartWithNewField());
    expect(await hasTeapot()).toBe(true);
    await work();
    const says = ['the CRD is newer than the operator', 'spec.teapot'];
    await until('the operator names the new field', async () =>
      place.lastLines(1000).some((line) => says.every((text) => line.includes(text))),
    );
    await place.stopPods();
    await helm.run(['rollback', 'albridge', '1', '--namespace', 'albridge-system', ...WAIT]);
    expect(await hasTeapot()).toBe(false);
    await uninstall();
  });

  it('restarts the pods for another setting, and only then', async () => {
    const names = async (): Promise<readonly string[]> =>
      (await place.pods()).map(({ metadata }) => metadata.name).toSorted();
    await install();
    const first = await names();
    await upgrade();
    expect(await names()).toEqual(first);
    await upgrade(CHART, '--set', 'settings.LOG_LEVEL=debug');
    for (const name of await names()) expect(first).not.toContain(name);
    await uninstall();
  });
});

/** The next pass changes nothing: no other balancer, and the object is Ready. */
async function expectSame(objects: MyIngresses, arn: string): Promise<void> {
  await objects.annotate('web', { 'albridge.io/reconcile-requested-at': String(arn.length) });
  expect(arnOf(await objects.whenReady('web'))).toBe(arn);
  expect((await place.standIn.balancers()).length).toBe(1);
}
