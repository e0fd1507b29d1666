import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  constants,
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { DeployPlace, ROOT } from './place.ts';
import type { PlayedPod } from './played-pod.ts';

/** The bundle as the image runs it: read-only, unprivileged, in a pod of the Deployment. */

const run = promisify(execFile);

let place: DeployPlace;
let played: PlayedPod;

beforeAll(async () => {
  place = await DeployPlace.start();
  played = await place.install();
});

afterAll(() => place?.stop());

const MIB = 1024 * 1024;

/** The bytes of each file that the image has on top of its base. */
async function measureImage(): Promise<Readonly<Record<string, number>>> {
  const names = await readdir(inject('image'));
  const size = async (name: string): Promise<number> =>
    (await stat(join(inject('image'), name))).size;
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await size(name)] as const)),
  );
}

describe('the image', () => {
  it('holds the bundle, its source map and every licence, within its budget', async () => {
    const sizes = await measureImage();
    for (const name of ['main.mjs', 'operator.mjs.map', 'albridge.mjs', 'LICENSE'])
      expect(sizes[name]).toBeGreaterThan(0);
    expect(sizes['THIRD-PARTY-LICENSES.txt']).toBeGreaterThan(100_000);
    expect(sizes['operator.mjs']).toBeLessThan(2 * MIB);
    // The layer on top of distroless Node.
    const used = Object.values(sizes).reduce((sum, size) => sum + size) / MIB;
    const page = await readFile(join(ROOT, 'docs/install.md'), 'utf8');
    const [, budget, stated] =
      /(\d+) MiB for that layer \(([\d.]+) MiB are\s+used/.exec(page) ?? [];
    expect(used).toBeLessThan(Number(budget));
    expect(Math.abs(used - Number(stated)), `${used} MiB are used`).toBeLessThan(0.5);
  });

  it('cannot be written to by the user that it runs as', async () => {
    const status = await readStatus(played.operator.pid);
    const uid = process.getuid?.();
    expect(status['Uid']?.split('\t')[0]).toBe(uid === 0 ? '65532' : `${uid}`);
    if (uid !== 0) await expect(access(inject('image'), constants.W_OK)).rejects.toThrow();
    expect((await stat(inject('image'))).mode & 0o222).toBe(0);
  });

  it('has every part of a dependency that the operator asks for, and its version', async () => {
    const { stdout } = await run(process.execPath, [
      join(inject('image'), 'main.mjs'),
      '--version',
    ]);
    expect(stdout).toContain(manifest.version);
  });

  it('holds the command line, which kubectl runs as its plugin', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-path-'));
    const plugin = join(directory, 'kubectl-albridge');
    await copyFile(join(inject('image'), 'albridge.mjs'), plugin);
    await chmod(plugin, 0o755);
    const { kubectlPath, kubeconfigPath: KUBECONFIG } = place.cluster;
    const PATH = [directory, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const ask = (...args: readonly string[]): ReturnType<typeof run> =>
      run(kubectlPath, ['albridge', ...args], { env: { ...process.env, PATH, KUBECONFIG } });
    expect((await ask('--version')).stdout).toBe(`${manifest.version}\n`);
    expect((await ask('status', '-A')).stderr).toContain('no objects of albridge in ');
    await expect(ask('status', '--nope')).rejects.toMatchObject({ code: 64 });
    await rm(directory, { recursive: true });
  });

  it.each(['main.mjs', 'albridge.mjs'])(
    'asks for a newer Node where %s is too old',
    async (name) => {
      const old =
        'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.18.0"}})';
      const entry = join(inject('image'), name);
      const failed = run(process.execPath, ['--import', old, entry, '--version']);
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: `albridge needs Node 22.19 or later, and this is 22.18.0: install a newer one, or put it first on the PATH\n`,
      });
      // Node links what is imported by name before it runs anything.
      const imports = (await readFile(entry, 'utf8')).match(/^import\b.*/gm) ?? [];
      expect(imports.filter((line) => line.includes('enableCompileCache'))).toEqual([]);
    },
  );

  it('takes its cluster from the ServiceAccount and no kubeconfig', () => {
    const [first] = played.operator.log;
    expect(first).toMatchObject({ msg: 'starting', cluster: place.cluster.url });
    expect(first?.['credentials']).toMatch(/^service account in /);
  });
});

describe('a pod of the Deployment', () => {
  it('exits with 0 on SIGTERM', async () => {
    expect(await played.stop()).toBe(0);
  });
});

async function readStatus(pid: number): Promise<Readonly<Record<string, string>>> {
  const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(':\t') as [string, string]));
}
