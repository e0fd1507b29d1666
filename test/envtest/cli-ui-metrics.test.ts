import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ClusterAccess, openCluster } from '../../src/cli/cluster.ts';
import { describeError } from '../../src/cli/errors.ts';
import { findLeaders, readMetricsText } from '../../src/cli/leader/find-leaders.ts';
import { Flags } from '../../src/cli/surroundings.ts';
import { systemClock as clock } from '../../src/system-clock.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { callApi, createNamespace, succeeded } from './crd-api.ts';

const PAGE = new URL('../../docs/ui.md', import.meta.url);
const TEXT = 'albridge_aws_budget_tokens{bucket="writes"} 3\n';
const POD = 'albridge-a';

const cluster = accessCluster(inject('controlPlane'));
/** What the pod has been sent. */
const received: IncomingHttpHeaders[] = [];
const opened: ClusterAccess[] = [];
let server: Server;
let namespace = '';

beforeAll(async () => {
  const address = findAddress();
  server = createServer(({ url, headers }, response) => {
    received.push(headers);
    response.writeHead(url === '/metrics' ? 200 : 404).end(TEXT);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  namespace = await createNamespace(cluster, 'cli-ui-metrics');
  await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'operator' } });
  await createPod(POD, address, (server.address() as AddressInfo).port);
  const spec = { holderIdentity: `${POD}_1`, leaseDurationSeconds: 15 };
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  await post(leases, { metadata: { name: 'albridge' }, spec });
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  server?.close();
});

/** The API server's proxy refuses loopback addresses. */
function findAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined) throw new Error('this machine has no IPv4 address but loopback');
  return found.address;
}

async function post(path: string, body: object): Promise<void> {
  succeeded(await callApi(cluster, { method: 'POST', path, body }));
}

async function createPod(name: string, podIP: string, containerPort: number): Promise<void> {
  const ports = [{ name: 'metrics', containerPort }];
  const containers = [{ name: 'operator', image: 'albridge', ports }];
  const spec = { serviceAccountName: 'operator', automountServiceAccountToken: false, containers };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await post(path, { metadata: { name }, spec });
  const status = { podIP, podIPs: [{ ip: podIP }] };
  const write = { method: 'PATCH', path: `${path}/${name}/status`, patch: 'merge' } as const;
  succeeded(await callApi(cluster, { ...write, body: { status } }));
}

/** The rights that docs/ui.md names, for a new service account; without those of `left`. */
async function createReader(name: string, left?: string): Promise<ClusterAccess> {
  const [, yaml = ''] =
    /```yaml\n([^`]*ClusterRole[^`]*)```/.exec(await readFile(PAGE, 'utf8')) ?? [];
  const roles = parseAllDocuments(yaml).map(
    (one) => one.toJS() as { readonly kind: string; readonly rules: readonly object[] },
  );
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const core = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await post(core, { metadata: { name } });
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  for (const { kind, rules } of roles.filter((role) => role.kind !== left)) {
    const folder = kind === 'Role' ? `${rbac}/namespaces/${namespace}` : rbac;
    const metadata = { name: `${namespace}-${name}` };
    await post(`${folder}/${kind.toLowerCase()}s`, { metadata, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name };
    await post(`${folder}/${kind.toLowerCase()}bindings`, { metadata, roleRef, subjects });
  }
  return open(await cluster.serviceAccountKubeconfig(namespace, name));
}

function open(kubeconfig: string): ClusterAccess {
  const { stdin, stdout, stderr } = process;
  const { signal } = new AbortController();
  const surroundings = {
    env: {},
    homeDirectory: '/nonexistent',
    stdin,
    stdout,
    stderr,
    clock,
    signal,
  };
  const access = openCluster(new Flags({ kubeconfig }), surroundings);
  opened.push(access);
  return access;
}

const { signal } = new AbortController();

describe("the leader's metrics through a real API server", () => {
  it('are read with the rights of docs/ui.md, and no credential reaches the pod', async () => {
    const { client } = await createReader('reader');
    const reads = { client, clock, signal };
    // Other tests may have Leases of that name.
    expect(await findLeaders(reads)).not.toEqual([]);
    expect(await readMetricsText({ namespace, pod: POD }, reads)).toBe(TEXT);
    expect(received).toHaveLength(1);
    expect(Object.keys(received[0] ?? {})).not.toContain('authorization');
  });

  it.each([
    ['ClusterRole', /cannot list resource "leases"/],
    ['Role', /cannot get resource "pods"/],
  ])('are refused in one sentence without the %s', async (left, sentence) => {
    const { client } = await createReader(`without-${left.toLowerCase()}`, left);
    const reads = { client, clock, signal };
    const read = async (): Promise<string> => {
      if (left === 'ClusterRole') await findLeaders(reads);
      return readMetricsText({ namespace, pod: POD }, reads);
    };
    const said = await read().catch(describeError);
    expect(said).toMatch(sentence);
    expect(said).toContain('ask for the role "view", or for the right that is named');
  });

  it('are missing in one sentence where nothing listens', async () => {
    const { client } = open(cluster.kubeconfigPath);
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, findAddress(), resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    await createPod('albridge-b', findAddress(), port);
    const read = readMetricsText({ namespace, pod: 'albridge-b' }, { client, clock, signal });
    expect(await read.catch(describeError)).toMatch(
      /^its port for metrics answers 50\d: are metrics off/,
    );
  });
});
