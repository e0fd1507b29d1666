import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot, isExecutable, placeAtomically } from '../control-plane/cache-directory.ts';
import { withCacheLock } from '../control-plane/cache-lock.ts';
import type { Environment } from '../control-plane/environment.ts';
import { findOnPath } from '../control-plane/go-build.ts';
import { runCommand } from '../control-plane/run-command.ts';

export interface FoundChromium {
  readonly path: string;
  /** Directories of libraries that the system lacks, joined by colons; empty for those of the system. */
  readonly libraryPath: string;
}

/**
 * Finds Chromium: on PATH, in the cache, or in Debian's packages, which apt verifies and which are unpacked into
 * the cache without being installed (125 MB), with the libraries that the system lacks. Rejects with one sentence.
 */
export async function locateChromium(env: Environment = process.env): Promise<FoundChromium> {
  const onPath = await findOnPath('chromium', env);
  if (onPath !== undefined) return { path: onPath, libraryPath: '' };
  const directory = join(cacheRoot(env), `chromium-debian-${process.arch}`);
  const found = describeTree(directory);
  if (await isExecutable(found.path)) return found;
  const onWait = (pid: number): void =>
    void process.stderr.write(`process ${pid} is fetching chromium already: waiting for it\n`);
  return withCacheLock(`${directory}.lock`, { onWait }, async () => {
    if (!(await isExecutable(found.path))) await download(directory, env);
    return found;
  });
}

const TRIPLETS: Readonly<Record<string, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

function describeTree(directory: string): FoundChromium {
  const libraries = join(directory, 'usr/lib', TRIPLETS[process.arch] ?? '');
  return {
    path: join(directory, 'usr/lib/chromium/chromium'),
    libraryPath: [libraries, join(libraries, 'pulseaudio')].join(':'),
  };
}

async function download(directory: string, env: Environment): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'albridge-chromium-'));
  // apt fetches as the user _apt, who may write here.
  await chmod(place, 0o777);
  try {
    const options = { cwd: place, env };
    const simulated = await run(
      'apt-get',
      ['install', '--simulate', '--no-install-recommends', 'chromium'],
      options,
    );
    const names = [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    await run('apt-get', ['download', ...names], options);
    const files = (await readdir(place)).filter((one) => one.endsWith('.deb'));
    for (const file of files) await run('dpkg-deb', ['-x', file, 'unpacked'], options);
    const unpacked = join(place, 'unpacked');
    await placeAtomically(directory, (target) =>
      cp(unpacked, target, { recursive: true, verbatimSymlinks: true }),
    );
  } finally {
    await rm(place, { recursive: true });
  }
}

async function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<string> {
  const kept = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  const options = { cwd, env: Object.fromEntries(kept) };
  const { code, stdout, stderr } = await runCommand(command, args, options).catch(
    (error: unknown) => ({ code: -1, stdout: '', stderr: (error as Error).message }),
  );
  if (code === 0) return stdout;
  const why = stderr.trim().split('\n').at(-1) ?? '';
  throw new Error(
    `cannot provide chromium: ${command} ${args[0]}: ${why}; put it on PATH, or run apt-get update on Debian`,
  );
}
