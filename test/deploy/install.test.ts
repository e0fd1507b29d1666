import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runCommand } from '../control-plane/run-command.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Container, Pod } from './pod-environment.ts';

/** The base on a real control plane: what is applied, and what becomes of it. */

let place: DeployPlace;
let pods: readonly Pod[];

beforeAll(async () => {
  place = await DeployPlace.start();
  await place.kubectl(['apply', '--server-side', '-f', resolve(ROOT, 'deploy/install.yaml')]);
  await place.established();
  pods = await place.pods();
  await until('the budget to be counted', async () => (await allowed()) === '1');
});

afterAll(() => place?.stop());
afterEach(() => place.stopPods());

/** Controllers and kubelets come to know what is new in their own time. */
const patient = { timeout: 60_000, interval: 200 } as const;

/** Pods of the Deployment that may be evicted; empty while nobody has counted them. */
function allowed(): Promise<string> {
  const budget = ['-n', 'albridge-system', 'get', 'pdb', 'albridge'];
  return place.kubectl([...budget, '-o', 'jsonpath={.status.disruptionsAllowed}']);
}

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function byName(text: string): Readonly<Record<string, unknown>> {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Named);
  return Object.fromEntries(objects.map((one) => [`${one.kind}/${one.metadata.name}`, one]));
}

describe('deploy/install.yaml', () => {
  it('is what kustomize builds from deploy', async () => {
    const rendered = byName(await readFile(resolve(ROOT, 'deploy/install.yaml'), 'utf8'));
    expect(rendered).toEqual(byName(await place.kubectl(['kustomize', resolve(ROOT, 'deploy')])));
  });

  it('changes nothing when it is applied again', async () => {
    const diff = await place.cluster.kubectl([
      ...['diff', '--server-side', '-f', resolve(ROOT, 'deploy/install.yaml')],
    ]);
    expect(diff).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('Pod Security', () => {
  it('admits the pods of the Deployment under restricted, without a warning', async () => {
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    const namespace = await place.kubectl(['get', 'namespace', 'albridge-system', '-o', 'yaml']);
    expect(namespace).toContain('pod-security.kubernetes.io/enforce: restricted');
    const label = 'pod-security.kubernetes.io/enforce=restricted';
    const args = [
      'label',
      '--dry-run=server',
      '--overwrite',
      'namespace',
      'albridge-system',
      label,
    ];
    const { stderr } = await place.cluster.kubectl(args);
    expect(stderr).toBe('');
  });

  it('refuses in the same namespace what is not restricted', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'loose' } };
    const spec = { containers: [{ name: 'loose', image: 'loose' }] };
    const create = ['-n', 'albridge-system', 'create', '--dry-run=server', '-f', '-'];
    const input = JSON.stringify({ ...pod, spec });
    const { code, stderr } = await place.cluster.kubectl(create, { input });
    expect(code).toBe(1);
    expect(stderr).toContain('violates PodSecurity "restricted');
  });
});

describe('the Deployment', () => {
  it('spreads its two pods over two nodes', () => {
    expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(2);
  });

  it('lets one of two pods be evicted, and the only one, so that its node can be drained', async () => {
    const evict = async ({ metadata: { name, namespace } }: Pod): Promise<number> => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction?dryRun=All`;
      return (await place.api.send({ method: 'POST', path, body })).code;
    };
    await expect.poll(allowed, patient).toBe('1');
    expect(await evict(pods[0] as Pod)).toBe(201);
    await place.kubectl(['-n', 'albridge-system', 'scale', 'deployment/albridge', '--replicas=1']);
    await expect.poll(async () => (await onlyPod()).length, patient).toBe(1);
    await expect.poll(allowed, patient).toBe('1');
    const [last] = await onlyPod();
    expect(await evict(last as Pod)).toBe(201);
    await place.kubectl(['-n', 'albridge-system', 'scale', 'deployment/albridge', '--replicas=2']);
    pods = await place.pods();
  });

  it('works in one replica, and keeps the other ready to take over', async () => {
    const [first, second] = pods as readonly [Pod, Pod];
    const leader = await place.work(first);
    const standby = await place.play(second, { injected: place.aws.environment });
    await standby.operator.waitForLine((line) => line.msg === 'waiting for the lease');
    const { readinessProbe, livenessProbe } = operatorOf(first);
    for (const one of [leader, standby]) {
      for (const probe of [readinessProbe, livenessProbe]) {
        const path = probe?.httpGet.path ?? 'no probe';
        await expect.poll(async () => (await one.probe(path)).status, patient).toBe(200);
      }
    }
    await leader.stop();
    await standby.operator.waitForLine((line) => line.msg === 'working');
    const objects = await place.createNamespace('install');
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    const arn = arnOf(await objects.whenReady('web'));
    expect(await place.standIn.balancer(arn)).toBeDefined();
    await objects.startDeleting('web');
    await objects.isGone('web');
  });

  it('says what is missing if no region is set', async () => {
    const played = await place.play(pods[0] as Pod);
    expect(await played.operator.exited).toBe(78);
    expect(played.operator.log.map(({ msg }) => msg).join('\n')).toBe(
      'albridge: AWS_REGION is not set: set it to an AWS region such as eu-central-1',
    );
  });

  it('takes its settings, and no code, from the ConfigMap that a user makes', async () => {
    const { AWS_REGION: region, ...injected } = place.aws.environment;
    const code = '--import=data:text/javascript,console.log(1)';
    const literals = [`AWS_REGION=${region}`, `NODE_OPTIONS=${code}`];
    const from = literals.map((literal) => `--from-literal=${literal}`);
    const map = ['configmap', 'albridge-settings', '-n', 'albridge-system'];
    await place.kubectl(['create', ...map, ...from]);
    const played = await place.play(pods[0] as Pod, { injected });
    await played.operator.waitForLine((line) => line.msg === 'working', 90_000);
    expect(played.operator.log[0]).toMatchObject({ msg: 'starting', region });
    await place.kubectl(['delete', ...map]);
  });
});

describe("the articles' make", () => {
  it('installs the CRDs, and deploys the image that it is given', async () => {
    const { kubeconfigPath, kubectlPath } = place.cluster;
    const path = `${dirname(kubectlPath)}:${process.env['PATH']}`;
    const env = { HOME: await place.openDirectory(), PATH: path, KUBECONFIG: kubeconfigPath };
    const args = ['install', 'deploy', 'IMG=registry.example/albridge:next'];
    const { code, stdout, stderr } = await runCommand('make', args, { cwd: ROOT, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('myingresses.demo.rtfm.co.ua serverside-applied');
    const deployment = ['-n', 'albridge-system', 'get', 'deployment', 'albridge'];
    const images = '{.spec.template.spec.containers[*].image}';
    expect(await place.kubectl([...deployment, '-o', `jsonpath=${images}`])).toBe(
      'registry.example/albridge:next',
    );
  });
});

function operatorOf({ spec }: Pod): Container {
  return spec.containers.find(({ name }) => name === 'operator') as Container;
}

async function onlyPod(): Promise<readonly Pod[]> {
  const list = await place.kubectl(['-n', 'albridge-system', 'get', 'pods', '-o', 'json']);
  const { items } = JSON.parse(list) as { readonly items: readonly Pod[] };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}
