import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Cluster, loadCluster } from '../../../../src/kube/client/credentials.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

let directory: string;
let clock: ManualClock;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'albridge-plugin-'));
  clock = new ManualClock();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function openWithPlugin(script: string): Cluster {
  return loadCluster({ kubeconfig: writeKubeconfig(script) }, clock);
}

function writeKubeconfig(script: string, at: object = {}, more: object = {}): string {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', script],
    ...more,
  };
  const kubeconfig = join(directory, 'config');
  const config = {
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://a.example', ...at } }],
    users: [{ name: 'a', user: { exec } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return kubeconfig;
}

const CA = await makeCertificate(['ca'], { algorithm: 'ECDSA' });
const PLUGGED = `echo '${JSON.stringify({ kind: 'ExecCredential', status: { token: 'abc' } })}'`;

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** The script writes its process id into a file first. */
async function readProcessId(): Promise<number> {
  const path = join(directory, 'pid');
  return vi.waitFor(() => {
    if (!existsSync(path)) throw new Error('not started yet');
    const text = readFileSync(path, 'utf8');
    if (!text.endsWith('\n')) throw new Error('not written yet');
    return Number(text);
  });
}

describe('a credential plugin', () => {
  it.each([
    ['yes', '1 MB to stdout'],
    ['yes >&2', '16 MB to stderr'],
  ])('that prints without end is ended: %s', async (command, printed) => {
    const cluster = openWithPlugin(`echo $$ > '${directory}/pid'; exec ${command}`);
    await expect(cluster.credentials()).rejects.toThrow(
      `: the credential plugin "sh" failed: it printed more than ${printed}; correct that, or choose a context with another user`,
    );
    expect(isRunning(await readProcessId())).toBe(false);
  });

  it('may report much beside its answer', async () => {
    const cluster = openWithPlugin(`yes | head -c 1200000 >&2; ${PLUGGED}`);
    await expect(cluster.credentials()).resolves.toMatchObject({
      headers: { authorization: 'Bearer abc' },
    });
  });

  it('is ended where it does not answer in time', async () => {
    const cluster = openWithPlugin(`echo $$ > '${directory}/pid'; trap '' TERM; exec sleep 100`);
    const failed = expect(cluster.credentials()).rejects.toThrow(/"sh" has not answered/);
    const processId = await readProcessId();
    expect(isRunning(processId)).toBe(true);
    await clock.advance(10_000);
    await failed;
    await vi.waitFor(() => expect(isRunning(processId)).toBe(false));
  });

  it('may take what it prints from what it has started', async () => {
    const cluster = openWithPlugin(`(sleep 0.1; ${PLUGGED}) & wait`);
    await expect(cluster.credentials()).resolves.toMatchObject({
      headers: { authorization: 'Bearer abc' },
    });
  });

  it.each(['exit 1', 'echo {}', `echo '{"status": {}}'`])(
    'that gave nothing of use is asked again: %s',
    async (answer) => {
      const flag = join(directory, 'is-corrected');
      const cluster = openWithPlugin(`if [ -e '${flag}' ]; then ${PLUGGED}; else ${answer}; fi`);
      await expect(cluster.credentials()).rejects.toThrow();
      writeFileSync(flag, '');

      await expect(cluster.credentials()).resolves.toMatchObject({
        headers: { authorization: 'Bearer abc' },
      });
    },
  );

  it('may be corrected in the kubeconfig', async () => {
    const cluster = openWithPlugin('exit 1');
    await expect(cluster.credentials()).rejects.toThrow(/correct that/);
    writeKubeconfig(PLUGGED);

    await expect(cluster.credentials()).resolves.toBeDefined();
  });

  it('goes with the authority that the kubeconfig has now', async () => {
    const cluster = openWithPlugin(PLUGGED);
    await expect(cluster.credentials()).resolves.toMatchObject({ tls: {} });
    const data = Buffer.from(CA.certificate).toString('base64');
    writeKubeconfig(PLUGGED, { 'certificate-authority-data': data });
    await clock.advance(60_000);

    await expect(cluster.credentials()).resolves.toMatchObject({ tls: { ca: CA.certificate } });
  });

  it.each(['', 'clusters: ['])(
    'that has answered stays in use while its kubeconfig is written: %j',
    async (torn) => {
      const cluster = openWithPlugin(PLUGGED);
      const given = await cluster.credentials();
      writeFileSync(join(directory, 'config'), torn);
      await clock.advance(60_000);

      await expect(cluster.credentials()).resolves.toEqual(given);
    },
  );

  it('that was refused is not asked by a kubeconfig that cannot be read', async () => {
    const cluster = openWithPlugin(PLUGGED);
    const refused = await cluster.credentials();
    writeFileSync(join(directory, 'config'), '');
    cluster.forget(refused);

    await expect(cluster.credentials()).rejects.toThrow('restore it');
  });

  it('leaves no listener behind, whether it cannot be started, fails or hangs', async () => {
    const before = process.listenerCount('exit');
    const missing = writeKubeconfig('', {}, { command: 'no-such-plugin' });
    await expect(loadCluster({ kubeconfig: missing }, clock).credentials()).rejects.toThrow();
    await expect(openWithPlugin('exit 1').credentials()).rejects.toThrow();
    const hanging = openWithPlugin('sleep 60 & sleep 60').credentials();
    const failed = expect(hanging).rejects.toThrow();
    await clock.advance(10_000);
    await failed;

    await vi.waitFor(() => expect(process.listenerCount('exit')).toBe(before));
  });

  it('that cannot be started as too many files are open does not end the process', () => {
    const script = `
      import { closeSync, openSync } from 'node:fs';
      import { loadCluster } from '${resolve('src/kube/client/credentials.ts')}';
      import { systemClock } from '${resolve('src/system-clock.ts')}';
      const cluster = loadCluster({ kubeconfig: '${writeKubeconfig(PLUGGED)}' }, systemClock);
      let last;
      try { for (;;) last = openSync('/dev/null'); } catch {}
      closeSync(last);
      await cluster.credentials().catch(({ message }) => console.log(message));
      setImmediate(() => console.log('alive'));
    `;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const line = 'ulimit -n 64; exec "$@"';
    const { stderr, stdout } = spawnSync('sh', ['-c', line, 'sh', ...node], { encoding: 'utf8' });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/the credential plugin "sh" cannot be started \(EMFILE\).*\nalive\n$/);
  });

  const ECHO = `echo "{\\"status\\": {\\"token\\": \\"$(printf %s "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')\\"}}"`;
  const ASKED = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };

  it('is given the version that it is asked for, and no terminal', async () => {
    const info = await readInfo(openWithPlugin(ECHO));
    expect(info).toEqual({ ...ASKED, spec: { interactive: false } });
  });

  it('is given the cluster where the kubeconfig says so', async () => {
    writeFileSync(join(directory, 'ca.pem'), CA.certificate);
    const at = {
      'certificate-authority': 'ca.pem',
      'certificate-authority-data': '',
      'tls-server-name': 'kube',
      extensions: [
        { name: 'other', extension: { a: 1 } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } },
      ],
    };
    const path = writeKubeconfig(ECHO, at, { provideClusterInfo: true });
    const cluster = {
      server: 'https://a.example',
      'tls-server-name': 'kube',
      'certificate-authority-data': Buffer.from(CA.certificate).toString('base64'),
      config: { audience: 'x' },
    };
    const info = await readInfo(loadCluster({ kubeconfig: path }, clock));
    expect(info).toEqual({ ...ASKED, spec: { interactive: false, cluster } });
  });
});

/** Of a plugin whose token is what it was given. */
async function readInfo(cluster: Cluster): Promise<unknown> {
  const { authorization = '' } = (await cluster.credentials()).headers;
  return JSON.parse(Buffer.from(authorization.slice('Bearer '.length), 'base64').toString());
}
