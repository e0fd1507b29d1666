import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, isExecutable, placeAtomically } from '../control-plane/cache-directory.ts';
import { withCacheLock } from '../control-plane/cache-lock.ts';
import { unpackPackages } from '../control-plane/debian-packages.ts';
import type { Environment } from '../control-plane/environment.ts';
import { findOnPath } from '../control-plane/go-build.ts';

export interface FoundZsh {
  readonly path: string;
  /** Lines for .zshenv, which lead a zsh that is not installed to its modules and functions. */
  readonly startup: string;
}

/**
 * Finds zsh: on PATH, in the cache, or in Debian's packages, which apt verifies and which are unpacked into the cache
 * without being installed (5 MB). Rejects with one sentence where there is none.
 */
export async function locateZsh(env: Environment = process.env): Promise<FoundZsh> {
  const onPath = await findOnPath('zsh', env);
  if (onPath !== undefined) return { path: onPath, startup: '' };
  const directory = join(cacheRoot(env), `zsh-debian-${process.arch}`);
  const onWait = (pid: number): void =>
    void process.stderr.write(`process ${pid} is fetching zsh already: waiting for it\n`);
  return withCacheLock(`${directory}.lock`, { onWait }, async () => {
    const found = await findIn(directory);
    if (found !== undefined) return found;
    await download(directory, env);
    const unpacked = await findIn(directory);
    if (unpacked === undefined) throw new Error("Debian's package zsh has no program zsh");
    return unpacked;
  });
}

/** Newer releases of Debian have it in /usr/bin alone. */
async function findIn(directory: string): Promise<FoundZsh | undefined> {
  for (const name of ['usr/bin/zsh', 'bin/zsh']) {
    const path = join(directory, name);
    if (await isExecutable(path)) return { path, startup: formatStartup(directory) };
  }
  return undefined;
}

function formatStartup(directory: string): string {
  return [
    `module_path=('${directory}'/usr/lib/*/zsh/*(/))`,
    `fpath=('${directory}'/usr/share/zsh/functions/**/*(/))`,
    '',
  ].join('\n');
}

async function download(directory: string, env: Environment): Promise<void> {
  const list = (): Promise<readonly string[]> => Promise.resolve(['zsh', 'zsh-common']);
  const take = (unpacked: string): Promise<void> =>
    placeAtomically(directory, (target) =>
      cp(unpacked, target, { recursive: true, verbatimSymlinks: true }),
    );
  await unpackPackages({ what: 'zsh', list, take }, env);
}
