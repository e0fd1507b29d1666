import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { locateBinaries } from '../control-plane/locate.ts';
import { blocksOf } from '../deploy/commands.ts';
import { ACCEPTED, type Attempt, REFUSED } from '../deploy/guardrail-cases.ts';
import type { DeployPlace } from '../deploy/place.ts';
import { Reader } from '../deploy/reader.ts';
import { createTenant, DRY_RUN } from '../deploy/tenants.ts';
import { limitOperator } from '../surroundings/limited-operator.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { CHART, ROOT } from './helm.ts';
import { HelmPlace } from './helm-place.ts';

/** The chart with other values than the least, and where kustomize was before, by the real helm. */

const CLUSTER_WIDE =
  'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';

let ours: HelmPlace;
let place: DeployPlace;
let directory: string;

beforeAll(async () => {
  ours = await HelmPlace.start();
  ({ place } = ours);
  directory = await mkdtemp(join(tmpdir(), 'albridge-values-'));
});

afterAll(async () => {
  await ours?.stop();
  await rm(directory, { recursive: true, force: true });
});
afterEach(() => ours.clear());

async function createBalancer(objects: MyIngresses): Promise<string> {
  await objects.create('web', { subnets: place.aws.network.articleSubnets });
  return arnOf(await objects.whenReady('web'));
}

async function deleteBalancer(objects: MyIngresses): Promise<void> {
  await objects.startDeleting('web');
  await objects.isGone('web');
  expect(await place.standIn.balancers()).toEqual([]);
}

describe('what kustomize has installed', () => {
  const taking = ['--take-ownership', '--force-conflicts'];

  it('is taken over by helm, and the balancer stays as it is', async () => {
    await place.apply('deploy');
    const pod = await ours.workAs(place.aws.environment);
    const objects = await place.createNamespace('taken');
    const arn = await createBalancer(objects);
    await place.stopPods();

    const without = ours.release('install');
    await expect(without).rejects.toThrow('cannot be imported into the current release');
    await ours.release('install', taking);
    const taken = await ours.work();
    expect(taken.metadata.name).not.toBe(pod.metadata.name);
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'after' });
    expect(arnOf(await objects.whenReady('web'))).toBe(arn);
    expect((await place.standIn.balancers()).length).toBe(1);

    await ours.release('upgrade', ['--set', 'settings.LOG_LEVEL=debug']);
    await place.stopPods();
    await ours.work();
    await deleteBalancer(objects);
    await place.stopPods();
    await ours.uninstall();
    expect(await ours.listLeft(`deployments,serviceaccounts,${CLUSTER_WIDE}`)).toEqual([]);
  });
});

describe('the command of docs/alerts.md about missing rights', () => {
  it('prints what others changed of the release, and nothing before', async () => {
    await ours.release('install');
    const { helm } = await locateBinaries(['helm']);
    const scripts = { helm: `exec '${helm.path}' "$@"` };
    const reader = await Reader.in(place, ROOT, { scripts });
    const block = (await blocksOf('docs/alerts.md')).find(({ text }) => text.startsWith('helm '));
    const command = block?.text.trimEnd() ?? '';
    // The API server checks the types of a policy a moment after it has stored it.
    const checked = '--for=jsonpath={.status.observedGeneration}';
    const policies = 'validatingadmissionpolicies';
    await place.kubectl(['wait', policies, '--all', checked, '--timeout=120s']);
    expect(await reader.paste(command)).toBe('');
    const edit = '[{"op":"remove","path":"/rules/0"}]';
    const role = ['clusterrole', 'albridge-myingress'];
    await place.kubectl(['patch', ...role, '--type=json', '-p', edit]);
    const printed = await reader.paste(`${command} || [ $? = 1 ]`);
    expect(printed).toMatch(/^\+\+\+ .*ClusterRole.*albridge-myingress/m);
    expect(printed).toMatch(/^\+ +- .*demo\.rtfm\.co\.ua/m);
  });
});

describe('a release of another name', () => {
  // The CRDs stay, and the tests that follow install them under the usual name.
  afterEach(async () => {
    const usual = 'meta.helm.sh/release-name=albridge';
    await place.kubectl(['annotate', 'crds', '--all', '--overwrite', usual]);
  });

  it('takes over the CRDs that the one before has left, if it is allowed to', async () => {
    await ours.release('install');
    await ours.uninstall();
    const crd = 'crd/myingresses.demo.rtfm.co.ua';
    const kept = await place.kubectl(['get', crd, '-o', 'jsonpath={.metadata.uid}']);
    const name = 'bridge';
    await expect(ours.release('install', [], { name })).rejects.toThrow(
      'annotation validation error: key "meta.helm.sh/release-name" must equal "bridge"',
    );
    await ours.release('install', ['--take-ownership'], { name });
    expect(await place.kubectl(['get', crd, '-o', 'jsonpath={.metadata.uid}'])).toBe(kept);
    await ours.work();
  });
});

describe('guardrails.enabled', () => {
  it('refuses what the lists in the values do not name', async () => {
    const example = resolve(ROOT, 'examples/guardrails-01-two-tenants.yaml');
    const { data } = parse(await readFile(example, 'utf8')) as { readonly data: object };
    const values = join(directory, 'guardrails.yaml');
    await writeFile(values, stringify({ guardrails: { enabled: true, parameters: data } }));
    await ours.release('install', ['--values', values]);
    const refused = REFUSED['is internet-facing in a namespace of no tenant'] as Attempt;
    const admitted = ACCEPTED['adopts with the right'] as Attempt;
    for (const { namespace } of [refused, admitted]) await createTenant(place, namespace);
    await until('the guardrails', async () => (await create(refused)).includes('not allowed'));
    await until('the rights', async () => (await create(admitted)) === '');
    await ours.uninstall();
    expect(await ours.listLeft(CLUSTER_WIDE)).toEqual([]);
  });
});

/** What the API server has against it. */
async function create({ namespace, spec, isTrusted }: Attempt): Promise<string> {
  const as = `--as=${isTrusted ? 'trusted' : 'tenant'}`;
  const myIngress = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress' };
  const input = JSON.stringify({ ...myIngress, metadata: { name: 'shop' }, spec });
  const args = ['-n', namespace, as, 'create', '-f', '-', DRY_RUN];
  return (await place.cluster.kubectl(args, { input })).stderr;
}

describe('values/one-namespace.yaml', () => {
  const valuesOf = (name: string): readonly string[] => [
    '--values',
    resolve(CHART, 'values', `${name}.yaml`),
  ];

  it('serves its namespace with no right in the cluster, next to values/cluster.yaml', async () => {
    await ours.release('install', valuesOf('cluster'));
    const objects = await place.createNamespace('web');
    await ours.release('install', valuesOf('one-namespace'), { namespace: 'web' });
    expect(await ours.listLeft('clusterroles,clusterrolebindings')).toEqual([]);
    await limitOperator(place.aws.environment, 'my-cluster');
    await ours.work('web');
    await createBalancer(objects);
    await deleteBalancer(objects);
  });
});
