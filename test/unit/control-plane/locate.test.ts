import { spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BinaryName } from '../../control-plane/binaries.ts';
import { cacheRoot, isExecutable } from '../../control-plane/cache-directory.ts';
import type { Environment } from '../../control-plane/environment.ts';
import { buildCacheKey } from '../../control-plane/go-build.ts';
import { type LocateOptions, locateBinaries } from '../../control-plane/locate.ts';
import { type LocatedBinary, MissingBinaryError } from '../../control-plane/obtain.ts';
import { writeFakeGo } from './fake-go.ts';
import {
  digestOf,
  makeTemporaryDirectory,
  packTarGz,
  type ReleaseServer,
  startReleaseServer,
  writeExecutable,
} from './release-server.ts';

const linux = { os: 'linux', arch: 'amd64' };
const mac = { os: 'darwin', arch: 'arm64' };
const apiServer = 'dl.k8s.io/release/v1.36.4/bin/linux/amd64/kube-apiserver';
const etcdDirectory = 'github.com/etcd-io/etcd/releases/download/v3.6.14';
const etcdArchive = 'etcd-v3.6.14-linux-amd64.tar.gz';
const macArchive = 'envtest-v1.36.0-darwin-arm64.tar.gz';
const macRelease = `github.com/kubernetes-sigs/controller-tools/releases/download/envtest-v1.36.0/${macArchive}`;
const macIndex =
  'raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml';
const installHint =
  'install Go 1.26 or later (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl';

let server: ReleaseServer;
let directory: string;
let bin: string;
let lines: string[];
let env: Environment;

beforeEach(async () => {
  server = await startReleaseServer();
  directory = await makeTemporaryDirectory();
  bin = join(directory, 'bin');
  lines = [];
  env = {
    PATH: bin,
    XDG_CACHE_HOME: join(directory, 'cache'),
    ALBRIDGE_DOWNLOAD_BASE: server.base,
  };
});

afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

async function locate(name: BinaryName, options: LocateOptions = {}): Promise<LocatedBinary> {
  const report = (line: string): number => lines.push(line);
  const located = await locateBinaries([name], { env, platform: linux, report, ...options });
  return located[name];
}

function publishApiServer(content: string, digest = digestOf('sha256', content)): void {
  server.publish(apiServer, content);
  server.publish(`${apiServer}.sha256`, digest);
}

async function publishEtcd(content: string): Promise<void> {
  const archive = await packTarGz({ 'etcd-v3.6.14-linux-amd64/etcd': content });
  server.publish(`${etcdDirectory}/${etcdArchive}`, archive);
  const digest = digestOf('sha256', archive);
  server.publish(`${etcdDirectory}/SHA256SUMS`, `${digest}  ${etcdArchive}\n`);
}

async function publishForMac(): Promise<void> {
  const archive = await packTarGz({
    'controller-tools/envtest/etcd': 'etcd for mac',
    'controller-tools/envtest/kube-apiserver': 'kube-apiserver for mac',
    'controller-tools/envtest/kubectl': 'kubectl for mac',
  });
  server.publish(macRelease, archive);
  const entry = `    ${macArchive}:\n      hash: ${digestOf('sha512', archive)}\n`;
  server.publish(macIndex, `releases:\n  v1.36.0:\n${entry}`);
}

describe('finding a binary', () => {
  it('takes the given directory before anything else', async () => {
    publishApiServer('downloaded');
    const assets = join(directory, 'assets');
    const path = await writeExecutable(join(assets, 'kube-apiserver'), 'given');
    const expected = { path, from: 'assets' };
    expect(await locate('kube-apiserver', { assetsDirectory: assets })).toEqual(expected);
    const withVariable = { ...env, KUBEBUILDER_ASSETS: assets };
    expect(await locate('kube-apiserver', { env: withVariable })).toEqual(expected);
    expect(lines, 'nothing is announced').toEqual([]);
  });

  it("takes the user's own kubectl from PATH, if it runs", async () => {
    const path = await writeExecutable(join(bin, 'kubectl'), '#!/bin/sh\nexit 0\n');
    expect(await locate('kubectl')).toEqual({ path, from: 'path' });
  });

  it('passes over a kubectl that does not run', async () => {
    await writeExecutable(join(bin, 'kubectl'), '#!/bin/sh\nexit 1\n');
    await writeFakeGo(bin, { version: '1.26.8' });
    expect((await locate('kubectl')).from).toBe('build');
  });

  it('takes no other binary from PATH', async () => {
    await writeExecutable(join(bin, 'kube-apiserver'), '#!/bin/sh\nexit 0\n');
    publishApiServer('downloaded');
    expect((await locate('kube-apiserver')).from).toBe('download');
  });

  it('gives kubectl no credentials while trying it', async () => {
    const script = `#!/bin/sh\nprintf '%s' "$KUBECONFIG$AWS_PROFILE" >"$0.saw"\n`;
    await writeExecutable(join(bin, 'kubectl'), script);
    await locate('kubectl', { env: { ...env, KUBECONFIG: 'mine', AWS_PROFILE: 'production' } });
    expect(await readFile(join(bin, 'kubectl.saw'), 'utf8')).toBe('');
  });

  it('finds in the cache what was downloaded before, without asking again', async () => {
    publishApiServer('downloaded');
    const first = await locate('kube-apiserver');
    const second = await locate('kube-apiserver');
    expect(first.from).toBe('download');
    expect(second).toEqual({ path: first.path, from: 'cache' });
    expect(server.requests(apiServer)).toBe(1);
  });

  it('finds in the cache what was built before', async () => {
    await writeFakeGo(bin, { version: '1.26.8' });
    const first = await locate('kube-apiserver');
    expect(first.path).toBe(
      join(cacheRoot(env), await buildCacheKey('kube-apiserver', linux), 'kube-apiserver'),
    );
    expect(await locate('kube-apiserver')).toEqual({ path: first.path, from: 'cache' });
  });
});

describe('downloading a binary', () => {
  it('keeps it executable in the cache, under its version', async () => {
    publishApiServer('downloaded');
    const { path } = await locate('kube-apiserver');
    expect(path).toBe(join(cacheRoot(env), 'kubernetes-v1.36.4-linux-amd64', 'kube-apiserver'));
    expect(await readFile(path, 'utf8')).toBe('downloaded');
    expect(await isExecutable(path)).toBe(true);
  });

  it('says beforehand what is missing, how large it is and how long it takes', async () => {
    publishApiServer('downloaded');
    await publishEtcd('etcd');
    const report = (line: string): number => lines.push(line);
    await locateBinaries(['etcd', 'kube-apiserver'], { env, platform: linux, report });
    expect(lines[0]).toBe(
      `to fetch, once: etcd, kube-apiserver; about 130 MB of downloads, or about 7 min of go build on two cores; kept in ${cacheRoot(env)}`,
    );
  });

  it("unpacks etcd's archive", async () => {
    await publishEtcd('the real etcd');
    const { path, from } = await locate('etcd');
    expect(from).toBe('download');
    expect(await readFile(path, 'utf8')).toBe('the real etcd');
    expect(await readdir(join(path, '..'))).toEqual(['etcd']);
  });

  it('unpacks all that the envtest archive holds at once', async () => {
    await publishForMac();
    const etcd = await locate('etcd', { platform: mac });
    const server_ = await locate('kube-apiserver', { platform: mac });
    expect(await readFile(etcd.path, 'utf8')).toBe('etcd for mac');
    expect(server_.from).toBe('cache');
    expect(await readFile(server_.path, 'utf8')).toBe('kube-apiserver for mac');
    expect(server.requests(macRelease)).toBe(1);
  });
});

interface Detour {
  readonly why: string;
  readonly arrange: () => void | Promise<void>;
  readonly sentence: RegExp;
}

const detours: Readonly<Record<string, Detour>> = {
  'the release is absent': {
    why: 'a mirror may lack it',
    arrange: () => undefined,
    sentence: /^kube-apiserver: 127\.0\.0\.1:\d+ answered 404 for .*; next: go build$/,
  },
  'the checksum is wrong': {
    why: 'what is not as published is not run',
    arrange: () => publishApiServer('tampered', digestOf('sha256', 'genuine')),
    sentence: /^kube-apiserver: the sha256 of .* file removed; next: go build$/,
  },
  'the checksum document is something else': {
    why: 'captive portals answer 200 to everything',
    arrange: () => {
      server.publish(apiServer, 'page');
      server.publish(`${apiServer}.sha256`, '<html>sign in</html>');
    },
    sentence: /has no sha256 for kube-apiserver; next: go build$/,
  },
  'the transfer breaks': {
    why: 'half a binary is none',
    arrange: () => {
      publishApiServer('whole');
      server.answer(apiServer, (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half', () => response.destroy());
      });
    },
    sentence: /broke off after .*; next: go build$/,
  },
  'the host is out of reach': {
    why: 'machines without internet may still have a Go module proxy',
    arrange: () => server.close(),
    sentence: /^kube-apiserver: cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\); next: go build$/,
  },
};

describe('when a download fails', () => {
  it.each(Object.entries(detours))('because %s, Go builds', async (_name, detour) => {
    await writeFakeGo(bin, { version: '1.26.8' });
    await detour.arrange();
    const { path, from } = await locate('kube-apiserver');
    expect(from, detour.why).toBe('build');
    expect(await readFile(path, 'utf8')).toBe(
      'built k8s.io/kubernetes/cmd/kube-apiserver for linux/amd64',
    );
    expect(lines.filter((line) => detour.sentence.test(line))).toHaveLength(1);
    expect(lines).toContainEqual(expect.stringMatching(/^building .* about 6 minutes/));
    const left = await readdir(cacheRoot(env), { recursive: true });
    expect(
      left.filter((file) => /\.(lock|part)$/.test(file)),
      'nothing half is left',
    ).toEqual([]);
  });

  it('Go builds what macOS has no download for', async () => {
    await writeFakeGo(bin, { version: '1.26.8' });
    const { path, from } = await locate('kube-controller-manager', { platform: mac });
    expect(from).toBe('build');
    expect(await readFile(path, 'utf8')).toMatch(/for darwin\/arm64$/);
    expect(lines).toContain('kube-controller-manager: no download is published for darwin-arm64');
  });

  it('and there is no Go, one error gives every reason and says what to install', async () => {
    const assets = join(directory, 'empty');
    const error = await locate('kubectl', { assetsDirectory: assets }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(MissingBinaryError);
    const [title, ...reasons] = (error as Error).message.split('\n');
    expect(title).toBe('cannot provide kubectl v1.36.4 for linux-amd64');
    expect(reasons).toEqual([
      `  given directory: ${assets} has no executable kubectl`,
      '  PATH: has no kubectl',
      `  cache: ${cacheRoot(env)} does not hold it yet`,
      expect.stringMatching(/^ {2}download: 127\.0\.0\.1:\d+ answered 404 for /),
      '  go build: there is no go on PATH',
      expect.stringContaining(installHint),
    ]);
  });

  it('and Go is too old, the error says which one is needed', async () => {
    await writeFakeGo(bin, { version: '1.19.8' });
    await expect(locate('etcd')).rejects.toThrow('is 1.19.8, the build needs 1.26 or later');
  });

  it('and the build fails, the error ends with what Go printed', async () => {
    await writeFakeGo(bin, { version: '1.26.8', build: 'echo "disk full" >&2; exit 1' });
    await expect(locate('etcd')).rejects.toThrow(/go build: go build ended with 1: .*disk full/);
  });
});

describe('several at once', () => {
  it('in one process download once', async () => {
    publishApiServer('downloaded');
    const located = await Promise.all([1, 2, 3, 4].map(() => locate('kube-apiserver')));
    expect(new Set(located.map(({ path }) => path)).size).toBe(1);
    expect(located.filter(({ from }) => from === 'download')).toHaveLength(1);
    expect(server.requests(apiServer)).toBe(1);
  });

  it('in two processes download once, and both get the whole file', async () => {
    const content = 'x'.repeat(300_000);
    publishApiServer(content);
    const runs = await Promise.all([fetchInProcess(), fetchInProcess()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    for (const { stdout } of runs) {
      expect(await readFile(stdout.trim().split('\t')[2] ?? '', 'utf8')).toBe(content);
    }
    expect(server.requests(apiServer)).toBe(1);
  });
});

function fetchInProcess(): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const main = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'fetch', 'kube-apiserver'], {
    env: { ...env, PATH: '/bin:/usr/bin' },
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout })));
}
