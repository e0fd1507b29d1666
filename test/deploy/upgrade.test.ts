import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import { startOperatorProcess } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import { cloneFresh, removeClone } from './clone.ts';
import { blocksOf, type CommandBlock } from './commands.ts';
import { CredentialDesk } from './credential-desk.ts';
import { checkOut, commitBefore, NoHistory } from './history.ts';
import { inNamespace, selfSufficientExamples } from './own-kinds.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Pod } from './pod-environment.ts';
import { Reader } from './reader.ts';

/** From earlier manifests to those of now, with objects present. */

const RELEASES = resolve(import.meta.dirname, 'releases');
const releases = (await readdir(RELEASES)).sort();

/** Whole commits: their manifests, the image that they make, and every kind that they had. */
const commits: Readonly<Record<string, () => Promise<string>>> = {
  'the commit that brought the Deployment': async () => 'db0e630577349b34940cfc672bff4620e527054b',
  'the newest commit with other manifests': commitBefore,
};

let place: DeployPlace;
let namespace: string;
let namespaces = 0;

beforeAll(async () => {
  place = await DeployPlace.start();
});

afterAll(() => place?.stop());

/** Each upgrade has a namespace of its own, and begins in a cluster without albridge. */
beforeEach(async () => {
  namespaces += 1;
  namespace = `upgrade-${namespaces}`;
  await place.kubectl(['create', 'namespace', namespace]);
});

afterEach(async () => {
  const kinds = await servedKinds();
  try {
    if (kinds !== '') await deleteAll(kinds);
  } finally {
    await place.stopPods();
  }
  const shipped = await place.kubectl(['kustomize', 'deploy']);
  // A namespace takes its time to go, and its pods go with the Deployment.
  const kept = parseAllDocuments(shipped).filter((one) => one.get('kind') !== 'Namespace');
  const input = kept.map((one) => `---\n${String(one)}`).join('');
  await place.kubectl(['delete', '--ignore-not-found', '--timeout=60s', '-f', '-'], input);
  await place.standIn.reset();
});

/**
 * The drift scans of an upgrade, one in each second, take most of the budget for reads, so deletions take
 * their time. What the operator waits for is in its log alone, once the test is over.
 */
async function deleteAll(kinds: string): Promise<void> {
  try {
    await inNamespaceHere('delete', kinds, '--all', '--timeout=240s');
  } catch (error) {
    const left = await inNamespaceHere('get', kinds, '-o', 'yaml');
    throw new Error([String(error), left, ...place.lastLines(100)].join('\n'));
  }
}

/** Not by their category: what kubectl remembers of that is as old as its cache. */
async function servedKinds(): Promise<string> {
  const names = await place.kubectl(['get', 'crds', '-o', 'name']);
  return names
    .trim()
    .split('\n')
    .map((name) => name.replace(/^.*\//, ''))
    .join(',');
}

function inNamespaceHere(...args: readonly string[]): Promise<string> {
  return place.kubectl(['-n', namespace, ...args]);
}

/** The new manifests over the old ones, CRDs included, and a new pod that takes over. */
async function upgrade(stopOld: () => Promise<unknown>): Promise<void> {
  await place.kubectl(['apply', '--server-side', '-k', resolve(ROOT, 'deploy')]);
  const [pod] = await place.pods();
  const injected = { ...place.aws.environment, ALBRIDGE_SWEEP_INTERVAL: '1s' };
  const played = await place.play(pod as Pod, { injected });
  await stopOld();
  await place.standIn.clearCalls();
  await played.operator.waitForLine((line) => line.msg === 'working', 90_000);
  await until('four sweeps, one in each second', async () => {
    const reads = await place.standIn.operatorCalls('DescribeLoadBalancers');
    return reads.filter(({ input }) => 'PageSize' in input).length >= 4;
  });
}

/** What the operator has written to AWS since the upgrade began; it has looked in any case. */
async function writesToAws(): Promise<readonly string[]> {
  const calls = await place.standIn.operatorCalls();
  expect(calls.length).toBeGreaterThan(1);
  return calls
    .map(({ operation }) => operation)
    .filter((operation) => !operation.startsWith('Describe'));
}

describe('an upgrade', () => {
  it('has somewhere to start from', () => {
    expect(releases.length).toBeGreaterThan(0);
  });

  it.each(releases)('from %s changes nothing in AWS and no object', async (release) => {
    await place.kubectl(['apply', '--server-side', '-f', join(RELEASES, release)]);
    await place.established();
    await lendRights();
    const old = await startOld();
    const objects = place.myIngresses(namespace);
    const attributes = { 'idle_timeout.timeout_seconds': '120' };
    const tags = { team: 'web' };
    await objects.create('web', { subnets: place.aws.network.articleSubnets, tags, attributes });
    const before = await objects.whenReady('web');
    const balancer = await place.standIn.balancer(arnOf(before));
    await takeRightsBack();

    await upgrade(() => old.stop());

    expect(await writesToAws()).toEqual([]);
    expect(await place.standIn.balancer(arnOf(before))).toEqual(balancer);
    const after = await objects.get('web');
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await objects.startDeleting('web');
    await objects.isGone('web');
  });

  it.for(Object.entries(commits))(
    'from %s changes nothing in AWS, replaces no child but pods that had a token or no probe, and keeps all Ready',
    async ([, find], { skip }) => {
      const directory = join(await place.openDirectory(), 'then');
      try {
        await checkOut(await find(), directory);
      } catch (error) {
        if (error instanceof NoHistory) skip(error.message);
        throw error;
      }
      const old = await installThen(directory);
      const applied = inNamespace(await selfSufficientExamples(directory), namespace);
      await place.kubectl(['apply', '-f', '-'], applied);
      const kinds = await servedKinds();
      await inNamespaceHere('wait', '--for=condition=Ready', kinds, '--all', '--timeout=120s');
      const rolled = await kindsThatRoll(directory);
      const before = await world(rolled);
      expect(Object.keys(before.objects).length).toBeGreaterThan(3);
      expect(before.balancers.length).toBeGreaterThan(3);

      await upgrade(() => old.stop());

      expect(await writesToAws()).toEqual([]);
      await until('all is as before', async () => {
        expect(await world(rolled)).toEqual(before);
        return true;
      });
    },
  );
});

/** Owners of the pods that roll once: those that had a token, and those of WebApps without a probe. */
async function kindsThatRoll(directory: string): Promise<readonly string[]> {
  const read = (path: string): Promise<string> =>
    readFile(join(directory, path), 'utf8').catch(() => '');
  const pod = await read('src/pods/pod.ts');
  if (!pod.includes('automountServiceAccountToken: false')) return ROLLED;
  const webApp = await read('src/controllers/web-app/desired.ts');
  return webApp.includes('readinessProbe') ? [] : ROLLED.filter((kind) => kind !== 'MyApp');
}

type Strings = Readonly<Record<string, string>>;

const YAML = 'my-cluster/kustomization.yaml';
const ROLE = 'arn:aws:iam::444455556666:role/albridge';
const REPOSITORY = '444455556666.dkr.ecr.us-east-1.amazonaws.com/albridge';
const IMAGE = `${REPOSITORY}:${manifest.version}`;

/** What docs/install.md has under a heading about the user's own kustomization. */
async function documented(section: string): Promise<readonly string[]> {
  const blocks = await blocksOf('docs/install.md');
  return blocks
    .filter((one) => one.section === section && one.mark === 'run')
    .map(({ text }) => text);
}

async function edit(
  path: string,
  ...changes: readonly (readonly [string, string])[]
): Promise<void> {
  const text = await readFile(path, 'utf8');
  const edited = changes.reduce((now, [from, to]) => now.replaceAll(from, to), text);
  expect(edited).not.toBe(text);
  await writeFile(path, edited);
}

/** The user's role, if the ServiceAccount still has it, and the image. */
async function readInstalled(): Promise<{ role: string; image: string; history: string }> {
  const get = async (what: string, path: string): Promise<string> =>
    place.kubectl(['-n', 'albridge-system', 'get', what, 'albridge', '-o', `jsonpath={${path}}`]);
  const annotation = String.raw`.metadata.annotations.eks\.amazonaws\.com/role-arn`;
  return {
    role: await get('serviceaccount', annotation),
    image: await get('deployment', '.spec.template.spec.containers[0].image'),
    history: await get('deployment', '.spec.revisionHistoryLimit'),
  };
}

/**
 * What the webhook of EKS adds to a pod whose ServiceAccount is annotated, and nothing else
 * (https://docs.aws.amazon.com/eks/latest/userguide/pod-configuration.html); the addresses are those
 * of the stand-ins.
 */
async function addressesAndRole(role: string, desk: CredentialDesk): Promise<Strings> {
  const endpoint = place.aws.environment['AWS_ENDPOINT_URL'] as string;
  const addresses = { AWS_ENDPOINT_URL: endpoint, AWS_ENDPOINT_URL_STS: desk.url };
  if (role === '') return addresses;
  const token = await place.openFile('token', 'web-identity-token');
  return { ...addresses, AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: token };
}

describe('the upgrade that docs/install.md describes', () => {
  it("keeps an EKS installation's region, image and role", async () => {
    const clone = await cloneFresh();
    const desk = await CredentialDesk.open();
    const reader = await Reader.in(place, clone);
    const [install = '', apply = ''] = (await documented('2b. On EKS')).slice(-2);
    await reader.paste(install);
    const own = [['111122223333', '444455556666'] as const, ['eu-central-1', 'us-east-1'] as const];
    await edit(join(clone, YAML), ...own);
    await reader.paste(apply);
    expect(await readInstalled()).toEqual({ role: ROLE, image: IMAGE, history: '3' });

    // The clone of the next version.
    const next = ['revisionHistoryLimit: 3', 'revisionHistoryLimit: 4'] as const;
    await edit(join(clone, 'deploy/base/deployment.yaml'), next);
    for (const text of await documented('Upgrade')) await reader.paste(text);

    const installed = await readInstalled();
    expect(installed).toEqual({ role: ROLE, image: IMAGE, history: '4' });
    const [pod] = await place.pods();
    const injected = await addressesAndRole(installed.role, desk);
    const { operator } = await place.play(pod as Pod, { injected });
    await operator.waitForLine((line) => line.msg === 'working');
    expect(operator.log[0]).toMatchObject({ msg: 'starting', region: 'us-east-1' });
    const objects = place.myIngresses(namespace);
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    await objects.whenReady('web');
    expect(desk.handedTo).toEqual([`${ROLE} web-identity-token`]);
    desk.close();
    await removeClone(clone);
  });
});

/** The last commit whose docs/install.md had users edit an overlay in place. */
const RELEASE_0_1_0 = '0f0cf7efe46e3d050c93f1fead899448597e3514';

describe('the upgrade from 0.1.0 that docs/install.md describes', () => {
  it('keeps rights, region, image and role of an overlay edited in place', async ({ skip }) => {
    const old = join(await place.openDirectory(), 'albridge-0.1.0');
    await checkOut(RELEASE_0_1_0, old).catch((error: unknown) => {
      if (error instanceof NoHistory) skip(error.message);
      throw error;
    });
    const overlay = join(old, 'deploy/overlays/irsa');
    const own = [['111122223333', '444455556666'] as const, ['eu-central-1', 'us-east-1'] as const];
    await edit(join(overlay, 'kustomization.yaml'), ...own);
    await place.kubectl(['apply', '--server-side', '-k', overlay]);
    await place.established();
    const clone = await cloneFresh();
    const reader = await Reader.in(place, clone);
    const blocks = (await blocksOf('docs/install.md')).filter(isFrom010);
    const [copy = '', apply = ''] = blocks.map(({ text }) => text);

    await reader.paste(copy.replace('../albridge-0.1.0', old));
    await edit(join(clone, YAML), ['newTag: 0.1.0', 'newTag: 0.2.0']);
    await reader.paste(apply);

    const installed = await readInstalled();
    const image = `${REPOSITORY}:0.2.0`;
    expect(installed).toEqual({ role: ROLE, image, history: '3' });
    const [pod] = await place.pods();
    const { AWS_REGION: _, ...injected } = place.aws.environment;
    const { operator } = await place.play(pod as Pod, { injected });
    await operator.waitForLine((line) => line.msg === 'working');
    expect(operator.log[0]).toMatchObject({ msg: 'starting', region: 'us-east-1' });
    const applied = inNamespace(await selfSufficientExamples(), namespace);
    await place.kubectl(['apply', '-f', '-'], applied);
    const kinds = await servedKinds();
    await inNamespaceHere('wait', '--for=condition=Ready', kinds, '--all', '--timeout=120s');
    await removeClone(clone);
  });
});

function isFrom010({ section, mark }: CommandBlock): boolean {
  return section === 'Upgrade' && typeof mark === 'object' && mark.notRun.includes('of 0.1.0');
}

interface Seen {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }[];
  };
}

/** Owners whose pods an upgrade may replace, and whose Ready may then flip. */
const ROLLED = ['MyApp', 'WebApp', 'Deployment', 'ReplicaSet'];

/** What an upgrade must leave as it is; a Ready that flipped to and fro shows in its time. */
async function world(rolled: readonly string[]): Promise<{
  readonly objects: Readonly<Record<string, unknown>>;
  readonly children: readonly string[];
  readonly balancers: readonly unknown[];
}> {
  const objects = (await list(await servedKinds())).map(({ kind, metadata, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const { status: is, lastTransitionTime: since } = ready ?? {};
    const generations = [metadata.generation, status?.observedGeneration];
    const time = rolled.includes(kind) ? {} : { since };
    return [`${kind}/${metadata.name}`, { uid: metadata.uid, generations, is, ...time }];
  });
  const isKept = ({ kind, metadata: { ownerReferences = [] } }: Seen): boolean => {
    const mayRoll = kind === 'Pod' || kind === 'ReplicaSet';
    return !(mayRoll && ownerReferences.some((owner) => rolled.includes(owner.kind)));
  };
  const children = (await list('pods,services,deployments,replicasets'))
    .filter(isKept)
    .map(({ kind, metadata: { name, uid } }) => `${kind}/${name} ${uid}`);
  const balancers = await place.standIn.balancers();
  return { objects: Object.fromEntries(objects), children: children.sort(), balancers };
}

async function list(resources: string): Promise<readonly Seen[]> {
  const json = await inNamespaceHere('get', resources, '-o', 'json');
  return (JSON.parse(json) as { readonly items: readonly Seen[] }).items;
}

/** The manifests of that time, and one of its pods with the image of that time. */
async function installThen(directory: string): ReturnType<DeployPlace['work']> {
  const build = [join(directory, 'deploy/bundle.ts')];
  await promisify(execFile)(process.execPath, build, { cwd: directory });
  await place.kubectl(['apply', '--server-side', '-f', join(directory, 'deploy/install.yaml')]);
  await place.established();
  const [pod] = await place.pods();
  return place.work(pod as Pod, {}, join(directory, 'dist'));
}

const LENT = ['clusterrole/lent-to-old', 'clusterrolebinding/lent-to-old'] as const;

/** The code of today plays the old operator, and watches what that one did not know. */
async function lendRights(): Promise<void> {
  const resources = '--resource=services,endpointslices.discovery.k8s.io';
  await place.kubectl(['create', 'clusterrole', 'lent-to-old', '--verb=list,watch', resources]);
  const account = '--serviceaccount=albridge-system:albridge';
  const binding = ['create', 'clusterrolebinding', 'lent-to-old', '--clusterrole=lent-to-old'];
  await place.kubectl([...binding, account]);
}

/** Watches that are open go on; the new operator has its own rights. */
async function takeRightsBack(): Promise<void> {
  await place.kubectl(['delete', ...LENT]);
}

/** Before there was a Deployment, the operator ran with the ServiceAccount's rights from elsewhere. */
async function startOld(): Promise<ReturnType<typeof startOperatorProcess>> {
  const kubeconfig = await place.cluster.serviceAccountKubeconfig('albridge-system', 'albridge');
  const operator = startOperatorProcess({
    environment: {
      ...isolatedEnvironment(process.env, place.cluster.directory),
      ...place.aws.environment,
      KUBECONFIG: kubeconfig,
      ALBRIDGE_METRICS_ADDRESS: 'off',
      ALBRIDGE_HEALTH_ADDRESS: 'off',
    },
  });
  await operator.waitForLine((line) => line.msg.includes('started') || line.msg === 'working');
  return operator;
}
