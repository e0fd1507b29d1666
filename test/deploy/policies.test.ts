import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBalancerFinalizer } from '../../src/apis/my-ingress.ts';
import type { CommandResult } from '../control-plane/run-command.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace, ROOT } from './place.ts';
import { ALLOWED, REFUSED } from './stolen-writes.ts';
import {
  HOOK_OF_OTHERS,
  LABELS,
  OTHERS_FINALIZER,
  POD_SPEC,
  patch,
  TEAM,
  templateWithGate,
  WEB_APP,
  type Write,
} from './token-writes.ts';

/** What RBAC and the shipped policies leave to a stolen token of the operator, and to a tenant. */

let place: DeployPlace;
let token: string;

const OWN = ['albridge-system', 'albridge'] as const;

beforeAll(async () => {
  place = await DeployPlace.start();
  await place.createNamespace(TEAM);
  await place.kubectl(['apply', '--server-side', '-k', resolve(ROOT, 'deploy/base')]);
  for (const kind of ['myingress', 'immortalcontainer', 'myapp', 'webapp']) {
    const rights = resolve(ROOT, 'deploy/components', kind, 'rights.yaml');
    await place.kubectl(['apply', '--server-side', '-f', rights]);
  }
  token = await place.cluster.serviceAccountKubeconfig(...OWN);
  await until('the rights', async () => {
    return (await asThief({ args: ['get', 'pods', '-A'] })).code === 0;
  });
});
afterAll(() => place?.stop());

function asThief({ args, manifest }: Pick<Write, 'args' | 'manifest'>): Promise<CommandResult> {
  const input = manifest === undefined ? {} : { input: JSON.stringify(manifest) };
  return place.cluster.kubectl(args, { kubeconfigPath: token, ...input });
}

/** A policy is in force some moments after it was applied; until then a dry run shows nothing. */
async function expectRefused(write: Write): Promise<void> {
  const dry = { ...write, args: [...write.args, '--dry-run=server'] };
  const dryRun = write.args.includes('--raw') ? write : dry;
  const refused = async (): Promise<boolean> => write.refusal.test((await asThief(dryRun)).stderr);
  await until(`refusal ${write.refusal}`, refused).catch(async (error: Error) => {
    throw new Error(`${error.message}; ${JSON.stringify(await asThief(dryRun))}`);
  });
  const { code, stderr } = await asThief(write);
  expect(code).not.toBe(0);
  // The first rule that is broken; that each pattern fits one rule only is a test of test/unit/deploy.
  expect(stderr).toMatch(write.refusal);
}

/** Objects of others, which the token finds. */
async function createVictims(): Promise<void> {
  const workload = (kind: string, ownerReferences: readonly object[] = []): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: ownerReferences.length > 0 ? 'owned' : 'others', ownerReferences },
    spec: {
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: POD_SPEC },
    },
  });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'others' },
    spec: { selector: LABELS, ports: [{ port: 80 }] },
  };
  const lonely = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'others' }, spec: POD_SPEC };
  await place.kubectl(['-n', TEAM, 'create', 'serviceaccount', 'rich']);
  const own = { ...WEB_APP, uid: await createWebApp() };
  const team = [
    workload('Deployment'),
    workload('StatefulSet'),
    workload('DaemonSet'),
    workload('Deployment', [own]),
    { ...service, metadata: { name: 'owned', ownerReferences: [own] } },
    service,
    lonely,
  ];
  const ingress = (name: string, ...finalizers: readonly string[]): object => ({
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: { name, finalizers },
    spec: { subnets: ['subnet-abc', 'subnet-def'] },
  });
  const monitor = {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name: 'others' },
    spec: { configMap: 'shop', podSelector: LABELS },
  };
  const both = [OTHERS_FINALIZER, loadBalancerFinalizer];
  const ingresses = [
    ingress('shop'),
    ingress('kept', OTHERS_FINALIZER),
    ingress('held', ...both),
    ingress('leaving', ...both),
  ];
  for (const one of [...team, ...ingresses, monitor])
    await place.kubectl(['-n', TEAM, 'create', '-f', '-'], JSON.stringify(one));
  const gated = {
    ...workload('Deployment', [own]),
    metadata: { name: 'gated', ownerReferences: [own] },
  };
  await place.kubectl(['-n', TEAM, 'create', '-f', '-'], JSON.stringify(gated));
  const template = templateWithGate({ ...HOOK_OF_OTHERS }, 300);
  await place.kubectl(patch('deployment gated', template).args);
  await place.kubectl(['-n', TEAM, 'delete', 'myingress', 'leaving', '--wait=false']);
  await grantPriorityClass();
  const system = ['-n', 'kube-system', 'create', '-f', '-'];
  await place.kubectl(system, JSON.stringify(lonely));
}

/** As an administrator does whose cluster has a default PriorityClass above 0. */
async function grantPriorityClass(): Promise<void> {
  await place.kubectl(['create', 'priorityclass', 'usual', '--value=10']);
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'usual' },
    rules: [
      {
        apiGroups: ['scheduling.k8s.io'],
        resources: ['priorityclasses'],
        resourceNames: ['usual'],
        verbs: ['use'],
      },
    ],
  };
  await place.kubectl(['create', '-f', '-'], JSON.stringify(role));
  const whom = '--serviceaccount=albridge-system:albridge';
  await place.kubectl(['create', 'clusterrolebinding', 'usual', '--clusterrole=usual', whom]);
}

/** So that the garbage collector leaves its children. No operator runs here. */
async function createWebApp(): Promise<string> {
  const metadata = { name: 'shop' };
  const app = { apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata, spec: { image: 'a' } };
  const create = ['-n', TEAM, 'create', '-f', '-', '-o', 'jsonpath={.metadata.uid}'];
  return place.kubectl(create, JSON.stringify(app));
}

describe('the token of an operator without ConfigMonitor', () => {
  it('reads no ConfigMap', async () => {
    const { stderr } = await asThief({ args: ['get', 'configmaps', '-A'] });
    expect(stderr).toMatch(/cannot list resource "configmaps"/);
  });
});

describe('the stolen token of the operator', () => {
  beforeAll(async () => {
    await place.apply('deploy');
    await createVictims();
  });

  it.each(Object.entries(REFUSED))('never %s', (_name, write) => expectRefused(write()));

  it.each(Object.entries(ALLOWED))('%s', async (_name, write) => {
    const { args, manifest } = write();
    const { stderr, code } = await asThief({
      args: [...args, ...(args.includes('restart') ? [] : ['--dry-run=server'])],
      ...(manifest && { manifest }),
    });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  it('is judged by expressions of which the API server knows every type', async () => {
    const policies = await until('the types are checked', async () => {
      const json = await place.kubectl(['get', 'validatingadmissionpolicies', '-o', 'json']);
      const { items } = JSON.parse(json) as { readonly items: readonly CheckedPolicy[] };
      const own = items.filter(({ metadata }) => metadata.name.startsWith('albridge-'));
      return own.every(({ status }) => status?.typeChecking !== undefined) && own;
    });
    expect(policies.length).toBeGreaterThan(8);
    const warnings = policies.flatMap(
      ({ metadata, status }) =>
        status?.typeChecking?.expressionWarnings?.map((one) => ({ of: metadata.name, ...one })) ??
        [],
    );
    expect(warnings).toEqual([]);
  });
});

interface CheckedPolicy {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly typeChecking?: { readonly expressionWarnings?: readonly object[] } };
}

/** They may write ConfigMaps; only the second one may evict pods. */
const WRITER = 'writer';
const EVICTOR = 'evictor';

function annotated(name: string, user: string, namespace = TEAM): Promise<CommandResult> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { 'magalix.com/podDeleteMatch': 'app=shop' } },
    data: { a: 'b' },
  };
  const args = ['-n', namespace, `--as=${user}`, 'apply', '-f', '-'];
  return place.cluster.kubectl(args, { input: JSON.stringify(manifest) });
}

function edit(user: string, change: object): Promise<CommandResult> {
  return place.cluster.kubectl([`--as=${user}`, ...patch('configmap settings', change).args]);
}

describe('who may write ConfigMaps', () => {
  beforeAll(async () => {
    for (const namespace of [TEAM, 'kube-system', 'albridge-system']) {
      const role = ['-n', namespace, 'create'];
      await place.kubectl([...role, 'role', 'write', '--verb=*', '--resource=configmaps']);
      await place.kubectl([...role, 'role', 'evict', '--verb=create', '--resource=pods/eviction']);
      const users = ['writer', 'evictor'].map((user) => `--user=${user}`);
      await place.kubectl([...role, 'rolebinding', 'write', '--role=write', ...users]);
      await place.kubectl([...role, 'rolebinding', 'evict', '--role=evict', '--user=evictor']);
    }
    await until('the rights', async () => (await annotated('probe', EVICTOR)).code === 0);
    await until('the policy', async () => (await annotated('settings', WRITER)).code !== 0);
    await place.kubectl(['-n', TEAM, 'delete', 'configmap', '--all']);
  });

  it('does not annotate them for the eviction of pods without that right', async () => {
    const { code, stderr } = await annotated('settings', WRITER);
    expect(code).toBe(1);
    expect(stderr).toContain('you must be allowed to create pods/eviction in this namespace');
  });

  it('annotates them as in the article with that right', async () => {
    expect(await annotated('settings', EVICTOR)).toMatchObject({ code: 0 });
  });

  it('edits the data of an annotated one, and takes the annotation off, without it', async () => {
    expect(await edit(WRITER, { data: { a: 'c' } })).toMatchObject({ code: 0 });
    const other = { metadata: { annotations: { 'magalix.com/podDeleteMatch': 'app=other' } } };
    expect((await edit(WRITER, other)).stderr).toContain('pods/eviction');
    const none = { metadata: { annotations: { 'magalix.com/podDeleteMatch': null } } };
    expect(await edit(WRITER, none)).toMatchObject({ code: 0 });
    expect((await edit(WRITER, other)).stderr).toContain('pods/eviction');
  });

  it.each(['kube-system', 'albridge-system'])('annotates none in %s', async (namespace) => {
    const { stderr } = await annotated('settings', EVICTOR, namespace);
    expect(stderr).toContain('has no effect in the namespaces of Kubernetes and of albridge');
  });
});
