import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, isExecutable, placeAtomically } from '../control-plane/cache-directory.ts';
import { withCacheLock } from '../control-plane/cache-lock.ts';
import { type Apt, unpackPackages } from '../control-plane/debian-packages.ts';
import type { Environment } from '../control-plane/environment.ts';
import { findOnPath } from '../control-plane/go-build.ts';

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
  const list = async (apt: Apt): Promise<readonly string[]> => {
    const simulated = await apt('install', '--simulate', '--no-install-recommends', 'chromium');
    return [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  };
  const take = (unpacked: string): Promise<void> =>
    placeAtomically(directory, (target) =>
      cp(unpacked, target, { recursive: true, verbatimSymlinks: true }),
    );
  await unpackPackages({ what: 'chromium', list, take }, env);
}
