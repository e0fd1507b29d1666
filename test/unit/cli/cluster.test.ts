import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseClusterSettings, restrictToReads } from '../../../src/cli/cluster.ts';
import type { CommandContext } from '../../../src/cli/command.ts';
import { type Environment, Flags } from '../../../src/cli/surroundings.ts';
import { findClusterSource } from '../../../src/kube/client/cluster-source.ts';
import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';
import { type CliRun, runCli } from './run-cli.ts';

describe('the cluster of a command', () => {
  const sent: KubeRequest[] = [];
  const transport = restrictToReads({
    request: async (request) => {
      sent.push(request);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  });

  const reads: readonly KubeRequest[] = [
    { method: 'GET', path: '/version' },
    { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', query: { dryRun: 'All' } },
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews' },
  ];

  it.each(reads)('is asked by $method $path', async (request) => {
    await transport.request(request);
    expect(sent.at(-1)).toBe(request);
  });

  const writes: readonly KubeRequest[] = [
    { method: 'DELETE', path: '/api/v1/namespaces/a/pods/b' },
    { method: 'POST', path: '/api/v1/namespaces/a/pods/b/eviction' },
    { method: 'PUT', path: '/apis/authorization.k8s.io/v1/other', query: { dryRun: 'none' } },
  ];

  it.each(writes)('never gets $method $path', async (request) => {
    const before = sent.length;
    await expect(transport.request(request)).rejects.toThrow(/was not sent$/);
    expect(sent.length).toBe(before);
  });
});

describe('the cluster of a command in a pod with a ServiceAccount', () => {
  const choose = async (files: readonly string[], env: Environment = {}): Promise<string> => {
    const home = await mkdtemp(join(tmpdir(), 'albridge-pod-'));
    await mkdir(join(home, '.kube'));
    for (const file of ['token', ...files]) await writeFile(join(home, file), '');
    const surroundings = {
      homeDirectory: home,
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...env },
    };
    const settings = chooseClusterSettings(new Flags({}), surroundings);
    const { description } = findClusterSource({ ...settings, serviceAccountDir: home });
    await rm(home, { recursive: true });
    return description.replaceAll(home, 'HOME');
  };

  it('is that of KUBECONFIG, else that of ~/.kube/config, else its own', async () => {
    const config = '.kube/config';
    expect(await choose([config], { KUBECONFIG: '/a/config' })).toBe('kubeconfig /a/config');
    expect(await choose([config])).toBe('kubeconfig HOME/.kube/config');
    expect(await choose([])).toBe('service account in HOME');
  });
});

/** With a kubeconfig of these contexts, each with the namespace `team`. */
async function runWith(
  { names, current }: { readonly names: readonly string[]; readonly current: string },
  run: (path: string) => Promise<CliRun>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-contexts-'));
  const context = { cluster: 'one', user: 'one', namespace: 'team' };
  const path = join(directory, 'config');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': current },
    contexts: names.map((name) => ({ name, context })),
    clusters: [{ name: 'one', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'one', user: {} }],
  };
  await writeFile(path, JSON.stringify(config));
  const { exitCode, stdout, stderr } = await run(path);
  await rm(directory, { recursive: true });
  expect(stdout).toBe('');
  return `${exitCode} ${stderr.replaceAll(path, 'FILE')}`;
}

describe('the namespace of a command', () => {
  it.each([
    { why: "the context's", args: [], namespace: 'team' },
    { why: 'that of -n', args: ['-n', 'shop'], namespace: 'shop' },
    { why: 'none with -A', args: ['-A'], namespace: undefined },
  ])('is $why, of the kubeconfig that --kubeconfig names', async ({ args, namespace }) => {
    const asked: unknown[] = [];
    const probe = {
      ...{ name: 'probe', summary: '', operands: { usage: '', min: 0, max: 0 } },
      ...{ examples: [], options: {} },
      run: async ({ cluster }: CommandContext) => asked.push(cluster().namespace) - 1,
    };
    const options = { env: { KUBECONFIG: '/nowhere' }, commands: [probe] };
    const ended = await runWith({ names: ['live'], current: 'live' }, (path) =>
      runCli(['probe', '--kubeconfig', path, ...args], options),
    );
    expect({ ended, asked }).toEqual({ ended: '0 ', asked: [namespace] });
  });
});

describe('--context', () => {
  const choose = (names: readonly string[], current: string): Promise<string> =>
    runWith({ names, current }, (path) =>
      runCli(['status', '--context', 'nope', '--kubeconfig', path]),
    );

  it('that the kubeconfig does not have is answered with those that it has', async () => {
    expect(await choose(['staging', 'live'], 'live')).toBe(
      '64 albridge: there is no context "nope" in the kubeconfig FILE: give --context one of staging, live (kubectl config get-contexts)\n',
    );
    const many = Array.from({ length: 12 }, (_, index) => `c${index}`);
    expect(await choose(many, 'c0')).toMatch(
      / one of c0, .*, c9, and 2 more \(kubectl config get-contexts\)\n$/,
    );
  });

  it('is named as well where the kubeconfig has no current-context', async () => {
    expect(await choose(['staging'], '')).toMatch(
      /^1 albridge: kubeconfig FILE: context "nope" names no cluster: .*kubectl config get-contexts/,
    );
  });
});
