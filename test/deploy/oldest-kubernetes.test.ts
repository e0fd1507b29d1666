import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { versions } from '../control-plane/versions.ts';
import { COMPLETE, Helm, setAll } from '../helm/helm.ts';
import { until } from '../surroundings/until.ts';
import { ACCEPTED, type Attempt, REFUSED } from './guardrail-cases.ts';
import { live } from './kind-life.ts';
import { type OwnKind, ownKinds } from './own-kinds.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Pod } from './pod-environment.ts';
import { createTenant, DRY_RUN, installGuardrails } from './tenants.ts';

/**
 * What is shipped, on the API server and the etcd of the oldest Kubernetes that docs/install.md promises. The
 * programs that play the rest of the cluster are those of the other tests.
 */

const OLDEST = versions.oldestKubernetes.split('.').slice(0, 2).join('.');
const INSTALL = ['--server-side', '-f', resolve(ROOT, 'deploy/install.yaml')];

const kinds = await ownKinds();
let place: DeployPlace;

beforeAll(async () => {
  place = await DeployPlace.start([], {
    apiServer: 'kube-apiserver-oldest',
    // The oldest that they know: later ones wait for APIs that this API server does not have.
    workerArgs: ['--emulated-version=1.33'],
  });
  await place.kubectl(['apply', ...INSTALL]);
  await place.established();
  // The first run builds the API server.
}, 1_800_000);

afterAll(() => place?.stop());

describe('the oldest Kubernetes', () => {
  it('is the one that docs/install.md and the chart promise', async () => {
    const version = { method: 'GET', path: '/version' } as const;
    const { gitVersion } = await place.api.ask<{ readonly gitVersion: string }>(version);
    expect(gitVersion).toBe(`v${versions.oldestKubernetes}`);
    const page = await readFile(resolve(ROOT, 'docs/install.md'), 'utf8');
    expect(page).toContain(`Kubernetes must be ${OLDEST} or later`);
    const chart = parse(await readFile(resolve(ROOT, 'deploy/chart/Chart.yaml'), 'utf8'));
    expect(chart).toMatchObject({ kubeVersion: `>=${OLDEST}.0-0` });
  });

  it('stores every field of install.yaml', async () => {
    const { code, stdout } = await place.cluster.kubectl(['diff', ...INSTALL]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('runs the operator, under which an object of each kind is created, edited and deleted', async () => {
    const [pod] = await place.pods();
    const played = await place.work(pod as Pod);
    await Promise.all(kinds.map((kind) => liveAndDelete(kind)));
    expect(await place.standIn.balancers()).toEqual([]);
    expect(await played.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    await place.stopPods();
  });

  it('refuses by the policies what a stolen token of the operator tries', async () => {
    const kubeconfigPath = await place.cluster.serviceAccountKubeconfig(
      'albridge-system',
      'albridge',
    );
    const run = ['-n', 'kube-system', 'run', 'thief', '--image=evil'];
    const { code, stderr } = await place.cluster.kubectl(run, { kubeconfigPath });
    expect(code).toBe(1);
    expect(stderr).toContain('albridge writes nothing in the namespaces of Kubernetes');
  });

  it('judges by the guardrails, with what they cost', async () => {
    await installGuardrails(place);
    const refused = REFUSED['is internet-facing in a namespace of no tenant'] as Attempt;
    const admitted = ACCEPTED['adopts with the right'] as Attempt;
    for (const { namespace } of [refused, admitted]) await createTenant(place, namespace);
    const says = async (attempt: Attempt): Promise<string> => (await create(attempt)).stderr;
    await until('the guardrails', async () => (await says(refused)).includes('not allowed'));
    await until('the rights', async () => (await create(admitted)).code === 0);
  });

  it('takes what the chart renders', async () => {
    const helm = await Helm.open();
    const flags = ['--namespace', 'albridge-system', '--kube-version', `${OLDEST}.0`];
    const items = await helm.template([
      ...flags,
      ...setAll([...COMPLETE, 'userRoles.enabled=true']),
    ]);
    await helm.close();
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const how = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'];
    const said = await place.kubectl(how, list);
    expect(said.trim().split('\n')).toHaveLength(items.length);
  });

  it.each(['secrets', 'user-roles'])('takes the component %s', async (name) => {
    const path = relative(join(tmpdir(), 'any'), resolve(ROOT, 'deploy/components', name));
    const directory = await place.kustomize('deploy/base', `components: ["${path}"]`);
    await place.kubectl(['apply', '--server-side', '--dry-run=server', '-k', directory]);
  });
});

/** Its life, and then nothing is left of it: neither the object nor what it owned. */
async function liveAndDelete(kind: OwnKind): Promise<void> {
  const namespace = `old-${kind.plural}`;
  await place.createNamespace(namespace);
  await live({ place, kind, namespace, over: new AbortController().signal });
  const resource = `${kind.plural}.${kind.group}`;
  await place.kubectl(['-n', namespace, 'delete', resource, '--all', '--timeout=60s']);
  const owned = ['-n', namespace, 'get', 'pods,deployments,services,hpa', '-o', 'json'];
  await until(`nothing is left of ${resource}`, async () => {
    const { items } = JSON.parse(await place.kubectl(owned)) as { readonly items: Owned[] };
    return items.every(({ metadata }) =>
      (metadata.ownerReferences ?? []).every((owner) => owner.kind !== kind.kind),
    );
  });
}

interface Owned {
  readonly metadata: { readonly ownerReferences?: readonly { readonly kind: string }[] };
}

function create({ namespace, spec, isTrusted }: Attempt): ReturnType<typeof place.cluster.kubectl> {
  const as = `--as=${isTrusted ? 'trusted' : 'tenant'}`;
  const myIngress = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress' };
  const input = JSON.stringify({ ...myIngress, metadata: { name: 'shop' }, spec });
  return place.cluster.kubectl(['-n', namespace, as, 'create', '-f', '-', DRY_RUN], { input });
}
