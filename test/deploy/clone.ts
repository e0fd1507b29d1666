import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './place.ts';

/** Arguments of git for commits and tags in a clone, whatever the caller has set: a name, no signature, no hooks. */
export const GIT_AS_ME = [
  ...['user.name=me', 'user.email=me@example.com', 'core.hooksPath=/dev/null'],
  ...['commit.gpgSign=false', 'tag.gpgSign=false'],
].flatMap((setting) => ['-c', setting]);

/**
 * What a fresh clone would hold: the files that git knows, as they are now, and the dependencies as
 * `npm ci` has installed them here. Returns its path.
 */
export async function cloneFresh(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const directory = await mkdtemp(join(tmpdir(), 'albridge-clone-'));
  for (const name of stdout.split('\0').filter((path) => path !== '')) {
    await cp(resolve(ROOT, name), join(directory, name), { recursive: true });
  }
  await symlink(resolve(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

export function removeClone(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
