import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes all files (path inside the directory -> content) next to it first: it is complete or as before. */
export async function replaceDirectory(
  out: string,
  files: ReadonlyMap<string, string | Buffer>,
): Promise<void> {
  await mkdir(dirname(out), { recursive: true });
  const part = await mkdtemp(`${out}.part-`);
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(part, path)), { recursive: true });
      await writeFile(join(part, path), content);
    }
    await rm(out, { recursive: true, force: true });
    await rename(part, out);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
