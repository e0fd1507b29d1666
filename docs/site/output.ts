import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePart, writeInto } from '../../deploy/output.ts';

/** Writes all files (path inside the directory -> content) next to it first: it is complete or as before. */
export async function replaceDirectory(
  out: string,
  files: ReadonlyMap<string, string | Buffer>,
): Promise<void> {
  const part = await makePart(out);
  try {
    await writeInto(out, async () => {
      for (const [path, content] of files) {
        await mkdir(dirname(join(part, path)), { recursive: true });
        await writeFile(join(part, path), content);
      }
      await rm(out, { recursive: true, force: true });
      await rename(part, out);
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
