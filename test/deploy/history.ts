import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './place.ts';

/** What git remembers of the manifests. */

const INSTALL = 'deploy/install.yaml';
const run = promisify(execFile);

/** This copy of the project is no git repository, or one whose history was cut off. */
export class NoHistory extends Error {
  constructor(why: string) {
    super(`${why}: clone the whole history (git fetch --unshallow) to test upgrades from it`);
    this.name = 'NoHistory';
  }
}

/**
 * The newest commit whose manifests differ from those here, comments aside. Throws NoHistory; an
 * Error where there is a history in which they never differed.
 */
export async function commitBefore(): Promise<string> {
  const now = parsed(await readFile(resolve(ROOT, INSTALL), 'utf8'));
  const commits = (await git('log', '--format=%H', '--', INSTALL)).split('\n').filter(Boolean);
  for (const commit of commits) {
    const then = parsed(await git('show', `${commit}:${INSTALL}`));
    if (!isDeepStrictEqual(now, then)) return commit;
  }
  await refuseShallow();
  throw new Error(`no commit has another ${INSTALL} than this one`);
}

/** Puts the files of a commit into an empty directory, and the packages of here beside them. */
export async function checkOut(commit: string, directory: string): Promise<void> {
  try {
    await git('cat-file', '-e', `${commit}^{commit}`);
  } catch (error) {
    await refuseShallow();
    throw error;
  }
  await mkdir(directory, { recursive: true });
  const archive = join(directory, 'all.tar');
  await git('archive', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', directory]);
  await symlink(resolve(ROOT, 'node_modules'), join(directory, 'node_modules'));
}

async function refuseShallow(): Promise<void> {
  const isShallow = (await git('rev-parse', '--is-shallow-repository')).trim() === 'true';
  if (isShallow) throw new NoHistory('the history of this clone is cut off');
}

async function git(...args: readonly string[]): Promise<string> {
  try {
    return (await run('git', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    if (stderr.includes('not a git repository')) throw new NoHistory('this is no git repository');
    throw error;
  }
}

function parsed(text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}
