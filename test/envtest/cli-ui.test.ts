import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { type CommandLineRun, runAlbridge } from '../surroundings/command-line.ts';
import { startUi, type UiProcess } from '../surroundings/ui-process.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { callApi, createNamespace, installDefinition, pathOf, succeeded } from './crd-api.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readMyIngressDefinition();
const started: UiProcess[] = [];
let directory = '';
let namespace = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-ui-'));
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'cli-ui');
  await create('web');
});

afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()));
  await rm(directory, { recursive: true });
});

async function create(name: string): Promise<void> {
  const { group, names, versions } = definition.spec;
  const spec = { subnets: ['subnet-abc', 'subnet-def'] };
  const head = { apiVersion: `${group}/${versions[0].name}`, kind: names.kind };
  const body = { ...head, metadata: { name }, spec };
  succeeded(await callApi(cluster, { method: 'POST', path: pathOf(definition, namespace), body }));
}

async function serve(kubeconfigPath: string, ...args: readonly string[]): Promise<UiProcess> {
  const ui = await startUi(kubeconfigPath, { args });
  started.push(ui);
  return ui;
}

function open(url: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { accept } }, resolve).on('error', reject);
  });
}

async function read(url: string): Promise<string> {
  return text(await open(url, 'text/html'));
}

/** What the page is sent, until it has each of these texts. */
async function follow(url: string, ...texts: readonly string[]): Promise<string> {
  const stream = await open(url, 'text/event-stream');
  let received = '';
  for await (const chunk of stream) {
    received += String(chunk);
    if (texts.every((one) => received.includes(one))) break;
  }
  return received;
}

/** The kubeconfig of a new service account with these rules in the namespace. */
async function createReader(rules: readonly object[]): Promise<string> {
  const name = 'reader';
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const core = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const post = async (path: string, body: object): Promise<object> =>
    succeeded(await callApi(cluster, { method: 'POST', path, body })).body;
  await post(core, { metadata: { name } });
  await post(`${rbac}/roles`, { metadata: { name }, rules });
  await post(`${rbac}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  const answer = (await post(`${core}/${name}/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })) as { readonly status?: { readonly token?: string } };
  const path = join(directory, 'kubeconfig');
  const ca = Buffer.from(cluster.caPem).toString('base64');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token: answer.status?.token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

describe('albridge ui on a real API server', () => {
  it('sends a new object to a page that is open', async () => {
    const ui = await serve(cluster.kubeconfigPath, '-n', namespace);
    expect(await read(ui.url)).toContain('>web</a>');
    const following = follow(ui.url, '>later</a>');
    await create('later');
    expect(await following).toContain('2 objects, 2 not ready');
  });

  it('shows the events of the object whose page is open', async () => {
    const ui = await serve(cluster.kubeconfigPath, '-n', namespace);
    const path = pathOf(definition, namespace, 'web');
    const { body } = succeeded(await callApi(cluster, { method: 'GET', path }));
    const { uid } = body.metadata;
    const regarding = { apiVersion: body.apiVersion, kind: body.kind, name: 'web', namespace, uid };
    const event = {
      ...{ metadata: { generateName: 'web-' }, regarding, reason: 'CreatedALB', type: 'Normal' },
      ...{ note: 'made it', action: 'Create', reportingController: 'test' },
      ...{ reportingInstance: 'test', eventTime: '2026-01-01T00:00:00.000000Z' },
    };
    const events = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    succeeded(await callApi(cluster, { method: 'POST', path: events, body: event }));
    const following = follow(`${ui.url}myingresses/${namespace}/web`, 'made it');
    expect(await following).toContain('CreatedALB');
  });

  it('says what may not be listed, on the page and in the terminal, and shows the rest', async () => {
    const { group, names } = definition.spec;
    const verbs = ['get', 'list', 'watch'];
    const rules = [{ apiGroups: [group], resources: [names.plural], verbs }];
    const ui = await serve(await createReader(rules), '-n', namespace);
    const html = await follow(ui.url, '>web</a>', 'WebApp: not shown');
    expect(html).toMatch(/WebApp: not shown, [^<]*cannot (list|watch)[^<]*ask for the role/);
    await vi.waitFor(
      () => expect(ui.stderr()).toMatch(/WebApp: not shown, .*cannot (list|watch)/),
      { timeout: 20_000 },
    );
    const object = await follow(`${ui.url}myingresses/${namespace}/web`, 'ask for');
    expect(object).toMatch(/events[^<]*cannot (list|watch)/);
    expect(object).toContain('Why it is not as desired');
  });

  it('draws one MyIngress for a file, and nothing else', async () => {
    const { kubeconfigPath } = cluster;
    const draw = (...args: readonly string[]): Promise<CommandLineRun> =>
      runAlbridge(['status', ...args, '-n', namespace, '-o', 'svg'], {
        ...{ kubeconfigPath, awsEnvironment: {} },
      });
    const { exitCode, stdout } = await draw('myingress/web');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\n$/);
    expect(await draw()).toMatchObject({
      exitCode: 64,
      stderr: 'albridge: a drawing shows one MyIngress: albridge status NAME -o svg\n',
    });
  });

  it('ends in one sentence without a kubeconfig, and on a port that is none', async () => {
    await expect(startUi('/nonexistent/kubeconfig')).rejects.toThrow(
      /exited with 1: albridge: [^\n]+\n$/,
    );
    await expect(serve(cluster.kubeconfigPath, '--port', '99999')).rejects.toThrow(
      'exited with 64: albridge: --port takes a number from 1 to 65535, not "99999"',
    );
  });

  it('ends on Ctrl-C without a word', async () => {
    const ui = await serve(cluster.kubeconfigPath);
    expect(await ui.stop()).toBe(130);
    expect(ui.stderr()).not.toMatch(/defect|error|abort|interrupt/i);
  });
});
