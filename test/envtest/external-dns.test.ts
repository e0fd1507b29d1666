import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { until } from '../surroundings/until.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { installDefinition } from './crd-api.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const cluster = accessCluster(inject('controlPlane'));
const NAMESPACE = ['-n', 'external-dns'];

let directory: string;

/** The kustomization of docs/dns.md, with the path of this working tree. */
beforeAll(async () => {
  await installDefinition(cluster, readMyIngressDefinition());
  directory = await mkdtemp(join(tmpdir(), 'albridge-dns-'));
  const page = await readFile(resolve(ROOT, 'docs/dns.md'), 'utf8');
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const here = shown.replace('albridge/deploy', relative(directory, resolve(ROOT, 'deploy')));
  await writeFile(join(directory, 'kustomization.yaml'), here.replace('=my-cluster', '=other'));
  await kubectlOrThrow(cluster, ['apply', '--server-side', '-k', directory]);
});
afterAll(() => rm(directory, { recursive: true }));

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env?: readonly { readonly value: string }[];
        }[];
      };
    };
  };
}

async function readDeployment(): Promise<Deployment> {
  const text = await kubectlOrThrow(cluster, ['kustomize', directory]);
  const objects = parseAllDocuments(text).map((one) => one.toJS() as Deployment);
  return objects.find(({ kind }) => kind === 'Deployment') as Deployment;
}

describe('the component external-dns, as docs/dns.md shows it', () => {
  it('has the zone, the owner and the role that a user puts in', async () => {
    const { args } = (await readDeployment()).spec.template.spec.containers[0] ?? { args: [] };
    expect(args).toContain('--domain-filter=example.com');
    expect(args).toContain('--txt-owner-id=other');
    expect(args).toHaveLength(new Set(args.map((one) => one.split('=')[0])).size);
    const account = await kubectlOrThrow(cluster, [
      ...NAMESPACE,
      'get',
      'serviceaccount',
      'external-dns',
      '-o',
      'yaml',
    ]);
    expect(account).toContain('role/external-dns');
  });

  it('has the arguments for WebApps once the component for them is added', async () => {
    const path = join(directory, 'kustomization.yaml');
    const before = await readFile(path, 'utf8');
    const page = await readFile(resolve(ROOT, 'docs/dns.md'), 'utf8');
    const shown = page.match(/```yaml\n[\s\S]*?```/g)?.[1] ?? '';
    const lines = shown.split('\n').slice(1, -1).join('\n');
    const components = relative(directory, resolve(ROOT, 'deploy'));
    const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';
    await writeFile(path, head + lines.replaceAll('albridge/deploy', components));
    try {
      const { containers } = (await readDeployment()).spec.template.spec;
      const { args = [], env = [] } = containers[0] ?? {};
      expect(args.filter((one) => one.startsWith('--unstructured-resource='))).toHaveLength(2);
      expect(args.filter((one) => one.startsWith('--fqdn-target-template='))).toHaveLength(1);
      expect(env.map(({ value }) => value)).toEqual(['platform', 'shared', 'shared.example.com']);
      await kubectlOrThrow(cluster, [
        'apply',
        '--server-side',
        '-k',
        directory,
        '--dry-run=server',
      ]);
    } finally {
      await writeFile(path, before);
    }
  });

  it('has pods that Pod Security admits as restricted', async () => {
    const { spec } = (await readDeployment()).spec.template;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec };
    const create = [...NAMESPACE, 'create', '-f', '-', '--dry-run=server'];
    await kubectlOrThrow(cluster, create, JSON.stringify(pod));
    const privileged = { ...pod, spec: { ...spec, hostNetwork: true } };
    const refused = await cluster.kubectl(create, { input: JSON.stringify(privileged) });
    expect(refused.stderr).toContain('violates PodSecurity "restricted');
  });

  it('may watch MyIngresses in every namespace, and neither write them nor read anything else', async () => {
    const can = async (verb: string, resource: string): Promise<string> => {
      const as = '--as=system:serviceaccount:external-dns:external-dns';
      return (await cluster.kubectl(['auth', 'can-i', verb, resource, '-A', as])).stdout.trim();
    };
    await until(
      'the rights',
      async () => (await can('watch', 'myingresses.demo.rtfm.co.ua')) === 'yes',
    );
    for (const verb of ['create', 'update', 'patch', 'delete']) {
      expect(await can(verb, 'myingresses.demo.rtfm.co.ua'), verb).toBe('no');
    }
    for (const resource of ['secrets', 'configmaps', 'pods', 'services', 'nodes']) {
      expect(await can('list', resource), resource).toBe('no');
    }
  });
});
