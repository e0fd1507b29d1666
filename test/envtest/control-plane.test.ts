import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import * as https from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { isRunning } from '../unit/control-plane/process-state.ts';
import { makeTemporaryDirectory } from '../unit/control-plane/release-server.ts';

/** Runs kubectl and gives its output, or fails the test with what it complained about. */
async function kubectl(cluster: ClusterAccess, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  expect({ code, stderr }, `kubectl ${args.join(' ')}`).toMatchObject({ code: 0 });
  return stdout;
}

/** One GET as the administrator, verified against the cluster's own authority. */
function get(cluster: ClusterAccess, path: string): Promise<{ status: number; body: string }> {
  const headers = { authorization: `Bearer ${cluster.adminToken}` };
  const options = { ca: cluster.caPem, headers, agent: false };
  return new Promise((resolve, reject) => {
    const call = https.get(`${cluster.url}${path}`, options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    call.once('error', reject);
  });
}

describe('the shared control plane', () => {
  const shared = accessCluster(inject('controlPlane'));

  it('is Kubernetes 1.36.4', async () => {
    const version = JSON.parse(await kubectl(shared, 'version', '-o', 'json'));
    expect(version.serverVersion).toMatchObject({
      gitVersion: 'v1.36.4',
      major: '1',
      minor: '36',
    });
  });

  it('stores what kubectl applies and gives it back', async () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'round-trip', namespace: 'default' },
      data: { greeting: 'hello' },
    };
    const applied = await shared.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify(configMap),
    });
    expect(applied.stdout).toBe('configmap/round-trip created\n');
    const read = JSON.parse(await kubectl(shared, 'get', 'configmap', 'round-trip', '-o', 'json'));
    expect(read.data).toEqual({ greeting: 'hello' });
    await kubectl(shared, 'delete', 'configmap', 'round-trip');
    const gone = await shared.kubectl(['get', 'configmap', 'round-trip']);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('NotFound') });
  });

  it('proves itself by a certificate for 127.0.0.1 that is trusted nowhere else', async () => {
    expect((await get(shared, '/version')).status).toBe(200);
    await expect(get({ ...shared, caPem: otherAuthority }, '/version')).rejects.toMatchObject({
      code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY|SIGNATURE/),
    });
    const kubeconfig = await readFile(shared.kubeconfigPath, 'utf8');
    expect(kubeconfig).not.toContain('insecure');
  });

  it('keeps its kubeconfigs to their owner', async () => {
    const { mode } = await stat(shared.kubeconfigPath);
    expect(mode & 0o077).toBe(0);
  });

  it('lets a ServiceAccount do what its Role says and nothing else', async () => {
    await kubectl(shared, 'create', 'namespace', 'rights');
    await kubectl(shared, 'create', 'serviceaccount', 'reader', '-n', 'rights');
    const role = ['role', 'reader', '--verb=get,list', '--resource=configmaps', '-n', 'rights'];
    await kubectl(shared, 'create', ...role);
    const binding = ['--role=reader', '--serviceaccount=rights:reader', '-n', 'rights'];
    await kubectl(shared, 'create', 'rolebinding', 'reader', ...binding);
    const kubeconfigPath = await shared.serviceAccountKubeconfig('rights', 'reader');
    const as = (...args: readonly string[]) => shared.kubectl(args, { kubeconfigPath });
    expect((await as('auth', 'whoami')).stdout).toContain('system:serviceaccount:rights:reader');
    // The API server learns of a binding by a watch.
    await vi.waitFor(
      async () => expect((await as('get', 'configmaps', '-n', 'rights')).code).toBe(0),
      { timeout: 120_000 },
    );
    expect((await as('get', 'secrets', '-n', 'rights')).stderr).toContain('Forbidden');
    expect((await as('get', 'configmaps', '-n', 'default')).stderr).toContain('Forbidden');
  });

  it('refuses a token that it did not issue', async () => {
    const kubeconfigPath = await shared.createKubeconfig({ token: 'made-up', name: 'stranger' });
    const { code, stderr } = await shared.kubectl(['get', 'namespaces'], { kubeconfigPath });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/Unauthorized|must be logged in/);
  });
});

describe('a control plane of its own', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    // Whatever the caller has set must reach none of the processes.
    vi.stubEnv('KUBECONFIG', '/nonexistent/production');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-to-be-seen');
    // The API server would answer old lists from its own memory for up to 15 s.
    plane = await startControlPlane({
      apiServerArgs: ['--feature-gates=ListFromCacheSnapshot=false'],
    });
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await plane.stop();
  });

  it('gives its processes nothing of the caller', async () => {
    expect(plane.pids()).toHaveLength(2);
    for (const pid of plane.pids()) {
      // Only Linux shows the environment of a process as a file.
      if (process.platform !== 'linux') continue;
      const variables = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(variables).toContain(`HOME=${plane.directory}`);
      expect(variables).not.toMatch(/KUBECONFIG|AWS_/);
    }
    expect(await kubectl(plane, 'config', 'current-context')).toBe('admin\n');
  });

  it('keeps data, address and certificate when the API server restarts', async () => {
    await kubectl(plane, 'create', 'configmap', 'kept', '--from-literal=a=1');
    const [pidBefore] = plane.pids();
    await plane.restartApiServer({ downMs: 50 });
    expect(plane.pids()).toHaveLength(2);
    expect(plane.pids()[0]).not.toBe(pidBefore);
    const data = await kubectl(plane, 'get', 'configmap', 'kept', '-o', 'jsonpath={.data.a}');
    expect(data).toBe('1');
  });

  it('keeps them also when the API server is killed', async () => {
    await plane.killApiServer();
    expect(plane.pids()).toHaveLength(1);
    await expect(get(plane, '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await plane.startApiServer();
    await plane.startApiServer();
    expect(plane.pids(), 'a second start changes nothing').toHaveLength(2);
    await vi.waitFor(async () => expect((await get(plane, '/readyz')).body).toBe('ok'), {
      timeout: 120_000,
    });
  });

  it('answers 410 for a list that began before a compaction', async () => {
    for (const name of ['one', 'two', 'three']) await kubectl(plane, 'create', 'configmap', name);
    const path = '/api/v1/namespaces/default/configmaps?limit=1';
    const first = JSON.parse((await get(plane, path)).body);
    const nextPath = `${path}&continue=${first.metadata.continue}`;
    await kubectl(plane, 'create', 'configmap', 'four');
    expect((await get(plane, nextPath)).status, 'before').toBe(200);
    await plane.compactEtcd();
    const next = await get(plane, nextPath);
    expect(next.status, 'after').toBe(410);
    expect(JSON.parse(next.body).reason).toBe('Expired');
  });

  it('answers 410 for a watch that starts before a restart', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const { metadata } = JSON.parse((await get(plane, path)).body);
    await kubectl(plane, 'create', 'configmap', 'five');
    await plane.compactEtcd();
    await plane.restartApiServer();
    // The answer ends the watch, and comes long before this time is over.
    const query = `watch=1&timeoutSeconds=30&resourceVersion=${metadata.resourceVersion}`;
    const { body } = await get(plane, `${path}?${query}`);
    expect(JSON.parse(body)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('shares nothing with the other one', async () => {
    const shared = accessCluster(inject('controlPlane'));
    expect(shared.url).not.toBe(plane.url);
    await kubectl(plane, 'create', 'configmap', 'here-only');
    const elsewhere = await shared.kubectl(['get', 'configmap', 'here-only']);
    expect(elsewhere.stderr).toContain('NotFound');
  });

  it('leaves no process and no directory when it stops', async () => {
    const pids = plane.pids();
    expect(pids.filter(isRunning)).toEqual(pids);
    await plane.stop();
    expect(pids.filter(isRunning)).toEqual([]);
    expect(plane.pids()).toEqual([]);
    expect(existsSync(plane.directory)).toBe(false);
    await plane.stop();
  });
});

describe('a control plane with a controller-manager', () => {
  it('collects what loses its owner, and stays in the directory that it was given', async () => {
    const directory = await makeTemporaryDirectory();
    const plane = await startControlPlane({ controllerManager: true, directory });
    try {
      expect(plane.pids()).toHaveLength(3);
      await kubectl(plane, 'create', 'configmap', 'owner');
      const uid = await kubectl(plane, 'get', 'cm', 'owner', '-o', 'jsonpath={.metadata.uid}');
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
      const child = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'child', ownerReferences },
      };
      await plane.kubectl(['create', '-f', '-'], { input: JSON.stringify(child) });
      await kubectl(plane, 'delete', 'configmap', 'owner');
      await kubectl(plane, 'wait', '--for=delete', 'configmap/child', '--timeout=120s');
    } finally {
      await plane.stop();
    }
    expect(existsSync(join(directory, 'kube-controller-manager.log'))).toBe(true);
    await rm(directory, { recursive: true });
  });
});

describe('a control plane that cannot start', () => {
  it('reports why with the end of the log, and leaves nothing running', async () => {
    const failing = startControlPlane({ apiServerArgs: ['--no-such-flag'] });
    await expect(failing).rejects.toThrow(
      /kube-apiserver ended while starting:\n[^]*unknown flag: --no-such-flag/,
    );
  });

  it('reports what was missing when the time is over', async () => {
    const failing = startControlPlane({ readyTimeoutMs: 100 });
    await expect(failing).rejects.toThrow(/kube-apiserver was not ready within 0\.1 s \(.+\):/);
  });
});

describe('a control plane whose owner is killed', () => {
  it('ends with its owner', async () => {
    const module = new URL('../control-plane/control-plane.ts', import.meta.url).href;
    const script = `
      const { startControlPlane } = await import('${module}');
      const plane = await startControlPlane();
      console.log(JSON.stringify({ pids: plane.pids(), directory: plane.directory }));
      setInterval(() => undefined, 1000);
    `;
    const args = ['--input-type=module', '-e', script];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const { pids, directory } = JSON.parse(line.toString()) as {
      pids: number[];
      directory: string;
    };
    expect(pids.filter(isRunning)).toEqual(pids);
    owner.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning), { timeout: 120_000 }).toEqual([]);
    await expect.poll(() => existsSync(directory), { timeout: 120_000 }).toBe(false);
  });
});

/** A certificate authority that has signed nothing here. */
const otherAuthority = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUfwgbeYZbCXL30G2wlHY9C7C2aTMwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNc29tZWJvZHktZWxzZTAgFw0yNjExMjEwMzQ3NDlaGA8yMTI2
MTAyODAzNDc0OVowGDEWMBQGA1UEAwwNc29tZWJvZHktZWxzZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABPxDPkmLOdA6VHUDEErviOl/LRqAPHtwIYHa0W/xSm2D
+V2awubsUQGSrR9peJdhljRGkMgNR4IXQ9P1L2n+v6CjUzBRMB0GA1UdDgQWBBS0
qtcTmxMsJEfs/5EqQOQsBocjMjAfBgNVHSMEGDAWgBS0qtcTmxMsJEfs/5EqQOQs
BocjMjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDo8XSo/QnG
qJJ42P/hEDxVyGmvcQWzg+fxRnrucNX1rQIhAKJLgf/bblNT+TgWvCKvoqhjkcMe
1UQiQhlzCgMNi44g
-----END CERTIFICATE-----
`;
