import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A directory that a person named cannot be written; the message says so in a sentence. */
export class OutputError extends Error {
  constructor(path: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`${path} cannot be written (${code ?? message}): name another directory`, { cause });
    this.name = 'OutputError';
  }
}

/** True if nothing but the output of an earlier run, which has the file `mark`, would be lost. */
export async function isReplaceable(out: string, mark: string): Promise<boolean> {
  try {
    const names = await readdir(out);
    return names.length === 0 || names.includes(mark);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'ENOTDIR') return false;
    throw new OutputError(out, error);
  }
}

/** Codes of a disk that takes no more. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'];

/** Throws an OutputError if what `write` writes to `out`, or to a part of it, cannot be written. */
export async function writeInto<T>(out: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code = '', path = '' } = error as NodeJS.ErrnoException;
    const isThere = path === out || path.startsWith(`${out}/`) || path.startsWith(`${out}.part-`);
    if (isThere) throw new OutputError(out, error);
    // A temporary directory may be full too; Node names no path of a file that is open already.
    if (FULL.includes(code)) throw new OutputError(path || out, error);
    throw error;
  }
}

/** A new directory next to `out`, which gets that name when it is complete. */
export async function makePart(out: string): Promise<string> {
  try {
    await makeDirectory(dirname(out));
    return await mkdtemp(`${out}.part-`);
  } catch (error) {
    throw new OutputError(out, error);
  }
}

/** Makes the directory, unless it is there, and proves that files can be made in it. */
export async function makeWritable(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await rmdir(await mkdtemp(join(directory, '.probe-')));
  } catch (error) {
    throw new OutputError(directory, error);
  }
}

/** With its parents. Node's own `recursive` never returns where mkdir answers ENOENT below a directory that exists: /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    await makeDirectory(dirname(path));
    await mkdir(path);
  }
}

/** Before a long run: the file that `flag` names must find a place. Neither makes nor changes it. */
export function refuseUnwritable(flag: string, file: string): void {
  const isNew = !existsSync(file);
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${flag} names ${file}, which cannot be written (${code ?? message})`);
  }
  if (isNew) rmSync(file);
}
