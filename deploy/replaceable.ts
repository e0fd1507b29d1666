import { readdir } from 'node:fs/promises';

/** True if nothing but the output of an earlier run, which has the file `mark`, would be lost. */
export async function isReplaceable(out: string, mark: string): Promise<boolean> {
  try {
    const names = await readdir(out);
    return names.length === 0 || names.includes(mark);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'ENOTDIR') return false;
    throw error;
  }
}
