import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { locateBinaries } from '../control-plane/locate.ts';
import type { DeployPlace } from '../deploy/place.ts';
import type { Pod } from '../deploy/pod-environment.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { Program } from '../surroundings/program.ts';
import { until } from '../surroundings/until.ts';
import { CHART, type Helm } from './helm.ts';
import { HelmPlace } from './helm-place.ts';

/** The chart on a real control plane, by the real helm, with the operator that its pods have. */

const THIS = manifest.version;
/** Later than any version of package.json. */
const NEXT = '999.0.0';
let ours: HelmPlace;
let place: DeployPlace;
let helm: Helm;
let directory: string;

beforeAll(async () => {
  ours = await HelmPlace.start();
  ({ place, helm } = ours);
  directory = await mkdtemp(join(tmpdir(), 'albridge-chart-'));
});

afterAll(async () => {
  await ours?.stop();
  await rm(directory, { recursive: true, force: true });
});
/** Each test begins without a release, whatever became of the one before. */
afterEach(() => ours.clear());

const CLUSTER_WIDE =
  'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';

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
    ['region', ['--set', 'image.repository=albridge'], "missing property 'region'"],
    ['image', ['--set', 'region=eu-central-1'], "at '/image': missing property 'repository'"],
  ])('without %s applies nothing', async (_name, values, says) => {
    const where = ['albridge', CHART, '--namespace', 'albridge-system'];
    const { code, stderr } = await helm.try(['install', ...where, ...values]);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(await ours.listLeft(`crds,${CLUSTER_WIDE}`)).toEqual([]);
    expect(await helm.run(['list', '--all-namespaces', '--short'])).toBe('');
  });
});

/** A request above the limit: of the right form, and refused by the API server after the rest was applied. */
const REFUSED = ['--set', 'resources.requests.memory=2Gi', '--set', 'settings.LOG_LEVEL=debug'];

describe('a value that the API server refuses', () => {
  it('leaves nothing but CRDs of an installation', async () => {
    await expect(ours.release('install', REFUSED)).rejects.toThrow('must be less than or equal to');
    expect(await ours.listLeft(`deployments,serviceaccounts,configmaps,${CLUSTER_WIDE}`)).toEqual(
      [],
    );
  });

  it('leaves the release as it was at an upgrade', async () => {
    await ours.release('install');
    await expect(ours.release('upgrade', REFUSED)).rejects.toThrow('must be less than or equal to');
    const settings = ['get', 'configmap', 'albridge-settings', '-n', 'albridge-system'];
    expect(await place.kubectl([...settings, '-o', 'jsonpath={.data.LOG_LEVEL}'])).toBe('');
  });
});

describe('a release', () => {
  it('is installed, upgraded, rolled back and uninstalled, and the balancer stays as it is', async () => {
    const notes = await ours.release('install');
    expect(notes).toContain('kubectl delete albridge --all --all-namespaces');
    expect(notes).not.toContain('kubectl label namespace');
    expect(imageOf(await ours.work())).toBe(`albridge:${THIS}`);
    const objects: MyIngresses = await place.createNamespace('helm');
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    const arn = arnOf(await objects.whenReady('web'));
    await place.stopPods();

    await ours.release('upgrade', ['--set', 'settings.LOG_LEVEL=debug'], {
      chart: await packageNext(),
    });
    const upgraded = await ours.work();
    expect(imageOf(upgraded)).toBe(`albridge:${NEXT}`);
    await expectSame(objects, arn);
    await place.stopPods();

    await ours.rollback('1');
    expect(imageOf(await ours.work())).toBe(`albridge:${THIS}`);
    await expectSame(objects, arn);
    await place.stopPods();

    await ours.uninstall();
    expect(await ours.listLeft(`deployments,serviceaccounts,configmaps,${CLUSTER_WIDE}`)).toEqual(
      [],
    );
    expect(arnOf(await objects.get('web'))).toBe(arn);
    expect(await place.standIn.balancer(arn)).toBeDefined();

    await ours.release('install');
    await ours.work();
    await expectSame(objects, arn);
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await place.standIn.balancers()).toEqual([]);
    await ours.uninstall();
  });

  it('has the CRDs of its version, also after a rollback', async () => {
    await ours.release('install');
    expect(await hasTeapot()).toBe(false);
    await ours.work();
    expect(place.lastLines(1000).filter((line) => line.includes('the CRD is'))).toEqual([]);
    await place.stopPods();
    await ours.release('upgrade', [], { chart: await chartWithNewField() });
    expect(await hasTeapot()).toBe(true);
    await ours.work();
    const says = ['the CRD is newer than the operator', 'spec.teapot'];
    await until('the operator names the new field', async () =>
      place.lastLines(1000).some((line) => says.every((text) => line.includes(text))),
    );
    await place.stopPods();
    await ours.rollback('1');
    expect(await hasTeapot()).toBe(false);
    await ours.uninstall();
  });

  it('restarts the pods for another setting, and only then', async () => {
    const names = async (): Promise<readonly string[]> =>
      (await place.pods()).map(({ metadata }) => metadata.name).toSorted();
    await ours.release('install');
    const first = await names();
    await ours.release('upgrade');
    expect(await names()).toEqual(first);
    await ours.release('upgrade', ['--set', 'settings.LOG_LEVEL=debug']);
    for (const name of await names()) expect(first).not.toContain(name);
    await ours.uninstall();
  });
});

/** The next pass changes nothing: no other balancer, and the object is Ready. */
async function expectSame(objects: MyIngresses, arn: string): Promise<void> {
  await objects.annotate('web', { 'albridge.io/reconcile-requested-at': String(arn.length) });
  expect(arnOf(await objects.whenReady('web'))).toBe(arn);
  expect((await place.standIn.balancers()).length).toBe(1);
}
